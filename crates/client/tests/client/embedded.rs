//! The embedded API server on a socket, reached by the kubeconfig it writes: every method of the client, and discovery.

use either::Either;
use futures::{AsyncReadExt, StreamExt, TryStreamExt};
use http::Request;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle_apiserver::{Server, Serving};
use pintle_client::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use pintle_client::client::{Body, ClientBuilder, DynBody};
use pintle_client::config::{Config, KubeConfigOptions, Kubeconfig};
use pintle_client::core::discovery::v2::APIGroupDiscoveryList;
use pintle_client::core::gvk::GroupVersionKind;
use pintle_client::core::object::ObjectList;
use pintle_client::core::{ResourceExt, WatchEvent};
use pintle_client::discovery::{self, Discovery, RestMapper, Scope};
use pintle_client::error::DiscoveryError;
use pintle_client::{Client, Error};
use serde_json::json;
use tower::ServiceBuilder;

use crate::served::Notes;

/// A cluster, and how to reach it.
async fn cluster() -> (Serving, Config) {
    let serving = Server::new().serve("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let file = Kubeconfig::from_yaml(&serving.kubeconfig()).unwrap();
    let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.unwrap();
    (serving, config)
}

async fn client() -> (Serving, Client) {
    let (serving, config) = cluster().await;
    (serving, Client::try_from(config).unwrap())
}

fn map(name: &str) -> ConfigMap {
    serde_json::from_value(json!({"metadata": {"name": name, "labels": {"made": "here"}}, "data": {"k": "v"}})).unwrap()
}

fn get(path: &str) -> Request<Vec<u8>> {
    Request::get(path).body(Vec::new()).unwrap()
}

#[tokio::test]
async fn the_server_says_what_it_is_and_what_it_serves() {
    let (_serving, client) = client().await;
    assert_eq!(client.apiserver_version().await.unwrap().minor, "37");
    let groups = client.list_api_groups().await.unwrap().groups;
    assert!(groups.iter().any(|group| group.name == "apps"));
    let apps = client.list_api_group_resources("apps/v1").await.unwrap().resources;
    assert!(apps.iter().any(|resource| resource.name == "deployments" && resource.namespaced));
    assert_eq!(client.list_core_api_versions().await.unwrap().versions, ["v1"]);
    let core = client.list_core_api_resources("v1").await.unwrap().resources;
    assert!(core.iter().any(|resource| resource.name == "pods/log"));
    let has = |list: &APIGroupDiscoveryList, group: &str| {
        let name = |item: &Option<_>| {
            item.as_ref()
                .and_then(|meta: &k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta| meta.name.clone())
        };
        list.items.iter().any(|item| name(&item.metadata).unwrap_or_default() == group)
    };
    assert!(has(&client.list_api_groups_aggregated().await.unwrap(), "apps"));
    assert!(has(&client.list_core_api_versions_aggregated().await.unwrap(), ""));
    let error = client.list_api_group_resources("no/such/version").await.unwrap_err();
    assert!(matches!(error, Error::Discovery(DiscoveryError::InvalidGroupVersion(_))), "{error:?}");
}

#[tokio::test]
async fn every_way_to_ask_gets_its_answer() {
    let (_serving, client) = client().await;
    let maps = "/api/v1/namespaces/default/configmaps";
    let body = Body::from(serde_json::to_vec(&map("a")).unwrap());
    let request = Request::post(maps).header("content-type", "application/json").body(body).unwrap();
    assert_eq!(client.send(request).await.unwrap().status(), 201);
    let list: ObjectList<ConfigMap> = client.request(get(&format!("{maps}?labelSelector=made%3Dhere"))).await.unwrap();
    assert_eq!(list.items.len(), 1);
    assert_eq!(client.request_text(get("/healthz")).await.unwrap(), "ok");
    let mut text = String::new();
    let mut stream = std::pin::pin!(client.request_stream(get("/healthz")).await.unwrap());
    stream.read_to_string(&mut text).await.unwrap();
    assert_eq!(text, "ok");
    let from = list.metadata.resource_version.unwrap();
    let watch = get(&format!("{maps}?watch=true&resourceVersion={from}"));
    let mut events = client.request_events::<ConfigMap>(watch).await.unwrap().boxed();
    let delete = Request::delete(format!("{maps}/a")).body(Vec::new()).unwrap();
    let deleted = client.request_status::<ConfigMap>(delete).await.unwrap();
    assert!(matches!(&deleted, Either::Right(status) if status.is_success()), "{deleted:?}");
    assert!(matches!(events.try_next().await.unwrap(), Some(WatchEvent::Deleted(map)) if map.name_any() == "a"));
}

#[tokio::test]
async fn a_wrong_token_is_refused_and_an_undecodable_answer_names_its_call() {
    let (_serving, config) = cluster().await;
    let mut stranger = config.clone();
    stranger.auth_info.token = Some("wrong".into());
    let maps = get("/api/v1/configmaps");
    let error = Client::try_from(stranger).unwrap().request_text(maps).await.unwrap_err();
    assert!(matches!(&error, Error::Api(status) if status.code == 401 && status.reason == "Unauthorized"), "{error:?}");
    let error =
        Client::try_from(config).unwrap().request::<Vec<u8>>(get("/api/v1/namespaces/default")).await.unwrap_err();
    let Error::SerdeError(error) = error else { panic!("{error:?}") };
    let message = error.to_string();
    assert!(
        message.contains("Namespace default is not a") && message.contains("GET /api/v1/namespaces/default"),
        "{message}"
    );
}

#[tokio::test]
async fn an_object_lives_its_life_over_the_socket() {
    let (_serving, client) = client().await;
    let namespaces: Api<Namespace> = Api::all(client.clone());
    assert_eq!(namespaces.get("default").await.unwrap().name_any(), "default");
    let maps: Api<ConfigMap> = Api::namespaced(client, "default");
    let mut created = maps.create(&PostParams::default(), &map("a")).await.unwrap();
    created.data.get_or_insert_default().insert("k".into(), "w".into());
    let replaced = maps.replace("a", &PostParams::default(), &created).await.unwrap();
    let stale = maps.replace("a", &PostParams::default(), &created).await.unwrap_err();
    assert!(matches!(&stale, Error::Api(status) if status.is_conflict()), "{stale:?}");
    let change = json!({"data": {"x": "y"}});
    let patched = maps.patch("a", &PatchParams::default(), &Patch::Merge(&change)).await.unwrap();
    assert!(patched.resource_version() > replaced.resource_version());
    assert_eq!(maps.get_metadata("a").await.unwrap().resource_version(), patched.resource_version());
    let of_ours = ListParams::default().labels("made=here");
    assert_eq!(maps.list_metadata(&of_ours).await.unwrap().items.len(), 1);
    maps.delete_collection(&DeleteParams::default(), &of_ours).await.unwrap();
    assert!(maps.get_opt("a").await.unwrap().is_none());
}

#[tokio::test]
async fn what_was_written_comes_back_as_protobuf_and_is_what_json_says() {
    let (_serving, config) = cluster().await;
    let formats = Notes::<String>::default();
    let noted = formats.clone();
    let noting = tower::layer::layer_fn(move |service| {
        let noted = noted.clone();
        ServiceBuilder::new()
            .map_response(move |response: http::Response<Box<DynBody>>| {
                noted.add(response.headers()["content-type"].to_str().unwrap().to_owned());
                response
            })
            .service(service)
    });
    let client = ClientBuilder::try_from(config).unwrap().with_layer(&noting).build();
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
    let plain: Api<ConfigMap> = Api::namespaced(client.with_json_only(), "default");
    let (post, params, change) = (PostParams::default(), PatchParams::default(), json!({"data": {"x": "y"}}));
    let created = maps.create(&post, &map("a")).await.unwrap();
    assert_eq!(plain.get("a").await.unwrap(), created);
    let replaced = maps.replace("a", &post, &created).await.unwrap();
    let patched = maps.patch("a", &params, &Patch::Merge(&change)).await.unwrap();
    let applied = maps.apply("me", &json!({"metadata": {"name": "a"}, "data": {"z": "1"}})).await.unwrap().object;
    assert_eq!(plain.get("a").await.unwrap(), applied);
    assert_eq!((replaced.data, patched.data.unwrap().len()), (created.data, 2));
    let refused = maps.create(&post, &map("a")).await.unwrap_err();
    assert!(matches!(&refused, Error::Api(status) if status.is_already_exists()), "{refused:?}");
    let (protobuf, json) = ("application/vnd.kubernetes.protobuf", "application/json");
    assert_eq!(formats.all(), [protobuf, json, protobuf, protobuf, protobuf, json, protobuf]);
}

#[tokio::test]
async fn kinds_are_found_by_discovery_and_new_ones_by_asking_again() {
    let (_serving, client) = client().await;
    let all = Discovery::new(client.clone()).run().await.unwrap();
    let aggregated = Discovery::new(client.clone()).run_aggregated().await.unwrap();
    let deployment = GroupVersionKind::gvk("apps", "v1", "Deployment");
    for discovery in [&all, &aggregated] {
        let (resource, capabilities) = discovery.resolve_gvk(&deployment).unwrap();
        assert_eq!((resource.plural.as_str(), capabilities.scope), ("deployments", Scope::Namespaced));
        assert!(discovery.unavailable().is_empty());
    }
    let (pods, _) = discovery::pinned_kind(&client, &GroupVersionKind::gvk("", "v1", "Pod")).await.unwrap();
    assert_eq!(pods.api_version, "v1");
    let missing = discovery::pinned_kind(&client, &GroupVersionKind::gvk("", "v1", "Unicorn")).await;
    assert!(matches!(missing, Err(Error::Discovery(DiscoveryError::MissingKind(_)))), "{missing:?}");

    let mapper = RestMapper::new(client.clone());
    assert!(matches!(mapper.find("unicorns").await, Err(Error::Discovery(_))));
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let definition = json!({"metadata": {"name": "unicorns.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
        "names": {"plural": "unicorns", "singular": "unicorn", "kind": "Unicorn", "shortNames": ["uni"]}, "versions": [{"name": "v1",
        "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}});
    definitions.create(&PostParams::default(), &serde_json::from_value(definition).unwrap()).await.unwrap();
    let found = mapper.find("uni").await.unwrap();
    let unicorns: Api<DynamicObject> = Api::namespaced_with(client, "default", &found.resource);
    unicorns.create(&PostParams::default(), &DynamicObject::new("a", &found.resource)).await.unwrap();
    assert_eq!(unicorns.list(&ListParams::default()).await.unwrap().items.len(), 1);
}
