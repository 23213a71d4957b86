//! Fields that stay as they are, and how kube-apiserver refuses to change them.
//!
//! Where it shows what was asked for in a form of its own (the differences of two Go values), only the sentence before it is
//! given.

use serde_json::Value;

use super::{at, go_json};
use crate::codec::object::Object;
use crate::response::status::FieldError;

/// Paths such as `spec.selector`, and how each is printed.
pub(crate) type ImmutableFields = &'static [(&'static str, Printed)];

/// What a change asks for that is not allowed, given the paths that stay and how each is printed.
pub(crate) fn errors<'a>(
    before: &Object,
    object: &Object,
    fields: impl IntoIterator<Item = &'a (&'a str, Printed)>,
) -> Vec<FieldError> {
    let changed = fields.into_iter().filter(|(path, _)| at(before, path) != at(object, path));
    changed.map(|(path, printed)| printed.error(path, at(object, path).unwrap_or(&Value::Null))).collect()
}

/// How the error of an immutable field prints the value.
pub(crate) enum Printed {
    /// With what it asked for.
    Value,
    /// With what it asked for, as a selector.
    Selector,
    /// With what it asked for, as a reference to a role.
    RoleReference,
    /// Without it.
    Null,
    /// In other words, and without it.
    Forbidden(&'static str),
    /// Under another name.
    As(&'static str),
}

impl Printed {
    fn error(&self, path: &str, asked: &Value) -> FieldError {
        let shown = match self {
            Printed::Forbidden(why) => return FieldError::forbidden(path, why),
            _ if asked.is_null() => asked.to_string(),
            Printed::Value | Printed::As(_) => asked.to_string(),
            Printed::Selector => go_json::selector(asked),
            Printed::RoleReference => go_json::role_reference(asked),
            Printed::Null => "null".to_owned(),
        };
        let path = if let Printed::As(name) = self { name } else { path };
        FieldError::invalid(path, &shown, "field is immutable")
    }
}
