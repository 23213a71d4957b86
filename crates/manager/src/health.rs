//! Probes: whether the program lives, and whether it is ready, check by check, in kube-apiserver's words.
//!
//! ```text
//!   controllers, watches, lease, certificates ─► Checks ─► Health ─► Endpoint
//!                                                                    /livez  /readyz  /healthz   all checks
//!                                                                    /readyz/NAME                one check
//!                                                                    ?verbose  ?exclude=NAME
//! ```
//! Checks are looked at when somebody asks, so an answer is never older than its question. They must not wait for anything:
//! a probe that is late is a probe that failed. A failed check says why in one line.
//!
//! Liveness is what a restart would heal; what waits for others (a permission, a server, its turn to lead) belongs to
//! readiness. `/healthz` answers as `/livez`, as in controller-runtime's programs.

mod endpoint;
mod sources;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use pintle_runtime::controller::{Liveness, Readiness};
use pintle_runtime::lease::Standing;
use pintle_runtime::sharding::Shards;

pub use endpoint::Endpoint;
pub use sources::{ControllerAlive, ControllerReady, LeaseReady, ShardsReady};

/// The checks of a program; clones are the same.
///
/// ```
/// use pintle_manager::health::{Health, Probe};
///
/// let health = Health::new();
/// health.add_check(Probe::Ready, "database", || Err("no connection yet".to_owned()));
/// assert!(!health.is_ok(Probe::Ready) && health.is_ok(Probe::Live));
/// ```
#[derive(Clone, Default)]
pub struct Health(Arc<[Listed; 2]>);

/// The checks of one probe.
type Listed = Mutex<Vec<Arc<dyn Checks>>>;

/// Which question is asked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Probe {
    /// Would a restart help?
    Live,
    /// Can it do its work?
    Ready,
}

/// What was found by looking at one thing.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Check {
    /// Its name, which is part of a URL.
    pub name: String,
    /// Nothing, or something worth a word, if it is well; else why it is not.
    pub result: Result<Option<String>, String>,
}

/// Looks at some things; how many may change.
pub trait Checks: Send + Sync + 'static {
    /// What there is to say now, each name once.
    fn look(&self) -> Vec<Check>;
}

impl<F> Checks for F
where
    F: Fn() -> Vec<Check> + Send + Sync + 'static,
{
    fn look(&self) -> Vec<Check> {
        self()
    }
}

impl Check {
    /// A check with its result: nothing, or something worth a word, if it is well; else why it is not.
    pub fn new(name: impl Into<String>, result: Result<Option<String>, String>) -> Self {
        Self { name: name.into(), result }
    }

    /// A check that is well.
    pub fn ok(name: impl Into<String>) -> Self {
        Self { name: name.into(), result: Ok(None) }
    }

    /// A check that is well, with something worth a word, such as `standby`.
    pub fn ok_but(name: impl Into<String>, note: impl Into<String>) -> Self {
        Self { name: name.into(), result: Ok(Some(note.into())) }
    }

    /// A check that is not, and why.
    pub fn failed(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { name: name.into(), result: Err(reason.into()) }
    }
}

impl Health {
    /// Nothing to check but that it answers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks at these, too.
    pub fn add(&self, probe: Probe, checks: impl Checks) {
        self.checks(probe).lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(checks));
    }

    /// One check by its name; it fails with the reason that it returns.
    pub fn add_check(&self, probe: Probe, name: &str, check: impl Fn() -> Result<(), String> + Send + Sync + 'static) {
        let name = name.to_owned();
        self.add(probe, move || vec![Check::new(&name, check().map(|()| None))]);
    }

    /// A controller: it lives while its loop turns and has a slot, and is ready when its watches are. One that has not begun
    /// is ready while `standing` says that another one leads.
    pub fn add_controller(&self, name: &str, readiness: Readiness, liveness: Liveness, standing: Option<Standing>) {
        self.add(Probe::Live, ControllerAlive::new(name, liveness));
        self.add(Probe::Ready, ControllerReady::new(name, readiness, standing));
    }

    /// A lease: it is ready to lead or leads.
    pub fn add_lease(&self, standing: Standing) {
        self.add(Probe::Ready, LeaseReady { standing });
    }

    /// A share of the objects: this replica takes part.
    pub fn add_shards(&self, shards: Shards) {
        self.add(Probe::Ready, ShardsReady { shards });
    }

    /// Everything that was looked at, `ping` first.
    #[must_use]
    pub fn look(&self, probe: Probe) -> Vec<Check> {
        let checks = self.checks(probe).lock().unwrap_or_else(PoisonError::into_inner).clone();
        std::iter::once(Check::ok("ping")).chain(checks.iter().flat_map(|checks| checks.look())).collect()
    }

    /// Whether everything is well.
    #[must_use]
    pub fn is_ok(&self, probe: Probe) -> bool {
        self.look(probe).iter().all(|check| check.result.is_ok())
    }

    fn checks(&self, probe: Probe) -> &Listed {
        &self.0[probe as usize]
    }
}

impl fmt::Debug for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Health").field("ready", &self.look(Probe::Ready)).finish_non_exhaustive()
    }
}
