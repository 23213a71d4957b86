//! What pods say in words of former versions: labels, annotations and volumes that have other names by now, or none.

use super::{Pods, matches_nothing, terms};
use crate::registry::validation::field::Field;

/// Labels of nodes that are called otherwise by now, wherever nodes are chosen; and constraints about no pod.
pub(super) fn node_labels(pods: &Pods<'_>) -> Vec<String> {
    let selector = pods.spec.field("nodeSelector");
    let keys = selector.value.as_object().into_iter().flat_map(serde_json::Map::keys);
    let selected = keys.filter_map(|key| Some(format!("{}[{key}]: {}", selector.path, node_label(key)?)));
    let affinity = pods.spec.field("affinity").field("nodeAffinity");
    let expressions =
        terms(&affinity, "preference").into_iter().flat_map(|term| term.field("matchExpressions").items());
    let preferred = expressions.filter_map(|expression| renamed(&expression.field("key")));
    let spread = pods.spec.field("topologySpreadConstraints").items().flat_map(|constraint| {
        [renamed(&constraint.field("topologyKey")), matches_nothing(constraint)].into_iter().flatten()
    });
    selected.chain(preferred).chain(spread).collect()
}

pub(super) fn annotations(pods: &Pods<'_>) -> Vec<String> {
    ANNOTATIONS.iter().filter_map(|(key, why)| pods.annotation(key, why)).collect()
}

pub(super) fn volumes(pods: &Pods<'_>) -> Vec<String> {
    let of_one = |volume: Field<'_>| {
        let old = VOLUMES.iter().filter(|(kind, _)| !volume.field(kind).value.is_null());
        old.map(|(kind, since)| format!("{}: {since}", volume.field(kind).path)).collect::<Vec<_>>()
    };
    pods.spec.field("volumes").items().flat_map(of_one).collect()
}

pub(super) fn pod_seccomp(pods: &Pods<'_>) -> Vec<String> {
    let key = "seccomp.security.alpha.kubernetes.io/pod";
    if has_profile(&pods.spec, "seccompProfile") { None } else { pods.annotation(key, SECCOMP) }.into_iter().collect()
}

pub(super) fn seccomp(pods: &Pods<'_>, container: &Field<'_>) -> Vec<String> {
    let key = format!("container.seccomp.security.alpha.kubernetes.io/{}", container.field("name").text());
    if has_profile(container, "seccompProfile") { None } else { pods.annotation(&key, SECCOMP) }.into_iter().collect()
}

/// Of a pod itself the field is set from the annotation, so only templates are warned about.
pub(super) fn app_armor(pods: &Pods<'_>, container: &Field<'_>) -> Vec<String> {
    let key = format!("container.apparmor.security.beta.kubernetes.io/{}", container.field("name").text());
    let is_set = [container, &pods.spec].iter().any(|place| has_profile(place, "appArmorProfile"));
    if pods.prefix.is_empty() || is_set { None } else { pods.annotation(&key, APP_ARMOR) }.into_iter().collect()
}

fn has_profile(place: &Field<'_>, profile: &str) -> bool {
    !place.field("securityContext").field(profile).value.is_null()
}

fn node_label(key: &str) -> Option<&'static str> {
    NODE_LABELS.iter().find(|(known, _)| *known == key).map(|(_, why)| *why)
}

fn renamed(key: &Field<'_>) -> Option<String> {
    node_label(key.text()).map(|why| format!("{}: {} is {why}", key.path, key.text()))
}

const SECCOMP: &str = "non-functional in v1.27+; use the \"seccompProfile\" field instead";

const APP_ARMOR: &str = "deprecated since v1.30; use the \"appArmorProfile\" field instead";

const ANNOTATIONS: &[(&str, &str)] = &[
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        "non-functional in v1.16+; use the \"priorityClassName\" field instead",
    ),
    ("security.alpha.kubernetes.io/sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
    ("security.alpha.kubernetes.io/unsafe-sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
];

const VOLUMES: &[(&str, &str)] = &[
    ("photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
    ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("flocker", "deprecated in v1.22, non-functional in v1.25+"),
    ("storageos", "deprecated in v1.22, non-functional in v1.25+"),
    ("quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("rbd", "deprecated in v1.28, non-functional in v1.31+"),
];

const NODE_LABELS: &[(&str, &str)] = &[
    ("beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"),
    ("beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"),
    (
        "failure-domain.beta.kubernetes.io/region",
        "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
    ),
    ("failure-domain.beta.kubernetes.io/zone", "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"),
    ("beta.kubernetes.io/instance-type", "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"),
    ("app.kubernetes.io/created-by", "deprecated since v1.9"),
    ("scheduler.alpha.kubernetes.io/preferAvoidPods", "deprecated since v1.22; use Taints and Tolerations instead"),
    ("node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"),
];
