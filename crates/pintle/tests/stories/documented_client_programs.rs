//! The example programs of the documents that Pintle implements, about types, params, patches, kinds, clients and requests:
//! each compiles with the names it was written with and does what the document says.
//!
//! | chapter | where its programs are run |
//! |---|---|
//! | architecture/resource-type-system | `the_derived_type_has_the_documented_shape`, `object_refs_are_equal_if_name_and_namespace_are`, `facade`, and what must not compile at `Api::namespaced` |
//! | architecture/client-and-tower-stack | `a_client_is_shared_between_apis`, `clients_for_watches_and_for_calls_share_one_config`; `Client::try_default` as a process does it in the client's own tests (`environment`) |
//! | architecture/request-lifecycle | `a_request_goes_from_the_api_to_a_list`, `list_params_set_selectors_pages_and_versions`, `watch_events_have_five_kinds`, `api_errors_and_transport_errors_are_distinct` |
//! | runtime-internals/custom-resources | `custom_resource`, `a_definition_is_applied_by_its_name`, `server_side_apply`, `derive::difficult_types` |
//! | patterns/server-side-apply | `an_apply_without_a_field_manager_is_not_sent`, `a_status_is_patched_through_its_subresource`, `a_typed_apply_omits_default_fields`, `server_side_apply` |
//! | patterns/third-party-crds | `a_third_party_kind_is_read_without_a_type`, `a_third_party_kind_is_read_with_a_handwritten_type`, `discovery::a_third_party_kind_is_discovered_and_read`, `derive::custom_resource::a_type_that_inherits_a_resource_reads_its_objects` |
//! | patterns/error-handling-and-backoff | `api_errors_and_transport_errors_are_distinct`, `a_custom_retry_policy_retries`, `a_call_that_takes_too_long_is_given_up` |

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle::api::{
    Api, ApiResource, DynamicObject, GroupVersionKind, ListParams, Object, ObjectList, ObjectMeta, Patch, PatchParams,
    PostParams, WatchEvent, WatchParams,
};
use pintle::client::{Body, ClientBuilder};
use pintle::config::{KubeConfigOptions, Kubeconfig};
use pintle::core::object::HasSpec;
use pintle::core::{NamespaceResourceScope, Request, Selector};
use pintle::runtime::reflector::ObjectRef;
use pintle::testing::Server;
use pintle::{Client, Config, CustomResourceExt, Resource, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::custom_resource::{Document, document, install};
use crate::world::World;

#[tokio::test(start_paused = true)]
async fn a_request_goes_from_the_api_to_a_list() {
    let world = World::new();
    let pods: Api<Pod> = Api::default_namespaced(world.client.clone());
    let list: ObjectList<Pod> = pods.list(&ListParams::default()).await.unwrap();
    assert!(list.items.is_empty());
    assert_eq!(*world.requests().last().unwrap(), format!("GET /api/v1/namespaces/{}/pods?", world.namespace()));
    // The same request without a client: pure, nothing is sent.
    let request = Request::new(Pod::url_path(&(), Some("default"))).list(&ListParams::default().limit(5)).unwrap();
    assert_eq!(request.uri(), "/api/v1/namespaces/default/pods?&limit=5");
}

#[tokio::test(start_paused = true)]
async fn list_params_set_selectors_pages_and_versions() {
    let world = World::new();
    let secrets: Api<Secret> = Api::default_namespaced(world.client.clone());
    for name in ["a", "b", "c"] {
        let secret = serde_json::from_value(json!({ "metadata": { "name": name } })).unwrap();
        secrets.create(&PostParams::default(), &secret).await.unwrap();
    }
    let first = secrets.list(&ListParams::default().limit(2)).await.unwrap();
    assert_eq!((first.items.len(), first.metadata.remaining_item_count), (2, Some(1)));
    let token = first.metadata.continue_.unwrap();
    let second = secrets.list(&ListParams::default().limit(2).continue_token(&token)).await.unwrap();
    assert_eq!(second.items[0].name_any(), "c");
    let any = secrets.list(&ListParams::default().at("0")).await.unwrap();
    let named = secrets.list(&ListParams::default().fields("metadata.name=b")).await.unwrap();
    assert_eq!((any.items.len(), named.items.len()), (3, 1));
}

#[test]
fn watch_events_have_five_kinds() {
    let event = |text: &str| serde_json::from_str::<WatchEvent<Pod>>(text).unwrap();
    let object = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}"#;
    for (kind, expected) in [("ADDED", 0), ("MODIFIED", 1), ("DELETED", 2)] {
        let found = match event(&format!(r#"{{"type":"{kind}","object":{object}}}"#)) {
            WatchEvent::Added(_) => 0,
            WatchEvent::Modified(_) => 1,
            WatchEvent::Deleted(_) => 2,
            WatchEvent::Bookmark(_) | WatchEvent::Error(_) => 3,
        };
        assert_eq!(found, expected);
    }
    let bookmark = event(r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"12345"}}}"#);
    assert!(matches!(bookmark, WatchEvent::Bookmark(bookmark) if bookmark.metadata.resource_version == "12345"));
    let error =
        event(r#"{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}"#);
    assert!(matches!(error, WatchEvent::Error(status) if status.is_gone_or_expired()));
}

