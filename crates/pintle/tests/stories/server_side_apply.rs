//! Server-side apply: which fields are sent, whose fields are taken, and what the caller gets back.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{ConfigMap, Container, PodSpec, PodTemplateSpec};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use pintle::api::apply::Change;
use pintle::api::{Api, ObjectMeta, Patch, PatchParams};
use pintle::core::response::conflicts::FieldConflict;
use pintle::runtime::controller::Action;
use pintle::runtime::{Applied, Controller, apply_if_changed, apply_status_if_changed};
use pintle::{CustomResourceExt, ResourceExt};
use serde_json::json;

use crate::custom_resource::{Document, document, documents, install};
use crate::world::{World, config_map};

fn map(name: &str, data: &[(&str, &str)]) -> ConfigMap {
    let data = data.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    ConfigMap { data: Some(data), ..config_map(name) }
}

fn deployment(replicas: i32) -> Deployment {
    let labels = Some([("app".to_owned(), "web".to_owned())].into());
    let container = Container { name: "app".into(), image: Some("app:1".into()), ..Container::default() };
    Deployment {
        metadata: ObjectMeta { name: Some("web".into()), ..ObjectMeta::default() },
        spec: DeploymentSpec {
            replicas: Some(replicas),
            selector: LabelSelector { match_labels: labels.clone(), ..LabelSelector::default() },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta { labels, ..ObjectMeta::default() }),
                spec: Some(PodSpec { containers: vec![container], ..PodSpec::default() }),
            },
            ..DeploymentSpec::default()
        },
        ..Deployment::default()
    }
}

/// A deployment with only the replicas set, although its type requires more fields.
fn replicas(replicas: i32) -> Deployment {
    let spec = DeploymentSpec { replicas: Some(replicas), ..DeploymentSpec::default() };
    Deployment { metadata: deployment(0).metadata, spec, ..Deployment::default() }
}

#[tokio::test(start_paused = true)]
async fn an_apply_returns_whether_anything_changed() {
    let world = World::new();
    let maps = world.config_maps();
    let wanted = map("a", &[("colour", "green")]);
    let applied = maps.apply("painter", &wanted).await.unwrap();
    assert_eq!(applied.change, Change::Created);
    let version = applied.object.resource_version().unwrap();
    assert_eq!(maps.apply("painter", &wanted).await.unwrap().change, Change::Unknown);
    assert_eq!(maps.apply("painter", &wanted).against(&version).await.unwrap().change, Change::Unchanged);
    let other = map("a", &[("colour", "red")]);
    let dry = maps.apply("painter", &other).against(&version).dry_run().await.unwrap();
    assert_eq!((dry.change, dry.object.data.unwrap()["colour"].as_str()), (Change::Unknown, "red"));
    assert_eq!(maps.apply("painter", &other).against(&version).await.unwrap().change, Change::Changed);
    // The resourceVersion of an object that was read is not sent: an apply is not an optimistic lock.
    let mut read = applied.object;
    read.data = other.data;
    assert_eq!(maps.apply("painter", &read).await.unwrap().change, Change::Changed);
}

#[tokio::test(start_paused = true)]
async fn an_apply_owns_only_the_fields_that_are_set() {
    let world = World::new();
    let deployments: Api<Deployment> = Api::default_namespaced(world.client.clone());
    deployments.apply("creator", &deployment(1)).await.unwrap();
    let refused = deployments.apply("scaler", &replicas(3)).await.unwrap_err();
    let pintle::Error::Api(status) = refused else { panic!("{refused:?}") };
    let conflict = FieldConflict { manager: "creator".into(), field: ".spec.replicas".into() };
    assert_eq!(status.field_conflicts(), std::slice::from_ref(&conflict));

    let applied = deployments.apply("scaler", &replicas(3)).force_on_conflict().await.unwrap();
    assert_eq!((applied.object.spec.replicas, applied.taken), (Some(3), vec![conflict]));
    assert!(deployments.apply("scaler", &replicas(3)).force_on_conflict().await.unwrap().taken.is_empty());
    let own = deployments.own_fields(&applied.object, "scaler").unwrap();
    let metadata = json!({ "name": "web", "namespace": world.namespace() });
    let expected =
        json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": { "replicas": 3 } });
    assert_eq!(own, expected);
}

