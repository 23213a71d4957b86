//! What the command logs.

use k8s_openapi::api::core::v1::Namespace;
use pintle::api::{Api, ListParams};

use crate::process::{Folder, Process, client};

/// What is on standard error after a client has asked the server for something.
async fn logged(variables: &[(&str, &str)]) -> String {
    let folder = Folder::new();
    let kubeconfig = folder.kubeconfig();
    let args = ["dev", "--for", "1", "--kubeconfig", kubeconfig.to_str().expect("a plain path")];
    let mut dev = Process::start_with(args, variables);
    dev.line_with("created its ConfigMap").await;
    let namespaces: Api<Namespace> = Api::all(client(&kubeconfig).await);
    namespaces.list(&ListParams::default()).await.expect("the server answers");
    let ended = dev.end().await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended.errors
}

#[tokio::test]
async fn debug_shows_pintle_without_the_frames_below_it_and_without_colours_in_a_file() {
    let errors = logged(&[("RUST_LOG", "debug")]).await;
    assert!(errors.contains("DEBUG") && errors.contains("pintle"), "{errors}");
    assert!(!errors.contains("h2::") && !errors.contains("hyper_util::"), "{errors}");
    assert!(!errors.contains('\u{1b}'), "colours went into a file: {errors}");
}

#[tokio::test]
async fn a_library_is_shown_where_it_is_named() {
    assert!(logged(&[("RUST_LOG", "warn,h2=debug")]).await.contains("h2::"));
}

#[tokio::test]
async fn a_filter_that_is_none_is_an_error_that_shows_it() {
    let ended = Process::start_with(["dev", "--for", "1"], &[("RUST_LOG", "pintle=loud")]).end().await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.errors.contains("RUST_LOG=pintle=loud is not a filter"), "{ended:?}");
}
