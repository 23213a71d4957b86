//! `pintle serve`.

use std::os::unix::fs::PermissionsExt;

use futures::StreamExt;
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use pintle::api::{Api, ListParams, ObjectMeta, PostParams, WatchEvent, WatchParams};
use pintle::runtime::watcher::{self, watcher};
use pintle::{Error, ResourceExt};

use crate::process::{Folder, Process, client, client_acting_as};

fn serve(folder: &Folder) -> Process {
    let kubeconfig = folder.kubeconfig();
    Process::start(["serve", "--port", "0", "--kubeconfig", kubeconfig.to_str().expect("a plain path")])
}

#[tokio::test]
async fn a_second_process_sees_the_same_objects_over_the_socket() {
    let folder = Folder::new();
    let mut server = serve(&folder);
    server.line_with("ready").await;
    // Two clients with connections of their own; what one writes the other watches.
    let (writer, reader) = (client(&folder.kubeconfig()).await, client(&folder.kubeconfig()).await);
    let maps: Api<ConfigMap> = Api::default_namespaced(writer);
    let create = async |name: &str| {
        let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
        let map = ConfigMap { metadata, ..ConfigMap::default() };
        maps.create(&PostParams::default(), &map).await.expect("it is new")
    };
    let before = create("before").await;
    // The namespace has a map of its own, with the certificate authority.
    let config = watcher::Config::default().fields("metadata.name!=kube-root-ca.crt");
    let seen = watcher(Api::<ConfigMap>::default_namespaced(reader), config);
    let mut seen = Box::pin(pintle::runtime::WatchStreamExt::applied_objects(seen));
    let first = seen.next().await.expect("it never ends").expect("nothing is wrong");
    assert_eq!((first.name_any(), first.uid()), ("before".into(), before.uid()));
    create("after").await;
    assert_eq!(seen.next().await.expect("it never ends").expect("nothing is wrong").name_any(), "after");
    server.interrupt().await;
    assert_eq!(server.end().await.code, Some(0), "Ctrl-C is a clean end, open watches or not");
}

#[tokio::test]
async fn ready_names_the_port_and_the_time() {
    let folder = Folder::new();
    let mut server = serve(&folder);
    let line = server.line_with("ready").await;
    let value = |key: &str| line.split(&format!("{key}=")).nth(1).and_then(|rest| rest.split(' ').next()).expect(key);
    let port: u16 = value("port").parse().expect("a port");
    let milliseconds: f64 = value("time").trim_end_matches("ms").parse().expect("a time");
    assert!(port > 0 && milliseconds > 0.0, "{line}");
    let kubeconfig = std::fs::read_to_string(folder.kubeconfig()).expect("it is written");
    assert!(kubeconfig.contains(&format!("https://127.0.0.1:{port}")));
    let mode = std::fs::metadata(folder.kubeconfig()).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "only its owner reads the token");
}

#[tokio::test]
async fn an_address_that_others_could_reach_is_refused() {
    let folder = Folder::new();
    let kubeconfig = folder.kubeconfig();
    let kubeconfig = kubeconfig.to_str().expect("a plain path");
    for address in ["0.0.0.0", "192.0.2.1", "::"] {
        let ended = Process::start(["serve", "--address", address, "--kubeconfig", kubeconfig]).end().await;
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.errors.contains("loopback only"), "{ended:?}");
    }
    assert!(!folder.kubeconfig().exists());
}

#[tokio::test]
async fn a_wrong_command_line_ends_with_2_and_says_what_is_wrong() {
    for (args, said) in [
        (vec!["serve", "--watch-cache-sizes", "pods"], "pods#1000"),
        (vec!["serve", "--port", "x", "--kubeconfig", "k"], "invalid value 'x'"),
        (
            vec!["serve", "--disable-admission-plugins", "Priority,Nope"],
            "this server has no admission plugin \"Nope\": it has NamespaceLifecycle, LimitRanger, ServiceAccount, ",
        ),
        (vec!["dev", "--for", "soon"], "not a number of seconds"),
        (vec!["serve", "--authorization-mode", "Node"], "use RBAC or AlwaysAllow"),
        (vec!["frobnicate"], "unrecognized subcommand"),
    ] {
        let ended = Process::start(args.iter().copied()).end().await;
        assert_eq!(ended.code, Some(2), "{args:?}: {ended:?}");
        assert!(ended.errors.contains(said), "{args:?}: {ended:?}");
    }
}

