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

const DEFINITION: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer, minimum: 1}}}
          status: {type: object, properties: {phase: {type: string}}}
    subresources: {status: {}}
";

#[tokio::test]
async fn dev_serves_the_kinds_and_objects_of_a_folder_instead_of_the_sample() {
    let folder = Folder::new();
    // By name the objects come first; definitions are read first all the same.
    folder.write(
        "a.yaml",
        "# Two of them.\n---\napiVersion: example.org/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: 1}\n\
         status: {phase: Turning}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\n",
    );
    folder.write("b.yml", DEFINITION);
    folder.write("notes.txt", "not a manifest");
    let kubeconfig = folder.kubeconfig();
    let words = ["dev", "--manifests", folder.word(), "--kubeconfig", kubeconfig.to_str().expect("a plain path")];
    let mut dev = Process::start(words);
    dev.line_with("Apply: default/one at version").await;
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("example.org", "v1", "Widget"));
    let widgets: Api<DynamicObject> = Api::default_namespaced_with(client(&kubeconfig).await, &resource);
    assert_eq!(widgets.get("one").await.expect("it was read").data["status"]["phase"], "Turning");
    widgets.delete("one", &DeleteParams::default()).await.expect("it is there");
    dev.line_with("Delete: default/one").await;
    dev.interrupt().await;
    let ended = dev.end().await;
    assert_eq!((ended.code, ended.errors.as_str()), (Some(0), ""));
}

#[tokio::test]
async fn a_manifest_that_cannot_be_loaded_is_named_with_its_document() {
    let object = |text: &str| format!("{DEFINITION}---\napiVersion: example.org/v1\n{text}");
    let widget = "kind: Widget\nmetadata: {name: one}\n";
    let table = [
        (object("kind: Gadget\nmetadata: {name: one}"), "its kind \"example.org/v1/Gadget\" is not served"),
        (object(&format!("{widget}spec: {{size: 0}}")), "spec.size in body should be greater than or equal to 1"),
        (object(&format!("{widget}sped: 1")), "unknown field \"sped\""),
        (object("metadata: {name: one}"), "it has no kind"),
        (object(&format!("{widget}spec: [")), "unclosed"),
    ];
    for (text, why) in table {
        let folder = Folder::new();
        folder.write("all.yaml", &text);
        let ended = Process::start(["dev", "--manifests", folder.word(), "--for", "1"]).end().await;
        assert_eq!(ended.code, Some(1), "{ended:?}");
        let place = format!("cannot load document 2 of {}/all.yaml: ", folder.word());
        assert!(ended.errors.contains(&place) && ended.errors.contains(why), "no {why:?} in {ended:?}");
    }
    let ended = Process::start(["dev", "--manifests", Folder::new().word()]).end().await;
    assert!(ended.code == Some(1) && ended.errors.contains("cannot read the manifests of"), "{ended:?}");
}

#[tokio::test]
async fn chaos_does_the_same_for_a_seed_and_something_else_for_another() {
    let actions = async |seed: &str| {
        let mut dev = Process::start(["dev", "--chaos", "--seed", seed]);
        dev.line_with(&format!("--chaos --seed {seed}")).await;
        let first = [dev.line_with("chaos ").await, dev.line_with("chaos ").await];
        dev.interrupt().await;
        assert_eq!(dev.end().await.code, Some(0));
        first
    };
    let first = actions("7").await;
    assert_eq!(actions("7").await, first);
    assert_ne!(actions("8").await, first);
}
