//! The controller that is measured: one source text, compiled against kube and against Pintle.
//!
//! In: the pods. Out: what it cost to hold them. The reconciler only looks at each pod's name; what is measured is
//! the way there.

/// Defines a module that runs the measurement with the library of the given name.
macro_rules! measured_with {
    ($(#[$documentation:meta])* $module:ident, $library:ident) => {
        $(#[$documentation])*
        pub(crate) mod $module {
            use std::convert::Infallible;
            use std::sync::{Arc, OnceLock};
            use std::time::Duration;

            use futures::TryStreamExt;
            use k8s_openapi::api::core::v1::Pod;
            use $library::runtime::controller::{Action, Controller};
            use $library::runtime::watcher;
            use $library::{Api, Client, ResourceExt};

            use crate::BoxError;
            use crate::cluster::Cluster;
            use crate::measure::{Figures, cpu_time, resident_memory};
            use crate::pods::Pods;

            /// Syncs and reconciles every pod once, and says what that cost.
            pub(crate) fn run(pods: Pods) -> Result<Figures, BoxError> {
                let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
                runtime.block_on(measure(pods))
            }

            async fn measure(pods: Pods) -> Result<Figures, BoxError> {
                let count = pods.len();
                let client = Client::new(Cluster::new(pods), "default");
                let config = watcher::Config {
                    initial_list_strategy: watcher::InitialListStrategy::ListWatch,
                    ..watcher::Config::default()
                };
                let memory_before = resident_memory()?;
                let cpu_before = cpu_time();
                let cpu_when_ready = Arc::new(OnceLock::new());

                let controller = Controller::new(Api::<Pod>::all(client), config);
                let store = controller.store();
                let mut reconciled = std::pin::pin!(controller.run(reconcile, error_policy, Arc::clone(&cpu_when_ready)));
                for _ in 0..count {
                    reconciled.try_next().await?.ok_or("the controller ended early")?;
                }
                let memory_growth = resident_memory()?.saturating_sub(memory_before);
                store.wait_until_ready().await?;
                assert_eq!(store.len(), count, "every pod is held");
                let cpu_when_ready = cpu_when_ready.get().copied().ok_or("the store was never ready")?;
                Ok(Figures { cpu_until_ready: cpu_when_ready - cpu_before, memory_growth })
            }

            async fn reconcile(pod: Arc<Pod>, cpu_when_ready: Arc<OnceLock<Duration>>) -> Result<Action, Infallible> {
                // A controller reconciles nothing before its store is ready, and then at once: no task that waits for
                // the store beside it would be woken sooner.
                cpu_when_ready.get_or_init(cpu_time);
                assert!(!pod.name_any().is_empty(), "every pod has a name");
                Ok(Action::await_change())
            }

            fn error_policy(_: Arc<Pod>, error: &Infallible, _: Arc<OnceLock<Duration>>) -> Action {
                match *error {}
            }
        }
    };
}

measured_with!(
    /// The measurement with kube.
    with_kube,
    kube
);

measured_with!(
    /// The measurement with Pintle.
    with_pintle,
    pintle
);
