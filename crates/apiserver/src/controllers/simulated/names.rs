//! Which controllers there are, by which names they are asked for, and what each is about.

use std::fmt;
use std::str::FromStr;

use super::plan::Plan;
use super::view::View;
use super::{
    certificate_approving, certificate_signing, cron_job, daemon_set, deployment, disruption, endpoints, job,
    load_balancer, pods, replica_set, stateful_set, token_secrets, volume_binder,
};
use crate::codec::object::Object;
use crate::storage::store::{Resource, StorageKey};

/// A set of the small controllers that a server can run; see [`Builder::controllers`](crate::Builder::controllers).
///
/// It is read from names, separated by commas, and `all` is all of them. What a controller needs comes along: `deployment`
/// brings `replicaset`, and that brings `pods`, the scheduler and the kubelets. A name after a minus is left out, whatever
/// would bring it: with `all,-pods` a test says itself what becomes of pods, as beside kube-controller-manager alone.
///
/// ```
/// use pintle_apiserver::Controllers;
///
/// let some: Controllers = "deployment,job".parse()?;
/// assert!(some.names().contains(&"replicaset"));
/// assert_eq!("all".parse(), Ok(Controllers::all()));
/// let without_kubelets: Controllers = "deployment,-pods".parse()?;
/// assert_eq!(without_kubelets.names(), ["replicaset", "deployment"]);
/// assert!("deploymint".parse::<Controllers>().is_err());
/// # Ok::<_, pintle_apiserver::UnknownController>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Controllers(u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[expect(clippy::enum_variant_names, reason = "a ReplicationController is called so, and its controller after it")]
pub(super) enum Controller {
    Pods,
    ReplicaSet,
    Deployment,
    StatefulSet,
    DaemonSet,
    Job,
    CronJob,
    EndpointSlice,
    LoadBalancer,
    VolumeBinder,
    TokenSecrets,
    CertificateSigning,
    ReplicationController,
    CertificateApproving,
    Disruption,
}

impl Controllers {
    /// All of them.
    pub fn all() -> Controllers {
        NAMES.iter().fold(Controllers::default(), |all, (_, controller, _)| all.with(*controller))
    }

    /// What `simulated_workloads` has always meant: Deployments, ReplicaSets, Jobs and pods.
    pub(crate) fn of_workloads() -> Controllers {
        Controllers::default().with(Controller::Deployment).with(Controller::Job)
    }

    /// The names of those in the set.
    pub fn names(&self) -> Vec<&'static str> {
        NAMES.iter().filter(|(_, controller, _)| self.has(*controller)).map(|(name, ..)| *name).collect()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }

    pub(super) fn has(self, controller: Controller) -> bool {
        self.0 & (1 << controller as u8) != 0
    }

    fn with(self, controller: Controller) -> Controllers {
        let needed = NAMES.iter().filter(|(_, known, _)| *known == controller).flat_map(|(_, _, needed)| needed.iter());
        needed.fold(Controllers(self.0 | (1 << controller as u8)), |all, needed| all.with(*needed))
    }

    pub(crate) fn has_pods(self) -> bool {
        self.has(Controller::Pods)
    }

    pub(crate) fn has_volumes(self) -> bool {
        self.has(Controller::VolumeBinder)
    }

    pub(super) fn has_budgets(self) -> bool {
        self.has(Controller::Disruption)
    }

    pub(super) fn has_endpoints(self) -> bool {
        self.has(Controller::EndpointSlice)
    }
}

impl fmt::Debug for Controllers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

impl FromStr for Controllers {
    type Err = UnknownController;

    fn from_str(text: &str) -> Result<Controllers, UnknownController> {
        let (mut all, mut left_out) = (Controllers::default(), Controllers::default());
        for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match name.strip_prefix('-') {
                Some(name) => left_out.0 |= 1 << named(name)? as u8,
                None if matches!(name, "all" | "*") => all = Controllers::all(),
                None => all = all.with(named(name)?),
            }
        }
        Ok(Controllers(all.0 & !left_out.0))
    }
}

fn named(name: &str) -> Result<Controller, UnknownController> {
    // kube-controller-manager's own names end so.
    let short = name.strip_suffix("-controller").unwrap_or(name);
    let known = NAMES.iter().find(|(known, ..)| *known == short);
    known.map(|(_, controller, _)| *controller).ok_or_else(|| UnknownController { name: name.to_owned() })
}

