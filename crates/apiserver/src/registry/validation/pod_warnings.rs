//! What the writer of a pod, or of a template of pods, should know: kube-apiserver takes it, and it does not do what it seems to.
//!
//! In: an object and where its pods are described. Out: a sentence for each, in kube-apiserver's order.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::codec::object::Object;
use crate::registry::validation::field::Field;
use crate::registry::validation::names;

/// Warnings about an object whose pods get names from its own, and its template, which stands at a path.
pub(crate) fn of_controller(before: Option<&Object>, object: &Object, path: &[&str]) -> Vec<String> {
    let mut warnings = Vec::new();
    if before.is_none() {
        warnings.extend(name_warning(object.name(), "Pod names and hostnames"));
    }
    warnings.extend(of_template(before, object, path));
    warnings
}

/// Warnings about the template of an object. A write that leaves the object's content as it was gets none.
pub(crate) fn of_template(before: Option<&Object>, object: &Object, path: &[&str]) -> Vec<String> {
    if before.is_some_and(|before| before.generation() == object.generation()) {
        return Vec::new();
    }
    let [first, rest @ ..] = path else { return Vec::new() };
    let template = rest.iter().fold(Field::of(object, first), |field, name| field.field(name));
    let prefix = format!("{}.", template.path);
    Pods { prefix: &prefix, metadata: template.field("metadata").value, spec: template.field("spec") }.warnings()
}

/// Warnings about a new pod.
pub(crate) fn of_pod(pod: &Object) -> Vec<String> {
    let metadata = Value::Object(pod.metadata().clone());
    let mut warnings: Vec<String> = name_warning(pod.name(), "the Pod's hostname").into_iter().collect();
    warnings.extend(Pods { prefix: "", metadata: &metadata, spec: Field::of(pod, "spec") }.warnings());
    warnings
}

fn name_warning(name: &str, what: &str) -> Option<String> {
    let wrong = names::label(name);
    (!wrong.is_empty()).then(|| {
        format!(
            "metadata.name: this is used in {what}, which can result in surprising behavior; a DNS label is recommended: [{}]",
            wrong.join(" ")
        )
    })
}

/// The description of pods.
struct Pods<'a> {
    prefix: &'a str,
    metadata: &'a Value,
    spec: Field<'a>,
}

