//! What the controllers of a cluster do, as named behaviours: those of kube-controller-manager and the small ones around the
//! embedded server are asked for the same.
//!
//! Neither scheduler nor kubelet runs beside them: a behaviour says itself that a pod runs, has failed or is done, by its
//! status. So what is shown is what controllers do, not what a node does.

mod certificates;
mod deployments;
mod disruption_budgets;
mod endpoints;
mod jobs;
mod pods;
mod replica_sets;
mod stateful_sets;
mod token_secrets;
mod volumes;

use crate::behaviour::Behaviour;

/// Every behaviour of controllers.
pub fn of_controllers() -> Vec<Behaviour> {
    let themes = [
        replica_sets::all,
        deployments::all,
        stateful_sets::all,
        pods::all,
        jobs::all,
        endpoints::all,
        volumes::all,
        token_secrets::all,
        certificates::all,
        disruption_budgets::all,
    ];
    themes.iter().flat_map(|theme| theme()).collect()
}
