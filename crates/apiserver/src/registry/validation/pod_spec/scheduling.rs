//! Where a pod may run: affinities, tolerations, and how pods are spread.

use crate::registry::validation::field::Field;
use crate::registry::validation::rules::{self, Rule, Rules};
use crate::registry::validation::{label_selector, qualified_names};
use crate::response::status::FieldError;

/// What is wrong with the affinities of a pod.
pub(super) fn affinity(affinity: &Field<'_>) -> Vec<FieldError> {
    let mut errors = to_nodes(&affinity.field("nodeAffinity"));
    for kind in ["podAffinity", "podAntiAffinity"] {
        let kind = affinity.field(kind);
        errors.extend(kind.field(REQUIRED).items().flat_map(|term| to_pods(&term)));
        for preferred in kind.field(PREFERRED).items() {
            errors.extend(weight(&preferred));
            errors.extend(to_pods(&preferred.field("podAffinityTerm")));
        }
    }
    errors
}

fn to_nodes(affinity: &Field<'_>) -> Vec<FieldError> {
    let (required, mut errors) = (affinity.field(REQUIRED), Vec::new());
    if !required.value.is_null() {
        let terms = required.field("nodeSelectorTerms");
        errors.extend(terms.required_because("must have at least one node selector term"));
        errors.extend(terms.items().flat_map(|term| node_term(&term)));
    }
    for preferred in affinity.field(PREFERRED).items() {
        errors.extend(weight(&preferred));
        errors.extend(node_term(&preferred.field("preference")));
    }
    errors
}

fn weight(preferred: &Field<'_>) -> Option<FieldError> {
    let weight = preferred.field("weight");
    let number = weight.value.as_i64().unwrap_or_default();
    let is_wrong = !(1..=100).contains(&number);
    is_wrong.then(|| FieldError::invalid(&weight.path, &number.to_string(), "must be in the range 1-100"))
}

/// What is wrong with a term that selects nodes.
pub(crate) fn node_term(term: &Field<'_>) -> Vec<FieldError> {
    let labels = term.field("matchExpressions").items().flat_map(|expression| {
        let mut errors: Vec<FieldError> = node_operator(&expression).into_iter().collect();
        errors.extend(rules::errors(&expression, &[("key", Rule::Key)]));
        errors
    });
    labels.chain(term.field("matchFields").items().flat_map(|expression| node_field(&expression))).collect()
}

