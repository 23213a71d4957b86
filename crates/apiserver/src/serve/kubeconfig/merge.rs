//! One more cluster in a user's own kubeconfig.
//!
//! In: the text of their kubeconfig, and ours. Out: theirs with the entries called as ours is added or replaced. All other
//! entries, unknown fields and the current context stay; comments do not, as with `kubectl config`.

use serde_json::{Map, Value, json};

use crate::codec::yaml;

/// What is to be written.
#[derive(Debug, PartialEq)]
pub(super) enum Merged {
    /// There was nothing but our own entries: ours may take its place.
    Ours,
    /// Theirs, with our entries.
    Theirs {
        text: String,
        /// Whether our context is the current one.
        is_current: bool,
    },
}

/// The three lists whose entries have names.
const LISTS: [&str; 3] = ["clusters", "contexts", "users"];

/// Puts the entries of `ours` into `theirs`.
pub(super) fn merge(theirs: &str, ours: &str) -> Result<Merged, String> {
    if theirs.trim().is_empty() {
        return Ok(Merged::Ours);
    }
    let (mut merged, ours) = (kubeconfig(theirs)?, kubeconfig(ours)?);
    let name = current(&ours);
    if is_ours(&merged, name) {
        return Ok(Merged::Ours);
    }
    for list in LISTS {
        put(&mut merged, list, entry(&ours, list))?;
    }
    merged.entry("apiVersion").or_insert_with(|| json!("v1"));
    merged.entry("kind").or_insert_with(|| json!("Config"));
    if current(&merged).is_empty() {
        merged.insert("current-context".to_owned(), json!(name));
    }
    let is_current = current(&merged) == name;
    let merged = Value::Object(merged);
    let text = yaml::print(&merged);
    // Whatever a text may hold that this printer does not know: what is written reads as what was meant, or is not
    // written.
    if kubeconfig(&text).map(Value::Object) == Ok(merged) {
        Ok(Merged::Theirs { text, is_current })
    } else {
        Err("it cannot be written again without changing it".to_owned())
    }
}

fn kubeconfig(text: &str) -> Result<Map<String, Value>, String> {
    let mut documents = yaml::documents(text).map_err(|error| format!("it is not YAML: {error}"))?;
    let kubeconfig = match (documents.pop(), documents.is_empty()) {
        (Some(Value::Object(fields)), true) => fields,
        (Some(Value::Null) | None, true) => Map::new(),
        (_, true) => return Err("it is not a kubeconfig: it has no fields".to_owned()),
        (_, false) => return Err("it has several documents, and kubectl would read one of them".to_owned()),
    };
    match kubeconfig.get("kind") {
        None | Some(Value::Null) => Ok(kubeconfig),
        Some(kind) if kind == "Config" => Ok(kubeconfig),
        Some(kind) => Err(format!("it is not a kubeconfig: its kind is {kind}")),
    }
}

/// Whether there is nothing in it but what a server of ours has written.
fn is_ours(kubeconfig: &Map<String, Value>, name: &str) -> bool {
    let has_entry = LISTS.iter().any(|list| kubeconfig.contains_key(*list));
    has_entry
        && kubeconfig.iter().all(|(field, value)| match field.as_str() {
            "apiVersion" | "kind" => true,
            "current-context" => value == name,
            list if LISTS.contains(&list) => {
                value.as_array().is_some_and(|entries| entries.iter().all(|entry| entry["name"] == name))
            }
            _ => false,
        })
}

fn entry(kubeconfig: &Map<String, Value>, list: &str) -> Value {
    let entries = kubeconfig.get(list).and_then(Value::as_array);
    entries.and_then(|entries| entries.first()).cloned().expect("a kubeconfig of ours has one entry in each list")
}

fn put(kubeconfig: &mut Map<String, Value>, list: &str, ours: Value) -> Result<(), String> {
    let entries = kubeconfig.entry(list).or_insert(Value::Null);
    if entries.is_null() {
        *entries = json!([]);
    }
    let Some(entries) = entries.as_array_mut() else { return Err(format!("its field {list} is not a list")) };
    match entries.iter_mut().find(|entry| entry["name"] == ours["name"]) {
        Some(old) => *old = ours,
        None => entries.push(ours),
    }
    Ok(())
}

