//! The names of a definition: whether another definition of its group has taken one, and the conditions that say so.

use serde_json::{Value, json};

use super::Definition;
use crate::kinds::Kind;

/// A name that is taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    reason: &'static str,
    name: String,
}

/// The names of `definition` which these kinds of its group have already.
pub(crate) fn conflicts<'a>(definition: &Definition, others: impl Iterator<Item = &'a Kind>) -> Vec<Conflict> {
    let own = &definition.stored;
    let mut conflicts = Vec::new();
    for other in others {
        let resources =
            |name: &String| *name == other.plural || *name == other.singular || other.short_names.contains(name);
        let mut check = |reason, name: &String, taken: bool| {
            if taken {
                conflicts.push(Conflict { reason, name: name.clone() });
            }
        };
        check("PluralConflict", &own.plural, resources(&own.plural));
        check("SingularConflict", &own.singular, resources(&own.singular));
        for short in &own.short_names {
            check("ShortNamesConflict", short, resources(short));
        }
        check("KindConflict", &own.kind, own.kind == other.kind || own.kind == other.list_kind);
        check("ListKindConflict", &own.list_kind, own.list_kind == other.kind || own.list_kind == other.list_kind);
    }
    conflicts
}

/// The conditions of a definition with these conflicts, in the order they are set.
pub(crate) fn conditions(conflicts: &[Conflict]) -> [Value; 2] {
    let condition = |kind: &str, status: &str, reason: &str, message: &str| {
        let mut condition = json!({"type": kind, "status": status, "reason": reason});
        condition["message"] = message.into();
        condition
    };
    // Of several the last is told: each is looked for in turn.
    match conflicts.last() {
        None => [
            condition("NamesAccepted", "True", "NoConflicts", "no conflicts found"),
            condition("Established", "True", "InitialNamesAccepted", "the initial names have been accepted"),
        ],
        Some(conflict) => [
            condition("NamesAccepted", "False", conflict.reason, &format!("\"{}\" is already in use", conflict.name)),
            condition("Established", "False", "NotAccepted", "not all names are accepted"),
        ],
    }
}
