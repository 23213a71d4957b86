//! A kind that the server does not have is named, whatever is asked of it.

use either::Either;
use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle_apiserver::Server;
use pintle_client::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams, WatchParams};
use pintle_client::core::ApiResource;
use pintle_client::core::gvk::GroupVersionKind;
use pintle_client::{Client, Error};
use serde_json::json;

use crate::scripted;

const MISSING: &str = "the server has no documents.example.com (v1): is its CustomResourceDefinition installed?";

fn documents(client: Client) -> Api<DynamicObject> {
    let resource =
        ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("example.com", "v1", "Document"), "documents");
    Api::default_namespaced_with(client, &resource)
}

fn assert_missing<T>(call: &str, answer: Result<T, Error>) {
    let error = answer.err().unwrap_or_else(|| panic!("{call} was answered"));
    assert!(error.to_string().contains(MISSING), "{call}: {error}");
    assert!(matches!(&error, Error::Api(status) if status.code == 404 && status.is_not_found()), "{call}: {error:?}");
}

#[tokio::test]
async fn a_kind_that_is_not_installed_is_named_by_every_verb() {
    let server = Server::new();
    let documents = documents(Client::new(server, "default"));
    let object = DynamicObject::new("a", &ApiResource::erase::<ConfigMap>(&()));
    let (post, change) = (PostParams::default(), Patch::Merge(json!({})));
    assert_missing("get", documents.get("a").await);
    assert_missing("metadata", documents.get_metadata("a").await);
    assert_missing("list", documents.list(&ListParams::default()).await);
    assert_missing("list_packed", documents.list_packed(&ListParams::default()).await);
    assert_missing("create", documents.create(&post, &object).await);
    assert_missing("replace", documents.replace("a", &post, &object).await);
    assert_missing("patch", documents.patch("a", &PatchParams::default(), &change).await);
    assert_missing("apply", documents.apply("me", &json!({"metadata": {"name": "a"}})).await);
    assert_missing("delete", documents.delete("a", &DeleteParams::default()).await);
    assert_missing(
        "delete_collection",
        documents.delete_collection(&DeleteParams::default(), &ListParams::default()).await,
    );
    assert_missing("watch", documents.watch(&WatchParams::default(), "0").await.map(StreamExt::boxed));
    assert_missing("watch_packed", documents.watch_packed(&WatchParams::default(), "0").await);
    // As in kube: where the kind is missing, so is the object.
    assert!(documents.get_opt("a").await.unwrap().is_none());
}

#[tokio::test]
async fn a_missing_object_is_not_a_missing_kind() {
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::new(Server::new(), "default"));
    let error = maps.get("a").await.unwrap_err().to_string();
    assert_eq!(error, r#"the API server refused: configmaps "a" not found: NotFound (404)"#);
}

#[tokio::test]
async fn what_go_says_of_a_path_without_a_handler_is_a_missing_kind() {
    let answer = scripted::Answer::json("404 page not found\n").code(404).content_type(Some("text/plain"));
    assert_missing("get", documents(scripted::client(answer).0).get("a").await);
}

#[tokio::test]
async fn what_is_gone_already_is_deleted_and_what_is_there_already_is_created() {
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::new(Server::new(), "default"));
    let map = |value: &str| -> ConfigMap {
        serde_json::from_value(json!({"metadata": {"name": "a"}, "data": {"k": value}})).unwrap()
    };
    let (post, delete) = (PostParams::default(), DeleteParams::default());
    assert!(maps.delete_if_exists("a", &delete).await.unwrap().is_none());
    let made = maps.create_if_absent(&post, &map("first")).await.unwrap();
    assert_eq!(made.change, pintle_client::api::apply::Change::Created);
    let kept = maps.create_if_absent(&post, &map("second")).await.unwrap();
    assert_eq!(kept.change, pintle_client::api::apply::Change::Unchanged);
    assert_eq!(kept.object, made.object, "what is there is left as it is");
    assert!(matches!(maps.delete_if_exists("a", &delete).await.unwrap(), Some(Either::Right(_))));
    let refused = maps.create_if_absent(&post, &ConfigMap::default()).await;
    assert!(matches!(refused, Err(Error::Api(_))), "{refused:?}");
}
