//! What `pintle serve --kubeconfig` does to a file that is there already.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use k8s_openapi::api::core::v1::Namespace;
use pintle::api::{Api, ListParams};
use pintle::config::{Config, KubeConfigOptions, Kubeconfig};

use crate::process::{Folder, Process, client};

const THEIRS: &str = "apiVersion: v1\nkind: Config\n# the one I work with\nclusters:\n- name: work\n  cluster:\n    \
    server: https://work.example:6443\n    something-new: [1, two]\nusers:\n- name: me\n  user:\n    token: '0123'\ncontexts:\n\
    - name: work\n  context: {cluster: work, user: me}\ncurrent-context: work\npreferences:\n  colors: true\n";

fn serve(kubeconfig: &Path) -> Process {
    Process::start(["serve", "--kubeconfig", kubeconfig.to_str().expect("a plain path")])
}

#[tokio::test]
async fn a_kubeconfig_with_other_clusters_keeps_them_and_its_current_context() {
    let folder = Folder::new();
    let path = folder.kubeconfig();
    fs::write(&path, THEIRS).expect("the folder is ours");
    // Twice: the second server takes the place of the first, and of nothing else.
    for _ in 0..2 {
        let mut server = serve(&path);
        server.line_with("ready").await;

        let merged = Kubeconfig::read_from(&path).expect("it is a kubeconfig");
        let names: Vec<_> = merged.contexts.iter().map(|context| context.name.as_str()).collect();
        assert_eq!((names, merged.current_context.as_deref()), (vec!["work", "pintle"], Some("work")));
        let text = fs::read_to_string(&path).expect("it is there");
        for kept in ["https://work.example:6443", "something-new", "two", "colors: true", "\"0123\""] {
            assert!(text.contains(kept), "{kept} is gone: {text}");
        }
        let options = KubeConfigOptions { context: Some("pintle".into()), ..KubeConfigOptions::default() };
        let config = Config::from_custom_kubeconfig(merged, &options).await.expect("the context is complete");
        let namespaces: Api<Namespace> = Api::all(pintle::Client::try_from(config).expect("a client can be made"));
        namespaces.list(&ListParams::default()).await.expect("the server answers");

        let mode = fs::metadata(&path).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "only its owner reads the tokens");
        server.interrupt().await;
        let ended = server.end().await;
        assert!(ended.errors.contains("kubectl --context pintle"), "{ended:?}");
        assert!(ended.errors.contains("kubeconfig.pintle-backup"), "{ended:?}");
    }
}

#[tokio::test]
async fn the_file_as_it_was_is_kept_to_the_letter() {
    let folder = Folder::new();
    let path = folder.kubeconfig();
    fs::write(&path, THEIRS).expect("the folder is ours");
    serve(&path).line_with("ready").await;
    let backup = path.with_file_name("kubeconfig.pintle-backup");
    assert_eq!(fs::read_to_string(&backup).expect("there is one"), THEIRS);
    assert_eq!(fs::metadata(&backup).expect("it is there").permissions().mode() & 0o777, 0o600);
    let mut left: Vec<_> = fs::read_dir(path.parent().expect("a folder"))
        .expect("it can be read")
        .map(|entry| entry.expect("it can be read").file_name().into_string().expect("a plain name"))
        .collect();
    left.sort();
    assert_eq!(left, ["kubeconfig", "kubeconfig.pintle-backup"], "no draft and no lock is left behind");
}

#[tokio::test]
async fn a_file_that_pintle_wrote_is_written_again_without_a_word() {
    let folder = Folder::new();
    for _ in 0..2 {
        let mut server = serve(&folder.kubeconfig());
        server.line_with("ready").await;
        client(&folder.kubeconfig()).await.apiserver_version().await.expect("its current context is this server");
        server.interrupt().await;
        assert_eq!(server.end().await.errors, "");
    }
    assert!(!folder.kubeconfig().with_file_name("kubeconfig.pintle-backup").exists());
}

#[tokio::test]
async fn a_file_that_is_not_a_kubeconfig_is_left_as_it_is() {
    for (text, why) in [("kind: Pod\n", "its kind is \"Pod\""), ("a: [", "it is not YAML"), ("- a\n- b\n", "no fields")]
    {
        let folder = Folder::new();
        fs::write(folder.kubeconfig(), text).expect("the folder is ours");
        let ended = serve(&folder.kubeconfig()).end().await;
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.errors.contains(why) && ended.errors.contains("name another file"), "{ended:?}");
        assert_eq!(fs::read_to_string(folder.kubeconfig()).expect("it is there"), text);
    }
}

#[tokio::test]
async fn a_link_to_a_kubeconfig_stays_a_link() {
    let folder = Folder::new();
    let link = folder.kubeconfig();
    let target = link.with_file_name("real");
    fs::write(&target, THEIRS).expect("the folder is ours");
    std::os::unix::fs::symlink(&target, &link).expect("links can be made");
    serve(&link).line_with("ready").await;
    assert!(link.is_symlink() && fs::read_to_string(&target).expect("it is there").contains("name: pintle"));
}

#[tokio::test]
async fn a_kubeconfig_that_another_program_changes_is_waited_for_and_then_named() {
    let folder = Folder::new();
    let lock = folder.kubeconfig().with_file_name("kubeconfig.lock");
    fs::write(&lock, "").expect("the folder is ours");
    let ended = serve(&folder.kubeconfig()).end().await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.errors.contains(lock.to_str().expect("a plain path")), "{ended:?}");
    assert!(lock.exists() && !folder.kubeconfig().exists());
}

#[tokio::test]
async fn without_a_file_it_makes_one_of_its_own_prints_its_path_and_takes_it_along() {
    let mut server = Process::start(["serve"]);
    let line = server.line_with("ready").await;
    let path = line.split("kubeconfig=").nth(1).expect("its path is printed").to_owned();
    client(Path::new(&path)).await.apiserver_version().await.expect("it leads to the server");
    server.interrupt().await;
    assert_eq!(server.end().await.code, Some(0));
    assert!(!Path::new(&path).exists(), "{path} was left behind");
}
