//! `pintle dev`.

use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, ApiResource, DeleteParams, DynamicObject, GroupVersionKind, PostParams};

use crate::process::{Folder, Process, client};

#[tokio::test]
async fn dev_shows_a_controller_at_work_and_answers_others_meanwhile() {
    let folder = Folder::new();
    let kubeconfig = folder.kubeconfig();
    let mut dev = Process::start(["dev", "--kubeconfig", kubeconfig.to_str().expect("a plain path")]);
    let line = dev.line_with("kubectl --kubeconfig").await;
    assert!(line.contains(kubeconfig.to_str().expect("a plain path")), "{line}");
    dev.line_with("runs as system:serviceaccount:default:document-publisher, RBAC is on").await;
    dev.line_with("created its ConfigMap").await;
    dev.line_with("default/draft: cleaned up").await;
    dev.line_with("Delete: default/draft").await;

    let client = client(&kubeconfig).await;
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", "Document"));
    let documents: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &resource);
    let spec = serde_json::json!({"spec": {"title": "mine", "content": "one two three"}});
    documents.create(&PostParams::default(), &DynamicObject::new("mine", &resource).data(spec)).await.expect("new");
    dev.line_with("default/mine: created its ConfigMap").await;
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let map = maps.get("mine").await.expect("the controller made it");
    assert_eq!(map.data.expect("it has data")["content"], "one two three");
    documents.delete("mine", &DeleteParams::default()).await.expect("it is there");
    dev.line_with("Delete: default/mine").await;
    assert!(maps.get_opt("mine").await.expect("the server answers").is_none(), "what it owned went with it");

    dev.interrupt().await;
    dev.line_with("controller stopped").await;
    let ended = dev.end().await;
    assert_eq!((ended.code, ended.errors.as_str()), (Some(0), ""));
}

#[tokio::test]
async fn dev_ends_by_itself_and_takes_its_kubeconfig_along() {
    let mut dev = Process::start(["dev", "--for", "0.5"]);
    let line = dev.line_with("kubectl --kubeconfig").await;
    let path =
        line.split_whitespace().find(|word| word.contains("kubeconfig-")).expect("its path is printed").to_owned();
    assert_eq!(dev.end().await.code, Some(0));
    assert!(!std::path::Path::new(&path).exists(), "{path} was left behind");
}
