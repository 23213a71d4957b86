//! Numbers for Prometheus, under the names that controller-runtime and client-go have given them.
//!
//! ```text
//!   controllers, clients, leases ─► Source ─► samples ─┐
//!   the program's own metrics ─► prometheus_client ────┴► Registry ─► Format ─► Endpoint, GET /metrics
//! ```
//! A [`Registry`] collects when it is asked, so numbers are never older than the scrape. What it writes is read by
//! Prometheus in either format: OpenMetrics where the scraper asks for it, the classic text format otherwise. Series that
//! two sources say alike are one: counts are added, of gauges the last counts.

mod access;
mod classic;
mod collect;
mod endpoint;
mod format;
#[cfg(target_os = "linux")]
mod process;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pintle_client::Client;
use pintle_runtime::controller;
use pintle_runtime::lease;
use pintle_runtime::metrics::Sample;
pub use prometheus_client;
use prometheus_client::registry::Registry as PrometheusRegistry;

pub use access::Access;
pub use endpoint::Endpoint;
pub use format::Format;

use crate::certificates::FilesMetrics;
use crate::webhook;
use collect::Collected;

/// Everything that is exported; clones are the same registry.
///
/// ```
/// use pintle_manager::metrics::{Format, Registry};
/// use pintle_manager::metrics::prometheus_client::metrics::counter::Counter;
///
/// let metrics = Registry::new();
/// let backups = Counter::<u64>::default();
/// metrics.register(|registry| registry.register("backups", "Backups that were made", backups.clone()));
/// backups.inc();
/// assert!(metrics.encode(Format::Classic).contains("\nbackups_total 1\n"));
/// ```
#[derive(Clone)]
pub struct Registry(Arc<Shared>);

struct Shared {
    /// What the program registers, and the sources as one of its collectors.
    prometheus: Mutex<PrometheusRegistry>,
    sources: Sources,
}

type Sources = Arc<Mutex<Vec<Arc<dyn Source>>>>;

/// What gives samples when it is asked.
pub trait Source: Send + Sync + 'static {
    /// Everything it knows now.
    fn samples(&self) -> Vec<Sample>;
}

impl<F> Source for F
where
    F: Fn() -> Vec<Sample> + Send + Sync + 'static,
{
    fn samples(&self) -> Vec<Sample> {
        self()
    }
}

impl Source for Client {
    fn samples(&self) -> Vec<Sample> {
        self.metrics().samples()
    }
}

impl Source for lease::Metrics {
    fn samples(&self) -> Vec<Sample> {
        lease::Metrics::samples(self)
    }
}

impl Source for webhook::Metrics {
    fn samples(&self) -> Vec<Sample> {
        webhook::Metrics::samples(self)
    }
}

impl Source for FilesMetrics {
    fn samples(&self) -> Vec<Sample> {
        FilesMetrics::samples(self)
    }
}

/// A controller by its name.
impl Source for (String, controller::Metrics) {
    fn samples(&self) -> Vec<Sample> {
        self.1.samples(&self.0)
    }
}

impl Registry {
    /// One that exports how the process is doing, where the system says that (Linux), and what is added.
    #[must_use]
    pub fn new() -> Self {
        let (mut prometheus, sources) = (PrometheusRegistry::default(), Sources::default());
        prometheus.register_collector(Box::new(Collected(Arc::clone(&sources))));
        #[cfg(target_os = "linux")]
        prometheus.register_collector(Box::new(process::Process));
        Self(Arc::new(Shared { prometheus: Mutex::new(prometheus), sources }))
    }

    /// Exports what `source` gives, too: a [`Client`], a controller's name with its metrics, the metrics of a lease, of webhooks
    /// or of a certificate's files, or a function that returns samples.
    pub fn add(&self, source: impl Source) {
        self.sources().push(Arc::new(source));
    }

    /// Lets the program register metrics of its own. Two metrics of one name are a mistake that Prometheus refuses.
    pub fn register<T>(&self, register: impl FnOnce(&mut PrometheusRegistry) -> T) -> T {
        register(&mut self.prometheus())
    }

    /// Everything as it is now, as text.
    #[must_use]
    pub fn encode(&self, format: Format) -> String {
        let mut text = String::new();
        let encoded = prometheus_client::encoding::text::encode(&mut text, &self.prometheus());
        if encoded.is_err() {
            tracing::warn!("a metric that the program registered could not be encoded; those after it are missing");
        }
        match format {
            Format::OpenMetrics => text,
            Format::Classic => classic::from_open_metrics(&text),
        }
    }

    // A metric that panics while it is encoded spoils nothing that is guarded here.
    fn prometheus(&self) -> MutexGuard<'_, PrometheusRegistry> {
        self.0.prometheus.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sources(&self) -> MutexGuard<'_, Vec<Arc<dyn Source>>> {
        self.0.sources.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("sources", &self.sources().len()).finish_non_exhaustive()
    }
}
