//! Takes out of a recording what is different each time, and leaves what can be compared.
//!
//! | what | becomes | so that one still sees |
//! |---|---|---|
//! | uids, addresses, hashes, generated names | `uid1`, `ip1`, `hash1`, `web-<name1>` | which are the same |
//! | resourceVersion of an object | `rv1`, `rv2`, …, and their order at the end | which are the same, which is later |
//! | resourceVersion of a list, bookmark, token | `rv2+`: not before rv2, before what follows it | where it stands |
//! | times | `time`, or `time (changed)` within one object | whether a later answer has another |
//!
//! What stands in the script itself is never masked. Two recordings of one script are then the same, also on a server
//! where others write meanwhile: that is why the version of a list is placed between those of the objects.

mod text;
mod versions;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::exchange::{Answer, Body};
use crate::run::Recording;
use crate::script::Script;
use text::TextMask;
use versions::Versions;

/// Masks a recording in place, and says in which order the versions in it are.
pub(crate) fn mask(script: &Script, recording: &mut Recording) -> String {
    let mut versions = Versions::default();
    let mut text = TextMask::new(&script.text, &recording.namespace, &recording.passing);
    for exchange in &recording.exchanges {
        for value in exchange.whole.values() {
            learn(value, &mut versions, &mut text);
        }
    }
    let mut masker = Masker { script, versions, text, times: BTreeMap::new() };
    for exchange in &mut recording.exchanges {
        masker.answer(&mut exchange.answer);
    }
    masker.versions.order()
}

/// Finds the versions of objects and the names that a server made up, in the order in which they are printed.
fn learn(value: &Value, versions: &mut Versions, text: &mut TextMask) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| learn(value, versions, text)),
        Value::Object(map) => {
            if let (Some(base), Some(name)) = (string(map, "generateName"), string(map, "name")) {
                text.learn_name(base, name);
            }
            if let Some(version) = string(map, VERSION).filter(|_| is_object(map)) {
                versions.learn(version);
            }
            map.values().for_each(|value| learn(value, versions, text));
        }
        _ => {}
    }
}

struct Masker<'a> {
    script: &'a Script,
    versions: Versions,
    text: TextMask,
    /// The first time seen of each object and key.
    times: BTreeMap<(String, String), String>,
}

impl Masker<'_> {
    fn answer(&mut self, answer: &mut Answer) {
        let shown = &self.script.shows.headers;
        answer.headers.retain(|(name, _)| HEADERS.contains(&name.as_str()) || shown.contains(name));
        answer.headers.sort();
        for (_, value) in &mut answer.headers {
            *value = self.text.mask(value, &self.versions);
        }
        match &mut answer.body {
            Body::Json(values) => values.iter_mut().for_each(|value| self.value(value)),
            Body::Text(text) => *text = self.text.mask(text, &self.versions),
            Body::Nothing | Body::Bytes(_) => {}
        }
    }

    fn value(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text.mask(text, &self.versions),
            Value::Array(values) => values.iter_mut().for_each(|value| self.value(value)),
            Value::Object(map) => self.object(map),
            _ => {}
        }
    }

    fn object(&mut self, map: &mut Map<String, Value>) {
        if !self.script.shows.managed_fields {
            map.remove("managedFields");
        }
        let (uid, is_object) = (string(map, "uid").map(str::to_owned), is_object(map));
        let old = std::mem::take(map);
        for (key, mut value) in old {
            self.entry(&key, &mut value, uid.as_deref(), is_object);
            map.insert(self.text.mask(&key, &self.versions), value);
        }
        sort_what_has_no_order(map);
    }

    /// One value of an object, by its key where that says what it is.
    fn entry(&mut self, key: &str, value: &mut Value, uid: Option<&str>, is_object: bool) {
        if self.script.shows.hidden.iter().any(|hidden| hidden == key) {
            *value = Value::from("(hidden)");
            return;
        }
        let masked = match (key, &*value) {
            (VERSION, Value::String(version)) if is_object => self.versions.exact(version),
            (VERSION, Value::String(version)) => self.versions.place(version),
            ("continue", Value::String(token)) => self.text.token(token, &self.versions),
            ("creationTimestamp" | "deletionTimestamp", Value::String(time)) => {
                uid.map(|uid| self.time(uid, key, time))
            }
            ("nodePort", Value::Number(_)) => Some("port".to_owned()),
            ("cells", Value::Array(_)) => {
                mask_ages(value);
                None
            }
            _ => None,
        };
        match masked {
            Some(masked) => *value = Value::from(masked),
            None => self.value(value),
        }
    }

    /// Whole seconds show nothing about two objects, but an object's own must not change by itself.
    fn time(&mut self, uid: &str, key: &str, time: &str) -> String {
        let first = self.times.entry((uid.to_owned(), key.to_owned())).or_insert_with(|| time.to_owned());
        if first == time { "time".to_owned() } else { "time (changed)".to_owned() }
    }
}