#[tokio::test(start_paused = true)]
async fn a_definition_is_applied_by_its_name() {
    let world = World::new();
    let crds = Document::crd();
    let crd_api: Api<CustomResourceDefinition> = Api::all(world.client.clone());
    let ssapply = PatchParams::apply("documents").force();
    let applied = crd_api.patch("documents.example.com", &ssapply, &Patch::Apply(&crds)).await.unwrap();
    assert_eq!(applied.name_any(), "documents.example.com");
}

#[tokio::test(start_paused = true)]
async fn an_apply_without_a_field_manager_is_not_sent() {
    let world = World::embedded();
    let patch = Patch::Apply(json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "my-cm" }, "data": { "key": "value" }
    }));
    let sent = world.requests().len();
    let refused = world.config_maps().patch("my-cm", &PatchParams::default(), &patch).await;
    let Err(pintle::Error::BuildRequest(why)) = refused else { panic!("{refused:?}") };
    assert!(why.to_string().contains("needs a field manager"), "{why}");
    assert_eq!(world.requests().len(), sent, "nothing was sent");
    let answered = world.config_maps().patch("my-cm", &PatchParams::apply("my-controller"), &patch).await;
    assert_eq!(answered.unwrap().data.unwrap()["key"], "value");
}

#[tokio::test(start_paused = true)]
async fn a_status_is_patched_through_its_subresource() {
    let world = World::new();
    install(&world).await;
    let api: Api<Document> = Api::default_namespaced(world.client.clone());
    api.create(&PostParams::default(), &document("name")).await.unwrap();
    let status = json!({ "apiVersion": "example.com/v1", "kind": "Document", "status": { "words": 7 } });
    let pp = PatchParams::apply("my-controller");
    let patched = api.patch_status("name", &pp, &Patch::Apply(&status)).await.unwrap();
    assert_eq!(patched.status.map(|status| status.words), Some(7));
    assert_eq!(patched.spec.title, "A title", "fields that are not in the patch stay");
    let theirs = Patch::Apply(json!({ "status": { "words": 8 } }));
    let refused = api.patch_status("name", &PatchParams::apply("another"), &theirs).await.unwrap_err();
    assert!(matches!(&refused, pintle::Error::Api(status) if status.is_conflict()), "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn a_typed_apply_omits_default_fields() {
    let world = World::new();
    let map = ConfigMap {
        metadata: ObjectMeta { name: Some("typed".into()), ..Default::default() },
        data: Some([("key".to_owned(), "value".to_owned())].into()),
        ..Default::default()
    };
    let pp = PatchParams::apply("my-controller");
    let applied = world.config_maps().patch("typed", &pp, &Patch::Apply(&map)).await.unwrap();
    assert_eq!(applied.data.unwrap()["key"], "value");
    let fields = &applied.metadata.managed_fields.unwrap()[0];
    assert_eq!(fields.fields_v1.as_ref().unwrap().0, json!({ "f:data": { "f:key": {} } }));
}

#[tokio::test(start_paused = true)]
async fn a_third_party_kind_is_read_without_a_type() {
    let world = World::new();
    install(&world).await;
    let mut stored = document("my-obj");
    stored.metadata.namespace = Some(world.namespace().into());
    Api::<Document>::namespaced(world.client.clone(), world.namespace())
        .create(&PostParams::default(), &stored)
        .await
        .unwrap();

    let gvk = GroupVersionKind { group: "example.com".into(), version: "v1".into(), kind: "Document".into() };
    let resource = ApiResource::from_gvk(&gvk);
    let api = Api::<DynamicObject>::namespaced_with(world.client.clone(), world.namespace(), &resource);
    let obj = api.get("my-obj").await.unwrap();
    assert_eq!(obj.data["spec"]["title"].as_str(), Some("A title"));

    #[derive(Clone, Debug, Deserialize, Serialize)]
    struct TitleSpec {
        title: String,
    }
    type Titled = Object<TitleSpec, serde_json::Value>;
    let typed: Api<Titled> = Api::namespaced_with(world.client.clone(), world.namespace(), &resource);
    assert_eq!(typed.get("my-obj").await.unwrap().spec.title, "A title");
}

/// A third-party kind as a handwritten type, without the derive macro.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct HandWritten {
    metadata: ObjectMeta,
    spec: HandWrittenSpec,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct HandWrittenSpec {
    title: String,
}

impl Resource for HandWritten {
    type DynamicType = ();
    type Scope = NamespaceResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        "Document".into()
    }

    fn group((): &()) -> Cow<'_, str> {
        "example.com".into()
    }

    fn version((): &()) -> Cow<'_, str> {
        "v1".into()
    }

    fn plural((): &()) -> Cow<'_, str> {
        "documents".into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

