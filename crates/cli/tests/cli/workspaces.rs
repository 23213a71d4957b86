//! `pintle serve --workspaces` and `--admin-kubeconfig`.

use std::path::Path;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, ObjectMeta, PostParams};
use pintle::runtime::watcher::{self, watcher};
use pintle::{Client, ResourceExt};
use serde_json::Value;
use tokio::process::Command;

use crate::process::{Folder, Process, client};

/// Long enough to be taken.
const TOKEN: &str = "the-admin-token-of-these-tests";

/// A server with workspaces and an admin path, and its two kubeconfigs `kubeconfig` and `admin`.
async fn serve(folder: &Folder) -> (Process, String) {
    let (kubeconfig, admin) = (folder.kubeconfig(), folder.path().join("admin"));
    let path = |path: &Path| path.to_str().expect("a plain path").to_owned();
    let (kubeconfig, admin) = (path(&kubeconfig), path(&admin));
    let args = ["serve", "--kubeconfig", &kubeconfig, "--admin-kubeconfig", &admin, "--workspaces"];
    let mut server = Process::start_with(args, &[("PINTLE_ADMIN_TOKEN", TOKEN)]);
    let ready = server.line_with("ready").await;
    let port =
        ready.split("port=").nth(1).and_then(|rest| rest.split(' ').next()).expect("it names its port").to_owned();
    (server, port)
}

async fn post(client: &Client, path: &str, body: &str) -> Value {
    let request = http::Request::post(path).body(body.as_bytes().to_vec()).expect("it is a request");
    let answer = client.request_text(request).await.expect("it is done");
    serde_json::from_str(&answer).expect("it is JSON")
}

/// Watches, writes and faults through the path in `server:`, and through the kubeconfigs that the server hands out.
#[tokio::test]
async fn a_client_lives_behind_the_path_of_its_workspace() {
    let folder = Folder::new();
    let (mut server, _) = serve(&folder).await;
    let made = post(&client(&folder.kubeconfig()).await, "/pintle/v1/workspaces", r#"{"name": "own"}"#).await;
    for (file, field) in [("own", "kubeconfig"), ("own-admin", "adminKubeconfig")] {
        folder.write(file, made[field].as_str().expect("it has one"));
    }
    let (own, admin) = (client(&folder.path().join("own")).await, client(&folder.path().join("own-admin")).await);
    let maps: Api<ConfigMap> = Api::default_namespaced(own);
    let config = watcher::Config::default().fields("metadata.name!=kube-root-ca.crt");
    let mut seen = Box::pin(pintle::runtime::WatchStreamExt::applied_objects(watcher(maps.clone(), config)));
    let create = async |name: &str| {
        let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
        maps.create(&PostParams::default(), &ConfigMap { metadata, ..ConfigMap::default() }).await.expect("it is new");
    };
    create("before").await;
    assert_eq!(seen.next().await.expect("it never ends").expect("nothing is wrong").name_any(), "before");
    let cut = post(&admin, "/pintle/v1/watches/cut", r#"{"resource": "configmaps"}"#).await;
    assert_eq!(cut["watches"], 1);
    create("after").await;
    assert_eq!(seen.next().await.expect("it never ends").expect("it goes on").name_any(), "after");
    let others: Api<ConfigMap> = Api::default_namespaced(client(&folder.kubeconfig()).await);
    assert!(others.get_opt("after").await.expect("the server answers").is_none());
    server.interrupt().await;
    assert_eq!(server.end().await.code, Some(0));
}

/// Every line with curl of the two pages, in their order, with the variables that the pages set.
#[tokio::test]
async fn the_lines_of_the_pages_run() {
    if Command::new("curl").arg("--version").output().await.is_err() {
        eprintln!("SKIPPED: curl is not installed, so the lines of docs/admin.md and docs/workspaces.md were not run");
        return;
    }
    let folder = Folder::new();
    let (_server, port) = serve(&folder).await;
    folder.write(".curlrc", "fail-with-body\nsilent\nshow-error\n");
    let mut count = 0;
    for page in ["workspaces.md", "admin.md"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
        let page = std::fs::read_to_string(&path).expect("the page is there");
        for line in page.lines().filter_map(|line| line.strip_prefix("$ ")).filter(|line| line.starts_with("curl ")) {
            let run = Command::new("sh")
                .args(["-ec", line])
                .env("CURL_HOME", folder.path())
                .env("SERVER", format!("https://127.0.0.1:{port}"))
                .env("ADMIN", format!("Authorization: Bearer {TOKEN}"))
                .output()
                .await
                .expect("there is a shell");
            let said = String::from_utf8_lossy(&run.stdout);
            assert!(run.status.success(), "{line}\n{said}{}", String::from_utf8_lossy(&run.stderr));
            assert!(serde_json::from_str::<Value>(&said).is_ok(), "{line}\n{said}");
            count += 1;
        }
    }
    assert!(count > 25, "only {count} lines were found");
}

#[tokio::test]
async fn flags_that_make_no_sense_are_refused() {
    for (args, variables, code, said) in [
        (&["serve", "--workspace-ttl", "5"][..], &[][..], Some(2), "--workspaces"),
        (&["serve", "--workspaces=many"], &[], Some(2), "invalid value 'many'"),
        (&["serve", "--admin-kubeconfig", "/nonexistent/a"], &[], Some(1), "/nonexistent/a for the admin path"),
        (&["serve", "--admin-kubeconfig", "a"], &[("PINTLE_ADMIN_TOKEN", "short")], Some(1), "16 characters or more"),
    ] {
        let ended = Process::start_with(args.iter().copied(), variables).end().await;
        assert_eq!(ended.code, code, "{args:?}: {ended:?}");
        assert!(ended.errors.contains(said), "{args:?}: {ended:?}");
    }
}
