//! `Store`: indexes, queries, resource versions, and objects that do not decode.

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::{Stream, StreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use pintle::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use pintle::core::Selector;
use pintle::runtime::controller::{Action, Changed};
use pintle::runtime::reflector::{ObjectRef, Query, Store, Writer, store};
use pintle::runtime::watcher::InitialListStrategy;
use pintle::runtime::{Controller, WatchStreamExt, reflector, watcher};
use pintle::testing::{Fault, Requests};
use pintle::{Api, ResourceExt};
use serde_json::json;

use crate::custom_resource::{Draft, create_wrong_draft, draft, install_drafts, untyped_drafts};
use crate::world::log::Log;
use crate::world::{World, config_map};

type Task = tokio::task::JoinHandle<()>;

fn keep<T: Send + 'static>(stream: impl Stream<Item = T> + Send + 'static) -> Task {
    tokio::spawn(stream.for_each(|_| std::future::ready(())))
}

fn kept(world: &World) -> (Store<ConfigMap>, Task) {
    let (store, writer) = store();
    (store, keep(watcher(world.config_maps(), World::watching()).default_backoff().reflect(writer)))
}

fn names(objects: &[Arc<ConfigMap>]) -> Vec<String> {
    objects.iter().map(|map| map.name_any()).collect()
}

async fn create(world: &World, name: &str, zone: &str, app: &str) -> ConfigMap {
    let mut map = config_map(name);
    map.labels_mut().insert("app".into(), app.into());
    map.data = Some([("zone".into(), zone.into())].into());
    world.config_maps().create(&PostParams::default(), &map).await.unwrap()
}

async fn move_to(world: &World, name: &str, zone: &str) {
    let patch = Patch::Merge(json!({"data": {"zone": zone}}));
    world.config_maps().patch(name, &PatchParams::default(), &patch).await.unwrap();
}

fn zone(map: &ConfigMap) -> Option<String> {
    map.data.as_ref()?.get("zone").cloned()
}

