//! The endpoints of a Service with a selector: its pods, as EndpointSlices and as Endpoints.
//!
//! In: a Service and the pods of its namespace. Out: slices of a hundred endpoints at most, and one Endpoints object of the
//! Service's name. Pods whose ports differ are in different slices.

use serde_json::{Value, json};

use super::ownership::reference;
use super::plan::{Built, Identity, Plan};
use super::pods::{PODS, is_finished, is_ready};
use super::view::{View, label};
use crate::codec::object::Object;
use crate::registry::delete::Propagation;
use crate::registry::subresources::selector;
use crate::storage::store::StorageKey;

pub(super) fn reconcile(view: &View<'_>, _: &StorageKey, service: &Object) -> Plan {
    let mut plan = Plan::new(SLICES_CONTROLLER);
    let selects = service.at("/spec/selector").filter(|it| it.as_object().is_some_and(|labels| !labels.is_empty()));
    let Some(selects) = selects.filter(|_| service.text_at("/spec/type") != "ExternalName") else { return plan };
    if service.is_deleting() {
        return plan;
    }
    let pods = view.all(PODS, Some(service.meta("namespace")));
    let is_meant = |pod: &&Object| {
        let has_address = !pod.text_at("/status/podIP").is_empty() && !pod.text_at("/spec/nodeName").is_empty();
        has_address && !is_finished(pod) && selector::matches(selects, pod.metadata().get("labels"))
    };
    let mut groups: Vec<(Value, Vec<&Object>)> = Vec::new();
    for pod in pods.iter().filter(is_meant) {
        let ports = ports(service, pod);
        match groups.iter_mut().find(|(known, _)| *known == ports) {
            Some((_, members)) => members.push(pod),
            None => groups.push((ports, vec![pod])),
        }
    }
    write_slices(view, service, &groups, &mut plan);
    write_endpoints(view, service, &groups, &mut plan);
    plan
}

/// Endpoints that were made for a Service go with it; they have no owner that would take them along.
pub(super) fn reconcile_endpoints(view: &View<'_>, _: &StorageKey, endpoints: &Object) -> Plan {
    let mut plan = Plan::new(SLICES_CONTROLLER);
    let is_ours = label(endpoints, MANAGED_BY) == "endpoint-controller";
    let service = view.get(SERVICES, Some(endpoints.meta("namespace")), endpoints.name());
    if is_ours && service.is_none() && !endpoints.is_deleting() {
        plan.delete(ENDPOINTS, endpoints, Propagation::Background, None);
    }
    plan
}

fn write_slices(view: &View<'_>, service: &Object, groups: &[(Value, Vec<&Object>)], plan: &mut Plan) {
    let mut wanted: Vec<Value> = Vec::new();
    for (ports, pods) in groups {
        for pods in pods.chunks(SLICE_MAX) {
            let endpoints: Vec<Value> = pods.iter().map(|pod| endpoint(service, pod)).collect();
            wanted.push(json!({"ports": ports, "endpoints": endpoints}));
        }
    }
    if wanted.is_empty() {
        wanted.push(json!({"ports": [], "endpoints": []}));
    }
    let known: Vec<Object> =
        view.controlled(service, SLICES).into_iter().filter(|slice| !slice.is_deleting()).collect();
    let mut known = known.into_iter();
    for content in wanted {
        match known.next() {
            Some(slice) => {
                let mut changed = slice.clone();
                changed.set("ports", content["ports"].clone());
                changed.set("endpoints", content["endpoints"].clone());
                plan.update(SLICES, &slice, changed);
            }
            None => plan.create(SLICES, Some(service.meta("namespace")), slice(view, service, content)),
        }
    }
    for surplus in known {
        plan.delete(SLICES, &surplus, Propagation::Background, None);
    }
}

fn slice(view: &View<'_>, service: &Object, mut content: Value) -> Value {
    let mut labels = service.metadata().get("labels").filter(|it| it.is_object()).cloned().unwrap_or_else(|| json!({}));
    labels["kubernetes.io/service-name"] = service.name().into();
    labels["endpointslice.kubernetes.io/managed-by"] = "endpointslice-controller.k8s.io".into();
    if service.text_at("/spec/clusterIP") == "None" {
        labels["service.kubernetes.io/headless"] = "".into();
    }
    content["addressType"] = "IPv4".into();
    let generate = format!("{}-", service.name());
    content["metadata"] = json!({
        "name": format!("{generate}{}", view.suffix()),
        "generateName": generate,
        "labels": labels,
        "ownerReferences": [reference(service)],
    });
    content
}