#[tokio::test(start_paused = true)]
async fn applying_own_fields_again_changes_nothing_and_omitted_fields_are_given_up() {
    let world = World::new();
    let deployments: Api<Deployment> = Api::default_namespaced(world.client.clone());
    let first = deployments.apply("creator", &deployment(2)).await.unwrap().object;
    let version = first.resource_version().unwrap();
    let mut own = deployments.own_fields(&first, "creator").unwrap();
    let again = deployments.apply("creator", &own).against(&version).await.unwrap();
    assert_eq!(again.change, Change::Unchanged, "{own}");

    own["spec"].as_object_mut().unwrap().remove("replicas");
    let without = deployments.apply("creator", &own).await.unwrap().object;
    assert!(deployments.own_fields(&without, "creator").unwrap()["spec"]["replicas"].is_null());
    assert_eq!(without.spec.replicas, Some(1), "a field without an owner has its default again");
}

#[tokio::test(start_paused = true)]
async fn an_apply_without_a_kind_gets_the_kind_of_its_api_or_of_its_subresource() {
    let world = World::new();
    let deployments: Api<Deployment> = Api::default_namespaced(world.client.clone());
    deployments.apply("creator", &deployment(1)).await.unwrap();
    let params = PatchParams::apply("scaler").force();
    let labels = Patch::Apply(json!({ "metadata": { "labels": { "tier": "front" } } }));
    assert_eq!(deployments.patch("web", &params, &labels).await.unwrap().labels()["tier"], "front");
    let scale = Patch::Apply(json!({ "spec": { "replicas": 4 } }));
    let scaled = deployments.patch_scale("web", &params, &scale).await.unwrap();
    assert_eq!(scaled.spec.and_then(|spec| spec.replicas), Some(4));
    let status = Patch::Apply(json!({ "status": { "observedGeneration": 7 } }));
    let patched = deployments.patch_status("web", &params, &status).await.unwrap();
    assert_eq!(patched.status.and_then(|status| status.observed_generation), Some(7));
}

#[tokio::test(start_paused = true)]
async fn the_definition_and_the_objects_of_a_derived_kind_can_be_applied() {
    let world = World::new();
    install(&world).await;
    let definitions: Api<CustomResourceDefinition> = Api::all(world.client.clone());
    let params = PatchParams::apply("documents").force();
    let crd = definitions.patch("documents.example.com", &params, &Patch::Apply(Document::crd())).await.unwrap();
    assert_eq!(crd.name_any(), "documents.example.com");
    let typed = definitions.apply("documents", &Document::crd()).force().await.unwrap();
    assert_eq!(typed.object.spec.names.kind, "Document");

    let documents = documents(&world);
    assert_eq!(documents.apply("author", &document("novel")).await.unwrap().change, Change::Created);
    let status = json!({ "metadata": { "name": "novel" }, "status": { "words": 7 } });
    let counted = documents.apply("counter", &status).status().await.unwrap().object;
    assert_eq!(counted.status.as_ref().map(|status| status.words), Some(7));
    let own = documents.own_fields_of("status", &counted, "counter").unwrap();
    assert_eq!(own["status"], json!({ "words": 7 }));
}

#[tokio::test(start_paused = true)]
async fn an_apply_without_a_name_or_to_another_namespace_is_not_sent() {
    let world = World::new();
    let sent = world.requests().len();
    let mut elsewhere = map("a", &[]);
    elsewhere.metadata.namespace = Some("elsewhere".into());
    for (object, why) in [(ConfigMap::default(), "metadata.name"), (elsewhere, "elsewhere")] {
        let error = world.config_maps().apply("me", &object).await.unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains(why), "{cause}");
    }
    assert_eq!(world.requests().len(), sent);
}

#[tokio::test(start_paused = true)]
async fn a_forced_apply_takes_only_the_fields_that_are_in_conflict() {
    let world = World::new();
    let maps = world.config_maps();
    maps.apply("first", &map("a", &[("both", "same"), ("mine", "1"), ("wanted", "1")])).await.unwrap();
    let taken = maps.apply("second", &map("a", &[("both", "same"), ("wanted", "2")])).force().await.unwrap().object;
    let data = taken.data.clone().unwrap();
    assert_eq!((data["wanted"].as_str(), data["mine"].as_str()), ("2", "1"));
    let owned = |manager| maps.own_fields(&taken, manager).unwrap()["data"].clone();
    assert_eq!(owned("first"), json!({ "both": "same", "mine": "1" }));
    assert_eq!(owned("second"), json!({ "both": "same", "wanted": "2" }));
}