/// Conflicts come in the order of a hash map, and managers in the order of seconds.
fn sort_what_has_no_order(map: &mut Map<String, Value>) {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    // A value that was picked has its pointer as key.
    for (_, managers) in map.iter_mut().filter(|(key, _)| key.ends_with("managedFields")) {
        let managers = managers.as_array_mut().map(Vec::as_mut_slice).unwrap_or_default();
        managers.sort_by_key(|entry| ["manager", "operation", "subresource", "apiVersion"].map(|key| text(entry, key)));
    }
    if let Some(Value::Array(causes)) = map.get_mut("causes")
        && causes.iter().all(|cause| cause["reason"] == "FieldManagerConflict")
    {
        causes.sort_by_key(|cause| [text(cause, "field"), text(cause, "message")]);
    }
}

/// The cells of a table say how old an object is, in seconds.
fn mask_ages(cells: &mut Value) {
    let is_age = |text: &str| text.strip_suffix('s').is_some_and(|number| number.parse::<u16>().is_ok());
    for cell in cells.as_array_mut().into_iter().flatten() {
        if cell.as_str().is_some_and(is_age) {
            *cell = Value::from("age");
        }
    }
}

/// Lists and bookmarks have a version and no name.
fn is_object(map: &Map<String, Value>) -> bool {
    map.contains_key("name") || map.contains_key("uid")
}

fn string<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    map.get(key).and_then(Value::as_str)
}

const VERSION: &str = "resourceVersion";

/// The headers that are always printed.
const HEADERS: [&str; 6] = ["allow", "content-type", "location", "retry-after", "warning", "www-authenticate"];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::exchange::Exchange;

    fn masked(values: &[Value]) -> (Vec<Value>, String) {
        let script = Script { text: "4711 2020-01-01T00:00:00Z".to_owned(), ..Script::default() };
        let exchange = |value: &Value| Exchange {
            answer: Answer { body: Body::Json(vec![value.clone()]), ..Answer::default() },
            whole: Body::Json(vec![value.clone()]),
            ..Exchange::default()
        };
        let exchanges = values.iter().map(exchange).collect();
        let mut recording = Recording { namespace: "sabcdefg".to_owned(), passing: Vec::new(), exchanges };
        let order = mask(&script, &mut recording);
        let values = recording.exchanges.iter().flat_map(|exchange| exchange.answer.body.values().to_vec());
        (values.collect(), order)
    }

    #[test]
    fn equality_and_order_of_versions_stay_visible() {
        let object = |name: &str, version: &str| json!({"metadata": {"name": name, "resourceVersion": version}});
        let list = |version: &str| json!({"metadata": {"resourceVersion": version}});
        let values =
            [object("a", "20"), object("b", "9"), object("a", "20"), list("9"), list("19"), list("5"), list("100")];
        let (values, order) = masked(&values);
        let versions: Vec<&str> =
            values.iter().filter_map(|value| value.pointer("/metadata/resourceVersion")?.as_str()).collect();
        assert_eq!(versions, ["rv1", "rv2", "rv1", "rv2+", "rv2+", "rv0+", "rv1+"]);
        assert_eq!(order, "rv2 < rv1");
    }

    #[test]
    fn what_differs_each_time_is_masked_and_the_scripts_own_words_are_not() {
        let uid = "0f8fad5b-d9cb-469f-a165-70867728950e";
        let (values, _) = masked(&[json!({
            "metadata": {"name": "web-x7k2p", "generateName": "web-", "uid": uid, "namespace": "sabcdefg",
                "creationTimestamp": "2026-11-15T10:00:00Z", "resourceVersion": "7"},
            "time": "2020-01-01T00:00:00Z",
            "message": format!("too old resource version: 4711 (7) of \"web-x7k2p\" {uid} in sabcdefg"),
        })]);
        assert_eq!(
            values[0],
            json!({
                "metadata": {"name": "web-<name1>", "generateName": "web-", "uid": "uid1", "namespace": "{{ns}}",
                    "creationTimestamp": "time", "resourceVersion": "rv1"},
                "time": "2020-01-01T00:00:00Z",
                "message": "too old resource version: 4711 (rv1+) of \"web-<name1>\" uid1 in {{ns}}",
            })
        );
    }

    #[test]
    fn a_time_that_changes_within_an_object_is_shown() {
        let object = |time: &str| json!({"uid": "u", "creationTimestamp": time});
        let (values, _) = masked(&[object("2026-11-15T10:00:00Z"), object("2026-11-15T10:00:01Z")]);
        assert_eq!(values[1]["creationTimestamp"], "time (changed)");
    }
}
