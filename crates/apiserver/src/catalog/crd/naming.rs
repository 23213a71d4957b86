//! The names of a definition: which of them it has, whether another definition of its group took one first, and the
//! conditions that say so.
//!
//! In: the names it wants and those it has. Out: those it has from now on. Each name is taken or left by itself, so that a
//! definition can have its plural and wait for its kind.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// Names that definitions of one group have been given.
#[derive(Debug, Default)]
pub(crate) struct Taken<'a> {
    resources: BTreeSet<&'a str>,
    kinds: BTreeSet<&'a str>,
}

impl<'a> Taken<'a> {
    /// Adds the names that a definition has.
    pub(crate) fn add(&mut self, accepted: &'a Value) {
        let text = |field: &str| accepted.get(field).and_then(Value::as_str).filter(|name| !name.is_empty());
        self.resources.extend(["plural", "singular"].iter().filter_map(|field| text(field)));
        self.resources.extend(strings(accepted.get("shortNames")));
        self.kinds.extend(["kind", "listKind"].iter().filter_map(|field| text(field)));
    }
}

/// What becomes of the names that a definition wants.
pub(crate) struct Outcome {
    pub(crate) accepted: Value,
    /// The reason and the sentence, where a name is taken; of several the last one, since each is looked at in turn.
    conflict: Option<(&'static str, String)>,
}

/// Gives a definition the names it wants, where they are its own or free.
pub(crate) fn settle(wanted: &Value, accepted: &Value, taken: &Taken<'_>) -> Outcome {
    let mut names = accepted.as_object().cloned().unwrap_or_default();
    let mut conflict = None;
    let one = |field: &str, reason, used: &BTreeSet<&str>, names: &mut Map<String, Value>| {
        let text = |from: &Value| from.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let name = text(wanted);
        if name != text(accepted) && used.contains(name.as_str()) {
            return Some((reason, in_use(&name)));
        }
        names.insert(field.to_owned(), name.into());
        None
    };
    conflict = one("plural", "PluralConflict", &taken.resources, &mut names).or(conflict);
    conflict = one("singular", "SingularConflict", &taken.resources, &mut names).or(conflict);
    conflict = short_names(wanted, accepted, taken, &mut names).or(conflict);
    conflict = one("kind", "KindConflict", &taken.kinds, &mut names).or(conflict);
    conflict = one("listKind", "ListKindConflict", &taken.kinds, &mut names).or(conflict);
    names.insert("categories".to_owned(), wanted.get("categories").cloned().unwrap_or_default());
    names.retain(|field, value| matches!(field.as_str(), "plural" | "kind") || !is_empty(value));
    for field in ["plural", "kind"] {
        names.entry(field).or_insert_with(|| "".into());
    }
    Outcome { accepted: Value::Object(names), conflict }
}

/// Short names are given together, or none of those that are new.
fn short_names(
    wanted: &Value,
    accepted: &Value,
    taken: &Taken<'_>,
    names: &mut Map<String, Value>,
) -> Option<(&'static str, String)> {
    let own: Vec<&str> = strings(accepted.get("shortNames")).collect();
    let used = strings(wanted.get("shortNames")).filter(|name| !own.contains(name) && taken.resources.contains(name));
    let sentences: Vec<String> = used.map(in_use).collect();
    match &sentences[..] {
        [] => {
            names.insert("shortNames".to_owned(), wanted.get("shortNames").cloned().unwrap_or_default());
            None
        }
        [one] => Some(("ShortNamesConflict", one.clone())),
        several => Some(("ShortNamesConflict", format!("[{}]", several.join(", ")))),
    }
}

impl Outcome {
    /// The condition that says whether all names were given.
    pub(crate) fn names_accepted(&self) -> Value {
        match &self.conflict {
            None => condition("NamesAccepted", "True", "NoConflicts", "no conflicts found"),
            Some((reason, message)) => condition("NamesAccepted", "False", reason, message),
        }
    }

    /// The condition that says whether the definition is served; once it is, it stays so.
    pub(crate) fn established(&self, is_established: bool) -> Option<Value> {
        match &self.conflict {
            _ if is_established => None,
            None => {
                Some(condition("Established", "True", "InitialNamesAccepted", "the initial names have been accepted"))
            }
            Some(_) => Some(condition("Established", "False", "NotAccepted", "not all names are accepted")),
        }
    }
}

fn condition(kind: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({"type": kind, "status": status, "reason": reason, "message": message})
}

fn in_use(name: &str) -> String {
    format!("\"{name}\" is already in use")
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || *value == "" || value.as_array().is_some_and(Vec::is_empty)
}

fn strings(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_or_left_by_itself() {
        let first =
            json!({"plural": "webs", "singular": "web", "kind": "Web", "listKind": "WebList", "shortNames": ["w"]});
        let mut taken = Taken::default();
        taken.add(&first);
        let wanted = json!({"plural": "sites", "singular": "web", "kind": "Web", "listKind": "SiteList", "shortNames": ["w", "s"]});
        let outcome = settle(&wanted, &Value::Null, &taken);
        assert_eq!(outcome.accepted, json!({"plural": "sites", "kind": "", "listKind": "SiteList"}));
        assert_eq!(outcome.names_accepted()["reason"], "KindConflict");
        assert_eq!(outcome.names_accepted()["message"], "\"Web\" is already in use");
        assert_eq!(outcome.established(false).unwrap()["status"], "False");
        assert!(outcome.established(true).is_none(), "what is served stays served");
    }

    #[test]
    fn what_a_definition_has_is_its_own() {
        let own =
            json!({"plural": "webs", "singular": "web", "kind": "Web", "listKind": "WebList", "shortNames": ["w"]});
        let mut taken = Taken::default();
        taken.add(&own);
        let outcome = settle(&own, &own, &taken);
        assert_eq!((&outcome.accepted, &outcome.names_accepted()["status"]), (&own, &json!("True")));
    }
}
