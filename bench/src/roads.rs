//! The programs that are measured: one source text, compiled against kube and against Pintle.
//!
//! Each runs through the same history: the first list, one change of every pod on the watch, and a list in which every pod
//! has changed once more. They look at the name of each pod and at nothing else; what is measured is the way there.

/// Defines a module that runs the measurements with the library of the given name.
macro_rules! measured_with {
    ($(#[$documentation:meta])* $module:ident, $library:ident) => {
        $(#[$documentation])*
        pub(crate) mod $module {
            use std::convert::Infallible;
            use std::pin::pin;
            use std::sync::{Arc, OnceLock};
            use std::time::Duration;

            use futures::{Stream, StreamExt};
            use k8s_openapi::api::core::v1::Pod;
            use $library::runtime::controller::{Action, Controller};
            use $library::runtime::{WatchStreamExt, reflector, watcher};
            use $library::{Api, Client, Config, ResourceExt};

            use crate::BoxError;
            use crate::measure::{Figures, Meter, Moment};
            use crate::road::Road;
            use crate::source::{Place, Source};

            /// Runs one road and says what it cost.
            pub(crate) fn run(road: Road, source: Source) -> Result<Figures, BoxError> {
                let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
                // kube's client wants one around it.
                let _entered = runtime.enter();
                let Source { pods: count, place: cluster } = source;
                let client = match &cluster {
                    Place::Here(cluster) => Client::new(cluster.clone(), "default"),
                    Place::BehindSocket(address) => {
                        Client::try_from(Config::new(format!("http://{address}").parse()?))?
                    }
                };
                let api = Api::<Pod>::all(client);
                let config = watcher::Config {
                    initial_list_strategy: watcher::InitialListStrategy::ListWatch,
                    ..watcher::Config::default()
                };
                let meter = Meter::start(count)?;
                let (store, writer) = reflector::store();
                runtime.block_on(async {
                    match road {
                        Road::Controller => controller(&cluster, Controller::new(api, config), count, meter).await,
                        Road::Watcher => follow(&cluster, watcher(api, config), count, meter).await,
                        Road::Reflector => {
                            let figures = follow(&cluster, reflector(writer, watcher(api, config)), count, meter).await;
                            assert_eq!(store.len(), count, "every pod is held");
                            figures
                        }
                        Road::Reflect => {
                            let events = watcher(api, config).default_backoff().reflect(writer);
                            let figures = follow(&cluster, events, count, meter).await;
                            assert_eq!(store.len(), count, "every pod is held");
                            figures
                        }
                        Road::Modify => {
                            let events = watcher(api, config).default_backoff();
                            let events = events.modify(|pod| pod.managed_fields_mut().clear()).reflect(writer);
                            let figures = follow(&cluster, events, count, meter).await;
                            assert_eq!(store.len(), count, "every pod is held");
                            figures
                        }
                    }
                })
            }

            async fn controller(
                cluster: &Place,
                controller: Controller<Pod>,
                count: usize,
                mut meter: Meter,
            ) -> Result<Figures, BoxError> {
                let store = controller.store();
                let ready = Arc::new(OnceLock::new());
                let mut reconciled = pin!(controller.run(reconcile, error_policy, Arc::clone(&ready)));
                wait_for(&mut reconciled, count).await?;
                let at_rest = Moment::at_rest();
                meter.spent("sync", *ready.get().ok_or("the store was never ready")?);
                meter.spent("first-reconcile", at_rest);
                meter.holds("memory")?;
                assert_eq!(store.len(), count, "every pod is held");

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

            async fn reconcile(pod: Arc<Pod>, ready: Arc<OnceLock<Moment>>) -> Result<Action, Infallible> {
                // A controller reconciles nothing before its store is ready, and then at once: no task that waits for
                // the store beside it would be woken sooner.
                ready.get_or_init(Moment::now);
                assert!(!pod.name_any().is_empty(), "every pod has a name");
                Ok(Action::await_change())
            }

            fn error_policy(_: Arc<Pod>, error: &Infallible, _: Arc<OnceLock<Moment>>) -> Action {
                match *error {}
            }

            async fn follow(
                cluster: &Place,
                events: impl Stream<Item = watcher::Result<watcher::Event<Pod>>>,
                count: usize,
                mut meter: Meter,
            ) -> Result<Figures, BoxError> {
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
                    let watcher::Event::Apply(pod) = event else { return Err("not a change".into()) };
                    assert!(!pod.name_any().is_empty(), "every pod has a name");
                }
                meter.spent("event", Moment::at_rest());

                cluster.change_all()?;
                Meter::forget_peak()?;
                meter.restart();
                cluster.expire_watch()?;
                read_list(&mut events, count).await?;
                meter.spent("relist", Moment::at_rest());
                meter.held_at_most("relist-peak")?;
                Ok(meter.finish())
            }

            /// Until a list of so many pods is complete. A watch that expired is an error on the way.
            async fn read_list(
                events: &mut (impl Stream<Item = watcher::Result<watcher::Event<Pod>>> + Unpin),
                count: usize,
            ) -> Result<(), BoxError> {
                let mut listed = 0;
                loop {
                    match events.next().await.ok_or("the watch ended early")? {
                        Ok(watcher::Event::InitApply(pod)) => {
                            assert!(!pod.name_any().is_empty(), "every pod has a name");
                            listed += 1;
                        }
                        Ok(watcher::Event::InitDone) if listed == count => return Ok(()),
                        Ok(watcher::Event::InitDone) => return Err("the list is not complete".into()),
                        Ok(_) | Err(_) => {}
                    }
                }
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