/// There is no controller of this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownController {
    name: String,
}

impl fmt::Display for UnknownController {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = NAMES.iter().map(|(name, ..)| *name).collect();
        write!(f, "there is no controller {:?}: use all, or some of {}", self.name, names.join(", "))
    }
}

impl std::error::Error for UnknownController {}

/// The names, each with what it needs.
const NAMES: &[(&str, Controller, &[Controller])] = &[
    ("pods", Controller::Pods, &[]),
    ("replicaset", Controller::ReplicaSet, &[Controller::Pods]),
    ("replicationcontroller", Controller::ReplicationController, &[Controller::Pods]),
    ("deployment", Controller::Deployment, &[Controller::ReplicaSet]),
    ("statefulset", Controller::StatefulSet, &[Controller::Pods]),
    ("daemonset", Controller::DaemonSet, &[Controller::Pods]),
    ("job", Controller::Job, &[Controller::Pods]),
    ("cronjob", Controller::CronJob, &[Controller::Job]),
    ("endpointslice", Controller::EndpointSlice, &[]),
    ("service-lb", Controller::LoadBalancer, &[]),
    ("persistentvolume-binder", Controller::VolumeBinder, &[]),
    ("serviceaccount-token", Controller::TokenSecrets, &[]),
    ("certificatesigningrequest-signing", Controller::CertificateSigning, &[]),
    ("certificatesigningrequest-approving", Controller::CertificateApproving, &[]),
    ("disruption", Controller::Disruption, &[]),
];

/// What a controller wants for an object.
pub(super) type Reconcile = fn(&View<'_>, &StorageKey, &Object) -> Plan;

/// The controllers of a kind.
pub(super) fn controllers_of(resource: &Resource) -> &'static [(Controller, Reconcile)] {
    match (&*resource.group, &*resource.plural) {
        ("", "pods") => &[(Controller::Pods, pods::reconcile)],
        ("apps", "replicasets") => &[(Controller::ReplicaSet, replica_set::reconcile)],
        ("", "replicationcontrollers") => {
            &[(Controller::ReplicationController, replica_set::reconcile_replication_controller)]
        }
        ("apps", "deployments") => &[(Controller::Deployment, deployment::reconcile)],
        ("apps", "statefulsets") => &[(Controller::StatefulSet, stateful_set::reconcile)],
        ("apps", "daemonsets") => &[(Controller::DaemonSet, daemon_set::reconcile)],
        ("batch", "jobs") => &[(Controller::Job, job::reconcile)],
        ("batch", "cronjobs") => &[(Controller::CronJob, cron_job::reconcile)],
        ("", "services") => {
            &[(Controller::EndpointSlice, endpoints::reconcile), (Controller::LoadBalancer, load_balancer::reconcile)]
        }
        ("", "endpoints") => &[(Controller::EndpointSlice, endpoints::reconcile_endpoints)],
        ("", "persistentvolumeclaims") => &[(Controller::VolumeBinder, volume_binder::reconcile_claim)],
        ("", "persistentvolumes") => &[(Controller::VolumeBinder, volume_binder::reconcile_volume)],
        ("", "secrets") => &[(Controller::TokenSecrets, token_secrets::reconcile)],
        ("certificates.k8s.io", "certificatesigningrequests") => &[
            (Controller::CertificateApproving, certificate_approving::reconcile),
            (Controller::CertificateSigning, certificate_signing::reconcile),
        ],
        ("policy", "poddisruptionbudgets") => &[(Controller::Disruption, disruption::reconcile)],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_controller_needs_comes_along() {
        let cron: Controllers = "cronjob-controller".parse().unwrap();
        assert_eq!(cron.names(), ["pods", "job", "cronjob"]);
        assert_eq!(Controllers::of_workloads().names(), ["pods", "replicaset", "deployment", "job"]);
        assert!("".parse::<Controllers>().unwrap().is_empty());
        let without: Controllers = "-pods-controller,cronjob".parse().unwrap();
        assert_eq!(without.names(), ["job", "cronjob"], "in whichever order");
        let why = "hpa".parse::<Controllers>().unwrap_err().to_string();
        assert!(why.starts_with("there is no controller \"hpa\": use all, or some of pods, replicaset"), "{why}");
    }
}
