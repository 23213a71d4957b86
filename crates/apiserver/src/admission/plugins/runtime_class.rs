//! RuntimeClass: a pod gets what running it in its class takes, and goes only where that class runs.
//!
//! In: new pods. Out: the same with the class's overhead, node selector and tolerations; a refusal where the class is missing,
//! or the pod says otherwise.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::pod_resources::amounts;
use crate::admission::{Attributes, Notes};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::response::status::Answer;
use crate::storage::store::Resource;

/// Gives a new pod what its class prescribes.
pub(super) fn mutate(snapshot: &ClusterSnapshot, attributes: &Attributes<'_>, object: &mut Object) -> Answer<()> {
    if !attributes.creates("", "pods") {
        return Ok(());
    }
    let Some(class) = class(snapshot, attributes, object)? else { return Ok(()) };
    if let Some(overhead) = class.at("/overhead/podFixed").filter(|overhead| overhead.is_object()) {
        check_overhead(attributes, object, Some(overhead))?;
        object.change_field("spec", |spec| drop(spec.insert("overhead".to_owned(), overhead.clone())));
    }
    select_nodes(attributes, object, &class)?;
    let tolerations: Vec<Value> = class.items_at("/scheduling/tolerations").cloned().collect();
    object.change_field("spec", |spec| tolerate(spec, tolerations));
    Ok(())
}

/// Refuses a pod that takes more to run than its class says.
pub(super) fn validate(
    snapshot: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    object: Option<&Object>,
    _: &mut Notes,
) -> Answer<()> {
    let Some(pod) = object.filter(|_| attributes.creates("", "pods")) else { return Ok(()) };
    let class = class(snapshot, attributes, pod)?;
    let overhead = class.as_ref().and_then(|class| class.at("/overhead/podFixed")).filter(|it| it.is_object());
    check_overhead(attributes, pod, overhead)
}

/// The class that a pod names.
fn class(snapshot: &ClusterSnapshot, attributes: &Attributes<'_>, pod: &Object) -> Answer<Option<Object>> {
    let Some(name) = pod.at("/spec/runtimeClassName").and_then(Value::as_str) else { return Ok(None) };
    match snapshot.objects.get(&*CLASSES).and_then(|all| all.get(name)) {
        Some(entry) => Ok(Some(entry.object())),
        None => Err(attributes.forbidden(Some(pod), &format!("pod rejected: RuntimeClass \"{name}\" not found"))),
    }
}

fn check_overhead(attributes: &Attributes<'_>, pod: &Object, of_class: Option<&Value>) -> Answer<()> {
    let own = pod.at("/spec/overhead").filter(|own| own.as_object().is_some_and(|own| !own.is_empty()));
    let why = match (own, of_class) {
        (None, _) => return Ok(()),
        (Some(own), Some(of_class)) if amounts(Some(own)) == amounts(Some(of_class)) => return Ok(()),
        (Some(_), Some(_)) => "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
        (Some(_), None) => "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
    };
    Err(attributes.forbidden(Some(pod), why))
}

fn select_nodes(attributes: &Attributes<'_>, pod: &mut Object, class: &Object) -> Answer<()> {
    let Some(wanted) = class.at("/scheduling/nodeSelector").and_then(Value::as_object) else { return Ok(()) };
    let own = pod.at("/spec/nodeSelector").and_then(Value::as_object);
    let other = wanted.iter().find_map(|(key, value)| Some((key, value, own?.get(key)?)).filter(|it| it.1 != it.2));
    if let Some((key, wanted, found)) = other {
        let (wanted, found) = (wanted.as_str().unwrap_or_default(), found.as_str().unwrap_or_default());
        let why = format!(
            "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {wanted}; pod.spec.nodeSelector[{key}] = {found}"
        );
        return Err(attributes.forbidden(Some(pod), &why));
    }
    let mut selector = own.cloned().unwrap_or_default();
    selector.extend(wanted.clone());
    pod.change_field("spec", |spec| drop(spec.insert("nodeSelector".to_owned(), selector.into())));
    Ok(())
}

fn tolerate(spec: &mut Map<String, Value>, more: Vec<Value>) {
    if more.is_empty() {
        return;
    }
    let known = spec.entry("tolerations").or_insert_with(|| json!([]));
    if known.is_null() {
        *known = json!([]);
    }
    let Some(known) = known.as_array_mut() else { return };
    for toleration in more {
        if !known.contains(&toleration) {
            known.push(toleration);
        }
    }
}

static CLASSES: LazyLock<Resource> = LazyLock::new(|| Resource::new("node.k8s.io", "runtimeclasses"));
