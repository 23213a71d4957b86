//! What is checked of controllers, leases and shards.

use pintle_runtime::controller::{Liveness, Readiness};
use pintle_runtime::lease::{Role, Standing};
use pintle_runtime::sharding::Shards;

use super::{Check, Checks};

/// Whether a controller lives: `controller-NAME`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ControllerAlive {
    pub(super) name: String,
    pub(super) liveness: Liveness,
}

/// Whether a controller is ready: `controller-NAME`, and `watch-NAME-RESOURCE` for each watch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ControllerReady {
    pub(super) name: String,
    pub(super) readiness: Readiness,
    pub(super) standing: Option<Standing>,
}

/// Whether this one can lead: `lease`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LeaseReady {
    pub(super) standing: Standing,
}

/// Whether this one has a share of the objects, or can get one: `shards`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ShardsReady {
    pub(super) shards: Shards,
}

impl ControllerAlive {
    /// Of the controller `name`.
    pub fn new(name: &str, liveness: Liveness) -> Self {
        Self { name: name.to_owned(), liveness }
    }
}

impl ControllerReady {
    /// Of the controller `name`. One that has not begun is ready while `standing` says that another one leads.
    pub fn new(name: &str, readiness: Readiness, standing: Option<Standing>) -> Self {
        Self { name: name.to_owned(), readiness, standing }
    }
}

impl Checks for ControllerAlive {
    fn look(&self) -> Vec<Check> {
        let name = format!("controller-{}", self.name);
        // Its first line only says that it is not alive.
        let reason = || self.liveness.to_string().lines().skip(1).collect::<Vec<_>>().join("; ");
        vec![if self.liveness.is_alive() { Check::ok(name) } else { Check::failed(name, reason()) }]
    }
}

impl Checks for ControllerReady {
    fn look(&self) -> Vec<Check> {
        let name = format!("controller-{}", self.name);
        let stands_by = self.standing.as_ref().is_some_and(Standing::is_standby);
        if stands_by && !self.readiness.has_begun() {
            return vec![Check::ok_but(name, "standby")];
        }
        let own = match self.readiness.problem() {
            Some(problem) => Check::failed(name, problem),
            None => Check { name, result: Ok(self.undecodable()) },
        };
        let watches = self.readiness.watches().into_iter().map(|watched| {
            let name = format!("watch-{}-{}", self.name, watched.name);
            watched.problem().map_or_else(|| Check::ok(&name), |problem| Check::failed(&name, problem))
        });
        std::iter::once(own).chain(watches).collect()
    }
}

impl ControllerReady {
    /// Objects that cannot be read keep no others from being reconciled, but somebody has to know.
    fn undecodable(&self) -> Option<String> {
        let undecodable = self.readiness.undecodable();
        let first = undecodable.first()?;
        let others = match undecodable.len() - 1 {
            0 => String::new(),
            others => format!(", and {others} more"),
        };
        Some(format!("not all objects can be read: {first}{others}"))
    }
}

impl Checks for LeaseReady {
    fn look(&self) -> Vec<Check> {
        const NAME: &str = "lease";
        vec![match self.standing.role() {
            Role::Leading { .. } => Check::ok_but(NAME, "leading"),
            Role::Standby { holder: Some(holder), .. } => Check::ok_but(NAME, format!("standby, {holder} leads")),
            Role::Standby { .. } => Check::ok_but(NAME, "standby"),
            role => Check::failed(NAME, role.to_string()),
        }]
    }
}

impl Checks for ShardsReady {
    fn look(&self) -> Vec<Check> {
        const NAME: &str = "shards";
        let share = self.shards.share();
        let is_taking_part = share.error.is_none() && share.replicas > 0;
        vec![if is_taking_part {
            Check::ok_but(NAME, share.to_string())
        } else {
            Check::failed(NAME, share.to_string())
        }]
    }
}
