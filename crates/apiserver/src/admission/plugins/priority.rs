//! Priority: a pod gets the number that its PriorityClass stands for, and no other.
//!
//! In: new pods, and PriorityClasses as they are written and deleted. Out: pods with their class, number and preemption
//! policy resolved; a refusal of a second default class, and of the end of one of the system's own.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::admission::{Attributes, Notes, Operation};
use crate::catalog::kinds;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::cluster::{Cluster, ResolvedTarget};
use crate::codec::object::Object;
use crate::response::status::Answer;
use crate::storage::store::Resource;

/// Resolves the priority of a new pod; one that is changed keeps what it has.
pub(super) fn mutate(snapshot: &ClusterSnapshot, attributes: &Attributes<'_>, object: &mut Object) -> Answer<()> {
    if !attributes.is_about("", "pods") {
        return Ok(());
    }
    match (attributes.operation, attributes.old) {
        (Operation::Create, _) => resolve(snapshot, attributes, object),
        (Operation::Update, Some(old)) => {
            keep(old, object);
            Ok(())
        }
        _ => Ok(()),
    }
}

fn resolve(snapshot: &ClusterSnapshot, attributes: &Attributes<'_>, pod: &mut Object) -> Answer<()> {
    let named = pod.text_at("/spec/priorityClassName").to_owned();
    let class = if named.is_empty() { snapshot.default_class() } else { snapshot.class(&named) };
    if class.is_none() && !named.is_empty() {
        let why = format!("no PriorityClass with name {named} was found");
        return Err(attributes.forbidden(Some(pod), &why));
    }
    let class = class.unwrap_or_else(Class::without_name);
    if let Some(asked) = pod.at("/spec/priority").and_then(Value::as_i64).filter(|asked| *asked != class.value) {
        let why = format!(
            "the integer value of priority ({asked}) must not be provided in pod spec; priority admission controller \
             computed {} from the given PriorityClass name",
            class.value
        );
        return Err(attributes.forbidden(Some(pod), &why));
    }
    let asked = pod.text_at("/spec/preemptionPolicy");
    if !asked.is_empty() && asked != class.preemption_policy {
        let why = format!(
            "the string value of PreemptionPolicy ({asked}) must not be provided in pod spec; priority admission controller \
             computed {} from the given PriorityClass name",
            class.preemption_policy
        );
        return Err(attributes.forbidden(Some(pod), &why));
    }
    pod.change_field("spec", |spec| {
        spec.insert("priority".to_owned(), class.value.into());
        spec.insert("preemptionPolicy".to_owned(), class.preemption_policy.into());
        if !class.name.is_empty() {
            spec.insert("priorityClassName".to_owned(), class.name.into());
        }
    });
    Ok(())
}

/// What a client leaves out of what it cannot change.
fn keep(old: &Object, pod: &mut Object) {
    for field in ["priority", "preemptionPolicy"] {
        let pointer = format!("/spec/{field}");
        let Some(value) = old.at(&pointer).filter(|_| pod.at(&pointer).is_none_or(Value::is_null)) else { continue };
        pod.change_field("spec", |spec| drop(spec.insert(field.to_owned(), value.clone())));
    }
}

/// There is one default class, and the system's own stay.
pub(super) fn validate(
    snapshot: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    object: Option<&Object>,
    _: &mut Notes,
) -> Answer<()> {
    if !attributes.is_about("scheduling.k8s.io", "priorityclasses") {
        return Ok(());
    }
    let Some(class) = object else {
        let is_systems = SYSTEM_CLASSES.iter().any(|(name, ..)| *name == attributes.target.name());
        let why = "this is a system priority class and cannot be deleted";
        return if is_systems { Err(attributes.forbidden(None, why)) } else { Ok(()) };
    };
    let other = snapshot.default_class().filter(|other| other.name != class.name());
    match other.filter(|_| class.get("globalDefault") == Some(&Value::Bool(true))) {
        None => Ok(()),
        Some(other) => {
            let why = format!("PriorityClass {} is already marked as default. Only one default can exist", other.name);
            Err(attributes.forbidden(Some(class), &why))
        }
    }
}

/// What a PriorityClass means to a pod.
struct Class {
    name: String,
    value: i64,
    preemption_policy: String,
}

impl Class {
    /// What a pod has where there is no class at all.
    fn without_name() -> Class {
        Class { name: String::new(), value: 0, preemption_policy: PREEMPTS.to_owned() }
    }

    fn of(class: &Object) -> Class {
        let policy = class.text("preemptionPolicy");
        Class {
            name: class.name().to_owned(),
            value: class.get("value").and_then(Value::as_i64).unwrap_or_default(),
            preemption_policy: if policy.is_empty() { PREEMPTS } else { policy }.to_owned(),
        }
    }
}

impl ClusterSnapshot {
    fn class(&self, name: &str) -> Option<Class> {
        self.objects.get(&*CLASSES)?.get(name).map(|entry| Class::of(&entry.object()))
    }

    /// The class of pods that name none: the lowest of those that are marked so.
    fn default_class(&self) -> Option<Class> {
        let all = self.decoded(&CLASSES, None);
        let marked = all.iter().filter(|class| class.get("globalDefault") == Some(&Value::Bool(true)));
        marked.map(Class::of).min_by_key(|class| class.value)
    }
}

impl Cluster {
    /// Creates the classes that every cluster has.
    pub(crate) fn create_system_priority_classes(&mut self) {
        let kind = kinds::built_in("scheduling.k8s.io", "v1", "priorityclasses");
        let target = ResolvedTarget {
            kind: kind.expect("the table of kinds has priority classes"),
            namespace: None,
            name: None,
            subresource: None,
            manager: "kube-apiserver".to_owned(),
        };
        for (name, value, description) in SYSTEM_CLASSES {
            let body = json!({
                "metadata": {"name": name},
                "value": value,
                "description": description,
                "preemptionPolicy": PREEMPTS,
            });
            self.create(&target, body).map(drop).expect("an empty cluster takes its own classes");
        }
    }
}

static CLASSES: LazyLock<Resource> = LazyLock::new(|| Resource::new("scheduling.k8s.io", "priorityclasses"));

const PREEMPTS: &str = "PreemptLowerPriority";

/// Name, value and description, as kube-apiserver makes them.
const SYSTEM_CLASSES: [(&str, i64, &str); 2] = [
    (
        "system-node-critical",
        2_000_001_000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
    (
        "system-cluster-critical",
        2_000_000_000,
        "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
];
