//! Where a program finds its cluster by itself: `Client::try_default` as a process does it.
//!
//! Variables and the home folder are those of a process, so each case is one: this program, running
//! [`finds_its_cluster`].

use std::path::Path;
use std::process::Command;

use pintle_client::{Client, Config, Error};

use crate::folder::Folder;

/// What a process prints that looks for its cluster with these variables and no others.
async fn found(variables: &[(&str, &str)]) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "--ignored", "--nocapture", "environment::finds_its_cluster"]);
    child.env_clear().envs(variables.iter().copied());
    let output = tokio::task::spawn_blocking(move || child.output().unwrap()).await.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find_map(|line| line.split_once("found: "));
    line.unwrap_or_else(|| panic!("{text}")).1.to_owned()
}

#[tokio::test]
#[ignore = "a part of the tests below, in a process of its own"]
async fn finds_its_cluster() {
    match (Config::infer().await, Client::try_default().await) {
        (Ok(config), Ok(client)) => {
            let user = config.auth_info.impersonate.unwrap_or_default();
            println!("found: {} {} {user}", config.cluster_url, client.default_namespace());
        }
        (Err(why), Err(Error::InferConfig(same))) if why.to_string() == same.to_string() => println!("found: {why}"),
        other => panic!("{other:?}"),
    }
}

fn cluster(name: &str) -> String {
    format!("clusters: [{{name: c, cluster: {{server: 'https://{name}.example'}}}}]\n")
}

const CONTEXT: &str = "current-context: a\ncontexts: [{name: a, context: {cluster: c, namespace: apps}}]\n";

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[tokio::test]
async fn the_files_of_the_variable_come_first_then_the_one_at_home() {
    let folder = Folder::new("environment");
    let context = folder.write("context", CONTEXT);
    let one = folder.write("one", &cluster("one"));
    let two = folder.write("two", &cluster("two"));
    folder.write(".kube/config", &format!("{CONTEXT}{}", cluster("home")));
    let home = ("HOME", folder.path(""));
    let home = (home.0, home.1.as_str());
    let list = [path(&context), "/no/such/file", path(&one), path(&two)].join(":");
    assert_eq!(found(&[("KUBECONFIG", &list), home]).await, "https://one.example/ apps ");
    assert_eq!(found(&[("KUBECONFIG", ""), home]).await, "https://home.example/ apps ");
    assert_eq!(found(&[home]).await, "https://home.example/ apps ");
    let overridden =
        [home, ("KUBE_RS_DEBUG_OVERRIDE_URL", "http://localhost:8001"), ("KUBE_RS_DEBUG_IMPERSONATE_USER", "jane")];
    assert_eq!(found(&overridden).await, "http://localhost:8001/ apps jane");
}

#[tokio::test]
async fn a_search_that_finds_nothing_says_why_at_each_step() {
    let folder = Folder::new("nothing");
    let home = folder.path("");
    let message = found(&[("HOME", &home)]).await;
    assert!(message.contains(".kube/config") && message.contains("KUBERNETES_SERVICE_HOST"), "{message}");
    // In a pod without its files the files are what is missing.
    let pod = [("HOME", home.as_str()), ("KUBERNETES_SERVICE_HOST", "10.0.0.1"), ("KUBERNETES_SERVICE_PORT", "443")];
    let message = found(&pod).await;
    assert!(message.contains(".kube/config") && message.contains("certificate"), "{message}");
    // A file that is there and wrong is named, not passed over.
    let broken = folder.write("broken", "clusters: 7\n");
    let message = found(&[("KUBECONFIG", path(&broken)), ("HOME", &home)]).await;
    assert!(message.contains(path(&broken)), "{message}");
}