/// What kubectl asks as another user is decided by roles; `auth can-i` asks the same.
#[tokio::test]
async fn with_rbac_a_user_without_a_role_is_refused() {
    for (mode, expected) in [("RBAC", Some(403)), ("AlwaysAllow", None)] {
        let folder = Folder::new();
        let kubeconfig = folder.kubeconfig();
        let path = kubeconfig.to_str().expect("a plain path");
        let mut server = Process::start(["serve", "--kubeconfig", path, "--authorization-mode", mode]);
        server.line_with("ready").await;
        let administrator: Api<Pod> = Api::all(client(&kubeconfig).await);
        administrator.list(&ListParams::default()).await.expect("the kubeconfig's user may do everything");
        let pods: Api<Pod> = Api::all(client_acting_as(&kubeconfig, "jane").await);
        let code = pods.list(&ListParams::default()).await.err().map(|error| match error {
            Error::Api(status) => status.code,
            other => panic!("{other}"),
        });
        assert_eq!(code, expected, "{mode}");
        server.interrupt().await;
        assert_eq!(server.end().await.code, Some(0));
    }
}

#[tokio::test]
async fn admission_plugins_are_switched_by_their_names() {
    let folder = Folder::new();
    let kubeconfig = folder.kubeconfig();
    let mut server = Process::start([
        "serve",
        "--kubeconfig",
        kubeconfig.to_str().expect("a plain path"),
        "--disable-admission-plugins=Priority,DefaultTolerationSeconds",
        "--enable-admission-plugins=ServiceAccount",
    ]);
    server.line_with("ready").await;
    let pods: Api<Pod> = Api::default_namespaced(client(&kubeconfig).await);
    let pod = serde_json::json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let pod = serde_json::from_value(pod).expect("it is a pod");
    let spec = pods.create(&PostParams::default(), &pod).await.expect("it is new").spec.expect("a pod has a spec");
    assert_eq!((spec.priority, spec.tolerations.unwrap_or_default().len()), (None, 0));
    assert_eq!((spec.service_account_name.as_deref(), spec.volumes.unwrap_or_default().len()), (Some("default"), 1));
}

#[tokio::test]
async fn a_kubeconfig_that_cannot_be_written_is_named() {
    let ended = Process::start(["serve", "--kubeconfig", "/nonexistent/kubeconfig"]).end().await;
    assert_eq!(ended.code, Some(1));
    assert!(ended.errors.contains("/nonexistent/kubeconfig"), "{ended:?}");
}

#[tokio::test]
async fn a_watch_from_before_the_kept_history_is_refused_with_410() {
    for (sizes, expected) in [(Some("pods=10"), Some(410)), (Some("pods#10"), Some(410)), (None, None)] {
        let folder = Folder::new();
        let kubeconfig = folder.kubeconfig();
        let mut args = vec!["serve", "--port", "0", "--kubeconfig", kubeconfig.to_str().expect("a plain path")];
        args.extend(sizes.iter().flat_map(|sizes| ["--watch-cache-sizes", sizes]));
        let mut server = Process::start(args);
        server.line_with("ready").await;
        let pods: Api<Pod> = Api::default_namespaced(client(&kubeconfig).await);
        let create = async |n: usize| {
            let spec = serde_json::json!({"containers": [{"name": "c", "image": "i"}]});
            let pod = serde_json::json!({"metadata": {"name": format!("p{n}")}, "spec": spec});
            let pod = serde_json::from_value(pod).expect("it is a pod");
            pods.create(&PostParams::default(), &pod).await.expect("it is new").resource_version()
        };
        let before = create(0).await.expect("what is stored has a version");
        for n in 1..=11 {
            create(n).await;
        }
        assert_eq!(refusal_of_watch(&pods, &before).await, expected, "{sizes:?}");
    }
}

#[tokio::test]
async fn a_cache_size_for_a_resource_that_is_not_served_is_refused_by_its_name() {
    let folder = Folder::new();
    let manifest = folder.kubeconfig().with_file_name("definition.yaml");
    let definition = serde_json::json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "boats.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "boats", "kind": "Boat"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}],
        },
    });
    std::fs::write(&manifest, definition.to_string()).expect("the folder is ours");
    let load = ["--load", manifest.to_str().expect("a plain path")];
    for (resource, load, code) in [
        ("pods,deployments.apps", &[][..], Some(0)),
        ("boats.example.com", &load, Some(0)),
        ("boats.example.com", &[], Some(1)),
        ("pod", &[], Some(1)),
        ("deployments.core", &[], Some(1)),
    ] {
        let sizes = resource.split(',').map(|resource| format!("{resource}#10")).collect::<Vec<_>>().join(",");
        let args = ["serve", "--for", "0.01", "--watch-cache-sizes", &sizes];
        let ended = Process::start(args.iter().copied().chain(load.iter().copied())).end().await;
        assert_eq!(ended.code, code, "{resource}: {ended:?}");
        assert!(code == Some(0) || ended.errors.contains(&format!("{resource:?}")), "{resource}: {ended:?}");
    }
}

