//! What to wait for.

use k8s_openapi::api::apps::v1::{Deployment, DeploymentCondition};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Pod, Service};
use k8s_openapi::api::networking::v1::Ingress;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle_core::Resource;

/// Says of an object, or of its absence, whether it is what is waited for. Any `Fn(Option<&K>) -> bool` is one.
pub trait Condition<K> {
    /// Whether it holds for the object; `None` if there is none.
    fn matches_object(&self, object: Option<&K>) -> bool;

    /// Holds when this one does not.
    fn not(self) -> Not<Self>
    where
        Self: Sized,
    {
        Not(self)
    }

    /// Holds when both do.
    fn and<Other: Condition<K>>(self, other: Other) -> And<Self, Other>
    where
        Self: Sized,
    {
        And(self, other)
    }

    /// Holds when either does.
    fn or<Other: Condition<K>>(self, other: Other) -> Or<Self, Other>
    where
        Self: Sized,
    {
        Or(self, other)
    }
}

impl<K, F: Fn(Option<&K>) -> bool> Condition<K> for F {
    fn matches_object(&self, object: Option<&K>) -> bool {
        self(object)
    }
}

/// See [`Condition::not`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Not<A>(A);

impl<A: Condition<K>, K> Condition<K> for Not<A> {
    fn matches_object(&self, object: Option<&K>) -> bool {
        !self.0.matches_object(object)
    }
}

/// See [`Condition::and`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct And<A, B>(A, B);

impl<A: Condition<K>, B: Condition<K>, K> Condition<K> for And<A, B> {
    fn matches_object(&self, object: Option<&K>) -> bool {
        self.0.matches_object(object) && self.1.matches_object(object)
    }
}

/// See [`Condition::or`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Or<A, B>(A, B);

impl<A: Condition<K>, B: Condition<K>, K> Condition<K> for Or<A, B> {
    fn matches_object(&self, object: Option<&K>) -> bool {
        self.0.matches_object(object) || self.1.matches_object(object)
    }
}

/// The object with this uid is gone; another one under its name counts as that.
#[must_use]
pub fn is_deleted<K: Resource>(uid: &str) -> impl Condition<K> + '_ {
    move |object: Option<&K>| object.is_none_or(|object| object.meta().uid.as_deref() != Some(uid))
}

/// There is an object.
#[must_use]
pub fn is_created<K: Resource>() -> impl Condition<K> {
    |object: Option<&K>| object.is_some()
}

/// The kind is served.
#[must_use]
pub fn is_crd_established() -> impl Condition<CustomResourceDefinition> {
    |object: Option<&CustomResourceDefinition>| {
        let conditions = object.and_then(|definition| definition.status.as_ref()?.conditions.as_ref());
        conditions.is_some_and(|all| all.iter().any(|it| says(&it.type_, "Established") && says(&it.status, "True")))
    }
}

/// The pod runs.
#[must_use]
pub fn is_pod_running() -> impl Condition<Pod> {
    |object: Option<&Pod>| object.and_then(|pod| pod.status.as_ref()?.phase.as_deref()) == Some("Running")
}

/// The job has succeeded.
#[must_use]
pub fn is_job_completed() -> impl Condition<Job> {
    |object: Option<&Job>| {
        let conditions = object.and_then(|job| job.status.as_ref()?.conditions.as_ref());
        conditions.is_some_and(|all| all.iter().any(|it| says(&it.type_, "Complete") && says(&it.status, "True")))
    }
}

/// The latest roll-out is complete.
#[must_use]
pub fn is_deployment_completed() -> impl Condition<Deployment> {
    |object: Option<&Deployment>| {
        let conditions = object.and_then(|deployment| deployment.status.as_ref()?.conditions.as_ref());
        conditions.is_some_and(|all| all.iter().any(is_new_replica_set_available))
    }
}

fn is_new_replica_set_available(condition: &DeploymentCondition) -> bool {
    says(&condition.type_, "Progressing")
        && says(&condition.status, "True")
        && says(&condition.reason, "NewReplicaSetAvailable")
}

/// Whether a field has a value; some are optional in one version of Kubernetes and required in another.
fn says<'a>(field: impl Into<Option<&'a String>>, value: &str) -> bool {
    field.into().is_some_and(|field| field == value)
}

/// The load balancer of the service has an address; a service of another type needs none.
#[must_use]
pub fn is_service_loadbalancer_provisioned() -> impl Condition<Service> {
    |object: Option<&Service>| {
        let Some((service, spec)) = object.and_then(|service| Some((service, service.spec.as_ref()?))) else {
            return false;
        };
        if spec.type_.as_deref() != Some("LoadBalancer") {
            return true;
        }
        let ingress = service.status.as_ref().and_then(|status| status.load_balancer.as_ref()?.ingress.as_ref());
        ingress.is_some_and(|all| !all.is_empty() && all.iter().all(|it| it.ip.is_some() || it.hostname.is_some()))
    }
}

/// The load balancer of the ingress has an address.
#[must_use]
pub fn is_ingress_provisioned() -> impl Condition<Ingress> {
    |object: Option<&Ingress>| {
        let ingress = object.and_then(|it| it.status.as_ref()?.load_balancer.as_ref()?.ingress.as_ref());
        ingress.is_some_and(|all| !all.is_empty() && all.iter().all(|it| it.ip.is_some() || it.hostname.is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<K: serde::de::DeserializeOwned>(condition: &impl Condition<K>, json: &serde_json::Value, expected: bool) {
        let object = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(condition.matches_object(Some(&object)), expected, "{json}");
    }

    #[test]
    fn a_load_balancer_is_there_once_every_ingress_has_an_address() {
        use serde_json::json;
        let balanced = |ingress: serde_json::Value| json!({"spec": {"type": "LoadBalancer"}, "status": {"loadBalancer": {"ingress": ingress}}});
        let condition = is_service_loadbalancer_provisioned();
        check(&condition, &json!({"spec": {"type": "ClusterIP"}}), true);
        check(&condition, &balanced(json!([])), false);
        check(&condition, &balanced(json!([{"ip": "1.2.3.4"}])), true);
        check(&condition, &balanced(json!([{"hostname": "a"}, {}])), false);
        check(&is_ingress_provisioned(), &balanced(json!([])), false);
        check(&is_ingress_provisioned(), &balanced(json!([{"ip": "1.2.3.4"}])), true);
    }

    #[test]
    fn conditions_are_put_together() {
        let absent = |object: Option<&Pod>| object.is_none();
        assert!(absent.or(is_pod_running()).matches_object(None));
        assert!(!absent.and(is_pod_running()).matches_object(None));
        assert!(is_pod_running().not().matches_object(None));
    }
}