fn current(kubeconfig: &Map<String, Value>) -> &str {
    kubeconfig.get("current-context").and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::NAME;
    use super::*;

    const OURS: &str = "apiVersion: v1\nkind: Config\nclusters:\n- name: pintle\n  cluster:\n    server: https://127.0.0.1:1\n\
        users:\n- name: pintle\n  user:\n    token: \"t\"\ncontexts:\n- name: pintle\n  context:\n    cluster: pintle\n\
        \x20   user: pintle\n    namespace: default\ncurrent-context: pintle\n";

    fn merged(theirs: &str) -> (Value, bool) {
        match merge(theirs, OURS).unwrap() {
            Merged::Theirs { text, is_current } => (Value::Object(kubeconfig(&text).unwrap()), is_current),
            Merged::Ours => panic!("{theirs:?} is taken for ours"),
        }
    }

    #[test]
    fn other_entries_unknown_fields_and_the_current_context_are_kept() {
        let theirs = "apiVersion: v1\nkind: Config\npreferences: {}\nnew-field: {deep: [1, '01', yes-no, 'yes', ~]}\n\
            clusters:\n- name: work\n  cluster: {server: 'https://work:6443', extra: 7}\n\
            users:\n- name: me\n  user: {token: '0123', exec: {command: x, env: null}}\n\
            contexts:\n- {name: work, context: {cluster: work, user: me}}\ncurrent-context: work\n";
        let before = Value::Object(kubeconfig(theirs).unwrap());
        let (mut after, is_current) = merged(theirs);
        assert!(!is_current);
        for list in LISTS {
            let entries = after[list].as_array_mut().unwrap();
            assert_eq!(entries.len(), 2);
            assert_eq!(entries.pop().unwrap()["name"], NAME);
        }
        assert_eq!(after, before);
    }

    #[test]
    fn entries_of_an_earlier_server_are_replaced_where_they_stand() {
        let theirs = "clusters:\n- name: pintle\n  cluster: {server: 'https://127.0.0.1:9'}\n- name: work\n  cluster: {}\n\
            current-context: pintle\n";
        let (after, is_current) = merged(theirs);
        assert!(is_current, "it was the current one, and stays so");
        assert_eq!(after["clusters"][0]["cluster"]["server"], "https://127.0.0.1:1");
        assert_eq!((&after["clusters"][1]["name"], after["clusters"][2].is_null()), (&json!("work"), true));
        assert_eq!((&after["kind"], &after["users"][0]["user"]["token"]), (&json!("Config"), &json!("t")));
    }

    #[test]
    fn without_a_current_context_ours_becomes_it() {
        for theirs in
            ["clusters: null\nusers: []\npreferences: {}\n", "current-context: ''\nclusters:\n- {name: work}\n"]
        {
            let (after, is_current) = merged(theirs);
            assert!(is_current && after["current-context"] == NAME, "{theirs}");
        }
    }

    #[test]
    fn what_holds_nothing_but_ours_is_ours() {
        for theirs in ["", " \n", OURS] {
            assert_eq!(merge(theirs, OURS), Ok(Merged::Ours), "{theirs:?}");
        }
        for theirs in ["# mine\n", "apiVersion: v1\nkind: Config\n"] {
            assert!(matches!(merge(theirs, OURS), Ok(Merged::Theirs { .. })), "{theirs:?}");
        }
    }

    #[test]
    fn what_is_not_a_kubeconfig_is_left_alone_and_said_so() {
        for (theirs, why) in [
            ("a: [", "not YAML"),
            ("just a text", "no fields"),
            ("[1, 2]", "no fields"),
            ("apiVersion: v1\nkind: Pod\n", "its kind is \"Pod\""),
            ("clusters: {}\nusers: []\nx: y\n", "clusters is not a list"),
            ("a: 1\n---\nb: 2\n", "several documents"),
        ] {
            let error = merge(theirs, OURS).unwrap_err();
            assert!(error.contains(why), "{theirs:?}: {error}");
        }
    }
}
