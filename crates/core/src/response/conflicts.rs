//! Who owns the fields that an apply was refused for.
//!
//! A server names each in a cause of its refusal: `conflict with "kubectl" using v1`, field `.data.key`. That sentence is
//! read in this one place.

use super::Status;

/// The reason of a cause that names a conflict.
const FIELD_MANAGER_CONFLICT: &str = "FieldManagerConflict";

/// A field that an apply wants to set to another value than its owner did.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct FieldConflict {
    /// Who owns it.
    pub manager: String,
    /// Which field, as in `.spec.replicas`.
    pub field: String,
}

impl Status {
    /// The fields an apply was refused for, each with its owner; none for any other refusal.
    pub fn field_conflicts(&self) -> Vec<FieldConflict> {
        let causes = self.details.iter().flat_map(|details| &details.causes);
        causes
            .filter(|cause| cause.reason == FIELD_MANAGER_CONFLICT)
            .map(|cause| FieldConflict { manager: manager(&cause.message), field: cause.field.clone() })
            .collect()
    }
}

/// The quoted name in `conflict with "name" …`; a sentence that reads otherwise is given as it is.
fn manager(message: &str) -> String {
    let quoted = message.split_once("conflict with ").map_or(message, |(_, rest)| rest);
    // Go quotes a printable name as JSON does, and a name is printable.
    let mut names = serde_json::Deserializer::from_str(quoted).into_iter::<String>();
    names.next().and_then(Result::ok).unwrap_or_else(|| message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::{StatusCause, StatusDetails};

    #[test]
    fn conflicts_are_listed_by_manager_and_field() {
        let cause = |message: &str, field: &str| StatusCause {
            reason: FIELD_MANAGER_CONFLICT.into(),
            message: message.into(),
            field: field.into(),
        };
        let details = StatusDetails {
            causes: vec![
                cause(r#"conflict with "kubectl" using apps/v1"#, ".spec.replicas"),
                cause(r#"conflict with "a \"b\" \\" with subresource "status" using v1 at 2026-01-01T00:00:00Z"#, ".x"),
                cause("conflict of another kind", ".y"),
                StatusCause { field: ".z".into(), ..StatusCause::default() },
            ],
            ..StatusDetails::default()
        };
        let conflict = |manager: &str, field: &str| FieldConflict { manager: manager.into(), field: field.into() };
        assert_eq!(
            Status::failure("", "Conflict").with_details(details).field_conflicts(),
            [
                conflict("kubectl", ".spec.replicas"),
                conflict(r#"a "b" \"#, ".x"),
                conflict("conflict of another kind", ".y")
            ]
        );
        assert_eq!(Status::failure("", "Conflict").field_conflicts(), []);
    }
}
