//! Bodies: objects as they should be, objects with one thing wrong, and what is no object at all.

use serde_json::{Value, json};

use super::pick;
use crate::odd::kinds::Row;

/// The body of a request about a kind.
pub(super) fn body(random: &mut fastrand::Rng, method: &str, row: Row) -> Vec<u8> {
    if !matches!(method, "POST" | "PUT" | "PATCH" | "DELETE") && random.u8(..10) > 0 {
        return Vec::new();
    }
    if random.u8(..3) == 0 {
        return other(random, row);
    }
    match method {
        "PATCH" if random.bool() => pick(random, PATCHES).as_bytes().to_vec(),
        "DELETE" if random.bool() => pick(random, OPTIONS).as_bytes().to_vec(),
        "DELETE" if random.bool() => Vec::new(),
        _ => spoilt(random, row).to_string().into_bytes(),
    }
}

/// An object with at most one thing wrong.
fn spoilt(random: &mut fastrand::Rng, row: Row) -> Value {
    let mut object = row.object(pick(random, NAMES));
    let metadata = &mut object["metadata"];
    match random.u8(..48) {
        0 => object["kind"] = "Other".into(),
        1 => object["apiVersion"] = "other/v1".into(),
        2 => *metadata = json!({"name": "another"}),
        3 => metadata["namespace"] = "elsewhere".into(),
        4 => metadata["resourceVersion"] = "1".into(),
        5 => *metadata = json!({"generateName": "a-"}),
        6 => metadata["labels"] = json!({"a b": "c"}),
        7 => object["unknown"] = 1.into(),
        8 => metadata["uid"] = "no-such-uid".into(),
        9 => metadata["namespace"] = "odd".into(),
        10 => metadata["labels"] = json!({"a": 1}),
        11 => metadata["annotations"] = json!("text"),
        12 => metadata["finalizers"] = json!(["no slash"]),
        13 => metadata["ownerReferences"] = json!([{"name": "x"}]),
        14 => metadata["resourceVersion"] = "abc".into(),
        15 => metadata["creationTimestamp"] = "yesterday".into(),
        16 => metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z".into(),
        17 => metadata["managedFields"] = json!([{"manager": 1}]),
        18 => object["spec"] = json!("text"),
        19 => object["spec"] = json!([]),
        20 => object["spec"] = Value::Null,
        21 => *metadata = Value::Null,
        22 => *metadata = json!("text"),
        23 => object["kind"] = Value::Null,
        24 => object["apiVersion"] = 1.into(),
        25 => drop(object.as_object_mut().and_then(|object| object.remove("kind"))),
        26 => drop(object.as_object_mut().and_then(|object| object.remove("apiVersion"))),
        27 => drop(object.as_object_mut().and_then(|object| object.remove("metadata"))),
        28 => drop(object.as_object_mut().and_then(|object| object.remove("spec"))),
        29 => object["kind"] = format!("{}List", row.kind).into(),
        30 => object["apiVersion"] = "v9".into(),
        31 => object["status"] = json!({"nothing": true}),
        32 => object["status"] = json!(1),
        33 => metadata["generation"] = json!("x"),
        34 => metadata["name"] = json!(1),
        _ => {}
    }
    object
}

/// What is not the JSON of one object.
fn other(random: &mut fastrand::Rng, row: Row) -> Vec<u8> {
    let text = row.object("a").to_string();
    match random.u8(..24) {
        0 => vec![b' '; 200_000],
        // Over the limit of a body, by its white space or by what it holds.
        1 => vec![b' '; 3 * 1024 * 1024 + 1],
        2 if random.u8(..4) == 0 => format!("{{\"data\":\"{}\"}}", "x".repeat(3 * 1024 * 1024)).into_bytes(),
        3 => text.as_bytes()[..text.len() - 3].to_vec(),
        4 => format!("{text}{text}").into_bytes(),
        5 => format!("{text} and more").into_bytes(),
        6 => text.replacen("\"kind\"", "\"kind\":\"Other\",\"kind\"", 1).into_bytes(),
        7 => text.replacen("\"name\"", "\"name\":\"b\",\"name\"", 1).into_bytes(),
        8 => [b"{\"metadata\":{\"name\":\"a\",\"labels\":{\"a\":\"\xff\xfe\"}}}".as_slice(), b""].concat(),
        9 => b"k8s\0garbage".to_vec(),
        10 => b"k8s\0".to_vec(),
        // A protobuf envelope of a ConfigMap v1 that holds nothing.
        11 => b"k8s\0\n\x0f\n\x02v1\x12\tConfigMap\x12\0\x1a\0\"\0".to_vec(),
        12 => format!("apiVersion: {}\nkind: {}\nmetadata:\n  name: a\n", row.api_version(), row.kind).into_bytes(),
        13 => format!("\u{feff}{text}").into_bytes(),
        14 => format!("[{text}]").into_bytes(),
        15 => ["[".repeat(20_000), "]".repeat(20_000)].concat().into_bytes(),
        16 => text.to_uppercase().into_bytes(),
        17 => text.replace('"', "'").into_bytes(),
        _ => pick(random, BODIES).as_bytes().to_vec(),
    }
}

