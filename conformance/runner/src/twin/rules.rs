//! By which rule two answers differ.
//!
//! In: what both servers answered in the course of one object. Out: for each step whether the answers are the same, and where
//! not, a rule in a line: a field and which side has it, a cause that one side lacks, or the words that are others. It names
//! no object, so that what has one reason becomes one group.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::manifests::Manifest;
use crate::answers;
use crate::exchange::{Answer, Body, Exchange};
use crate::mask::mask;
use crate::run::Recording;
use crate::script::{Script, Shows};
use crate::transcript::print_masked;

/// What was compared in one step.
pub(super) struct Step {
    pub(super) title: String,
    pub(super) difference: Option<Difference>,
}

/// How two answers differ.
pub(super) struct Difference {
    pub(super) rule: String,
    /// What both said there.
    pub(super) example: String,
}

/// Compares the recordings of one object: real Kubernetes' and the embedded server's.
pub(super) fn compare(manifest: &Manifest, is_custom: bool, mut kube: Recording, mut embedded: Recording) -> Vec<Step> {
    // What stands in the manifest is not masked.
    let script = Script {
        text: manifest.object.to_string(),
        shows: Shows { managed_fields: true, ..Shows::default() },
        ..Script::default()
    };
    let made = made_names(manifest);
    for recording in [&mut kube, &mut embedded] {
        recording.exchanges.iter_mut().for_each(|exchange| even_out(exchange, is_custom, made.as_ref()));
    }
    let transcripts = [&mut kube, &mut embedded].map(|recording| {
        let order = mask(&script, recording);
        print_masked("", recording, &order)
    });
    let compared = answers::compare(&transcripts[0], &transcripts[1]);
    let count = kube.exchanges.len().max(embedded.exchanges.len());
    let step = |index: usize| {
        let sides = [kube.exchanges.get(index), embedded.exchanges.get(index)];
        let title = sides.into_iter().flatten().next().map(|exchange| exchange.title.clone()).unwrap_or_default();
        let is_same = compared.get(index).is_some_and(|compared| compared.is_same);
        Step { title, difference: (!is_same).then(|| difference(sides)) }
    };
    (0..count).map(step).collect()
}

/// Takes out what is another on purpose: what columns of built-in kinds are described with, which is not repeated; and how the
/// program is called that real Kubernetes is built into here. And what is random: names that a refusal repeats, and in which
/// order several mistakes of what is applied are listed, and how many of them, where one is an unknown field.
fn even_out(exchange: &mut Exchange, is_custom: bool, made: Option<&Regex>) {
    let Body::Json(values) = &mut exchange.answer.body else { return };
    for value in values {
        if let Some(Value::String(message)) = value.get_mut("message") {
            if let Some((head, _)) = message.split_once("): ").filter(|_| message.contains(UNDECLARED)) {
                *message = format!("{head}): … {UNDECLARED} …");
            } else if let Some((head, list)) = message.split_once("errors:\n") {
                let mut lines: Vec<&str> = list.lines().collect();
                lines.sort_unstable();
                *message = format!("{head}errors:\n{}", lines.join("\n"));
            }
        }
        if let Some(made) = made {
            for place in ["/message", "/details/name"] {
                if let Some(Value::String(text)) = value.pointer_mut(place) {
                    *text = made.replace_all(text, "${base}<name>").into_owned();
                }
            }
        }
        for column in value.get_mut("columnDefinitions").and_then(Value::as_array_mut).into_iter().flatten() {
            column["description"] = Value::Null;
        }
        name_the_server(value);
        forget_the_order_of_conditions(value);
        if is_custom {
            forget_the_order_of_causes(value);
        } else {
            forget_the_order_of_quantities(value);
        }
    }
}

/// In whatever object of an answer: itself, that of an event, or those of the rows of a table.
fn name_the_server(value: &mut Value) {
    if let Some(managers) = value.pointer_mut("/metadata/managedFields").and_then(Value::as_array_mut) {
        managers.iter_mut().filter(|entry| entry["manager"] == "kube").for_each(|entry| {
            entry["manager"] = Value::from("kube-apiserver");
        });
    }
    value.get_mut("object").into_iter().for_each(name_the_server);
    value.get_mut("rows").and_then(Value::as_array_mut).into_iter().flatten().for_each(name_the_server);
}

/// The conditions of a definition have the order in which real Kubernetes' controllers came to write them.
fn forget_the_order_of_conditions(value: &mut Value) {
    if value["kind"] == "CustomResourceDefinition"
        && let Some(conditions) = value.pointer_mut("/status/conditions").and_then(Value::as_array_mut)
    {
        conditions.sort_by_cached_key(|condition| condition["type"].to_string());
    }
    value.get_mut("object").into_iter().for_each(forget_the_order_of_conditions);
}