impl Pods<'_> {
    fn warnings(&self) -> Vec<String> {
        let mut warnings = self.node_labels();
        warnings.extend(self.annotations(DEPRECATED_ANNOTATIONS));
        for volume in self.spec.field("volumes").items() {
            let old = DEPRECATED_VOLUMES.iter().filter(|(kind, _)| !volume.field(kind).value.is_null());
            warnings.extend(old.map(|(kind, since)| format!("{}: {since}", volume.field(kind).path)));
        }
        warnings.extend(duplicates(&self.spec.field("hostAliases"), "ip"));
        warnings.extend(duplicates(&self.spec.field("imagePullSecrets"), "name"));
        for secret in self.spec.field("imagePullSecrets").items().map(|secret| secret.field("name")) {
            warnings.extend(secret.is_empty().then(|| format!("{}: invalid empty name \"\"", secret.path)));
        }
        warnings.extend(
            ["memory", "ephemeral-storage"].iter().filter_map(|name| fraction(&self.spec.field("overhead"), name)),
        );
        if self.spec.field("securityContext").field("seccompProfile").value.is_null() {
            warnings.extend(self.annotations(&[("seccomp.security.alpha.kubernetes.io/pod", SECCOMP)]));
        }
        let containers: Vec<Field<'_>> = CONTAINERS.iter().flat_map(|list| self.spec.field(list).items()).collect();
        warnings.extend(containers.iter().flat_map(|container| self.container(container)));
        warnings.extend(ports(&containers));
        warnings.extend(port_names(&containers));
        let grace = self.spec.field("terminationGracePeriodSeconds");
        if grace.value.as_i64().is_some_and(|seconds| seconds < 0) {
            warnings
                .push(format!("{}: must be >= 0; negative values are invalid and will be treated as 1", grace.path));
        }
        warnings.extend(self.affinities());
        warnings
    }

    /// Labels of nodes that are called otherwise by now.
    fn node_labels(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let selector = self.spec.field("nodeSelector");
        for key in selector.value.as_object().into_iter().flat_map(serde_json::Map::keys) {
            warnings.extend(node_label(key).map(|why| format!("{}[{key}]: {why}", selector.path)));
        }
        let affinity = self.spec.field("affinity").field("nodeAffinity");
        let required = affinity.field("requiredDuringSchedulingIgnoredDuringExecution").field("nodeSelectorTerms");
        let preferred = affinity.field("preferredDuringSchedulingIgnoredDuringExecution");
        let terms = required.items().chain(preferred.items().map(|term| term.field("preference")));
        for expression in terms.flat_map(|term| term.field("matchExpressions").items().collect::<Vec<_>>()) {
            warnings.extend(renamed_label(&expression.field("key")));
        }
        for constraint in self.spec.field("topologySpreadConstraints").items() {
            warnings.extend(renamed_label(&constraint.field("topologyKey")));
            warnings.extend(matches_nothing(&constraint));
        }
        warnings
    }

    fn annotations(&self, deprecated: &[(&str, &str)]) -> Vec<String> {
        let of_one = |(key, why): &(&str, &str)| {
            let is_set = self.metadata.get("annotations").is_some_and(|all| all.get(*key).is_some());
            is_set.then(|| format!("{}metadata.annotations[{key}]: {why}", self.prefix))
        };
        deprecated.iter().filter_map(of_one).collect()
    }

    fn container(&self, container: &Field<'_>) -> Vec<String> {
        let (name, security) = (container.field("name").text(), container.field("securityContext"));
        let mut warnings = Vec::new();
        if security.field("seccompProfile").value.is_null() {
            let key = format!("container.seccomp.security.alpha.kubernetes.io/{name}");
            warnings.extend(self.annotations(&[(&key, SECCOMP)]));
        }
        // Of a pod itself the field is set from the annotation.
        let pod_profile = self.spec.field("securityContext").field("appArmorProfile");
        if !self.prefix.is_empty() && security.field("appArmorProfile").value.is_null() && pod_profile.value.is_null() {
            let key = format!("container.apparmor.security.beta.kubernetes.io/{name}");
            warnings.extend(
                self.annotations(&[(&key, "deprecated since v1.30; use the \"appArmorProfile\" field instead")]),
            );
        }
        for resource in ["memory", "ephemeral-storage"] {
            let resources = container.field("resources");
            let amounts = [resources.field("limits"), resources.field("requests")];
            warnings.extend(amounts.iter().filter_map(|amounts| fraction(amounts, resource)));
        }
        warnings.extend(hidden_variables(&container.field("env")));
        warnings
    }

    fn affinities(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for kind in ["podAffinity", "podAntiAffinity"] {
            let affinity = self.spec.field("affinity").field(kind);
            let required = affinity.field("requiredDuringSchedulingIgnoredDuringExecution");
            let preferred = affinity.field("preferredDuringSchedulingIgnoredDuringExecution");
            let terms = required.items().chain(preferred.items().map(|term| term.field("podAffinityTerm")));
            warnings.extend(terms.filter_map(|term| matches_nothing(&term)));
        }
        warnings
    }
}

fn node_label(key: &str) -> Option<&'static str> {
    DEPRECATED_NODE_LABELS.iter().find(|(known, _)| *known == key).map(|(_, why)| *why)
}

fn renamed_label(key: &Field<'_>) -> Option<String> {
    node_label(key.text()).map(|why| format!("{}: {} is {why}", key.path, key.text()))
}

fn matches_nothing(term: &Field<'_>) -> Option<String> {
    let selector = term.field("labelSelector");
    selector.value.is_null().then(|| format!("{}: a null labelSelector results in matching no pod", selector.path))
}

