//! What an object uses, under the names by which quotas limit it.
//!
//! In: an object of any kind. Out: amounts: `count/` and its resource for every one; for pods what they request and are
//! limited to, while they are not over; for Services their ports, for claims their storage, in all and by class.

use serde_json::Value;

use super::super::pod_resources::{Amounts, Side, of_container, of_pod_with_overhead};
use crate::codec::object::Object;
use crate::codec::typed::quantity::Quantity;

/// What an object uses.
pub(crate) fn of_object(group: &str, plural: &str, object: &Object, now: &str) -> Amounts {
    let mut used = Amounts::new();
    used.insert(count_name(group, plural), Quantity::count(1));
    match (group, plural) {
        ("", "pods") if is_over(object, now) => {}
        ("", "pods") => {
            used.extend(of_containers(
                &of_pod_with_overhead(object, Side::Requests),
                &of_pod_with_overhead(object, Side::Limits),
            ));
            used.insert("pods".to_owned(), Quantity::count(1));
        }
        ("", "services") => used.extend(of_service(object)),
        ("", CLAIMS) => used.extend(of_claim(object)),
        ("", plural) if BY_NAME.contains(&plural) => {
            used.insert(plural.to_owned(), Quantity::count(1));
        }
        _ => {}
    }
    used
}

/// Whether objects of a kind use something of this name.
pub(crate) fn is_of(group: &str, plural: &str, name: &str) -> bool {
    name == count_name(group, plural)
        || match (group, plural) {
            ("", "pods") => is_of_pods(name),
            ("", "services") => matches!(name, "services" | "services.nodeports" | "services.loadbalancers"),
            ("", CLAIMS) => matches!(name, CLAIMS | STORAGE) || class_of(name).is_some(),
            ("", plural) => BY_NAME.contains(&plural) && name == plural,
            _ => false,
        }
}

/// The kind whose objects use something of this name, as its group and plural.
pub(crate) fn kind_of(name: &str) -> Option<(&str, &str)> {
    if let Some(counted) = name.strip_prefix("count/") {
        let (plural, group) = counted.split_once('.').unwrap_or((counted, ""));
        return Some((group, plural));
    }
    let known = ["pods", "services", CLAIMS].iter().chain(&BY_NAME);
    known.copied().find(|plural| is_of("", plural, name)).map(|plural| ("", plural))
}

fn count_name(group: &str, plural: &str) -> String {
    if group.is_empty() { format!("count/{plural}") } else { format!("count/{plural}.{group}") }
}

fn is_of_pods(name: &str) -> bool {
    let bare = name.strip_prefix("requests.");
    name == "pods"
        || matches!(bare.unwrap_or(name), "cpu" | "memory" | "ephemeral-storage")
        || matches!(name.strip_prefix("limits."), Some("cpu" | "memory" | "ephemeral-storage"))
        || bare.unwrap_or(name).starts_with(HUGE_PAGES)
        || bare.is_some_and(is_extended)
}

/// Whether a resource is not one of Kubernetes' own, such as `example.com/gpu`.
fn is_extended(name: &str) -> bool {
    name.contains('/') && !name.contains("kubernetes.io/")
}

/// Requests and limits under the names that quotas have for them.
fn of_containers(requests: &Amounts, limits: &Amounts) -> Amounts {
    let mut used = Amounts::new();
    for (name, amount) in requests {
        let is_common = matches!(name.as_str(), "cpu" | "memory" | "ephemeral-storage") || name.starts_with(HUGE_PAGES);
        if is_common {
            used.insert(name.clone(), *amount);
        }
        if is_common || is_extended(name) {
            used.insert(format!("requests.{name}"), *amount);
        }
    }
    for name in ["cpu", "memory", "ephemeral-storage"] {
        used.extend(limits.get(name).map(|amount| (format!("limits.{name}"), *amount)));
    }
    used
}

/// Which of these a quota wants every container to say, and which containers do not; empty where all do.
pub(super) fn unsaid(limited: &[&String], pod: &Object) -> String {
    let mut missing = Vec::new();
    for name in limited.iter().filter(|name| MUST_SAY.contains(&name.as_str())) {
        let containers = pod.items_at("/spec/containers").chain(pod.items_at("/spec/initContainers"));
        let silent = containers.filter(|it| {
            let said = of_containers(&of_container(it, Side::Requests), &of_container(it, Side::Limits));
            !said.contains_key(name.as_str())
        });
        let silent: Vec<&str> = silent.filter_map(|it| it.get("name")?.as_str()).collect();
        if !silent.is_empty() {
            missing.push(format!("{name} for: {}", silent.join(",")));
        }
    }
    missing.join("; ")
}

/// A pod that has ended, or should have, uses nothing but its name.
fn is_over(pod: &Object, now: &str) -> bool {
    let is_ended = matches!(pod.text_at("/status/phase"), "Succeeded" | "Failed");
    let has_grace = pod.metadata().get("deletionGracePeriodSeconds").is_some_and(Value::is_number);
    // Times of one form compare as texts do; the moment of the deletion has its grace in it already.
    is_ended || (pod.is_deleting() && has_grace && now > pod.meta("deletionTimestamp"))
}

