//! PodSecurity: the labels of a namespace say what pods in it may do.
//!
//! ```text
//!  namespace labels ─► Policies (enforce, audit, warn: a level and a version each)
//!                         │
//!  pod, or the template ──┴─► checks ─► enforce: a refusal (pods alone) · warn: a warning · audit: an annotation
//! ```
//! In: pods and what makes pods, as they are written; namespaces whose labels change. Out: a refusal or a warning in
//! kube-apiserver's words; a namespace that becomes stricter warns of the pods that are already there.

mod checks;
mod policy;
mod profiles;
mod reading;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;

use crate::admission::{Attributes, Notes, Operation};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::controllers::namespace::NAMESPACES;
use crate::response::status::{Answer, invalid};
use crate::storage::store::Resource;
use checks::Violation;
use policy::{Level, Policies, Policy};
use reading::Pod;

/// Checks pods, what makes pods, and the labels of namespaces.
pub(super) fn validate(
    snapshot: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    object: Option<&Object>,
    notes: &mut Notes,
) -> Answer<()> {
    let is_written = matches!(attributes.operation, Operation::Create | Operation::Update);
    let Some(object) = object.filter(|_| is_written) else { return Ok(()) };
    let (kind, subresource) = (&attributes.target.kind, attributes.target.subresource.as_deref());
    match (kind.group.as_str(), kind.plural.as_str(), subresource) {
        ("", "namespaces", None) => validate_namespace(snapshot, attributes, object, notes),
        ("", "pods", None | Some("ephemeralcontainers")) => validate_pod(snapshot, attributes, object, notes),
        (group, plural, None) => {
            let template = TEMPLATES.iter().find(|(of, kind, _)| *of == group && *kind == plural);
            if let Some(template) = template.and_then(|(_, _, pointer)| object.at(pointer)) {
                let policies = snapshot.policies(attributes.namespace());
                judge(&policies, &Pod::of_template(template), notes);
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn validate_pod(
    snapshot: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    object: &Object,
    notes: &mut Notes,
) -> Answer<()> {
    if attributes.old.is_some_and(|old| !is_significant(old, object)) {
        return Ok(());
    }
    let (policies, pod) = (snapshot.policies(attributes.namespace()), Pod::of(object));
    notes.audit_annotations.push((format!("{PREFIX}enforce-policy"), policies.enforce.to_string()));
    let violations = checks::violations(policies.enforce, &pod);
    if !violations.is_empty() {
        let why = format!("violates PodSecurity \"{}\": {}", policies.enforce, sentence(&violations));
        return Err(attributes.forbidden(Some(object), &why));
    }
    judge(&policies, &pod, notes);
    Ok(())
}

/// Whether a pod that was there is changed in a way that could matter: its images, its containers and its old annotations.
fn is_significant(old: &Object, new: &Object) -> bool {
    let images = |pod: &Object| -> Vec<(String, String)> {
        let text = |container: &Value, field: &str| container[field].as_str().unwrap_or_default().to_owned();
        let lists = ["/spec/containers", "/spec/initContainers", "/spec/ephemeralContainers"];
        lists.iter().flat_map(|list| pod.items_at(list)).map(|it| (text(it, "name"), text(it, "image"))).collect()
    };
    let profiles = |pod: &Object| Pod::of(pod).profile_annotations();
    images(old) != images(new) || profiles(old) != profiles(new)
}

/// Warns of and notes what is not enforced.
fn judge(policies: &Policies, pod: &Pod<'_>, notes: &mut Notes) {
    let would = |policy: Policy| {
        let violations = checks::violations(policy, pod);
        let sentence = sentence(&violations);
        (!violations.is_empty()).then(|| format!("would violate PodSecurity \"{policy}\": {sentence}"))
    };
    if let Some(said) = would(policies.audit) {
        notes.audit_annotations.push((format!("{PREFIX}audit-violations"), said));
    }
    notes.warnings.extend(would(policies.warn));
}

fn sentence(violations: &[Violation]) -> String {
    violations.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The labels of a namespace say something, and say it of pods that are there as well.
fn validate_namespace(
    snapshot: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    object: &Object,
    notes: &mut Notes,
) -> Answer<()> {
    let (policies, errors) = Policies::of_labels(|key| label(object, key));
    let Some(old) = attributes.old else {
        return if errors.is_empty() { Ok(()) } else { Err(invalid("Namespace", "", object.name(), &errors)) };
    };
    let (before, old_errors) = Policies::of_labels(|key| label(old, key));
    if !errors.is_empty() && old_errors.is_empty() {
        return Err(invalid("Namespace", "", object.name(), &errors));
    }
    let (new, before) = (policies.enforce, before.enforce);
    let is_stricter = new.level > before.level || (new.level == before.level && new.version != before.version);
    if is_stricter && new.level != Level::Privileged {
        notes.warnings.extend(snapshot.warnings_of_pods(object.name(), new));
    }
    Ok(())
}

fn label<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    object.metadata().get("labels")?.get(key)?.as_str()
}

impl ClusterSnapshot {
    fn policies(&self, namespace: &str) -> Policies {
        let entry = self.objects.get(&*NAMESPACES).and_then(|all| all.get(namespace));
        entry.map(|entry| Policies::of_labels(|key| entry.head.label(key)).0).unwrap_or_default()
    }

    /// What is wrong with pods that are there, those of which the same is wrong on one line.
    fn warnings_of_pods(&self, namespace: &str, policy: Policy) -> Vec<String> {
        let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for pod in self.decoded(&PODS, Some(namespace)) {
            let violations = checks::violations(policy, &Pod::of(&pod));
            if !violations.is_empty() {
                let reasons: Vec<&str> = violations.iter().map(|violation| violation.reason).collect();
                names.entry(reasons.join(", ")).or_default().push(pod.name().to_owned());
            }
        }
        let mut lines: Vec<String> = names.into_iter().map(|(why, names)| format!("{}: {why}", who(&names))).collect();
        lines.sort();
        if !lines.is_empty() {
            let first = format!(
                "existing pods in namespace {namespace:?} violate the new PodSecurity enforce level \"{policy}\""
            );
            lines.insert(0, first);
        }
        lines
    }
}

fn who(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [name] => name.clone(),
        [name, _] => format!("{name} (and 1 other pod)"),
        [name, others @ ..] => format!("{name} (and {} other pods)", others.len()),
    }
}

static PODS: LazyLock<Resource> = LazyLock::new(|| Resource::new("", "pods"));

/// The labels of namespaces and the notes of this plugin begin so.
const PREFIX: &str = "pod-security.kubernetes.io/";

/// What makes pods, and where the template of those stands.
const TEMPLATES: [(&str, &str, &str); 8] = [
    ("", "podtemplates", "/template"),
    ("", "replicationcontrollers", "/spec/template"),
    ("apps", "daemonsets", "/spec/template"),
    ("apps", "deployments", "/spec/template"),
    ("apps", "replicasets", "/spec/template"),
    ("apps", "statefulsets", "/spec/template"),
    ("batch", "cronjobs", "/spec/jobTemplate/spec/template"),
    ("batch", "jobs", "/spec/template"),
];
