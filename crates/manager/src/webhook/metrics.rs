//! What webhooks count, under controller-runtime's names.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pintle_runtime::metrics::{Histogram, Number, Sample, Samples};

/// How many handlers panicked; the webhooks of one kind share it.
pub(super) type Panics = Arc<Number>;

/// What the webhooks of one server count. Clones count together.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    /// By path.
    hooks: Arc<Mutex<BTreeMap<String, Arc<Hook>>>>,
    pub(super) admission_panics: Panics,
    pub(super) conversion_panics: Panics,
}

/// What one webhook counts.
#[derive(Debug)]
pub(super) struct Hook {
    in_flight: AtomicU64,
    answered: Mutex<Answered>,
}

#[derive(Clone, Debug)]
struct Answered {
    by_code: BTreeMap<u16, u64>,
    latency: Histogram,
}

impl Metrics {
    /// Everything counted so far, for an exporter. Series are bounded by the paths that were registered: requests for other
    /// paths are not counted.
    pub fn samples(&self) -> Vec<Sample> {
        let mut samples = Samples::with_labels(&[]);
        let hooks = self.hooks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let answered: Vec<_> = hooks.iter().map(|(path, hook)| (path, hook, hook.answered())).collect();
        for (path, _, answered) in &answered {
            for (code, count) in &answered.by_code {
                let (name, help) = ("controller_runtime_webhook_requests_total", "Admission requests by HTTP code.");
                samples.counter_of(name, help, &[("webhook", path), ("code", &code.to_string())], *count);
            }
        }
        for (path, hook, _) in &answered {
            let (name, help) = ("controller_runtime_webhook_requests_in_flight", "Admission requests being answered.");
            samples.gauge_of(name, help, &[("webhook", path)], hook.in_flight.load(Ordering::Relaxed));
        }
        for (path, _, answered) in answered {
            let (name, help) = ("controller_runtime_webhook_latency_seconds", "How long admission requests took.");
            samples.histogram_of(name, help, &[("webhook", path)], answered.latency);
        }
        let (name, help) = ("controller_runtime_webhook_panics_total", "Panics of admission handlers.");
        samples.counter(name, help, self.admission_panics.get());
        let (name, help) = ("controller_runtime_conversion_webhook_panics_total", "Panics of conversions.");
        samples.counter(name, help, self.conversion_panics.get());
        samples.into_vec()
    }

    pub(super) fn hook(&self, path: &str) -> Arc<Hook> {
        let mut hooks = self.hooks.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(hooks.entry(path.to_owned()).or_default())
    }
}

impl Hook {
    /// A request begins: it is in flight while the guard lives, whether it is answered or given up by its caller.
    pub(super) fn begin(self: &Arc<Self>) -> InFlight {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight(Arc::clone(self))
    }

    pub(super) fn ended(&self, code: u16, latency: Duration) {
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        *answered.by_code.entry(code).or_default() += 1;
        answered.latency.observe(latency);
    }

    fn answered(&self) -> Answered {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The two codes that matter begin at 0, as in controller-runtime, so that a rate can be taken of them from the start.
impl Default for Hook {
    fn default() -> Self {
        let answered =
            Answered { by_code: BTreeMap::from([(200, 0), (500, 0)]), latency: Histogram::new(LATENCY_BOUNDS) };
        Self { in_flight: AtomicU64::new(0), answered: Mutex::new(answered) }
    }
}

pub(super) struct InFlight(Arc<Hook>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Prometheus' default bounds, which controller-runtime uses: an API server waits 10 s unless told otherwise.
const LATENCY_BOUNDS: &[Duration] = &[
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(25),
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_millis(2500),
    Duration::from_secs(5),
    Duration::from_secs(10),
];