/// What a schema refuses, real Kubernetes lists in the order of a hash map.
fn forget_the_order_of_causes(value: &mut Value) {
    let Some(causes) = value.pointer_mut("/details/causes").and_then(Value::as_array_mut) else { return };
    causes.sort_by_cached_key(Value::to_string);
    leave_causes_out_of_the_message(value);
}

/// Requests and limits of a container are a hash map, too, in whose order real Kubernetes lists what is wrong with them.
fn forget_the_order_of_quantities(value: &mut Value) {
    let Some(causes) = value.pointer_mut("/details/causes").and_then(Value::as_array_mut) else { return };
    let is_of_quantities = |cause: &Value| cause["field"].as_str().is_some_and(|field| field.contains(".resources."));
    let mut is_random = false;
    for run in causes.chunk_by_mut(|one, next| is_of_quantities(one) && is_of_quantities(next)) {
        run.sort_by_cached_key(Value::to_string);
        is_random |= run.len() > 1;
    }
    if is_random {
        leave_causes_out_of_the_message(value);
    }
}

fn leave_causes_out_of_the_message(value: &mut Value) {
    if let Some(Value::String(message)) = value.get_mut("message")
        && let Some((head, _)) = message.split_once(" is invalid: [")
    {
        *message = format!("{head} is invalid: […]");
    }
}

/// The names that a server makes for a manifest without one.
fn made_names(manifest: &Manifest) -> Option<Regex> {
    let base = manifest.text("/metadata/generateName");
    (!base.is_empty()).then(|| pattern(&format!("(?<base>{})[a-z0-9]{{5}}", regex::escape(base))))
}

fn difference(sides: [Option<&Exchange>; 2]) -> Difference {
    let [Some(kube), Some(embedded)] = sides.map(|side| side.map(|exchange| &exchange.answer)) else {
        return Difference { rule: "one side has a step more".to_owned(), example: String::new() };
    };
    let statuses = (kube.status, embedded.status);
    if statuses.0 != statuses.1 {
        let rule = format!(
            "status {} instead of {}: {}",
            code(embedded),
            code(kube),
            words(if is_refusal(kube) { kube } else { embedded })
        );
        return Difference { rule, example: both(&message(kube), &message(embedded)) };
    }
    let [kube_warning, embedded_warning] = [kube, embedded].map(warning);
    if kube_warning != embedded_warning {
        return Difference {
            rule: format!("warnings: {}", sides_of(&kube_warning, &embedded_warning)),
            example: both(&kube_warning, &embedded_warning),
        };
    }
    if is_refusal(kube) {
        return refusal(kube, embedded);
    }
    let [kube_body, embedded_body] = [kube, embedded].map(|answer| Value::from(answer.body.values().to_vec()));
    let mut found = Vec::new();
    walk("", &kube_body, &embedded_body, &mut found);
    match found.into_iter().next() {
        Some((rule, example)) => Difference { rule, example },
        None => Difference {
            rule: "headers, versions or order".to_owned(),
            example: both(&format!("{:?}", kube.headers), &format!("{:?}", embedded.headers)),
        },
    }
}

/// Two refusals of the same code: causes that one side lacks, or other words.
fn refusal(kube: &Answer, embedded: &Answer) -> Difference {
    let [kube_causes, embedded_causes] = [kube, embedded].map(causes);
    let lacks = |these: &BTreeSet<String>, those: &BTreeSet<String>| these.difference(those).next().cloned();
    let rule = match (lacks(&kube_causes, &embedded_causes), lacks(&embedded_causes, &kube_causes)) {
        (Some(missing), _) => format!("cause missing: {missing}"),
        (None, Some(extra)) => format!("cause too many: {extra}"),
        (None, None) => format!("message: {}", words(kube)),
    };
    Difference { rule, example: both(&message(kube), &message(embedded)) }
}

fn causes(answer: &Answer) -> BTreeSet<String> {
    let causes =
        answer.body.pointer("/details/causes").and_then(|causes| causes.as_array().cloned()).unwrap_or_default();
    let text = |cause: &Value, key: &str| cause[key].as_str().unwrap_or_default().to_owned();
    causes
        .iter()
        .map(|cause| {
            general(&format!("{} {}: {}", text(cause, "reason"), text(cause, "field"), text(cause, "message")))
        })
        .collect()
}