fn duplicates(list: &Field<'_>, field: &str) -> Vec<String> {
    let (mut seen, mut warnings) = (Vec::new(), Vec::new());
    for item in list.items().map(|item| item.field(field)) {
        if seen.contains(&item.text()) {
            warnings.push(format!("{}: duplicate {field} {:?}", item.path, item.text()));
        }
        seen.push(item.text());
    }
    warnings
}

/// An amount of bytes that is not whole: stored quantities show it by their suffix.
fn fraction(amounts: &Field<'_>, resource: &str) -> Option<String> {
    let amount = amounts.value.get(resource)?.as_str()?;
    amount.ends_with(['m', 'u', 'n']).then(|| {
        format!("{}[{resource}]: fractional byte value {amount:?} is invalid, must be an integer", amounts.path)
    })
}

/// A variable that is set again, and does not build on what it was.
fn hidden_variables(variables: &Field<'_>) -> Vec<String> {
    let (mut seen, mut warnings) = (Vec::new(), Vec::new());
    for variable in variables.items() {
        let (name, value) = (variable.field("name").text(), variable.field("value").text());
        let itself = format!("$({name})");
        let builds_on_it = variable.field("valueFrom").value.is_null() && value.contains(&itself) && value != itself;
        if seen.contains(&name) && !builds_on_it {
            let why = "which may be dropped when using apply";
            warnings.push(format!("{}: hides previous definition of {name:?}, {why}", variable.path));
        }
        seen.push(name);
    }
    warnings
}

/// Ports that are described more than once.
fn ports(containers: &[Field<'_>]) -> Vec<String> {
    let mut seen: BTreeMap<(i64, &str), Vec<Field<'_>>> = BTreeMap::new();
    let mut warnings = Vec::new();
    for port in containers.iter().flat_map(|container| container.field("ports").items()) {
        let number = |port: &Field<'_>, field: &str| port.field(field).value.as_i64().unwrap_or_default();
        let host = |port: &Field<'_>| (port.field("hostIP").text().to_owned(), number(port, "hostPort"));
        let others = seen.entry((number(&port, "containerPort"), port.field("protocol").text())).or_default();
        for other in others.iter() {
            let ((address, host_port), (other_address, other_port)) = (host(&port), host(other));
            let how = if (&address, host_port) == (&other_address, other_port) {
                "duplicate"
            } else if host_port == 0 || other_port == 0 {
                "overlapping"
            } else if host_port == other_port && address.is_empty() != other_address.is_empty() {
                "dangerously ambiguous"
            } else {
                continue;
            };
            warnings.push(format!("{}: {how} port definition with {}", port.path, other.path));
        }
        others.push(port);
    }
    warnings
}

fn port_names(containers: &[Field<'_>]) -> Vec<String> {
    let mut seen: BTreeMap<&str, String> = BTreeMap::new();
    let mut warnings = Vec::new();
    for port in containers.iter().flat_map(|container| container.field("ports").items()) {
        let name = port.field("name").text();
        match seen.get(name) {
            _ if name.is_empty() => {}
            Some(other) => warnings.push(format!(
                "{}: duplicate port name {name:?} with {other}, services and probes that select ports by name will use {other}",
                port.path
            )),
            None => drop(seen.insert(name, port.path)),
        }
    }
    warnings
}

/// In the order in which kube-apiserver looks at them.
const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

const SECCOMP: &str = "non-functional in v1.27+; use the \"seccompProfile\" field instead";

const DEPRECATED_ANNOTATIONS: &[(&str, &str)] = &[
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        "non-functional in v1.16+; use the \"priorityClassName\" field instead",
    ),
    ("security.alpha.kubernetes.io/sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
    ("security.alpha.kubernetes.io/unsafe-sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"),
];

const DEPRECATED_VOLUMES: &[(&str, &str)] = &[
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

const DEPRECATED_NODE_LABELS: &[(&str, &str)] = &[
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
