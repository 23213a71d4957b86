//! The facade: kube's paths and features, and the testing server.

use pintle::testing::{Server, ServerExt};

#[tokio::test]
async fn a_server_answers_its_first_request_within_ten_milliseconds() {
    // The best of many: a test machine may be busy, but a slow server is slow every time.
    let mut best = std::time::Duration::MAX;
    for _ in 0..500 {
        let start = std::time::Instant::now();
        Server::new().client().apiserver_version().await.expect("it answers");
        best = best.min(start.elapsed());
        if best.as_millis() < 10 {
            return;
        }
    }
    panic!("the first answer took {best:?}, and never less");
}

#[tokio::test(start_paused = true)]
async fn servers_do_not_share_objects() {
    use pintle::api::{Api, PostParams};
    let (one, other) = (Server::new(), Server::new());
    let maps = |server: &Server| Api::default_namespaced(server.client());
    maps(&one).create(&PostParams::default(), &crate::world::config_map("a")).await.unwrap();
    assert!(maps(&other).get_opt("a").await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn server_client_retries_as_one_from_a_kubeconfig_and_bare_client_does_not() {
    use pintle::api::{Api, ListParams};
    use pintle::testing::{Fault, Requests};
    let log = crate::world::log::Log::catch();
    let server = Server::new();
    let one_second = Some(std::time::Duration::from_secs(1));
    let storm = server.fault(Requests::lists().times(3), Fault::too_many_requests(one_second));
    let maps: Api<k8s_openapi::api::core::v1::ConfigMap> = Api::all(server.client());
    maps.list(&ListParams::default()).await.unwrap();
    assert_eq!(storm.fired(), 3);
    assert_eq!(log.lines_with("is tried again").len(), 1, "a call logs once that it is retried");
    server.fault(Requests::lists().times(1), Fault::too_many_requests(one_second));
    let bare: Api<k8s_openapi::api::core::v1::ConfigMap> = Api::all(server.bare_client());
    assert!(matches!(bare.list(&ListParams::default()).await, Err(pintle::Error::Api(status)) if status.code == 429));
}

#[tokio::test]
async fn a_server_from_the_facade_can_listen_on_a_socket() {
    use pintle::testing::{Credential, LoadError, ServeError, Serving};
    let serving: Result<Serving, ServeError> = Server::new().serve_http("127.0.0.1:0".parse().unwrap()).await;
    assert!(serving.unwrap().kubeconfig().contains("http://127.0.0.1:"));
    let unreadable: Result<_, LoadError> = Server::builder().build_with("{");
    assert!(unreadable.is_err());
    assert!(size_of::<Option<Credential>>() > 0, "the type is exported");
}

#[test]
fn the_public_items_are_at_kubes_paths() {
    #[expect(unused_imports, reason = "that they resolve is the test")]
    use pintle::{
        Api, Client, Config, CustomResource, CustomResourceExt, Error, Resource, ResourceExt, Result,
        api::{
            DynamicObject, GroupVersionKind, ListParams, ObjectMeta, PatchParams, PostParams, WatchEvent, WatchParams,
        },
        client::{Body, ClientBuilder},
        config::{KubeConfigOptions, Kubeconfig},
        core::{ApiResource, Status, gvk::GroupVersion, labels::Selector, params::Patch, response::reason},
        discovery::{ApiCapabilities, Scope, verbs},
        runtime::{
            Controller, WatchStreamExt,
            controller::{Action, Error as ControllerError},
            finalizer::{Event, finalizer},
            reflector::{Lookup, ObjectRef, Store, store::Writer},
            watcher,
        },
    };
}

/// The features of kube 5, and of its runtime the parts of `unstable-runtime`.
const KUBES_FEATURES: [&str; 23] = [
    "admission",
    "aws-lc-rs",
    "cel",
    "client",
    "config",
    "derive",
    "gzip",
    "http-proxy",
    "hyper-util-tracing",
    "jsonpatch",
    "kubelet-debug",
    "oauth",
    "oidc",
    "openssl-tls",
    "proxy",
    "ring",
    "runtime",
    "rustls-tls",
    "socks5",
    "unstable-client",
    "unstable-runtime",
    "webpki-roots",
    "ws",
];

#[test]
fn every_cargo_feature_of_kube_exists_under_its_name() {
    let manifest = include_str!("../../Cargo.toml");
    let features = manifest.split("[features]").nth(1).unwrap().split("\n[").next().unwrap();
    let declared: Vec<_> = features.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name).collect();
    for feature in KUBES_FEATURES {
        assert!(declared.contains(&feature), "feature {feature} is not declared");
    }
    assert!(features.contains(r#"default = ["client", "rustls-tls", "ring"]"#), "the default is not kube's");
    let runtime = include_str!("../../../runtime/Cargo.toml");
    for part in ["subscribe", "stream-control", "reconcile-on"] {
        assert!(runtime.contains(&format!("unstable-runtime-{part} = []")), "unstable-runtime-{part} is not declared");
    }
}
