//! LimitRanger: the LimitRanges of a namespace fill in what containers leave out, and refuse what is too much or too little.
//!
//! In: new pods, claims as they are written. Out: pods with default requests and limits, and an annotation that says which;
//! refusals that name every limit of a range that is not kept to (`limits`).

mod limits;

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::pod_resources::Side;
use crate::admission::{Attributes, Notes, Operation};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::response::status::Answer;
use crate::storage::store::Resource;

/// Fills in what the containers of a new pod leave out.
pub(super) fn mutate(snapshot: &ClusterSnapshot, attributes: &Attributes<'_>, object: &mut Object) -> Answer<()> {
    if !attributes.creates("", "pods") {
        return Ok(());
    }
    for range in snapshot.decoded(&RANGES, attributes.target.namespace.as_deref()) {
        let set = fill_in(object, &Defaults::of(&range));
        if !set.is_empty() {
            annotate(object, &set);
        }
    }
    Ok(())
}

/// Refuses what does not keep to a limit: the first range that is not kept to says all of it.
pub(super) fn validate(
    snapshot: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    object: Option<&Object>,
    _: &mut Notes,
) -> Answer<()> {
    let is_claim_change = attributes.operation == Operation::Update && attributes.is_about("", CLAIMS);
    let is_limited = attributes.creates("", "pods") || attributes.creates("", CLAIMS) || is_claim_change;
    let Some(object) = object.filter(|_| is_limited) else { return Ok(()) };
    for range in snapshot.decoded(&RANGES, attributes.target.namespace.as_deref()) {
        let mut broken: Vec<String> = Vec::new();
        for limit in range.items_at("/spec/limits") {
            let found = match attributes.target.kind.plural.as_str() {
                CLAIMS => limits::broken_by_claim(limit, object),
                _ => limits::broken_by_pod(limit, object),
            };
            found.into_iter().for_each(|why| {
                if !broken.contains(&why) {
                    broken.push(why);
                }
            });
        }
        match broken.as_slice() {
            [] => {}
            [one] => return Err(attributes.forbidden(Some(object), one)),
            several => return Err(attributes.forbidden(Some(object), &format!("[{}]", several.join(", ")))),
        }
    }
    Ok(())
}

/// What a range gives to containers that do not say.
struct Defaults {
    requests: Map<String, Value>,
    limits: Map<String, Value>,
}

impl Defaults {
    fn of(range: &Object) -> Defaults {
        let limits: Vec<&Value> = range.items_at("/spec/limits").filter(|limit| limit["type"] == "Container").collect();
        let all = |field: &str| {
            let maps = limits.iter().filter_map(|limit| limit.get(field)?.as_object());
            maps.flatten().map(|(name, amount)| (name.clone(), amount.clone())).collect()
        };
        Defaults { requests: all("defaultRequest"), limits: all("default") }
    }
}

/// Gives every container the defaults it has no value of its own for; says which those were.
fn fill_in(pod: &mut Object, defaults: &Defaults) -> Vec<String> {
    let mut set = Vec::new();
    pod.change_field("spec", |spec| {
        for (list, what) in [("containers", "container"), ("initContainers", "init container")] {
            let containers = spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
            for container in containers.filter_map(Value::as_object_mut) {
                let name = container.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
                for (side, defaults) in [(Side::Requests, &defaults.requests), (Side::Limits, &defaults.limits)] {
                    let given = give(container, side, defaults);
                    if !given.is_empty() {
                        let side = side.field().trim_end_matches('s');
                        set.push(format!("{} {side} for {what} {name}", given.join(", ")));
                    }
                }
            }
        }
    });
    set
}

/// Sets what a container does not say; returns the names of it.
fn give(container: &mut Map<String, Value>, side: Side, defaults: &Map<String, Value>) -> Vec<String> {
    if defaults.is_empty() {
        return Vec::new();
    }
    let resources = container.entry("resources").or_insert_with(|| json!({}));
    if !resources[side.field()].is_object() {
        resources[side.field()] = json!({});
    }
    let Some(known) = resources[side.field()].as_object_mut() else { return Vec::new() };
    let mut given = Vec::new();
    for (name, amount) in defaults {
        if !known.contains_key(name) {
            known.insert(name.clone(), amount.clone());
            given.push(name.clone());
        }
    }
    given
}

fn annotate(pod: &mut Object, set: &[String]) {
    let said = format!("LimitRanger plugin set: {}", set.join("; "));
    let mut annotations = pod.metadata().get("annotations").filter(|all| all.is_object()).cloned();
    annotations.get_or_insert_with(|| json!({}))[ANNOTATION] = said.into();
    pod.put_meta("annotations", annotations);
}

static RANGES: LazyLock<Resource> = LazyLock::new(|| Resource::new("", "limitranges"));

const ANNOTATION: &str = "kubernetes.io/limit-ranger";
const CLAIMS: &str = "persistentvolumeclaims";