#[tokio::test(start_paused = true)]
async fn a_third_party_kind_is_read_with_a_handwritten_type() {
    let world = World::new();
    install(&world).await;
    let documents: Api<Document> = Api::default_namespaced(world.client.clone());
    documents.create(&PostParams::default(), &document("my-obj")).await.unwrap();
    let titled: Api<HandWritten> = Api::default_namespaced(world.client.clone());
    assert_eq!(titled.get("my-obj").await.unwrap().spec.title, "A title");
}

#[test]
fn object_refs_are_equal_if_name_and_namespace_are() {
    let mut pod = Pod { metadata: ObjectMeta { name: Some("a".into()), ..Default::default() }, ..Default::default() };
    let before = ObjectRef::from_obj(&pod);
    pod.metadata.resource_version = Some("7".into());
    pod.metadata.uid = Some("u".into());
    let after = ObjectRef::from_obj(&pod);
    assert_eq!(before, after);
    assert_ne!(before.clone(), after.clone().within("elsewhere"));
    let erased: ObjectRef<DynamicObject> = before.erase();
    assert_eq!((erased.name.as_str(), erased.dyntype.kind.as_str()), ("a", "Pod"));
    assert_eq!((pod.name_unchecked(), pod.name_any()), ("a".into(), "a".into()));
    let nameless: Pod = serde_json::from_value(json!({ "metadata": { "generateName": "a-" } })).unwrap();
    assert_eq!(nameless.name_any(), "a-", "where `name_unchecked` panics");
}

#[test]
fn the_derived_type_has_the_documented_shape() {
    let document = document("a");
    let made = Document::new("a", document.spec.clone());
    assert_eq!(made.spec().title, document.spec.title);
    let (_, _, _) = (&document.metadata, &document.spec, &document.status);
    assert_eq!(
        (Document::kind(&()), Document::group(&()), Document::version(&())),
        ("Document".into(), "example.com".into(), "v1".into())
    );
    assert_eq!((Document::plural(&()), Document::crd_name()), ("documents".into(), "documents.example.com"));
    assert!(document.owner_references().is_empty() && document.finalizers().is_empty());
    let selector: Selector = [("app", "web")].into_iter().collect();
    assert_eq!(ListParams::default().labels_from(&selector).label_selector.as_deref(), Some("app=web"));
}

#[tokio::test(start_paused = true)]
async fn a_client_is_shared_between_apis() {
    let world = World::new();
    let maps: Api<ConfigMap> = Api::namespaced(world.client.clone(), world.namespace());
    let everywhere: Api<ConfigMap> = Api::all(world.client.clone());
    let created = world.create_config_map("a").await.uid();
    assert_eq!(maps.get("a").await.unwrap().uid(), created);
    let all = everywhere.list(&ListParams::default()).await.unwrap();
    assert!(all.iter().any(|map| map.uid() == created));
}

/// A client of a server on a socket, made from its kubeconfig.
async fn configured(serving: &pintle_apiserver::Serving) -> Config {
    let kubeconfig = Kubeconfig::from_yaml(&serving.kubeconfig()).unwrap();
    Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap()
}

