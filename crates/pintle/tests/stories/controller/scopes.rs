//! Which objects a controller watches: watches added, removed and re-scoped while it runs, namespaces, owners of any scope.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use pintle::ResourceExt;
use pintle::api::{Api, DeleteParams, ObjectMeta, Patch, PatchParams, PostParams};
use pintle::runtime::controller::{Action, Controller, Handlers, Namespaces, NotWatching};
use pintle::runtime::reflector::ObjectRef;
use pintle::runtime::watcher;

use super::{Counts, Trouble, again, controller_of, count, create, embedded, world};
use crate::custom_resource::{Document, document, documents};
use crate::world::{World, config_map};

fn config() -> watcher::Config {
    watcher::Config::default()
}

async fn labelled(world: &World, name: &str, label: &str) {
    let mut labelled = document(name);
    labelled.labels_mut().insert("team".into(), label.into());
    documents(world).create(&PostParams::default(), &labelled).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_added_watch_triggers_reconciles_and_a_removed_one_does_not() {
    let world = world().await;
    let owner = create(&world, "a").await;
    world.create_owned_config_map("first", &owner).await;
    let counts = Arc::new(Counts::default());
    let controller = controller_of(&world);
    let handle = controller.handle();
    let _running = tokio::spawn(controller.run(count, again, Arc::clone(&counts)).for_each(|_| async {}));
    world.until("it is reconciled", async || counts.of("a") == 1).await;

    let owned = handle.owns_with(world.config_maps(), (), config()).unwrap();
    world.until("an existing object triggers", async || counts.of("a") == 2).await;
    world.create_owned_config_map("second", &owner).await;
    world.until("a new object triggers", async || counts.of("a") == 3).await;
    owned.remove();
    tokio::time::sleep(Duration::from_secs(1)).await;
    world.create_owned_config_map("third", &owner).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(counts.of("a"), 3);

    let secrets: Api<Secret> = Api::default_namespaced(world.client.clone());
    let namespace = world.namespace().to_owned();
    let mapper = move |secret: Secret| [ObjectRef::new(&secret.name_any()).within(&namespace)];
    let watch = handle.watches_with(secrets.clone(), (), config().labels("team=red"), mapper).unwrap();
    let mut secret = Secret { metadata: config_map("a").metadata, ..Secret::default() };
    secret.labels_mut().insert("team".into(), "blue".into());
    secrets.create(&PostParams::default(), &secret).await.unwrap();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(counts.of("a"), 3, "it is not selected");
    watch.rescope(secrets, config().labels("team=blue")).unwrap();
    world.until("now it is selected", async || counts.of("a") == 4).await;
}

#[tokio::test(start_paused = true)]
async fn moving_the_main_watch_to_other_objects_reports_no_deletes() {
    let world = world().await;
    labelled(&world, "red", "red").await;
    labelled(&world, "blue", "blue").await;
    let counts = Arc::new(Counts::default());
    let deleted = async |document: Arc<Document>, counts: Arc<Counts>| {
        counts.add(&format!("deleted {}", document.name_any()));
        Ok::<_, Trouble>(Action::await_change())
    };
    let controller = Controller::new(documents(&world), config().labels("team=red"));
    let (handle, store) = (controller.handle(), controller.store());
    let stream = controller.run_with(Handlers::new(count).on_delete(deleted), Arc::clone(&counts));
    let running = tokio::spawn(stream.for_each(|_| async {}));
    world.until("one is reconciled", async || counts.of("red") == 1).await;
    handle.rescope(documents(&world), config().labels("team=blue")).unwrap();
    world.until("then the other", async || counts.of("blue") == 1).await;
    assert_eq!(store.state().iter().map(|it| it.name_any()).collect::<Vec<_>>(), ["blue"]);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(counts.of("deleted red"), 0, "it is no longer watched, but not deleted");
    documents(&world).delete("blue", &DeleteParams::default()).await.unwrap();
    world.until("a real delete is handled", async || counts.of("deleted blue") == 1).await;
    running.abort();
    let _ = running.await;
    assert_eq!(handle.rescope(documents(&world), config()), Err(NotWatching));
}

/// One document per namespace, and a controller of all of them that counts by namespace.
async fn spread(names: &[&str]) -> (World, Controller<Document>, Arc<Counts>) {
    let world = embedded().await;
    for name in names {
        let metadata = ObjectMeta { name: Some((*name).into()), ..ObjectMeta::default() };
        let namespaces: Api<Namespace> = Api::all(world.client.clone());
        namespaces.create(&PostParams::default(), &Namespace { metadata, ..Namespace::default() }).await.unwrap();
        let documents: Api<Document> = Api::namespaced(world.client.clone(), name);
        documents.create(&PostParams::default(), &document("d")).await.unwrap();
    }
    let controller = Controller::new(Api::all(world.client.clone()), config());
    (world, controller, Arc::default())
}

async fn count_namespace(document: Arc<Document>, counts: Arc<Counts>) -> Result<Action, Trouble> {
    counts.add(&document.namespace().unwrap());
    Ok(Action::await_change())
}

/// The watch requests so far.
fn watches(world: &World, plural: &str) -> Vec<String> {
    let requests = world.requests().into_iter();
    requests.filter(|line| line.contains(&format!("/{plural}?")) && line.contains("watch=true")).collect()
}

#[tokio::test(start_paused = true)]
async fn several_namespaces_share_one_watch_per_kind_and_can_change() {
    let (world, controller, counts) = spread(&["a", "b", "c"]).await;
    let deleted = async |document: Arc<Document>, counts: Arc<Counts>| {
        counts.add(&format!("deleted {}", document.namespace().unwrap()));
        Ok::<_, Trouble>(Action::await_change())
    };
    let maps: Api<ConfigMap> = Api::all(world.client.clone());
    let controller = controller.owns(maps, config()).namespaces(Namespaces::only(["a", "b"]));
    let (handle, store) = (controller.handle(), controller.store());
    let stream = controller.run_with(Handlers::new(count_namespace).on_delete(deleted), Arc::clone(&counts));
    let running = tokio::spawn(stream.for_each(|_| async {}));
    world.until("two are reconciled", async || counts.of("a") == 1 && counts.of("b") == 1).await;
    assert_eq!((watches(&world, "documents").len(), watches(&world, "configmaps").len()), (1, 1));
    assert_eq!((counts.of("c"), store.len()), (0, 2));

    handle.namespaces(Namespaces::only(["b", "c"])).unwrap();
    world.until("the one that was added is reconciled", async || counts.of("c") == 1).await;
    let known: Vec<_> = store.state().iter().filter_map(|it| it.namespace()).collect();
    assert_eq!(known, ["b", "c"]);
    let before = counts.of("a");
    Api::<Document>::namespaced(world.client.clone(), "a").delete("d", &DeleteParams::default()).await.unwrap();
    Api::<Document>::namespaced(world.client.clone(), "b").delete("d", &DeleteParams::default()).await.unwrap();
    world.until("a delete in a selected namespace is handled", async || counts.of("deleted b") == 1).await;
    assert_eq!((counts.of("deleted a"), counts.of("a")), (0, before), "it was no longer watched");
    running.abort();
    let _ = running.await;
    assert_eq!(handle.namespaces(Namespaces::all()), Err(NotWatching));
}

#[tokio::test(start_paused = true)]
async fn excluded_namespaces_are_filtered_by_the_server() {
    let (world, controller, counts) = spread(&["a", "b", "c"]).await;
    let controller = controller.namespaces(Namespaces::except(["a", "c"]));
    let handle = controller.handle();
    let _running = tokio::spawn(controller.run(count_namespace, again, Arc::clone(&counts)).for_each(|_| async {}));
    world.until("the selected one is reconciled", async || counts.of("b") == 1).await;
    let asked = watches(&world, "documents");
    let selector = "fieldSelector=metadata.namespace%21%3Da%2Cmetadata.namespace%21%3Dc";
    assert!(asked.len() == 1 && asked[0].contains(selector), "{asked:?}");
    handle.namespaces(Namespaces::all()).unwrap();
    world.until("then all are", async || counts.of("a") == 1 && counts.of("c") == 1).await;
    assert_eq!(counts.of("b"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_cluster_scoped_owner_is_triggered_by_its_namespaced_child() {
    let world = World::new();
    let namespaces: Api<Namespace> = Api::all(world.client.clone());
    let name = world.namespace();
    let namespace = namespaces.get(name).await.unwrap();
    let counts = Arc::new(Counts::default());
    let names = async |namespace: Arc<Namespace>, counts: Arc<Counts>| {
        counts.add(&namespace.name_any());
        Ok::<_, Trouble>(Action::await_change())
    };
    let maps = world.config_maps();
    let controller = Controller::new(namespaces, config()).owns(maps, config());
    let _running = tokio::spawn(controller.run(names, again, Arc::clone(&counts)).for_each(|_| async {}));
    world.until("it is reconciled", async || counts.of(name) >= 1).await;
    let before = counts.of(name);
    world.create_owned_config_map("child", &namespace).await;
    world.until("its child triggers it", async || counts.of(name) > before).await;
}

#[tokio::test(start_paused = true)]
async fn an_owner_is_triggered_by_a_child_that_names_another_version_of_its_group() {
    let world = world().await;
    let owner = create(&world, "a").await;
    let counts = Arc::new(Counts::default());
    let controller = controller_of(&world).owns(world.config_maps(), config());
    let _running = tokio::spawn(controller.run(count, again, Arc::clone(&counts)).for_each(|_| async {}));
    world.until("it is reconciled", async || counts.of("a") == 1).await;
    let mut child = config_map("child");
    let mut reference = pintle::Resource::controller_owner_ref(&owner, &()).unwrap();
    reference.api_version = "example.com/v1alpha1".into();
    child.metadata.owner_references = Some(vec![reference]);
    world.config_maps().create(&PostParams::default(), &child).await.unwrap();
    world.until("its child triggers it", async || counts.of("a") == 2).await;
}

#[tokio::test(start_paused = true)]
async fn a_changed_relation_triggers_the_old_and_the_new_target() {
    let world = world().await;
    for name in ["a", "b"] {
        create(&world, name).await;
    }
    let counts = Arc::new(Counts::default());
    let namespace = world.namespace().to_owned();
    let mapper = move |map: ConfigMap| map.labels().get("for").map(|name| ObjectRef::new(name).within(&namespace));
    let controller = controller_of(&world).watches(world.config_maps(), config(), mapper);
    let _running = tokio::spawn(controller.run(count, again, Arc::clone(&counts)).for_each(|_| async {}));
    world.until("both are reconciled", async || counts.of("a") == 1 && counts.of("b") == 1).await;
    let labels = [("for".to_owned(), "a".to_owned())].into();
    let metadata = ObjectMeta { name: Some("m".into()), labels: Some(labels), ..ObjectMeta::default() };
    let map = ConfigMap { metadata, ..ConfigMap::default() };
    world.config_maps().create(&PostParams::default(), &map).await.unwrap();
    world.until("a is reconciled again", async || counts.of("a") == 2).await;
    let moved = Patch::Merge(serde_json::json!({"metadata": {"labels": {"for": "b"}}}));
    world.config_maps().patch("m", &PatchParams::default(), &moved).await.unwrap();
    world.until("both are reconciled again", async || counts.of("a") == 3 && counts.of("b") == 2).await;
}