/// What deletes nothing.
pub(super) const DRY_RUN: &str = r#"{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}"#;

const NAMES: &[&str] = &["a", "a", "a", "a", "a", "missing", "Upper_Case", "a.b", "", "x y", "..", "new"];

const BODIES: &[&str] = &[
    "",
    "{",
    "null",
    "[]",
    "[{}]",
    "1",
    "true",
    "\"text\"",
    "{}",
    "kind: Nothing\n",
    "a: b: c\n",
    "- a\n- b\n",
    "---\na: b\n---\nc: d\n",
    "\u{0}",
    "\t",
    "{\"kind\":1}",
    "{\"metadata\":[]}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{a:1}",
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\"}",
    "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[]}",
];

/// Patches of each kind, of which one in four fits the media type.
const PATCHES: &[&str] = &[
    r#"[{"op":"add","path":"/metadata/labels","value":{"x":"y"}}]"#,
    r#"[{"op":"add","path":"/metadata/labels/x","value":"y"}]"#,
    r#"[{"op":"remove","path":"/nothing"}]"#,
    r#"[{"op":"test","path":"/metadata/name","value":"z"}]"#,
    r#"[{"op":"sideways","path":"/metadata"}]"#,
    r#"[{"op":"add"}]"#,
    r#"[{"op":"replace","path":"","value":null}]"#,
    r#"[{"op":"replace","path":"/metadata/name","value":"z"}]"#,
    r#"[{"op":"replace","path":"/kind","value":"Other"}]"#,
    r#"[1]"#,
    r#"{"metadata":{"labels":{"x":"y"}}}"#,
    r#"{"metadata":{"labels":{"x":1}}}"#,
    r#"{"metadata":{"labels":null}}"#,
    r#"{"metadata":{"name":"z"}}"#,
    r#"{"metadata":{"resourceVersion":"1"}}"#,
    r#"{"metadata":{"uid":"x"}}"#,
    r#"{"metadata":null}"#,
    r#"{"spec":null}"#,
    r#"{"spec":"text"}"#,
    r#"{"spec":{"nothing":1}}"#,
    r#"{"kind":"Other"}"#,
    r#"{"$patch":"replace"}"#,
    r#"{"$patch":"sideways"}"#,
    r#"{"metadata":{"finalizers":["a/b"],"$setElementOrder/finalizers":["a/b"]}}"#,
];

/// Bodies of a delete.
const OPTIONS: &[&str] = &[
    DRY_RUN,
    DRY_RUN,
    r#"{"dryRun":["All"]}"#,
    r#"{"dryRun":["Some"]}"#,
    r#"{"dryRun":"All"}"#,
    r#"{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1","dryRun":["All"]}"#,
    r#"{"kind":"DeleteOptions","apiVersion":"apps/v1","dryRun":["All"]}"#,
    r#"{"kind":"DeleteOptions","apiVersion":"other/v1","dryRun":["All"]}"#,
    r#"{"kind":"DeleteOptions","dryRun":["All"]}"#,
    r#"{"apiVersion":"v1","dryRun":["All"]}"#,
    r#"{"propagationPolicy":"Sideways","dryRun":["All"]}"#,
    r#"{"propagationPolicy":"Foreground","orphanDependents":true,"dryRun":["All"]}"#,
    r#"{"gracePeriodSeconds":-1,"dryRun":["All"]}"#,
    r#"{"gracePeriodSeconds":"soon"}"#,
    r#"{"preconditions":{"uid":"x"}}"#,
    r#"{"preconditions":{"resourceVersion":"1"}}"#,
    r#"{"preconditions":[]}"#,
    r#"{"unknown":1,"dryRun":["All"]}"#,
    r#"{"kind":"Pod","apiVersion":"v1"}"#,
];
