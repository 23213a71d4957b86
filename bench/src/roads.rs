//! The programs that are measured: one source text, compiled against kube and against Pintle.
//!
//! Each runs through the same history: the first list, one change of every object on the watch, and a list in which every one
//! has changed once more. They look at the name of each object and at nothing else; what is measured is the way there.

/// Defines a module that runs the measurements with the library of the given name.
macro_rules! measured_with {
    ($(#[$documentation:meta])* $module:ident, $library:ident) => {
        $(#[$documentation])*
        pub(crate) mod $module {
            use std::borrow::Cow;
            use std::collections::{BTreeMap, BTreeSet};
            use std::convert::Infallible;
            use std::fmt::Debug;
            use std::pin::pin;
            use std::sync::{Arc, OnceLock};
            use std::time::Duration;

            use futures::{Stream, StreamExt, stream};
            use k8s_openapi::api::core::v1::{ConfigMap, Pod};
            use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
            use serde::de::DeserializeOwned;
            use serde::{Deserialize, Serialize};
            use $library::core::NamespaceResourceScope;
            use $library::runtime::controller::{Action, Controller};
            use $library::runtime::reflector::{ObjectRef, Store};
            use $library::runtime::scheduler::ScheduleRequest;
            use $library::runtime::{WatchStreamExt, reflector, scheduler, watcher};
            use $library::{Api, Client, Config, Resource, ResourceExt};

            use crate::BoxError;
            use crate::lookup::$module as lookup;
            use crate::measure::{Figures, Meter, Moment};
            use crate::objects::Kind;
            use crate::road::Road;
            use crate::source::{Place, Source};

            /// A custom resource.
            #[derive(Clone, Debug, Deserialize, Serialize)]
            struct Document {
                metadata: ObjectMeta,
                spec: DocumentSpec,
                status: Option<DocumentStatus>,
            }

            #[derive(Clone, Debug, Deserialize, Serialize)]
            struct DocumentSpec {
                owner: String,
                replicas: i32,
                sections: Vec<Section>,
            }

            #[derive(Clone, Debug, Deserialize, Serialize)]
            struct Section {
                title: String,
                body: String,
                weight: i32,
                #[serde(default)]
                tags: BTreeMap<String, String>,
            }

            #[derive(Clone, Debug, Deserialize, Serialize)]
            #[serde(rename_all = "camelCase")]
            struct DocumentStatus {
                observed_generation: Option<i64>,
                #[serde(default)]
                conditions: Vec<Condition>,
                words: Option<u64>,
            }

            impl Resource for Document {
                type DynamicType = ();
                type Scope = NamespaceResourceScope;

                fn kind((): &()) -> Cow<'_, str> {
                    "Document".into()
                }

                fn group((): &()) -> Cow<'_, str> {
                    "bench.pintle.dev".into()
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

            /// Runs one road and says what it cost.
            #[inline(never)]
            pub(crate) fn run(road: Road, source: Source) -> Result<Figures, BoxError> {
                match source.kind {
                    _ if road == Road::Queue => queue(source.count),
                    Kind::Pods => run_of::<Pod>(road, source),
                    Kind::ConfigMaps => run_of::<ConfigMap>(road, source),
                    Kind::Documents => run_of::<Document>(road, source),
                }
            }

            fn run_of<K>(road: Road, source: Source) -> Result<Figures, BoxError>
            where
                K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
            {
                let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
                // kube's client wants one around it.
                let _entered = runtime.enter();
                let Source { kind, count, place: cluster } = source;
                let client = match &cluster {
                    Place::Here(cluster) => Client::new(cluster.clone(), "default"),
                    Place::BehindSocket(address) => {
                        Client::try_from(Config::new(format!("http://{address}").parse()?))?
                    }
                };
                let api = Api::<K>::all(client);
                let config = watcher::Config {
                    initial_list_strategy: watcher::InitialListStrategy::ListWatch,
                    ..watcher::Config::default()
                };
                let meter = Meter::start(count)?;
                let (store, writer) = reflector::store();
                let held = Some((kind, &store));
                runtime.block_on(async {
                    match road {
                        Road::Controller => controller(&cluster, Controller::new(api, config), count, meter).await,
                        Road::Watcher => follow(&cluster, watcher(api, config), count, meter, None).await,
                        Road::Reflector => {
                            follow(&cluster, reflector(writer, watcher(api, config)), count, meter, held).await
                        }
                        Road::Reflect => {
                            let events = watcher(api, config).default_backoff().reflect(writer);
                            follow(&cluster, events, count, meter, held).await
                        }
                        Road::Modify => {
                            let events = watcher(api, config).default_backoff();
                            let events = events.modify(|object| object.managed_fields_mut().clear()).reflect(writer);
                            follow(&cluster, events, count, meter, held).await
                        }
                        Road::Queue => unreachable!("it has no cluster"),
                    }
                })
            }

            /// So many keys wait at once and are taken one after the other.
            fn queue(count: usize) -> Result<Figures, BoxError> {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                let mut meter = Meter::start(count)?;
                runtime.block_on(async {
                    let run_at = tokio::time::Instant::now();
                    let key = |index| ObjectRef::<Pod>::new(&format!("pod-{index}")).within("team-0");
                    let requests = (0..count).map(move |index| ScheduleRequest { message: key(index), run_at });
                    // It does not end, so that what waits is taken while the queue could still grow.
                    let mut keys = pin!(scheduler(stream::iter(requests).chain(stream::pending())));
                    let first = keys.next().await;
                    assert!(first.is_some(), "it does not end");
                    meter.spent("file", Moment::now());
                    meter.holds("memory")?;
                    for _ in 1..count {
                        assert!(keys.next().await.is_some(), "it does not end");
                    }
                    meter.spent("take", Moment::now());
                    Ok(meter.finish())
                })
            }

            async fn controller<K>(
                cluster: &Place,
                controller: Controller<K>,
                count: usize,
                mut meter: Meter,
            ) -> Result<Figures, BoxError>
            where
                K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
            {
                let store = controller.store();
                let ready = Arc::new(OnceLock::new());
                let mut reconciled = pin!(controller.run(reconcile, error_policy, Arc::clone(&ready)));
                wait_for(&mut reconciled, count).await?;
                let at_rest = Moment::at_rest();
                let is_ready = *ready.get().ok_or("the store was never ready")?;
                meter.started("start", is_ready);
                meter.spent("sync", is_ready);
                meter.spent("first-reconcile", at_rest);
                meter.holds("memory")?;
                assert_eq!(store.len(), count, "every object is held");
                while !cluster.is_watched() {
                    let early = tokio::time::timeout(Duration::from_millis(1), reconciled.next()).await;
                    assert!(early.is_err(), "nothing has happened yet");
                }

                cluster.change_all()?;
                meter.restart();
                cluster.send_changes()?;
                wait_for(&mut reconciled, count).await?;
                meter.spent("event", Moment::at_rest());

                cluster.change_all()?;
                Meter::forget_peak()?;
                meter.restart();
                cluster.expire_watch()?;
                wait_for(&mut reconciled, count).await?;
                meter.spent("relist", Moment::at_rest());
                meter.held_at_most("relist-peak")?;
                Ok(meter.finish())
            }

            /// Until so many objects were reconciled. A watch that expired is an error on the way.
            async fn wait_for<T, E>(
                reconciled: &mut (impl Stream<Item = Result<T, E>> + Unpin),
                count: usize,
            ) -> Result<(), BoxError> {
                let mut left = count;
                while left > 0 {
                    let next = reconciled.next().await.ok_or("the controller ended early")?;
                    left -= usize::from(next.is_ok());
                }
                Ok(())
            }

            async fn reconcile<K: Resource>(
                object: Arc<K>,
                ready: Arc<OnceLock<Moment>>,
            ) -> Result<Action, Infallible> {
                // A controller reconciles nothing before its store is ready, and then at once: no task that waits for
                // the store beside it would be woken sooner.
                ready.get_or_init(Moment::now);
                assert!(!object.name_any().is_empty(), "every object has a name");
                Ok(Action::await_change())
            }

            fn error_policy<K>(_: Arc<K>, error: &Infallible, _: Arc<OnceLock<Moment>>) -> Action {
                match *error {}
            }

            async fn follow<K>(
                cluster: &Place,
                events: impl Stream<Item = watcher::Result<watcher::Event<K>>>,
                count: usize,
                mut meter: Meter,
                held: Option<(Kind, &Store<K>)>,
            ) -> Result<Figures, BoxError>
            where
                K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
            {
                let mut events = pin!(events);
                read_list(&mut events, count).await?;
                meter.spent("sync", Moment::at_rest());
                meter.holds("memory")?;
                // The watch is opened by whoever waits for its first event, and by kube in a task of its own.
                while !cluster.is_watched() {
                    let early = tokio::time::timeout(Duration::from_millis(1), events.next()).await;
                    assert!(early.is_err(), "nothing has happened yet");
                }

                cluster.change_all()?;
                meter.restart();
                cluster.send_changes()?;
                for _ in 0..count {
                    let event = events.next().await.ok_or("the watch ended early")??;
                    let watcher::Event::Apply(object) = event else { return Err("not a change".into()) };
                    assert!(!object.name_any().is_empty(), "every object has a name");
                }
                meter.spent("event", Moment::at_rest());

                cluster.change_all()?;
                Meter::forget_peak()?;
                meter.restart();
                cluster.expire_watch()?;
                read_list(&mut events, count).await?;
                meter.spent("relist", Moment::at_rest());
                meter.held_at_most("relist-peak")?;
                if let Some((kind, store)) = held {
                    assert_eq!(store.len(), count, "every object is held");
                    look_up(store, kind, count, &mut meter)?;
                }
                Ok(meter.finish())
            }

            /// Until a list of so many objects is complete. A watch that expired is an error on the way.
            async fn read_list<K: Resource>(
                events: &mut (impl Stream<Item = watcher::Result<watcher::Event<K>>> + Unpin),
                count: usize,
            ) -> Result<(), BoxError> {
                let mut listed = 0;
                loop {
                    match events.next().await.ok_or("the watch ended early")? {
                        Ok(watcher::Event::InitApply(object)) => {
                            assert!(!object.name_any().is_empty(), "every object has a name");
                            listed += 1;
                        }
                        Ok(watcher::Event::InitDone) if listed == count => return Ok(()),
                        Ok(watcher::Event::InitDone) => return Err("the list is not complete".into()),
                        Ok(_) | Err(_) => {}
                    }
                }
            }

            /// Each object by its name, twice, and all of them at once.
            #[inline(never)]
            fn look_up<K>(store: &Store<K>, kind: Kind, count: usize, meter: &mut Meter) -> Result<(), BoxError>
            where
                K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
            {
                let references = kind.references(count)?;
                let reference = |(namespace, name): &(String, String)| ObjectRef::new(name).within(namespace);
                let names: Vec<ObjectRef<K>> = references.iter().map(reference).collect();
                for figure in ["get", "get-again"] {
                    meter.restart();
                    for name in &names {
                        assert!(store.get(name).is_some_and(|object| object.meta().name.is_some()), "{name} is held");
                    }
                    meter.spent(figure, Moment::at_rest());
                }
                meter.restart();
                assert!(store.state().iter().all(|object| object.meta().name.is_some()), "every object has a name");
                meter.spent("state", Moment::at_rest());

                lookup::prepare(store);
                let namespaces: BTreeSet<&str> = references.iter().map(|(namespace, _)| namespace.as_str()).collect();
                meter.restart();
                let found: usize = namespaces.iter().map(|namespace| lookup::find(store, namespace)).sum();
                meter.spent("index", Moment::at_rest());
                assert_eq!(found, references.len(), "each object is in one namespace");
                Ok(())
            }
        }
    };
}

measured_with!(
    /// The measurements with kube.
    with_kube,
    kube
);

measured_with!(
    /// The measurements with Pintle.
    with_pintle,
    pintle
);
