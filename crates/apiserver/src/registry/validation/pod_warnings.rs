//! What the writer of a pod, or of a template of pods, should know: the server takes it, and it does not do what it seems to.
//!
//! ```text
//!   CHECKS ─► of the pod ─► of each container ─► of all containers ─► of the pod ─► sentences, in that order
//! ```
//! In: an object and where its pods are described. Out: a sentence for each. Clients print them in the order they come, so
//! that is the table's. What is out of date is in [`outdated`], what is there twice in [`repeated`].

mod outdated;
mod repeated;

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
    let annotations = template.field("metadata").field("annotations").value;
    Pods { prefix: &prefix, annotations, spec: template.field("spec") }.warnings()
}

/// Warnings about a new pod.
pub(crate) fn of_pod(pod: &Object) -> Vec<String> {
    let annotations = pod.metadata().get("annotations").unwrap_or(&Value::Null);
    let mut warnings: Vec<String> = name_warning(pod.name(), "the Pod's hostname").into_iter().collect();
    warnings.extend(Pods { prefix: "", annotations, spec: Field::of(pod, "spec") }.warnings());
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
    annotations: &'a Value,
    spec: Field<'a>,
}

/// Something to look for, and where.
enum Check {
    Pod(fn(&Pods<'_>) -> Vec<String>),
    EachContainer(fn(&Pods<'_>, &Field<'_>) -> Vec<String>),
    AllContainers(fn(&[Field<'_>]) -> Vec<String>),
}

/// In the order of the sentences. Neighbours about each container take turns: all of them about one, then about the next.
const CHECKS: &[&[Check]] = &[
    &[Check::Pod(outdated::node_labels)],
    &[Check::Pod(outdated::annotations)],
    &[Check::Pod(outdated::volumes)],
    &[Check::Pod(|pods| repeated::values(&pods.spec.field("hostAliases"), "ip"))],
    &[Check::Pod(|pods| repeated::values(&pods.spec.field("imagePullSecrets"), "name"))],
    &[Check::Pod(nameless_secrets)],
    &[Check::Pod(|pods| fractions(&[pods.spec.field("overhead")]))],
    &[Check::Pod(outdated::pod_seccomp)],
    &[
        Check::EachContainer(outdated::seccomp),
        Check::EachContainer(outdated::app_armor),
        Check::EachContainer(|_, container| fractions(&amounts(container))),
        Check::EachContainer(|_, container| repeated::variables(&container.field("env"))),
    ],
    &[Check::AllContainers(repeated::ports)],
    &[Check::AllContainers(repeated::port_names)],
    &[Check::Pod(negative_grace)],
    &[Check::Pod(affinities_that_match_nothing)],
];

/// In the order in which containers are looked at.
const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

impl Pods<'_> {
    fn warnings(&self) -> Vec<String> {
        let containers: Vec<Field<'_>> = CONTAINERS.iter().flat_map(|list| self.spec.field(list).items()).collect();
        CHECKS.iter().flat_map(|together| self.results(together, &containers)).collect()
    }

    fn results(&self, together: &[Check], containers: &[Field<'_>]) -> Vec<String> {
        let of_container = |container| {
            together.iter().flat_map(move |check| match check {
                Check::EachContainer(look) => look(self, container),
                Check::Pod(_) | Check::AllContainers(_) => Vec::new(),
            })
        };
        let of_pod = together.iter().flat_map(|check| match check {
            Check::Pod(look) => look(self),
            Check::AllContainers(look) => look(containers),
            Check::EachContainer(_) => Vec::new(),
        });
        of_pod.chain(containers.iter().flat_map(of_container)).collect()
    }

    /// A sentence about an annotation, if it is there.
    fn annotation(&self, key: &str, why: &str) -> Option<String> {
        let is_set = self.annotations.get(key).is_some();
        is_set.then(|| format!("{}metadata.annotations[{key}]: {why}", self.prefix))
    }
}

fn nameless_secrets(pods: &Pods<'_>) -> Vec<String> {
    let names = pods.spec.field("imagePullSecrets").items().map(|secret| secret.field("name"));
    names.filter(Field::is_empty).map(|name| format!("{}: invalid empty name \"\"", name.path)).collect()
}

fn amounts<'a>(container: &Field<'a>) -> [Field<'a>; 2] {
    let resources = container.field("resources");
    [resources.field("limits"), resources.field("requests")]
}

/// Amounts of bytes that are not whole: stored quantities show it by their suffix.
fn fractions(amounts: &[Field<'_>]) -> Vec<String> {
    let of = |resource: &'static str| amounts.iter().filter_map(move |amounts| fraction(amounts, resource));
    ["memory", "ephemeral-storage"].into_iter().flat_map(of).collect()
}

fn fraction(amounts: &Field<'_>, resource: &str) -> Option<String> {
    let amount = amounts.value.get(resource)?.as_str()?;
    amount.ends_with(['m', 'u', 'n']).then(|| {
        format!("{}[{resource}]: fractional byte value {amount:?} is invalid, must be an integer", amounts.path)
    })
}

fn negative_grace(pods: &Pods<'_>) -> Vec<String> {
    let grace = pods.spec.field("terminationGracePeriodSeconds");
    let is_negative = grace.value.as_i64().is_some_and(|seconds| seconds < 0);
    let warning = format!("{}: must be >= 0; negative values are invalid and will be treated as 1", grace.path);
    is_negative.then_some(warning).into_iter().collect()
}

fn affinities_that_match_nothing(pods: &Pods<'_>) -> Vec<String> {
    let affinities = ["podAffinity", "podAntiAffinity"].map(|kind| pods.spec.field("affinity").field(kind));
    affinities.iter().flat_map(|affinity| terms(affinity, "podAffinityTerm")).filter_map(matches_nothing).collect()
}

/// The required terms of an affinity, then the preferred ones, which stand in a field.
fn terms<'a>(affinity: &Field<'a>, preferred: &'a str) -> Vec<Field<'a>> {
    let required = affinity.field("requiredDuringSchedulingIgnoredDuringExecution");
    // Nodes are required by a struct, pods by a list.
    let required = if required.value.is_object() { required.field("nodeSelectorTerms") } else { required };
    let weighted = affinity.field("preferredDuringSchedulingIgnoredDuringExecution");
    required.items().chain(weighted.items().map(|term| term.field(preferred))).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `filter_map` hands on")]
fn matches_nothing(term: Field<'_>) -> Option<String> {
    let selector = term.field("labelSelector");
    selector.value.is_null().then(|| format!("{}: a null labelSelector results in matching no pod", selector.path))
}
