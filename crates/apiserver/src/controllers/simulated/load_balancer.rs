//! The address of a Service of type LoadBalancer.
//!
//! In: a Service. Out: an address that no other Service has, from those that are kept for documentation, and none where the
//! Service stops being such a one.

use serde_json::{Value, json};

use super::plan::{Built, Identity, Plan};
use super::view::View;
use crate::codec::object::Object;
use crate::storage::store::StorageKey;

pub(super) fn reconcile(view: &View<'_>, _: &StorageKey, service: &Object) -> Plan {
    let mut plan = Plan::new(CONTROLLER);
    let mut finalizers = service.finalizers();
    let has_finalizer = finalizers.iter().any(|finalizer| finalizer == FINALIZER);
    // One with a class of its own is for somebody else.
    let is_ours =
        service.text_at("/spec/type") == "LoadBalancer" && service.text_at("/spec/loadBalancerClass").is_empty();
    let mut changed = service.clone();
    if is_ours && !service.is_deleting() {
        if !has_finalizer {
            finalizers.push(FINALIZER.to_owned());
            changed.set_finalizers(&finalizers);
            plan.update(SERVICES, service, changed);
            return plan;
        }
        if service.at("/status/loadBalancer/ingress/0").is_none() {
            plan.normal(service, "EnsuringLoadBalancer", "Ensuring load balancer");
            let ingress = json!([{"ip": free_address(view, service), "ipMode": "VIP"}]);
            plan.status(SERVICES, service, status(service, json!({"ingress": ingress})));
            plan.normal(service, "EnsuredLoadBalancer", "Ensured load balancer");
        }
        return plan;
    }
    if has_finalizer {
        finalizers.retain(|finalizer| finalizer != FINALIZER);
        changed.set_finalizers(&finalizers);
        if service.at("/status/loadBalancer/ingress/0").is_some() {
            plan.status(SERVICES, service, status(service, json!({})));
            return plan;
        }
        plan.update(SERVICES, service, changed);
        plan.normal(service, "DeletedLoadBalancer", "Deleted load balancer");
    }
    plan
}

fn status(service: &Object, load_balancer: Value) -> Value {
    let mut status = service.get("status").filter(|it| it.is_object()).cloned().unwrap_or_else(|| json!({}));
    status["loadBalancer"] = load_balancer;
    status
}

/// The address that the Service asks for, or the first that is free.
fn free_address(view: &View<'_>, service: &Object) -> String {
    let asked = service.text_at("/spec/loadBalancerIP");
    if !asked.is_empty() {
        return asked.to_owned();
    }
    let taken: Vec<String> = view
        .all(SERVICES, None)
        .iter()
        .flat_map(|known| {
            known
                .items_at("/status/loadBalancer/ingress")
                .filter_map(|it| it["ip"].as_str().map(str::to_owned))
                .collect::<Vec<_>>()
        })
        .collect();
    let free = |address: &String| !taken.contains(address);
    let mut all = (0..2).flat_map(|third| (1..255).map(move |last| format!("198.{}.0.{last}", 18 + third)));
    all.find(free).unwrap_or_else(|| "198.19.255.254".to_owned())
}

const SERVICES: Built = Built::new("", "v1", "services");

const FINALIZER: &str = "service.kubernetes.io/load-balancer-cleanup";

const CONTROLLER: Identity = Identity::controller("service-controller", "service-controller");