fn of_service(service: &Object) -> Amounts {
    let ports: Vec<&Value> = service.items_at("/spec/ports").collect();
    let all = i64::try_from(ports.len()).unwrap_or(i64::MAX);
    let is_given = service.at("/spec/allocateLoadBalancerNodePorts") != Some(&Value::Bool(false));
    let chosen = ports.iter().filter(|port| port.get("nodePort").and_then(Value::as_i64).unwrap_or_default() != 0);
    let (node_ports, balancers) = match service.text_at("/spec/type") {
        "NodePort" => (all, 0),
        "LoadBalancer" if is_given => (all, 1),
        "LoadBalancer" => (i64::try_from(chosen.count()).unwrap_or(i64::MAX), 1),
        _ => (0, 0),
    };
    let named = [("services", 1), ("services.nodeports", node_ports), ("services.loadbalancers", balancers)];
    named.into_iter().map(|(name, count)| (name.to_owned(), Quantity::count(count))).collect()
}

fn of_claim(claim: &Object) -> Amounts {
    let class = match claim.text_at("/spec/storageClassName") {
        "" => claim.metadata().get("annotations").and_then(|all| all.get(CLASS_ANNOTATION)?.as_str()),
        class => Some(class),
    };
    let mut used = Amounts::new();
    let mut note = |name: &str, amount: Quantity| {
        used.extend(class.map(|class| (format!("{class}{OF_CLASS}{name}"), amount)));
        used.insert(name.to_owned(), amount);
    };
    note(CLAIMS, Quantity::count(1));
    let storage = |pointer: &str| claim.at(pointer).and_then(Value::as_str).and_then(Quantity::parse);
    let asked = storage("/spec/resources/requests/storage");
    // What was allocated for a size that is no longer asked for is still used.
    if let Some(amount) = asked.max(storage("/status/allocatedResources/storage")) {
        note(STORAGE, amount);
    }
    used
}

/// The class of claims that a quota's name limits.
fn class_of(name: &str) -> Option<&str> {
    let (class, what) = name.split_once(OF_CLASS)?;
    matches!(what, CLAIMS | STORAGE).then_some(class)
}

const CLAIMS: &str = "persistentvolumeclaims";
const STORAGE: &str = "requests.storage";

/// Between a class and what is limited of it.
const OF_CLASS: &str = ".storageclass.storage.k8s.io/";

/// Where a claim says its class in the old way.
const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

const HUGE_PAGES: &str = "hugepages-";

/// Kinds whose number can be limited by their bare name too.
const BY_NAME: [&str; 4] = ["configmaps", "replicationcontrollers", "resourcequotas", "secrets"];

/// What every container must say where a quota limits it.
const MUST_SAY: [&str; 6] = ["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn used(plural: &str, object: Value) -> Vec<String> {
        let used = of_object("", plural, &Object::from_value(object).unwrap(), "2026-01-01T00:00:00Z");
        assert!(used.keys().all(|name| is_of("", plural, name) && kind_of(name) == Some(("", plural))), "{used:?}");
        used.into_iter().map(|(name, amount)| format!("{name}={amount}")).collect()
    }

    #[test]
    fn a_pod_uses_what_it_requests_until_it_is_over() {
        let limits = json!({"cpu": "2", "example.com/gpu": "1"});
        let requests = json!({"cpu": "1", "example.com/gpu": "1", "hugepages-2Mi": "2Mi"});
        let spec = json!({"containers": [{"name": "c", "resources": {"requests": requests, "limits": limits}}]});
        let expected = [
            "count/pods=1",
            "cpu=1",
            "hugepages-2Mi=2Mi",
            "limits.cpu=2",
            "pods=1",
            "requests.cpu=1",
            "requests.example.com/gpu=1",
            "requests.hugepages-2Mi=2Mi",
        ];
        assert_eq!(used("pods", json!({"metadata": {}, "spec": spec})), expected);
        assert_eq!(
            used("pods", json!({"metadata": {}, "spec": spec, "status": {"phase": "Failed"}})),
            ["count/pods=1"]
        );
        let going = json!({"deletionTimestamp": "2025-12-31T23:59:59Z", "deletionGracePeriodSeconds": 30});
        assert_eq!(used("pods", json!({"metadata": going, "spec": spec})), ["count/pods=1"]);
    }

    #[test]
    fn services_use_ports_and_claims_the_storage_of_their_class() {
        let spec = json!({"type": "LoadBalancer", "ports": [{"port": 1}, {"port": 2}]});
        let expected = ["count/services=1", "services=1", "services.loadbalancers=1", "services.nodeports=2"];
        assert_eq!(used("services", json!({"metadata": {}, "spec": spec})), expected);
        let spec = json!({"storageClassName": "gold", "resources": {"requests": {"storage": "1Gi"}}});
        let expected = [
            "count/persistentvolumeclaims=1",
            "gold.storageclass.storage.k8s.io/persistentvolumeclaims=1",
            "gold.storageclass.storage.k8s.io/requests.storage=1Gi",
            "persistentvolumeclaims=1",
            "requests.storage=1Gi",
        ];
        assert_eq!(used("persistentvolumeclaims", json!({"metadata": {}, "spec": spec})), expected);
        assert_eq!(used("secrets", json!({"metadata": {}})), ["count/secrets=1", "secrets=1"]);
    }
}