/// How many applies a manager has sent.
fn applies(world: &World, manager: &str) -> usize {
    let sent = format!("fieldManager={manager}");
    world.requests().iter().filter(|call| call.starts_with("PATCH") && call.contains(&sent)).count()
}

#[tokio::test(start_paused = true)]
async fn in_a_default_controller_apply_if_changed_sends_once_and_again_only_after_a_change() {
    let world = World::new();
    let maps = world.config_maps();
    maps.apply("owner", &map("a", &[("title", "x")])).await.unwrap();
    let rounds = Arc::new(Mutex::new(Vec::new()));
    let reconcile = {
        let (maps, rounds) = (maps.clone(), rounds.clone());
        move |current: Arc<ConfigMap>, _| {
            let (maps, rounds) = (maps.clone(), rounds.clone());
            async move {
                assert!(current.metadata.managed_fields.is_none(), "a default store drops managedFields");
                let desired = json!({ "metadata": { "name": "a" }, "data": { "colour": "green" } });
                let pp = PatchParams::apply("painter").force();
                let applied = apply_if_changed(&maps, "a", &pp, Some(&*current), &desired).await.unwrap();
                rounds.lock().unwrap().push(matches!(applied, Applied::Sent(_)));
                Ok::<_, Infallible>(Action::await_change())
            }
        }
    };
    let controller = Controller::new(maps.clone(), World::watching());
    let running = controller.run(reconcile, |_, _, _| Action::await_change(), Arc::new(()));
    let running = tokio::spawn(running.for_each(|_| std::future::ready(())));
    let seen = async |count: usize| {
        world.until("the reconciles happen", async || rounds.lock().unwrap().len() >= count).await;
        rounds.lock().unwrap().clone()
    };
    seen(1).await;
    // The apply itself may trigger another reconcile, or its event arrived during the reconcile.
    world.until("its own change has settled", async || !matches!(rounds.lock().unwrap().last(), Some(true))).await;
    assert_eq!(applies(&world, "painter"), 1);

    let settled = rounds.lock().unwrap().len();
    maps.apply("owner", &map("a", &[("title", "y")])).await.unwrap();
    assert!(!seen(settled + 1).await[settled..].contains(&true), "a field of another manager is not applied again");
    assert_eq!(applies(&world, "painter"), 1);

    maps.apply("vandal", &map("a", &[("colour", "grey")])).force().await.unwrap();
    world
        .until("it is green again", async || {
            maps.get("a").await.unwrap().data.unwrap_or_default().get("colour").is_some_and(|colour| colour == "green")
        })
        .await;
    assert_eq!(applies(&world, "painter"), 2);
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn a_status_that_already_matches_is_not_applied_again() {
    let world = World::new();
    install(&world).await;
    let documents = documents(&world);
    documents.apply("author", &document("novel")).await.unwrap();
    let status = |words: u32| json!({ "metadata": { "name": "novel" }, "status": { "words": words } });
    let pp = PatchParams::apply("counter");
    let current = documents.get("novel").await.unwrap();
    let sent = apply_status_if_changed(&documents, "novel", &pp, Some(&current), &status(7)).await.unwrap();
    let Applied::Sent(current) = sent else { panic!("it had no status") };
    let mut bare = (*current).clone();
    bare.metadata.managed_fields = None;
    for current in [&current, &bare] {
        let again = apply_status_if_changed(&documents, "novel", &pp, Some(current), &status(7)).await.unwrap();
        assert!(matches!(again, Applied::Unchanged), "{again:?}");
    }
    // The same fields applied to the object itself are a separate apply.
    assert!(matches!(
        apply_if_changed(&documents, "novel", &pp, Some(&bare), &document("novel")).await,
        Ok(Applied::Sent(_))
    ));
    let changed = apply_status_if_changed(&documents, "novel", &pp, Some(&bare), &status(8)).await.unwrap();
    let Applied::Sent(now) = changed else { panic!("it has another status") };
    assert!(now.status.as_ref().is_some_and(|status| status.words == 8));
    // A client that names its manager once does so here, too.
    let named: Api<Document> = Api::default_namespaced(world.client.clone().with_field_manager("counter"));
    let again = apply_status_if_changed(&named, "novel", &PatchParams::default(), Some(&now), &status(8)).await;
    assert!(matches!(again, Ok(Applied::Unchanged)), "{again:?}");
}