#[tokio::test]
async fn clients_for_watches_and_for_calls_share_one_config() {
    let serving = Server::new().serve(([127, 0, 0, 1], 0).into()).await.unwrap();
    let mut config = configured(&serving).await;
    let for_watches = Client::try_from(config.clone()).unwrap();
    config.read_timeout = Some(Duration::from_secs(10));
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let counting = tower::util::MapRequestLayer::new(move |request: http::Request<Body>| {
        counted.fetch_add(1, Ordering::Relaxed);
        request
    });
    let for_calls = ClientBuilder::try_from(config).unwrap().with_layer(&counting).build();

    let pods: Api<Pod> = Api::default_namespaced(for_calls);
    let version = pods.list(&ListParams::default()).await.unwrap().metadata.resource_version.unwrap();
    let watched: Api<Pod> = Api::default_namespaced(for_watches);
    drop(watched.watch(&WatchParams::default(), &version).await.unwrap());
    assert_eq!(count.load(Ordering::Relaxed), 1, "a layer sees the calls of its own client");
    serving.shutdown().await;
}

#[tokio::test]
async fn api_errors_and_transport_errors_are_distinct() {
    let serving = Server::new().serve(([127, 0, 0, 1], 0).into()).await.unwrap();
    let config = configured(&serving).await;
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::try_from(config.clone()).unwrap());
    match maps.get("absent").await {
        Err(pintle::Error::Api(status)) => assert_eq!((status.code, status.is_not_found()), (404, true)),
        other => panic!("{other:?}"),
    }
    serving.shutdown().await;
    let refused = maps.with_timeout(Duration::from_millis(200)).get("absent").await.unwrap_err();
    assert!(refused.is_transient() && !matches!(refused, pintle::Error::Api(_)), "{refused:?}");
}

/// Retries every server error, three times.
#[derive(Clone)]
struct ThreeTimes(usize);

impl<E> tower::retry::Policy<http::Request<Body>, http::Response<Body>, E> for ThreeTimes {
    type Future = std::future::Ready<()>;

    fn retry(
        &mut self,
        _: &mut http::Request<Body>,
        result: &mut Result<http::Response<Body>, E>,
    ) -> Option<Self::Future> {
        let is_failed = result.as_ref().is_ok_and(|response| response.status().is_server_error());
        self.0 += 1;
        (is_failed && self.0 < 3).then(|| std::future::ready(()))
    }

    fn clone_request(&mut self, request: &http::Request<Body>) -> Option<http::Request<Body>> {
        let mut clone = http::Request::new(request.body().try_clone()?);
        *clone.method_mut() = request.method().clone();
        *clone.uri_mut() = request.uri().clone();
        *clone.headers_mut() = request.headers().clone();
        Some(clone)
    }
}

#[tokio::test(start_paused = true)]
async fn a_custom_retry_policy_retries() {
    let tried = Arc::new(AtomicUsize::new(0));
    let counted = tried.clone();
    let failing = tower::service_fn(move |_: http::Request<Body>| {
        let code = if counted.fetch_add(1, Ordering::Relaxed) < 2 { 500 } else { 200 };
        let answer = http::Response::builder().status(code).body(Body::from(b"{}".to_vec()));
        std::future::ready(Ok::<_, tower::BoxError>(answer.unwrap()))
    });
    let client = Client::new(tower::retry::Retry::new(ThreeTimes(0), failing), "default");
    Api::<ConfigMap>::default_namespaced(client).get("a").await.unwrap();
    assert_eq!(tried.load(Ordering::Relaxed), 3);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_too_long_is_given_up() {
    let silent = tower::service_fn(|_: http::Request<Body>| {
        std::future::pending::<Result<http::Response<Body>, tower::BoxError>>()
    });
    let maps: Api<ConfigMap> = Api::default_namespaced(Client::new(silent, "default"));
    assert!(tokio::time::timeout(Duration::from_secs(5), maps.get("a")).await.is_err());
    let error = maps.with_timeout(Duration::from_secs(5)).get("a").await.unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
}

/// As in kube the token wins and is never read again. client-go would use the file.
#[test]
fn a_token_beside_a_token_file_is_used_as_in_kube_and_logged() {
    let log = crate::world::log::Log::catch();
    let mut config = Config::new("http://localhost".parse().unwrap());
    config.auth_info.token_file = Some("/there/is/no/such/file".into());
    assert!(Client::try_from(config.clone()).is_err(), "the file is read");
    config.auth_info.token = Some("s3cr3t".to_owned().into());
    Client::try_from(config).expect("the file is not read");
    let lines = log.lines_with("beside a token file");
    assert!(lines.len() == 1 && lines[0].contains("/there/is/no/such/file"), "{lines:?}");
    assert!(!lines[0].contains("s3cr3t"));
}