/// The first place where two values differ, and all others, in the order of keys.
fn walk(path: &str, kube: &Value, embedded: &Value, found: &mut Vec<(String, String)>) {
    match (kube, embedded) {
        (Value::Object(left), Value::Object(right)) => {
            let keys: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
            for key in keys {
                let place = format!("{path}.{}", general_key(key));
                match (left.get(key), right.get(key)) {
                    (Some(left), Some(right)) => walk(&place, left, right, found),
                    (Some(left), None) => found.push((format!("{place} is missing"), left.to_string())),
                    (None, Some(right)) => found.push((format!("{place} is too many"), right.to_string())),
                    (None, None) => {}
                }
            }
        }
        (Value::Array(left), Value::Array(right)) => {
            if left.len() != right.len() {
                let rule = format!("{path}[] has {} items", if left.len() > right.len() { "fewer" } else { "more" });
                found.push((rule, both(&kube.to_string(), &embedded.to_string())));
            }
            for (left, right) in left.iter().zip(right) {
                walk(&format!("{path}[]"), left, right, found);
            }
        }
        _ if numberless(&kube.to_string()) == numberless(&embedded.to_string()) => {}
        _ => found.push((format!("{path} has another value"), both(&kube.to_string(), &embedded.to_string()))),
    }
}

fn both(kube: &str, embedded: &str) -> String {
    format!("kube      {}\nembedded  {}", shortened(kube), shortened(embedded))
}

fn shortened(text: &str) -> String {
    text.chars().take(SHOWN).collect::<String>().replace('\n', "\n          ")
}

fn code(answer: &Answer) -> String {
    answer.status.map_or_else(|| "none".to_owned(), |status| status.to_string())
}

fn is_refusal(answer: &Answer) -> bool {
    answer.status.is_some_and(|status| status >= 400)
}

fn message(answer: &Answer) -> String {
    let message = answer.body.pointer("/message").and_then(|message| message.as_str().map(str::to_owned));
    message.unwrap_or_else(|| if is_refusal(answer) { format!("{:?}", answer.body) } else { "(accepted)".to_owned() })
}

/// What a refusal says, without the names in it.
fn words(answer: &Answer) -> String {
    let causes = causes(answer);
    causes.into_iter().next().unwrap_or_else(|| general(&message(answer)))
}

fn warning(answer: &Answer) -> String {
    answer.headers.iter().find(|(name, _)| name == "warning").map(|(_, value)| value.clone()).unwrap_or_default()
}

/// The first warning that only one side has.
fn sides_of(kube: &str, embedded: &str) -> String {
    let lacks =
        |these: &str, those: &str| these.lines().find(|line| !those.lines().any(|other| other == *line)).map(general);
    match (lacks(kube, embedded), lacks(embedded, kube)) {
        (Some(missing), _) => format!("missing {missing}"),
        (None, Some(extra)) => format!("too many {extra}"),
        (None, None) => "another order or number".to_owned(),
    }
}

/// Text without what belongs to one object alone: quoted words, keys, places in lists, and whole values.
fn general(text: &str) -> String {
    let text = QUOTED.replace_all(text, "\"…\"");
    let text = BRACKETS.replace_all(&text, "[]");
    let text = BRACES.replace_all(&text, "{…}");
    numberless(&text).chars().take(RULE_MAX).collect()
}

fn general_key(key: &str) -> String {
    match key.split_once(':') {
        Some((sort @ ("k" | "v" | "i"), _)) => format!("{sort}:…"),
        _ => key.to_owned(),
    }
}

fn numberless(text: &str) -> String {
    NUMBERED.replace_all(text, "$kind").into_owned()
}

static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern(r#""([^"\\]|\\.)*"?"#));
static BRACKETS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[[^\]]*\]"));
static BRACES: LazyLock<Regex> = LazyLock::new(|| pattern(r"\{.*\}"));
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?-u:\b)(?<kind>rv|uid|hash|ip|name)[0-9]+(?-u:\b)\+?"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is written here")
}

/// Where real Kubernetes finds this it stops, in a map that it walks in another order each time.
const UNDECLARED: &str = "field not declared in schema";

/// Some lines: enough to see what is meant.
const SHOWN: usize = 900;

/// One line.
const RULE_MAX: usize = 160;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refusal_of(fields: &[&str]) -> Value {
        let causes: Vec<Value> = fields.iter().map(|field| json!({"field": field, "message": "wrong"})).collect();
        let message = format!("Pod \"a\" is invalid: [{}]", fields.join(": wrong, "));
        let mut value = json!({"message": message, "details": {"causes": causes}});
        forget_the_order_of_quantities(&mut value);
        value
    }

    #[test]
    fn only_the_order_of_what_is_wrong_with_quantities_is_forgotten() {
        let [cpu, memory] =
            ["spec.containers[0].resources.requests[cpu]", "spec.containers[0].resources.requests[memory]"];
        assert_eq!(refusal_of(&["spec.a", cpu, memory, "spec.b"]), refusal_of(&["spec.a", memory, cpu, "spec.b"]));
        assert_ne!(refusal_of(&["spec.a", cpu, memory, "spec.b"]), refusal_of(&["spec.b", cpu, memory, "spec.a"]));
        assert_ne!(refusal_of(&[cpu, "spec.a", memory]), refusal_of(&[memory, "spec.a", cpu]));
        assert_ne!(refusal_of(&["spec.a", cpu]), refusal_of(&["spec.b", cpu]));
    }
}
