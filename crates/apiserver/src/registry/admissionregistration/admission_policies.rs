//! What mutating and validating policies have in common: what they are about, and their variables.

use pintle_cel::{Composition, Environment};
use serde_json::Value;

use crate::admission::expressions::{NotCompiled, Params};
use crate::registry::admissionregistration::{expressions, match_resources};
use crate::registry::validation::field::Field;
use crate::response::status::FieldError;
use crate::response::table::columns::Column;

/// The columns of a policy: how many rules it has, and the kind of its parameters.
pub(super) fn columns(rules: &str, paths: &'static [&'static str]) -> Vec<Column> {
    let param_kind = |object: &Value| match &object["spec"]["paramKind"] {
        Value::Null => "<unset>".into(),
        kind => {
            let text = |field: &str| kind[field].as_str().unwrap_or_default();
            format!("{}/{}", text("apiVersion"), text("kind")).into()
        }
    };
    let count = Column::count(rules, "integer", paths);
    vec![Column::name(), count, Column::computed("ParamKind", param_kind), Column::age()]
}

/// What is wrong with what every policy says of the writes that it is about, and `more` of its constraints; and whether it
/// has parameters.
pub(super) fn about(spec: &Field<'_>, more: impl Fn(&Field<'_>) -> Vec<FieldError>) -> (Vec<FieldError>, Params) {
    let failure_policy = spec.field("failurePolicy");
    let mut errors: Vec<FieldError> = failure_policy.required().into_iter().collect();
    errors.extend(failure_policy.one_of(&["Fail", "Ignore"]));
    let param_kind = spec.field("paramKind");
    errors.extend(match_resources::param_kind(&param_kind));
    let constraints = spec.field("matchConstraints");
    if constraints.value.is_null() {
        errors.push(FieldError::required(&constraints.path, ""));
    } else {
        errors.extend(match_resources::errors(&constraints));
        errors.extend(constraints.field("resourceRules").required());
        errors.extend(more(&constraints));
    }
    let params = if param_kind.value.is_null() { Params::Unknown } else { Params::Known };
    errors.extend(expressions::match_conditions(&spec.field("matchConditions"), params));
    (errors, params)
}

/// What is wrong with the variables, and what they compose, if there are any.
pub(super) fn variables(variables: &Field<'_>, environment: &Environment) -> (Vec<FieldError>, Option<Composition>) {
    let mut errors = Vec::new();
    let mut composition = Composition::new();
    for variable in variables.items() {
        let (name, expression) = (variable.field("name"), variable.field("expression"));
        if name.text().trim().is_empty() {
            errors.push(FieldError::required(&name.path, "name is not specified"));
        } else if !is_identifier(name.text()) {
            errors.push(name.wrong_text("must be a valid CEL identifier"));
        }
        if expression.text().trim().is_empty() {
            errors.push(FieldError::required(&expression.path, "expression is not specified"));
        } else if let Err(why) = composition.add(environment, name.text(), expression.text()) {
            errors.push(expressions::error(&expression.path, expression.text(), NotCompiled::from(why)));
        }
    }
    (errors, (!variables.is_empty()).then_some(composition))
}

pub(super) fn composed(environment: Environment, composition: Option<&Composition>) -> Environment {
    composition.into_iter().fold(environment, Environment::with_composition)
}

/// Whether a name can be selected in an expression.
fn is_identifier(name: &str) -> bool {
    let is_letter = |byte: u8| byte == b'_' || byte.is_ascii_alphabetic();
    let is_well_formed =
        name.bytes().next().is_some_and(is_letter) && name.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit());
    is_well_formed && !RESERVED.contains(&name)
}

/// Words of the language.
const RESERVED: &[&str] = &[
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];