fn node_operator(expression: &Field<'_>) -> Option<FieldError> {
    let (operator, values) = (expression.field("operator"), expression.field("values"));
    match operator.text() {
        "In" | "NotIn" => values.required_because("must be specified when `operator` is 'In' or 'NotIn'"),
        "Exists" | "DoesNotExist" => (!values.is_empty())
            .then(|| values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'")),
        "Gt" | "Lt" => (values.items().count() != 1).then(|| {
            FieldError::required(&values.path, "must be specified single value when `operator` is 'Lt' or 'Gt'")
        }),
        _ => Some(operator.wrong_text("not a valid selector operator")),
    }
}

/// A field of a node: its name is the only one.
fn node_field(expression: &Field<'_>) -> Vec<FieldError> {
    let (operator, values, key) = (expression.field("operator"), expression.field("values"), expression.field("key"));
    let mut errors = Vec::new();
    match operator.text() {
        "In" | "NotIn" if values.items().count() != 1 => {
            let why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
            errors.push(FieldError::required(&values.path, why));
        }
        "In" | "NotIn" => {}
        _ => errors.push(operator.wrong_text("not a valid selector operator")),
    }
    if key.text() == "metadata.name" {
        errors.extend(values.items().flat_map(|value| value.subdomain()));
    } else {
        errors.push(key.wrong_text("not a valid field selector key"));
    }
    errors
}

fn to_pods(term: &Field<'_>) -> Vec<FieldError> {
    let (selector, topology) = (term.field("labelSelector"), term.field("topologyKey"));
    let mut errors = label_selector::errors(&selector);
    errors.extend(label_selector::errors(&term.field("namespaceSelector")));
    // Its path is called as if there were one.
    let spot = format!("{}.namespace", term.path);
    let namespaces = term.field("namespaces");
    errors.extend(namespaces.items().flat_map(|name| Field { path: spot.clone().into(), ..name }.label()));
    errors.extend(matched_keys(term));
    errors.extend(topology.required_because("can not be empty"));
    errors.extend(Rule::Key.errors(&topology));
    errors
}

/// Labels whose values are those of the pod itself.
fn matched_keys(term: &Field<'_>) -> Vec<FieldError> {
    let (same, other) = (term.field("matchLabelKeys"), term.field("mismatchLabelKeys"));
    let mut errors = Vec::new();
    for list in [&same, &other] {
        if list.is_empty() {
            continue;
        }
        if term.field("labelSelector").value.is_null() {
            errors.push(list.forbidden("must not be specified when labelSelector is not set"));
        }
        errors.extend(list.items().flat_map(|key| Rule::Key.errors(&key)));
    }
    let excluded: Vec<&str> = other.items().map(|key| key.text()).collect();
    let both = same.items().filter(|key| excluded.contains(&key.text()));
    errors.extend(both.map(|key| key.wrong_text("exists in both matchLabelKeys and mismatchLabelKeys")));
    errors
}

/// What is wrong with the tolerations of a pod.
pub(super) fn tolerations(tolerations: &Field<'_>) -> Vec<FieldError> {
    tolerations.items().flat_map(|toleration| of_toleration(&toleration)).collect()
}

fn of_toleration(toleration: &Field<'_>) -> Vec<FieldError> {
    let [key, operator, value, effect] = ["key", "operator", "value", "effect"].map(|name| toleration.field(name));
    let mut errors = Vec::new();
    if !key.is_empty() {
        errors.extend(Rule::Key.errors(&key));
    } else if operator.text() != "Exists" {
        let why = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
        errors.push(operator.wrong_text(why));
    }
    if !toleration.field("tolerationSeconds").value.is_null() && effect.text() != "NoExecute" {
        errors.push(effect.wrong_text("effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    match operator.text() {
        "" | "Equal" => {
            let wrong = qualified_names::label_value(value.text());
            errors.extend(wrong.iter().map(|why| FieldError::invalid_text(&operator.path, value.text(), why)));
        }
        "Exists" if !value.is_empty() => {
            let why = "value must be empty when `operator` is 'Exists'";
            errors.push(FieldError::invalid_text(&operator.path, value.text(), why));
        }
        "Exists" => {}
        // Comparisons are known, and off.
        "Lt" | "Gt" => errors.push(FieldError::not_supported(&operator.path, operator.text(), COMPARISONS)),
        _ => errors.extend(operator.one_of(&["Equal", "Exists"])),
    }
    errors.extend(effect.one_of(&["NoSchedule", "PreferNoSchedule", "NoExecute"]));
    errors
}

/// What keeps a pod from being scheduled.
pub(super) fn gates(gates: &Field<'_>) -> Vec<FieldError> {
    let (mut errors, mut taken) = (Vec::new(), Vec::new());
    for gate in gates.items() {
        let name = gate.field("name");
        let at_gate = Field { path: gate.path.clone(), ..name };
        errors.extend(Rule::Key.errors(&at_gate));
        if taken.contains(&at_gate.text()) {
            errors.push(FieldError::duplicate(&gate.path, &at_gate.value.to_string()));
        }
        taken.push(at_gate.text());
    }
    errors
}

/// How pods are spread over nodes.
pub(super) fn spread(constraints: &Field<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let pair = |constraint: &Field<'_>| {
        [constraint.field("topologyKey").text().to_owned(), constraint.field("whenUnsatisfiable").text().to_owned()]
    };
    let all: Vec<_> = constraints.items().map(|constraint| pair(&constraint)).collect();
    for (index, constraint) in constraints.items().enumerate() {
        errors.extend(rules::errors(&constraint, SPREAD));
        let [key, action] = pair(&constraint);
        if all.iter().skip(index + 1).any(|other| *other == all[index]) {
            let path = format!("{}.{{topologyKey, whenUnsatisfiable}}", constraint.path);
            errors.push(FieldError::duplicate(&path, &format!("\"{{{key}, {action}}}\"")));
        }
        errors.extend(domains(&constraint, &action));
        errors.extend(rules::errors(&constraint, POLICIES));
        let selector = constraint.field("labelSelector");
        let keys = constraint.field("matchLabelKeys");
        if !keys.is_empty() && selector.value.is_null() {
            errors.push(keys.forbidden("must not be specified when labelSelector is not set"));
        }
        errors.extend(keys.items().flat_map(|key| Rule::Key.errors(&key)));
        errors.extend(label_selector::errors(&selector));
    }
    errors
}

fn domains(constraint: &Field<'_>, action: &str) -> Vec<FieldError> {
    let least = constraint.field("minDomains");
    let mut errors = Rule::Positive("must be greater than zero").errors(&least);
    if !least.value.is_null() && action != "DoNotSchedule" {
        let why = format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}");
        errors.push(least.wrong(&why));
    }
    errors
}

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

const COMPARISONS: &[&str] = &["Equal", "Exists", "Lt", "Gt"];

const SPREAD: Rules = &[
    ("maxSkew", Rule::Positive("must be greater than zero")),
    ("topologyKey", Rule::RequiredBecause("can not be empty")),
    ("whenUnsatisfiable", Rule::Choice(&["DoNotSchedule", "ScheduleAnyway"])),
];

const POLICIES: Rules = &[
    ("nodeAffinityPolicy", Rule::OneOf(&["Honor", "Ignore"])),
    ("nodeTaintsPolicy", Rule::OneOf(&["Honor", "Ignore"])),
];
