//! What a pod asks for: the requests and limits of its containers, added up as a scheduler does.
//!
//! In: a pod's spec. Out: an amount per resource. Containers and init containers that go on running run at the same time, the
//! other init containers one after the other before them; what the pod itself asks for counts instead of their sum.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::codec::object::Object;
use crate::codec::typed::quantity::Quantity;

/// Amounts by the name of the resource.
pub(super) type Amounts = BTreeMap<String, Quantity>;

/// The field of a container's resources that is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Requests,
    Limits,
}

impl Side {
    pub(super) fn field(self) -> &'static str {
        match self {
            Side::Requests => "requests",
            Side::Limits => "limits",
        }
    }
}

/// The amounts in a map of quantities.
pub(super) fn amounts(quantities: Option<&Value>) -> Amounts {
    let fields = quantities.and_then(Value::as_object).into_iter().flatten();
    fields.filter_map(|(name, amount)| Some((name.clone(), Quantity::parse(amount.as_str()?)?))).collect()
}

/// What a container requests, or is limited to.
pub(super) fn of_container(container: &Value, side: Side) -> Amounts {
    amounts(container.get("resources").and_then(|resources| resources.get(side.field())))
}

/// What the containers of a pod request, or are limited to, all together.
pub(super) fn of_pod(pod: &Object, side: Side) -> Amounts {
    let mut running = Amounts::new();
    pod.items_at("/spec/containers").for_each(|container| add(&mut running, &of_container(container, side)));
    let (mut before, mut sidecars) = (Amounts::new(), Amounts::new());
    for container in pod.items_at("/spec/initContainers") {
        let mut at_once = of_container(container, side);
        if container.get("restartPolicy").is_some_and(|policy| policy == "Always") {
            add(&mut running, &at_once);
            add(&mut sidecars, &at_once);
            at_once.clone_from(&sidecars);
        } else {
            add(&mut at_once, &sidecars);
        }
        raise(&mut before, &at_once);
    }
    raise(&mut running, &before);
    running.extend(amounts(pod.at(&format!("/spec/resources/{}", side.field()))));
    running
}

/// The same with what running the pod takes by itself; a limit that there is not stays none.
pub(super) fn of_pod_with_overhead(pod: &Object, side: Side) -> Amounts {
    let mut total = of_pod(pod, side);
    let mut overhead = amounts(pod.at("/spec/overhead"));
    if side == Side::Limits {
        overhead.retain(|name, _| total.contains_key(name));
    }
    add(&mut total, &overhead);
    total
}

/// Adds amounts to others.
pub(super) fn add(to: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        let sum = to.get(name).map_or(*amount, |known| *known + *amount);
        to.insert(name.clone(), sum);
    }
}

fn raise(to: &mut Amounts, least: &Amounts) {
    for (name, amount) in least {
        let known = to.entry(name.clone()).or_insert(*amount);
        *known = (*known).max(*amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn init_containers_run_before_and_sidecars_beside() {
        let container = |cpu: &str| json!({"name": "c", "resources": {"requests": {"cpu": cpu}}});
        let mut sidecar = container("1");
        sidecar["restartPolicy"] = json!("Always");
        let cpu = |spec: Value| {
            let pod = Object::from_value(json!({"metadata": {}, "spec": spec})).unwrap();
            of_pod_with_overhead(&pod, Side::Requests)["cpu"].to_string()
        };
        assert_eq!(cpu(json!({"containers": [container("500m"), container("1")]})), "1500m");
        assert_eq!(
            cpu(json!({"containers": [container("1")], "initContainers": [container("4"), container("2")]})),
            "4"
        );
        assert_eq!(cpu(json!({"containers": [container("1")], "initContainers": [sidecar, container("2")]})), "3");
        assert_eq!(cpu(json!({"containers": [container("1")], "overhead": {"cpu": "250m"}})), "1250m");
        assert_eq!(cpu(json!({"containers": [container("1")], "resources": {"requests": {"cpu": "7"}}})), "7");
    }
}
