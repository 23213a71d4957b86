use std::collections::BTreeMap;
use std::fmt::Debug;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use serde_json::Value;
use serde_json::value::RawValue;

use super::*;

/// Shapes that the types of Kubernetes do not have, but those of programs may.
#[derive(Debug, Deserialize, PartialEq)]
struct Shapes {
    #[serde(default)]
    choice: Option<Choice>,
    #[serde(default)]
    by_number: BTreeMap<i32, u8>,
    #[serde(default)]
    by_choice: BTreeMap<Choice, f64>,
    #[serde(default)]
    pair: Option<(i8, char)>,
    #[serde(default)]
    wide: u128,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "lowercase")]
enum Choice {
    One,
    Some { of: String },
    Any(u64),
}

/// What is read here is what serde_json reads; `true` if it was read here.
fn agrees<T: DeserializeOwned + Debug + PartialEq>(text: &str) -> bool {
    let Ok(value) = read::<T>(text, ManagedFields::Read) else { return false };
    assert_eq!(value, serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}")), "{text}");
    true
}

const POD: &str = r#" {"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","annotations":{"quoted":"{\"a\":\"\\u00e9\"}","é":"ü"},
    "creationTimestamp":"2026-11-14T10:11:12Z","generation":3,"labels":{},"deletionGracePeriodSeconds":-30,
    "managedFields":[{"manager":"m","fieldsV1":{"f:a":{".":{},"k:{\"b\":1}":1.5e3}}}],"unknown":[{"x":[1.0,"]}",null]}]},
    "spec":{"containers":[{"name":"c","ports":[{"containerPort":80}],"livenessProbe":{"httpGet":{"port":8080}},
    "readinessProbe":{"httpGet":{"port":"http"}},"resources":{"limits":{"memory":"1Gi"}},"stdin":true,"tty":false}],"hostname":null},
    "status":{} }
"#;

const VALUES: [&str; 28] = [
    "null",
    "true",
    "false",
    "0",
    "-0",
    "-1",
    "7.0",
    "1e3",
    "123456789012345678",
    "1234567890123456789",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "-9223372036854775809",
    "01",
    "-",
    "1.",
    "\"\"",
    "\"é\\u00e9\\ud83d\\ude00\\n\"",
    "\"\\ud83d\"",
    "\"\n\"",
    "[]",
    "[ 1 , [] ]",
    "[1,]",
    "{}",
    "{ \"a\" : [ { } ] }",
    "{\"a\":1,}",
    "{\"a\" 1}",
];

#[test]
fn any_value_is_read_as_serde_json_reads_it() {
    for text in VALUES {
        for text in [text.to_owned(), format!(" [{text}]\n"), format!(r#"{{"a":{text},"b":[{text}]}}"#)] {
            assert_eq!(decode::<Value>(&text).ok(), serde_json::from_str(&text).ok(), "{text}");
            assert_eq!(decode::<f64>(&text).ok(), serde_json::from_str(&text).ok(), "{text}");
            assert_eq!(decode::<Vec<i64>>(&text).ok(), serde_json::from_str(&text).ok(), "{text}");
            assert_eq!(decode::<Option<u8>>(&text).ok(), serde_json::from_str(&text).ok(), "{text}");
            agrees::<Value>(&text);
        }
    }
}

#[test]
fn objects_of_a_cluster_are_not_declined() {
    assert!(agrees::<Pod>(POD) && agrees::<Value>(POD));
    assert!(agrees::<ConfigMap>(r#"{"metadata":{"name":"a"},"data":{"a":"1\n2"},"binaryData":{"b":"AAEC"}}"#));
}

/// Broken in every place, and in every way that matters to JSON.
#[test]
fn what_is_changed_anywhere_is_read_as_serde_json_reads_it_or_declined() {
    for at in 0..POD.trim_end().len() {
        if let Some(cut) = POD.get(..at) {
            assert!(!agrees::<Pod>(cut) && !agrees::<Value>(cut), "{cut}");
        }
        for byte in "\"\\{}[]:,0-.e ntaé\u{1}".chars() {
            let (Some(before), Some(behind)) = (POD.get(..at), POD.get(at + 1..)) else { continue };
            let changed = format!("{before}{byte}{behind}");
            agrees::<Value>(&changed);
            let inserted = format!("{before}{byte}{}", &POD[at..]);
            agrees::<Value>(&inserted);
        }
    }
}

#[test]
fn rare_shapes_are_read_too() {
    for text in [
        r#"{"choice":"one","by_number":{"-3":1},"extra":[1.5]}"#,
        r#"{"choice":{"some":{"of":"x"}},"by_choice":{"one":2,"\u006fne":1.25}}"#,
        r#"{"choice":{"any":7},"pair":[-1,"é"],"wide":340282366920938463463374607431768211455}"#,
        r#"{"choice":"none"}"#,
        r#"{"choice":"any"}"#,
        r#"{"pair":[1]}"#,
        r#"{"by_number":{"x":1}}"#,
    ] {
        let expected = serde_json::from_str::<Shapes>(text).map_err(|error| error.to_string());
        assert_eq!(decode::<Shapes>(text).map_err(|error| error.to_string()), expected, "{text}");
    }
    let raw: BTreeMap<String, Box<RawValue>> = decode(r#"{"a": {"b" : [1.0]} }"#).unwrap();
    assert_eq!(raw["a"].get(), r#"{"b" : [1.0]}"#);
}

#[test]
fn depth_has_the_limit_that_serde_json_has() {
    for depth in [1, 126, 127, 128, 129, 100_000] {
        let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(decode::<Value>(&text).is_ok(), depth <= 127, "{depth}");
        assert_eq!(agrees::<Value>(&text), depth <= 127, "{depth}");
    }
}

#[test]
fn errors_are_those_of_serde_json() {
    let text = r#"{"metadata":{"name":7}}"#;
    let expected = serde_json::from_str::<Pod>(text).unwrap_err().to_string();
    assert_eq!(decode::<Pod>(text).unwrap_err().to_string(), expected);
}

#[test]
fn only_the_managed_fields_of_the_metadata_are_skipped() {
    let text = r#"{"managedFields":[1],"metadata":{"labels":{"managedFields":"b"},"m\u0061nagedFields": [{"f":["]"]}] ,"uid":"u"},
        "spec":{"managedFields":[1],"metadata":{"managedFields":[1]}},"status":{"managedFields":2}}"#;
    let mut expected: Value = serde_json::from_str(text).unwrap();
    expected["metadata"]["managedFields"] = Value::Null;
    assert_eq!(decode_without_managed_fields(text), Some(expected));
    assert_eq!(decode_without_managed_fields::<Pod>(r#"{"metadata":{"name":7}}"#), None);
}