/// The code with which a watch from this version is refused, at once or by its first event.
async fn refusal_of_watch(pods: &Api<Pod>, version: &str) -> Option<u16> {
    let first = match pods.watch(&WatchParams::default(), version).await {
        Ok(events) => Box::pin(events).next().await.expect("the watch sends something"),
        Err(error) => Err(error),
    };
    match first {
        Ok(WatchEvent::Error(status)) | Err(Error::Api(status)) => Some(status.code),
        Ok(_) => None,
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_webhook_is_called_at_the_address_that_its_service_was_given() {
    let denial = serde_json::json!({"allowed": false, "status": {"message": "not today"}});
    let webhook =
        pintle_scripted_webhook::Webhook::start(&[("admit".to_owned(), denial)]).await.expect("a port is free");
    let address = format!("default/webhook={}", webhook.url.trim_start_matches("https://"));
    let folder = Folder::new();
    let kubeconfig = folder.kubeconfig();
    let kubeconfig = kubeconfig.to_str().expect("a plain path");
    let mut server = Process::start(["serve", "--kubeconfig", kubeconfig, "--service-address", &address]);
    server.line_with("ready").await;
    let client = client(&folder.kubeconfig()).await;
    let configuration: ValidatingWebhookConfiguration = serde_json::from_value(serde_json::json!({
        "metadata": {"name": "w"}, "webhooks": [{
            "name": "admit.example.com", "sideEffects": "None", "admissionReviewVersions": ["v1"],
            "clientConfig": {"caBundle": webhook.ca,
                "service": {"namespace": "default", "name": "webhook", "path": "/admit"}},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["CREATE"]}],
        }],
    }))
    .expect("it is a configuration");
    Api::all(client.clone()).create(&PostParams::default(), &configuration).await.expect("it is new");
    let metadata = ObjectMeta { name: Some("a".to_owned()), ..ObjectMeta::default() };
    let map = ConfigMap { metadata, ..ConfigMap::default() };
    let refused = Api::<ConfigMap>::default_namespaced(client).create(&PostParams::default(), &map).await;
    let Err(Error::Api(status)) = refused else { panic!("{refused:?}") };
    assert_eq!(status.message, "admission webhook \"admit.example.com\" denied the request: not today");
}

#[tokio::test]
async fn an_address_of_a_service_that_is_none_is_refused() {
    for wrong in ["webhook=127.0.0.1:1", "ns/webhook", "ns/webhook=localhost"] {
        let mut process = Process::start(["serve", "--service-address", wrong]);
        let ended = process.end().await;
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.errors.contains("is not a Service and its address"), "{}", ended.errors);
    }
}

#[tokio::test]
async fn requests_are_counted_audited_and_logged_where_that_is_asked_for() {
    let folder = Folder::new();
    let (kubeconfig, log) = (folder.kubeconfig(), folder.path().join("audit.log"));
    let mut server = Process::start([
        "serve",
        "--kubeconfig",
        kubeconfig.to_str().expect("a plain path"),
        "--metrics",
        "-v",
        "--audit-log",
        log.to_str().expect("a plain path"),
    ]);
    server.line_with("ready").await;
    let client = client(&kubeconfig).await;
    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    pods.list(&ListParams::default()).await.expect("the administrator may");
    let request = http::Request::get("/metrics").body(Vec::new()).expect("it is a request");
    let metrics = client.request_text(request).await.expect("there are metrics");
    let counted = metrics.lines().find(|line| line.starts_with("apiserver_request_total") && line.contains("\"pods\""));
    assert!(counted.is_some_and(|line| line.contains("verb=\"LIST\"") && line.ends_with(" 1")), "{metrics}");
    server.interrupt().await;
    let ended = server.end().await;
    let logged = ended.errors.lines().find(|line| line.contains("GET /api/v1/namespaces/default/pods"));
    assert!(
        logged.is_some_and(|line| line.contains(" 200 ") && line.contains("user=\"kubernetes-admin\"")),
        "{ended:?}"
    );
    let audited = std::fs::read_to_string(&log).expect("it was written");
    let event: serde_json::Value = serde_json::from_str(audited.lines().next().expect("a line")).expect("it is JSON");
    assert_eq!((&event["stage"], &event["sourceIPs"][0]), (&"RequestReceived".into(), &"127.0.0.1".into()));

    let ended = Process::start(["serve", "--audit-log", "/nonexistent/audit.log"]).end().await;
    assert!(
        ended.code == Some(1) && ended.errors.contains("cannot write the audit log /nonexistent/audit.log"),
        "{ended:?}"
    );
}
