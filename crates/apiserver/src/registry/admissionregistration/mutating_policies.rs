//! MutatingAdmissionPolicies: what they are about, and expressions that can be compiled to patches.

use pintle_cel::{Environment, Type};

use crate::admission::expressions::{Authorization, environment};
use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::registry::admissionregistration::admission_policies::{about, columns, composed, variables};
use crate::registry::admissionregistration::{expressions, match_resources};
use crate::registry::strategy::Strategy;
use crate::registry::validation::field::Field;
use crate::registry::validation::metadata::FinalizerRule;
use crate::response::status::FieldError;
use crate::response::table::columns::Column;

/// The strategy.
#[derive(Debug)]
pub(super) struct MutatingAdmissionPolicies;

impl Strategy for MutatingAdmissionPolicies {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        columns("Mutations", &[".spec.mutations"])
    }

    fn validate(&self, _: &Kind, object: &Object) -> Vec<FieldError> {
        errors(&Field::of(object, "spec"))
    }
}

fn errors(spec: &Field<'_>) -> Vec<FieldError> {
    let (mut errors, params) = about(spec, match_resources::mutable_operations);
    let environment = environment(params, Authorization::Known);
    let (wrong, composition) = variables(&spec.field("variables"), &environment);
    errors.extend(wrong);
    let environment = composed(environment, composition.as_ref()).with_patch_types();
    let mutations = spec.field("mutations");
    errors.extend(mutations.required_because("mutations must contain at least one item"));
    errors.extend(mutations.items().flat_map(|item| mutation(&item, &environment)));
    let reinvocation = spec.field("reinvocationPolicy");
    errors.extend(reinvocation.required());
    errors.extend(reinvocation.one_of(&["IfNeeded", "Never"]));
    errors
}

fn mutation(mutation: &Field<'_>, environment: &Environment) -> Vec<FieldError> {
    let kind = mutation.field("patchType");
    let (field, other, wanted) = match kind.text() {
        "JSONPatch" => ("jsonPatch", "applyConfiguration", Type::json_patch()),
        "ApplyConfiguration" => ("applyConfiguration", "jsonPatch", Type::apply_configuration()),
        "" => return kind.required().into_iter().collect(),
        _ => return kind.one_of(&["ApplyConfiguration", "JSONPatch"]).into_iter().collect(),
    };
    let (patch, other) = (mutation.field(field), mutation.field(other));
    let mut errors = Vec::new();
    if patch.value.is_null() {
        let why = format!("must be specified when patchType is {}", kind.text());
        errors.push(FieldError::required(&patch.path, &why));
    } else {
        errors.extend(expression(&patch.field("expression"), environment, wanted));
    }
    if !other.value.is_null() {
        let name = other.path.rsplit('.').next().unwrap_or_default();
        let why = format!("must not be specified when patchType is {}", kind.text());
        errors.push(FieldError::invalid_text(&other.path, &format!("{{{name}}}"), &why));
    }
    errors
}

fn expression(expression: &Field<'_>, environment: &Environment, wanted: Type) -> Option<FieldError> {
    let text = expression.text().trim();
    match text.is_empty() {
        true => Some(FieldError::required(&expression.path, "")),
        false => expressions::not_compiled(&expression.path, text, environment, text, &[wanted]),
    }
}