#[tokio::test(start_paused = true)]
async fn an_index_follows_adds_changes_deletes_and_relists() {
    let world = World::new();
    create(&world, "a", "north", "web").await;
    let (store, _keeping) = kept(&world);
    store.add_index("zone", zone).unwrap();
    store.wait_until_ready().await.unwrap();
    assert_eq!(names(&store.by_index("zone", "north").unwrap()), ["a"]);

    create(&world, "b", "north", "web").await;
    move_to(&world, "a", "south").await;
    world.until("b is found", async || names(&store.by_index("zone", "north").unwrap()) == ["b"]).await;
    assert_eq!(store.index_values("zone").unwrap(), ["north", "south"]);

    let down = world.without_watches();
    world.config_maps().delete("b", &DeleteParams::default()).await.unwrap();
    move_to(&world, "a", "west").await;
    world.expire_history().await;
    drop(down);
    world.until("the relist arrives", async || store.index_values("zone").unwrap() == ["west"]).await;
    assert_eq!(names(&store.by_index("zone", "west").unwrap()), ["a"]);
    assert!(store.by_index("zone", "north").unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_index_added_late_covers_existing_objects_and_can_be_removed() {
    let world = World::new();
    create(&world, "a", "north", "web").await;
    let (store, _keeping) = kept(&world);
    store.wait_until_ready().await.unwrap();
    store.add_index("zone", zone).unwrap();
    assert_eq!(names(&store.by_index("zone", "north").unwrap()), ["a"]);
    let again = store.add_index("zone", zone).unwrap_err().to_string();
    assert!(again.contains("zone") && again.contains("remove_index"), "{again}");
    assert!(store.remove_index("zone") && !store.remove_index("zone"));
    let missing = store.by_index("zone", "north").unwrap_err().to_string();
    assert!(missing.contains("add_index"), "{missing}");
}

#[tokio::test(start_paused = true)]
async fn a_query_combines_namespace_owner_labels_and_indexes() {
    let world = World::new();
    let owner = create(&world, "owner", "north", "web").await;
    for (name, zone, app) in [("a", "north", "web"), ("b", "south", "web"), ("c", "north", "db")] {
        create(&world, name, zone, app).await;
        let reference = serde_json::to_value([owner_reference(&owner)]).unwrap();
        let patch = Patch::Merge(json!({"metadata": {"ownerReferences": reference}}));
        world.config_maps().patch(name, &PatchParams::default(), &patch).await.unwrap();
    }
    let (store, _keeping) = kept(&world);
    store.add_index("zone", zone).unwrap();
    store.wait_until_ready().await.unwrap();
    let uid = owner.uid().unwrap();
    let all = Query::new().within(world.namespace()).owned_by(&uid);
    assert_eq!(names(&store.select(&all).unwrap()), ["a", "b", "c"]);
    assert_eq!(names(&store.owned_by(&uid)), ["a", "b", "c"]);
    assert_eq!(names(&store.within(world.namespace())), ["a", "b", "c", "owner"]);
    assert_eq!(names(&store.select(&all.clone().by("zone", "north")).unwrap()), ["a", "c"]);
    let web: Selector = [("app", "web")].into_iter().collect();
    assert_eq!(names(&store.select(&all.clone().by("zone", "north").labelled(web)).unwrap()), ["a"]);
    assert!(store.select(&all.clone().by("zone", "nowhere")).unwrap().is_empty());
    assert!(store.select(&Query::new().within("elsewhere").by("zone", "north")).unwrap().is_empty());
    assert!(store.select(&all.by("unheard-of", "x")).is_err());
}

fn owner_reference(owner: &ConfigMap) -> k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference {
    pintle::Resource::owner_ref(owner, &()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_index_function_that_panics_is_logged_once_and_loses_only_its_own_entries() {
    let world = World::new();
    let log = Log::catch();
    let (store, _keeping) = kept(&world);
    store
        .add_index("zone", |map: &ConfigMap| {
            assert!(!map.name_any().starts_with("bad"), "an index function is wrong");
            zone(map)
        })
        .unwrap();
    for name in ["a", "bad-1", "bad-2", "z"] {
        create(&world, name, "north", "web").await;
    }
    world.until("all arrive", async || store.is_ready() && store.len() == 4).await;
    assert_eq!(names(&store.by_index("zone", "north").unwrap()), ["a", "z"]);
    assert_eq!(names(&store.state()), ["a", "bad-1", "bad-2", "z"]);
    assert_eq!(log.lines_with("the function of an index panicked").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_index_function_may_read_its_own_store() {
    let world = World::new();
    let (store, _keeping) = kept(&world);
    let reader = store.clone();
    store.add_index("count", move |_: &ConfigMap| [reader.len().to_string()]).unwrap();
    create(&world, "a", "north", "web").await;
    world.until("a arrives", async || store.is_ready() && store.len() == 1).await;
    assert_eq!(store.index_values("count").unwrap().len(), 1);
}

/// Which programs hold their objects packed, and which decoded.
#[tokio::test(start_paused = true)]
async fn a_watcher_fills_a_store_with_packed_objects_and_other_streams_with_decoded_ones() {
    type Keep = fn(Api<ConfigMap>, Writer<ConfigMap>) -> Task;
    let programs: [(&str, bool, Keep); 9] = [
        ("reflect", true, |api, writer| keep(watcher(api, World::watching()).reflect(writer))),
        ("default_backoff, reflect", true, |api, writer| {
            keep(watcher(api, World::watching()).default_backoff().reflect(writer))
        }),
        ("backoff, reflect", true, |api, writer| {
            keep(watcher(api, World::watching()).backoff(watcher::DefaultBackoff::default()).reflect(writer))
        }),
        ("backoff of the program's own, reflect", true, |api, writer| {
            let backoff = watcher::ExponentialBackoff::default();
            keep(watcher(api, World::watching()).default_backoff().backoff(backoff).reflect(writer))
        }),
        ("reflect, applied_objects", true, |api, writer| {
            keep(watcher(api, World::watching()).default_backoff().reflect(writer).applied_objects())
        }),
        ("reflect_shared", true, |api, writer| keep(watcher(api, World::watching()).reflect_shared(writer))),
        ("reflector()", true, |api, writer| keep(reflector(writer, watcher(api, World::watching())))),
        ("modify, reflect", false, |api, writer| {
            keep(watcher(api, World::watching()).modify(|map| map.managed_fields_mut().clear()).reflect(writer))
        }),
        ("boxed, reflect", false, |api, writer| keep(watcher(api, World::watching()).boxed().reflect(writer))),
    ];
    for (program, is_packed, keep) in programs {
        let world = World::new();
        world.create_config_map("a").await;
        let (store, writer) = store();
        let _keeping = keep(world.config_maps(), writer);
        store.wait_until_ready().await.unwrap();
        let entry = store.scan().remove(0);
        assert_eq!(entry.head().is_some(), is_packed, "{program}");
        assert_eq!(store.state()[0].name_any(), "a", "{program}");
    }
    let world = World::new();
    world.create_config_map("a").await;
    let controller = Controller::new(world.config_maps(), World::watching());
    let store = controller.store();
    let run = controller.run(
        |_, _| std::future::ready(Ok::<_, pintle::Error>(Action::await_change())),
        |_, _, _| Action::await_change(),
        Arc::new(()),
    );
    let _keeping = keep(run);
    store.wait_until_ready().await.unwrap();
    assert!(store.scan()[0].head().is_some(), "Controller::new");
}

#[tokio::test(start_paused = true)]
async fn a_store_returns_its_resource_version_including_bookmarks() {
    let world = World::embedded();
    let (store, _keeping) = kept(&world);
    assert_eq!(store.resource_version(), None);
    store.wait_until_ready().await.unwrap();
    let version = world.create_config_map("a").await.resource_version();
    world.until("a arrives", async || store.resource_version() == version).await;
    // Another write advances the version; a bookmark reports it.
    let secret = serde_json::from_value(json!({"metadata": {"name": "s"}})).unwrap();
    let secrets: Api<Secret> = Api::default_namespaced(world.client.clone());
    let later = secrets.create(&PostParams::default(), &secret).await.unwrap().resource_version();
    world.server().send_bookmarks(&Requests::watches().of("configmaps"));
    world.until("the bookmark arrives", async || store.resource_version() == later).await;
}

#[tokio::test(start_paused = true)]
async fn a_store_of_decoded_objects_has_the_latest_version_of_an_object() {
    let world = World::new();
    let (store, writer) = store();
    let _keeping = keep(reflector(writer, watcher(world.config_maps(), World::watching()).boxed()));
    store.wait_until_ready().await.unwrap();
    let version = world.create_config_map("a").await.resource_version();
    world.until("a arrives", async || store.resource_version() == version).await;
}

#[tokio::test(start_paused = true)]
async fn a_store_read_before_it_is_ready_is_logged_once_with_the_remedy() {
    let world = World::new();
    world.create_config_map("a").await;
    let log = Log::catch();
    let (store, _keeping) = kept(&world);
    assert!(!store.is_ready() && store.state().is_empty() && store.is_empty());
    assert!(store.get(&ObjectRef::new("a").within(world.namespace())).is_none());
    let lines = log.lines_with("before it was ready");
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("wait_until_ready"), "{lines:?}");
    store.wait_until_ready().await.unwrap();
    assert_eq!(store.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_store_is_compared_with_the_server_at_its_own_version() {
    let world = World::embedded();
    for name in ["a", "b"] {
        world.create_config_map(name).await;
    }
    let (store, _keeping) = kept(&world);
    store.wait_until_ready().await.unwrap();
    let last = world.create_config_map("c").await.resource_version();
    world.until("c arrives", async || store.resource_version() == last).await;
    let params = ListParams::default().fields("metadata.name!=kube-root-ca.crt");
    assert_eq!(store.inconsistencies(&world.config_maps(), &params).await.unwrap(), []);

    // A program fills its store wrongly: one object is missing, one never existed.
    let (wrong, mut writer) = reflector::store::<ConfigMap>();
    let mut phantom = config_map("phantom");
    phantom.metadata.namespace = Some(world.namespace().into());
    phantom.metadata.resource_version = Some("1".into());
    writer.apply_watcher_event(&watcher::Event::Init);
    for object in [ConfigMap::clone(&store.state()[0]), ConfigMap::clone(&store.state()[2]), phantom] {
        writer.apply_watcher_event(&watcher::Event::InitApply(object));
    }
    writer.apply_watcher_event(&watcher::Event::InitDone);
    let found = wrong.inconsistencies(&world.config_maps(), &params).await.unwrap();
    let named: Vec<_> = found.iter().map(|it| it.key.name.as_ref()).collect();
    assert_eq!(named, ["b", "phantom"]);
    assert!(found[0].to_string().contains("absent in the store"), "{}", found[0]);
}

mod undecoded {
    use pintle::runtime::Informer;

    use super::*;
    use crate::stream_costs::{Counted, counted};

    #[tokio::test(start_paused = true)]
    async fn scan_select_and_len_decode_nothing_and_get_decodes_once() {
        let world = World::new();
        let owner = create(&world, "owner", "north", "web").await;
        for name in ["a", "b", "c"] {
            let mut map = config_map(name);
            map.owner_references_mut().push(owner_reference(&owner));
            map.data = Some([("zone".to_owned(), "north".to_owned())].into());
            world.config_maps().create(&PostParams::default(), &map).await.unwrap();
        }
        let informer = Informer::new(Api::<Counted>::default_namespaced(world.client.clone()), World::watching());
        let store = informer.store();
        let _running = tokio::spawn(informer.run());
        store.wait_until_ready().await.unwrap();
        let web: Selector = [("app", "web")].into_iter().collect();
        let uid = owner.uid().unwrap();
        let scanned: Vec<_> = store.scan().iter().map(|entry| entry.key().name.to_string()).collect();
        assert_eq!(scanned, ["a", "b", "c", "owner"]);
        assert_eq!(store.scan_by(&Query::new().owned_by(&uid)).unwrap().len(), 3);
        assert_eq!(store.scan_by(&Query::new().within(world.namespace()).labelled(web.clone())).unwrap().len(), 1);
        assert_eq!(store.scan().iter().filter(|entry| entry.matches(&web)).count(), 1);
        assert_eq!((store.len(), counted()), (4, (0, 0)));

        let key = ObjectRef::new("a").within(world.namespace());
        assert!(
            Arc::ptr_eq(&store.get(&key).unwrap(), &store.get(&key).unwrap()),
            "within the budget it stays decoded"
        );
        assert_eq!(counted(), (1, 0));
        assert_eq!((store.owned_by(&uid).len(), counted()), (3, (2, 0)), "the others are not decoded");
    }
}

mod undecodable {
    use super::*;

    fn kept(drafts: Api<Draft>) -> (Store<Draft>, Task) {
        let (store, writer) = store();
        (store, keep(watcher(drafts, World::watching()).default_backoff().reflect(writer)))
    }

    #[tokio::test(start_paused = true)]
    async fn an_object_that_never_decoded_is_counted_named_and_makes_the_store_incomplete() {
        let world = World::new();
        let drafts = install_drafts(&world).await;
        let log = Log::catch();
        create_wrong_draft(&world).await;
        let (store, _keeping) = kept(drafts);
        store.wait_until_ready().await.unwrap();
        assert_eq!((store.len(), store.state().len(), store.is_complete()), (2, 1, false));
        let faults = store.undecodable();
        assert_eq!((faults[0].key.name.as_ref(), faults[0].is_kept), ("wrong", false));
        assert!(faults[0].error.to_string().contains("wrong"));
        store.state();
        assert_eq!(log.lines_with("cannot be read").len(), 1, "logged once, not at every read");
    }

    #[tokio::test(start_paused = true)]
    async fn an_update_that_does_not_decode_leaves_the_last_good_version_visible() {
        let world = World::new();
        let drafts = install_drafts(&world).await;
        let (store, _keeping) = kept(drafts.clone());
        store.add_index("title", |draft: &Draft| [draft.spec.title.clone()]).unwrap();
        store.wait_until_ready().await.unwrap();
        let break_it = Patch::Merge(json!({"spec": {"title": 5}}));
        untyped_drafts(&world).patch("good", &PatchParams::default(), &break_it).await.unwrap();
        world.until("it no longer decodes", async || !store.undecodable().is_empty()).await;
        assert_eq!(store.state()[0].spec.title, "A title");
        assert!(store.is_complete() && store.undecodable()[0].is_kept);
        assert_eq!(store.by_index("title", "A title").unwrap().len(), 1, "indexes contain the visible version");

        let down = world.without_watches();
        drafts.create(&PostParams::default(), &draft("next")).await.unwrap();
        world.expire_history().await;
        drop(down);
        world.until("the relist arrives", async || store.len() == 2).await;
        assert_eq!(store.state().iter().map(|it| it.name_any()).collect::<Vec<_>>(), ["good", "next"]);

        let heal = Patch::Merge(json!({"spec": {"title": "Healed"}}));
        untyped_drafts(&world).patch("good", &PatchParams::default(), &heal).await.unwrap();
        world.until("it heals", async || store.undecodable().is_empty()).await;
        assert_eq!(store.state()[0].spec.title, "Healed");
    }

    /// Lets every watch miss so much history that it has to relist.
    async fn list_again(world: &World) {
        let _down = world.without_watches();
        world.create_config_map("another").await;
        world.expire_history().await;
    }

    /// The object was fine on the server: its resourceVersion is the same before and after.
    #[tokio::test(start_paused = true)]
    async fn an_object_garbled_in_transit_is_read_when_the_next_list_brings_it_intact() {
        for strategy in [InitialListStrategy::ListWatch, InitialListStrategy::StreamingList] {
            let world = World::embedded();
            let version = world.create_config_map("a").await.resource_version();
            let garbled = world.server().fault(Requests::all().of("configmaps"), Fault::Undecodable { nth: 0 });
            let (store, writer) = store();
            let config = watcher::Config { initial_list_strategy: strategy, ..World::watching() };
            let _keeping = keep(watcher(world.config_maps(), config).reflect(writer));
            store.wait_until_ready().await.unwrap();
            assert_eq!((store.undecodable().len(), garbled.fired()), (1, 1));
            garbled.lift();
            list_again(&world).await;
            world.until("it is read", async || store.undecodable().is_empty()).await;
            assert_eq!(store.state()[0].resource_version(), version);
        }
    }

    /// Neither the object nor the secret mapped to it changed, and no predicate lets them through. But the reconciler has
    /// not seen them yet.
    #[tokio::test(start_paused = true)]
    async fn an_object_garbled_in_transit_is_reconciled_once_it_decodes_whatever_predicates_say() {
        let world = World::embedded();
        world.create_config_map("a").await;
        let secrets: Api<Secret> = Api::default_namespaced(world.client.clone());
        let secret = Secret { metadata: config_map("b").metadata, ..Secret::default() };
        secrets.create(&PostParams::default(), &secret).await.unwrap();
        let garbled = world.server().fault(Requests::all().within("default"), Fault::Undecodable { nth: 0 });
        let named = Arc::new(AtomicUsize::new(0));
        let naming = Arc::clone(&named);
        let mapper = move |_: Secret| -> Option<ObjectRef<ConfigMap>> {
            naming.fetch_add(1, Ordering::Relaxed);
            None
        };
        let results = Controller::new(world.config_maps(), World::watching())
            .only_when(Changed::by(|_, _| false))
            .watches_when(secrets, (), World::watching(), Changed::by(|_, _| false), mapper)
            .run(
                async |_: Arc<ConfigMap>, _| Ok::<_, pintle::Error>(Action::await_change()),
                |_, _, _| Action::await_change(),
                Arc::new(()),
            );
        let yielded = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&yielded);
        let _running = keep(results.inspect(move |it| noted.lock().unwrap().push(it.is_ok())));
        world.until("both errors are yielded", async || *yielded.lock().unwrap() == [false, false]).await;
        assert_eq!((garbled.fired(), named.load(Ordering::Relaxed)), (2, 0));
        garbled.lift();
        list_again(&world).await;
        let reconciled = || yielded.lock().unwrap().iter().filter(|is_ok| **is_ok).count();
        world.until("it and the other one are reconciled", async || reconciled() >= 2).await;
        world.until("the mapper has seen it", async || named.load(Ordering::Relaxed) == 1).await;
    }

    #[tokio::test(start_paused = true)]
    async fn an_undecodable_object_is_not_reconciled_and_the_error_names_it() {
        let world = World::new();
        let drafts = install_drafts(&world).await;
        create_wrong_draft(&world).await;
        let reconcile = |draft: Arc<Draft>, _| async move {
            assert_ne!(draft.name_any(), "wrong");
            Ok::<_, pintle::Error>(Action::await_change())
        };
        let results =
            Controller::new(drafts, World::watching()).run(reconcile, |_, _, _| Action::await_change(), Arc::new(()));
        let items: Vec<_> = results
            .take_until(pin!(world.pass(Duration::from_secs(60))))
            .map(|item| item.map(|(object, _)| object.name).map_err(|error| format!("{error:?}")))
            .collect()
            .await;
        assert!(items.contains(&Ok("good".into())), "{items:?}");
        let is_named = |it: &Result<String, String>| matches!(it, Err(error) if error.contains("/wrong"));
        assert!(items.iter().any(is_named) && items.len() < 5, "{items:?}");
    }
}