fn endpoint(service: &Object, pod: &Object) -> Value {
    let publishes_all = service.at("/spec/publishNotReadyAddresses") == Some(&json!(true));
    let serving = is_ready(pod);
    let ready = publishes_all || (serving && !pod.is_deleting());
    json!({
        "addresses": [pod.text_at("/status/podIP")],
        "conditions": {"ready": ready, "serving": serving, "terminating": pod.is_deleting()},
        "nodeName": pod.text_at("/spec/nodeName"),
        "targetRef": target(pod),
    })
}

fn target(pod: &Object) -> Value {
    json!({"kind": "Pod", "name": pod.name(), "namespace": pod.meta("namespace"), "uid": pod.meta("uid")})
}

/// The ports of a Service at a pod; one whose name the pod does not know is left out.
fn ports(service: &Object, pod: &Object) -> Value {
    let port = |port: &Value| {
        let number = match port.get("targetPort") {
            Some(Value::String(name)) => {
                let containers = pod.items_at("/spec/containers");
                let mut ports = containers.flat_map(|it| it["ports"].as_array().into_iter().flatten());
                ports.find(|it| it["name"] == name.as_str())?["containerPort"].as_i64()?
            }
            Some(number) => number.as_i64().filter(|number| *number > 0).or_else(|| port["port"].as_i64())?,
            None => port["port"].as_i64()?,
        };
        let protocol = port["protocol"].as_str().unwrap_or("TCP");
        let mut made = json!({"name": port["name"].as_str().unwrap_or_default(), "port": number, "protocol": protocol});
        if let Some(application) = port.get("appProtocol") {
            made["appProtocol"] = application.clone();
        }
        Some(made)
    };
    service.items_at("/spec/ports").filter_map(port).collect()
}

fn write_endpoints(view: &View<'_>, service: &Object, groups: &[(Value, Vec<&Object>)], plan: &mut Plan) {
    let publishes_all = service.at("/spec/publishNotReadyAddresses") == Some(&json!(true));
    let subset = |(ports, pods): &(Value, Vec<&Object>)| {
        let mut ports = ports.clone();
        for port in ports.as_array_mut().into_iter().flatten() {
            if port["name"] == "" {
                port.as_object_mut().map(|fields| fields.remove("name"));
            }
        }
        let mut subset = json!({"ports": ports});
        for (field, wanted) in [("addresses", true), ("notReadyAddresses", false)] {
            let is_wanted = |pod: &&&Object| (publishes_all || (is_ready(pod) && !pod.is_deleting())) == wanted;
            let addresses: Vec<Value> = pods
                .iter()
                .filter(is_wanted)
                .filter(|pod| wanted || !pod.is_deleting())
                .map(|pod| address(pod))
                .collect();
            if !addresses.is_empty() {
                subset[field] = addresses.into();
            }
        }
        subset
    };
    let has_addresses = |subset: &Value| subset.get("addresses").is_some() || subset.get("notReadyAddresses").is_some();
    let subsets: Vec<Value> = groups.iter().map(subset).filter(has_addresses).collect();
    let mut labels = service.metadata().get("labels").filter(|it| it.is_object()).cloned().unwrap_or_else(|| json!({}));
    labels[MANAGED_BY] = "endpoint-controller".into();
    match view.get(ENDPOINTS, Some(service.meta("namespace")), service.name()) {
        Some(known) => {
            let mut changed = known.clone();
            changed.put("subsets", (!subsets.is_empty()).then(|| subsets.into()));
            changed.set_meta("labels", labels);
            plan.update(ENDPOINTS, &known, changed);
        }
        None => {
            let mut body = json!({"metadata": {"name": service.name(), "labels": labels}});
            if !subsets.is_empty() {
                body["subsets"] = subsets.into();
            }
            plan.create(ENDPOINTS, Some(service.meta("namespace")), body);
        }
    }
}

fn address(pod: &Object) -> Value {
    json!({"ip": pod.text_at("/status/podIP"), "nodeName": pod.text_at("/spec/nodeName"), "targetRef": target(pod)})
}

const SLICES: Built = Built::new("discovery.k8s.io", "v1", "endpointslices");
const ENDPOINTS: Built = Built::new("", "v1", "endpoints");
const SERVICES: Built = Built::new("", "v1", "services");

const MANAGED_BY: &str = "endpoints.kubernetes.io/managed-by";

/// kube-controller-manager's default.
const SLICE_MAX: usize = 100;

const SLICES_CONTROLLER: Identity = Identity::controller("endpointslice-controller", "endpoint-slice-controller");
