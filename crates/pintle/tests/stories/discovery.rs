//! `Discovery` and `RestMapper`: all kinds, one kind, kinds by their names; old servers, and aggregated API servers that are
//! down.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::header::ACCEPT;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle::api::{Api, DynamicObject, GroupVersionKind, ListParams, PostParams};
use pintle::client::Body;
use pintle::config::{KubeConfigOptions, Kubeconfig};
use pintle::core::GroupVersion;
use pintle::discovery::{self, ApiGroup, Discovery, RestMapper, Scope, verbs};
use pintle::error::DiscoveryError;
use pintle::testing::{Server, ServerExt};
use pintle::{Client, Config, CustomResource, CustomResourceExt, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tower::{BoxError, ServiceExt};

use crate::custom_resource::{Document, install, install_definition};
use crate::world::World;

/// What kind of server the client sees.
#[derive(Clone, Copy, Eq, PartialEq)]
enum SeenServer {
    /// The embedded server as it is.
    Current,
    /// A server from before aggregated discovery.
    Old,
    /// An old server, and the one behind `apps/v1` is down.
    OldAndDown,
    /// The server behind `apps/v1` is down.
    Down,
}

/// A client of that server, and the number of its requests.
fn client(server: &Server, seen: SeenServer) -> (Client, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let (server, counted) = (server.clone(), Arc::clone(&count));
    let service = tower::service_fn(move |mut request: Request<Body>| {
        counted.fetch_add(1, Ordering::Relaxed);
        let server = server.clone();
        async move {
            if matches!(seen, SeenServer::Old | SeenServer::OldAndDown) {
                request.headers_mut().remove(ACCEPT);
            }
            if seen == SeenServer::OldAndDown && request.uri().path() == "/apis/apps/v1" {
                let status = r#"{"kind":"Status","status":"Failure","message":"no endpoints","reason":"ServiceUnavailable","code":503}"#;
                return Ok(Response::builder().status(503).body(Full::new(Bytes::from(status)))?);
            }
            let (head, body) = server.oneshot(request).await?.into_parts();
            let body = body.collect().await?.to_bytes();
            let body = if seen == SeenServer::Down { without_apps(&body) } else { body };
            Ok::<_, BoxError>(Response::from_parts(head, Full::new(body)))
        }
    });
    (Client::new(service, "default"), count)
}

/// What the API server answers while it cannot reach the server of `apps/v1`.
fn without_apps(body: &[u8]) -> Bytes {
    let mut document: serde_json::Value = serde_json::from_slice(body).unwrap();
    for group in document["items"].as_array_mut().into_iter().flatten() {
        if group["metadata"]["name"] == "apps" {
            group["versions"][0]["resources"] = serde_json::json!([]);
            group["versions"][0]["freshness"] = "Stale".into();
        }
    }
    document.to_string().into()
}

/// Everything that was found, as text.
fn print(found: &Discovery) -> Vec<String> {
    let mut lines = Vec::new();
    for group in found.groups() {
        lines.push(format!(
            "{:?} {:?} {}",
            group.name(),
            group.versions().collect::<Vec<_>>(),
            group.preferred_version_or_latest()
        ));
        for version in group.versions() {
            lines.extend(group.versioned_resources(version).iter().map(|pair| format!("{pair:?}")));
        }
    }
    lines
}

#[tokio::test(start_paused = true)]
async fn old_and_new_servers_yield_the_same_discovery() {
    let server = Server::new();
    let definitions: Api<CustomResourceDefinition> = Api::all(server.client());
    definitions.create(&PostParams::default(), &Document::crd()).await.unwrap();
    let (new, few) = client(&server, SeenServer::Current);
    let (old, many) = client(&server, SeenServer::Old);
    let found = Discovery::new(new).run().await.unwrap();
    let found_old = Discovery::new(old).run_aggregated().await.unwrap();
    assert_eq!(print(&found), print(&found_old));
    assert_eq!(few.load(Ordering::Relaxed), 2, "two aggregated documents");
    assert!(many.load(Ordering::Relaxed) > 20, "one legacy document per version");
    let (pods, capabilities) = found.resolve_gvk(&GroupVersionKind::gvk("", "v1", "Pod")).unwrap();
    assert_eq!((pods.plural.as_str(), &capabilities.scope), ("pods", &Scope::Namespaced));
    assert!(capabilities.supports_operation(verbs::DELETE_COLLECTION));
    let document = found.resolve_gvk(&GroupVersionKind::gvk("example.com", "v1", "Document")).unwrap();
    assert_eq!(document.0.plural, "documents");
    assert!(found.unavailable().is_empty() && found_old.unavailable().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_api_group_whose_server_is_down_is_named_and_hides_no_other() {
    let server = Server::new();
    for seen in [SeenServer::Down, SeenServer::OldAndDown] {
        let found = Discovery::new(client(&server, seen).0).run().await.unwrap();
        let [down] = found.unavailable() else { panic!("{:?}", found.unavailable()) };
        assert_eq!(down.group_version, GroupVersion::gv("apps", "v1"));
        assert!(down.to_string().starts_with("apps/v1 is unavailable: "), "{down}");
        assert!(found.resolve_gvk(&GroupVersionKind::gvk("batch", "v1", "Job")).is_some());
        assert!(found.resolve_gvk(&GroupVersionKind::gvk("", "v1", "Pod")).is_some());
        assert!(found.resolve_gvk(&GroupVersionKind::gvk("apps", "v1", "Deployment")).is_none());
    }
    let refused = discovery::group(&client(&server, SeenServer::OldAndDown).0, "apps").await;
    assert!(matches!(&refused, Err(Error::Api(status)) if status.code == 503), "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn one_group_or_kind_can_be_discovered_alone() {
    let server = Server::new();
    let (client, count) = client(&server, SeenServer::Current);
    let apps = discovery::group(&client, "apps").await.unwrap();
    assert_eq!((apps.name(), apps.preferred_version()), ("apps", Some("v1")));
    let (deployment, _) = apps.recommended_kind("Deployment").unwrap();
    assert_eq!(deployment.api_version, "apps/v1");
    let core = discovery::oneshot::pinned_group(&client, &GroupVersion::gv(ApiGroup::CORE_GROUP, "v1")).await.unwrap();
    assert!(core.recommended_resources().iter().any(|(resource, _)| resource.kind == "Pod"));
    let (jobs, _) = discovery::pinned_kind(&client, &GroupVersionKind::gvk("batch", "v1", "Job")).await.unwrap();
    assert_eq!((jobs.plural.as_str(), count.load(Ordering::Relaxed)), ("jobs", 3));
    let missing = discovery::pinned_kind(&client, &GroupVersionKind::gvk("batch", "v1", "Nothing")).await;
    assert!(matches!(missing, Err(Error::Discovery(DiscoveryError::MissingKind(_)))));
    let missing = discovery::group(&client, "nowhere.io").await;
    assert!(matches!(missing, Err(Error::Discovery(DiscoveryError::MissingApiGroup(_)))));
}

#[tokio::test(start_paused = true)]
async fn kinds_are_found_by_plural_singular_kind_short_name_or_category() {
    let mapper = RestMapper::new(Server::new().client());
    for (name, expected) in [
        ("po", "v1 Pod"),
        ("pods", "v1 Pod"),
        ("Pod", "v1 Pod"),
        ("pods.v1", "v1 Pod"),
        ("deploy", "apps/v1 Deployment"),
        ("deployment", "apps/v1 Deployment"),
        ("deployments.apps", "apps/v1 Deployment"),
        ("deployments.v1.apps", "apps/v1 Deployment"),
        ("deploy.apps", "apps/v1 Deployment"),
        ("networkpolicies.networking.k8s.io", "networking.k8s.io/v1 NetworkPolicy"),
        ("events", "v1 Event"),
        ("events.events.k8s.io", "events.k8s.io/v1 Event"),
        ("ev.v1.events.k8s.io", "events.k8s.io/v1 Event"),
        ("crd", "apiextensions.k8s.io/v1 CustomResourceDefinition"),
    ] {
        let found = mapper.find(name).await.unwrap().resource;
        assert_eq!(format!("{} {}", found.api_version, found.kind), expected, "{name}");
    }
    for unknown in ["nothing", "pods.v2", "pods.apps", "deployments.v2.apps", "", "."] {
        let missing = mapper.find(unknown).await;
        assert!(matches!(missing, Err(Error::Discovery(DiscoveryError::MissingResource(_)))), "{unknown}: {missing:?}");
    }
    let all = mapper.find_category("all").await.unwrap();
    assert!(all.iter().any(|found| found.resource.kind == "Deployment"), "{all:?}");
}

#[tokio::test(start_paused = true)]
async fn an_unknown_name_is_discovered_again_and_a_known_one_costs_no_request() {
    let server = Server::new();
    let (client, count) = client(&server, SeenServer::Current);
    let mapper = RestMapper::new(client.clone());
    mapper.find("pods").await.unwrap();
    mapper.find("deploy").await.unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 2, "known names need no second discovery");
    let kind = GroupVersionKind::gvk("example.com", "v1", "Document");
    assert!(matches!(mapper.find_kind(&kind).await, Err(Error::Discovery(DiscoveryError::MissingKind(_)))));
    assert_eq!(count.load(Ordering::Relaxed), 4, "a miss discovers once more");

    let definitions: Api<CustomResourceDefinition> = Api::all(server.client());
    definitions.create(&PostParams::default(), &Document::crd()).await.unwrap();
    let lookups = (0..20).map(|_| mapper.find("doc"));
    let found = futures::future::join_all(lookups).await;
    assert!(found.into_iter().all(|found| found.unwrap().resource.plural == "documents"));
    assert_eq!(count.load(Ordering::Relaxed), 6, "twenty misses at once discover once");
    assert_eq!(mapper.find_kind(&kind).await.unwrap().singular, "document");
    mapper.forget().await;
    mapper.find("doc").await.unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 8);
}

/// It has its own group, because the preferred version is one of the whole group, and on a shared cluster another story
/// installs `example.com/v2`, which has no documents.
#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "library.example.com", version = "v1", kind = "Book", namespaced)]
struct BookSpec {
    title: String,
}

/// The documents' way to third-party kinds: discover the kind, then use it.
#[tokio::test(start_paused = true)]
async fn a_third_party_kind_is_discovered_and_read() {
    let world = World::new();
    install_definition(&world, &Book::crd()).await;
    let books: Api<Book> = Api::default_namespaced(world.client.clone());
    books.create(&PostParams::default(), &Book::new("a", BookSpec { title: "A title".into() })).await.unwrap();
    // A cluster serves a new kind a moment before discovery lists it.
    let discover = async || {
        let discovery = Discovery::new(world.client.clone()).run().await.unwrap();
        discovery.get("library.example.com").and_then(|group| group.recommended_kind("Book"))
    };
    world.until("discovery lists the kind", async || discover().await.is_some()).await;
    let (resource, capabilities) = discover().await.expect("it was listed just now");
    let api: Api<DynamicObject> =
        Api::dynamic(world.client.clone(), &resource, &capabilities.scope).constrain_default();
    assert_eq!(api.get("a").await.unwrap().data["spec"]["title"].as_str(), Some("A title"));
}

/// The preferred version is one of the whole group. A kind that exists only at an older one is found by its stability.
#[tokio::test(start_paused = true)]
async fn a_kind_missing_from_the_newest_version_of_its_group_is_found_by_stability() {
    let world = World::embedded();
    install(&world).await;
    let mut newer = Book::crd();
    newer.metadata.name = Some("books.example.com".to_owned());
    newer.spec.group = "example.com".to_owned();
    newer.spec.versions[0].name = "v2".to_owned();
    install_definition(&world, &newer).await;
    let group = discovery::group(&world.client, "example.com").await.unwrap();
    assert_eq!(group.preferred_version(), Some("v2"));
    assert!(group.recommended_kind("Document").is_none());
    let (document, _) = group.resources_by_stability().into_iter().find(|(it, _)| it.kind == "Document").unwrap();
    assert_eq!(document.api_version, "example.com/v1");
    assert_eq!(RestMapper::new(world.client.clone()).find("documents").await.unwrap().resource, document);
}

#[tokio::test]
async fn a_served_cluster_is_discovered_over_a_socket() {
    let serving = Server::new().serve(([127, 0, 0, 1], 0).into()).await.unwrap();
    let kubeconfig = Kubeconfig::from_yaml(&serving.kubeconfig()).unwrap();
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
    let client = Client::try_from(config).unwrap();
    let found = Discovery::new(client.clone()).run().await.unwrap();
    for group in found.groups_alphabetical() {
        for (resource, capabilities) in group.recommended_resources() {
            // ComponentStatus asks the scheduler and others for their health; this server has none.
            if capabilities.supports_operation(verbs::LIST) && resource.kind != "ComponentStatus" {
                let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
                api.list(&ListParams::default().limit(1)).await.unwrap();
            }
        }
    }
    assert_eq!(client.list_core_api_versions().await.unwrap().versions, ["v1"]);
    assert!(client.list_api_groups().await.unwrap().groups.iter().any(|group| group.name == "apps"));
    assert!(client.list_core_api_resources("v1").await.unwrap().resources.iter().any(|it| it.kind == "Pod"));
    assert!(
        client.list_api_group_resources("apps/v1").await.unwrap().resources.iter().any(|it| it.kind == "Deployment")
    );
    assert!(client.list_api_groups_aggregated().await.unwrap().items.len() > 5);
    assert_eq!(client.list_core_api_versions_aggregated().await.unwrap().items.len(), 1);
    assert!(matches!(client.list_api_group_resources("a/b/c").await, Err(Error::Discovery(_))));
    serving.shutdown().await;
}
