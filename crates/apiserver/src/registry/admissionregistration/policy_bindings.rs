//! Bindings of policies, validating and mutating: which policy, where, with which parameters, and what follows.

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::admissionregistration::match_resources;
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::metadata::FinalizerRule;
use crate::response::status::FieldError;
use crate::response::table::columns::Column;

/// The strategy of a kind of bindings.
#[derive(Debug)]
pub(super) struct PolicyBindings {
    /// What is wrong with the spec of one of this kind, beside what can be wrong with any.
    own_errors: fn(&Field<'_>) -> Vec<FieldError>,
}

pub(super) const VALIDATING: PolicyBindings =
    PolicyBindings { own_errors: |spec| actions(&spec.field("validationActions")) };

pub(super) const MUTATING: PolicyBindings =
    PolicyBindings { own_errors: |spec| match_resources::mutable_operations(&spec.field("matchResources")) };

impl Strategy for PolicyBindings {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        columns()
    }

    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        let spec = Field::of(object, "spec");
        let mut errors = binding(&spec);
        errors.extend((self.own_errors)(&spec));
        errors
    }
}

/// The columns of any binding: its policy, and which parameters it chooses.
fn columns() -> Vec<Column> {
    let param_ref = |object: &Value| {
        let reference = &object["spec"]["paramRef"];
        let text = |field: &str| reference[field].as_str().unwrap_or_default();
        match (text("namespace"), text("name"), &reference["selector"]) {
            (_, "", Value::Null) => "<unset>".into(),
            (_, "", selector) => printed(selector).into(),
            ("", name, _) => format!("*/{name}").into(),
            (namespace, name, _) => format!("{namespace}/{name}").into(),
        }
    };
    let policy = Column::text("PolicyName", ".spec.policyName", "");
    vec![Column::name(), policy, Column::computed("ParamRef", param_ref), Column::age()]
}

/// A label selector as Go prints it.
fn printed(selector: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let labels = selector["matchLabels"].as_object().into_iter().flatten();
    let labels: String = labels.map(|(key, value)| format!("{key}: {},", text(value))).collect();
    let expressions = selector["matchExpressions"].as_array().into_iter().flatten().map(|expression| {
        let values = expression["values"].as_array().into_iter().flatten().map(text).collect::<Vec<_>>().join(" ");
        let (key, operator) = (text(&expression["key"]), text(&expression["operator"]));
        format!("LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{values}],}},")
    });
    let expressions: String = expressions.collect();
    let labels = format!("MatchLabels:map[string]string{{{labels}}}");
    format!("&LabelSelector{{{labels},MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}")
}

/// What is wrong with the spec of any binding.
fn binding(spec: &Field<'_>) -> Vec<FieldError> {
    let policy = spec.field("policyName");
    let mut errors: Vec<FieldError> = policy.required().into_iter().collect();
    errors.extend(policy.subdomain());
    errors.extend(match_resources::param_ref(&spec.field("paramRef")));
    errors.extend(match_resources::errors(&spec.field("matchResources")));
    errors
}

fn actions(actions: &Field<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for action in actions.items() {
        let known = ["Audit", "Deny", "Warn"];
        if !known.contains(&action.text()) {
            errors.push(FieldError::not_supported(&action.path, action.text(), &known));
        }
        if seen.contains(&action.text()) {
            errors.push(FieldError::duplicate(&action.path, &action.value.to_string()));
        }
        seen.push(action.text());
    }
    if seen.contains(&"Deny") && seen.contains(&"Warn") {
        errors.push(actions.wrong(
            "must not contain both Deny and Warn (repeating the same validation failure information in the API response \
             and headers serves no purpose)",
        ));
    }
    errors.extend(actions.required());
    errors
}
