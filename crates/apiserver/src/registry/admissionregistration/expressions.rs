//! The expressions of webhooks and policies, compiled to see whether they can be.

use pintle_cel::{Environment, Type};

use crate::admission::expressions::{Authorization, NotCompiled, Params, compile, environment};
use crate::registry::validation::field::Field;
use crate::registry::validation::qualified_names;
use crate::response::status::FieldError;

/// What is wrong with `matchConditions`.
pub(super) fn match_conditions(conditions: &Field<'_>, params: Params) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let count = i64::try_from(conditions.items().count()).unwrap_or(i64::MAX);
    if count > MATCH_CONDITIONS_MAX {
        errors.push(FieldError::too_many(&conditions.path, count, MATCH_CONDITIONS_MAX));
    }
    if count == 0 {
        return errors;
    }
    let environment = environment(params, Authorization::Known);
    let mut seen: Vec<&str> = Vec::new();
    for condition in conditions.items() {
        let (expression, name) = (condition.field("expression"), condition.field("name"));
        let text = expression.text().trim();
        match text.is_empty() {
            true => errors.push(FieldError::required(&expression.path, "")),
            false => errors.extend(not_compiled(&expression.path, text, &environment, text, &[Type::Bool])),
        }
        errors.extend(name.required());
        errors.extend(name.named(qualified_names::key));
        if !name.is_empty() && seen.contains(&name.text()) {
            errors.push(FieldError::duplicate(&name.path, &name.value.to_string()));
        }
        seen.push(name.text());
    }
    errors
}

/// Why the expression in a field cannot be compiled to a value of one of these types.
pub(super) fn not_compiled_in(
    field: &Field<'_>,
    environment: &Environment,
    expression: &str,
    wanted: &[Type],
) -> Option<FieldError> {
    not_compiled(&field.path, field.text(), environment, expression, wanted)
}

/// The same of an expression that is shown otherwise than it stands in its field.
pub(super) fn not_compiled(
    path: &str,
    shown: &str,
    environment: &Environment,
    expression: &str,
    wanted: &[Type],
) -> Option<FieldError> {
    compile(environment, expression, wanted).err().map(|why| error(path, shown, why))
}

/// An expression that cannot be compiled, as an error of its field.
pub(super) fn error(path: &str, shown: &str, why: NotCompiled) -> FieldError {
    match why {
        NotCompiled::Invalid(why) => FieldError::invalid_text(path, shown, &why),
        NotCompiled::Internal(why) => FieldError::internal(path, &why),
    }
}

/// A webhook or policy has no more conditions than this.
const MATCH_CONDITIONS_MAX: i64 = 64;
