//! Kubernetes' protobuf from anywhere: it decodes or is refused, and what decodes is stable.
//!
//! An input is a body in its envelope. For every input: no panic, no endless work; if it becomes JSON, that JSON becomes
//! protobuf, and that protobuf becomes the very same JSON again; and a typed decode succeeds exactly where the JSON's
//! does, with an equal object, to the last bit of every number.

use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret, Service};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use pintle_wire::protobuf::{self, Envelope};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::target::{Print, Target};

pub(crate) fn target() -> Target {
    Target {
        name: "protobuf",
        claim: "protobuf decodes as its JSON does, into types and to JSON and back, or is refused",
        seeds,
        words: WORDS,
        run,
    }
}

const WORDS: &[&str] = &[
    "k8s\0",
    "v1",
    "Pod",
    "Secret",
    "Service",
    "ConfigMap",
    "Status",
    "{}",
    "null",
    "[1]",
    "\"x\"",
    "\u{a}\0",
    "\u{12}\0",
    "\u{1a}\0",
    "\u{8}\u{1}",
    "\u{7f}",
    "2026-01-01T00:00:00Z",
];

fn seeds() -> Vec<Vec<u8>> {
    [
        r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","labels":{"l":"v"},"managedFields":[{"fieldsV1":{"f":{}}}]},
        "spec":{"containers":[{"name":"c","livenessProbe":{"httpGet":{"port":"web"}},"resources":{"limits":{"cpu":"1"}}}],
        "volumes":[{"name":"v","emptyDir":{}}],"hostNetwork":true},"status":{"startTime":"2026-01-01T00:00:00Z"}}"#,
        r#"{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s"},"data":{"k":"AAECAw=="}}"#,
        r#"{"kind":"Service","apiVersion":"v1","spec":{"ports":[{"port":80,"targetPort":8080}]}}"#,
        r#"{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","spec":{"group":"g","names":{"kind":"K","plural":"p"},
        "scope":"Cluster","versions":[{"name":"v","schema":{"openAPIV3Schema":{"items":[{"not":{}}],"additionalProperties":true,
        "default":{"a":1},"enum":[1,null],"dependencies":{"a":["b"]},"maximum":1.5}}}]}}"#,
        r#"{"kind":"Status","apiVersion":"v1","status":"Failure","code":410,"details":{"causes":[{"reason":"r"}]}}"#,
    ]
    .map(|json| protobuf::from_json(json.as_bytes()).expect("the seed is of a known kind"))
    .into()
}

fn run(input: &[u8]) -> Print {
    let Ok(json) = protobuf::to_json(input) else {
        return Print::of(Envelope::open(input).is_ok());
    };
    let envelope = Envelope::open(input).expect("it became JSON");
    // Times beyond year 9999, texts that are not quantities and so on are let through. What we encode has every message
    // that Go always writes, so it is compared from then on: it stays what it is.
    if let Ok(encoded) = protobuf::from_json(&json) {
        let json = protobuf::to_json(&encoded).expect("it was just encoded");
        let encoded_again = protobuf::from_json(&json).expect("it was just decoded");
        let json_again = protobuf::to_json(&encoded_again).expect("it was just encoded");
        let (one, other): (Value, Value) = (parse(&json), parse(&json_again));
        assert_eq!(one, other, "first this, then that");
    }
    let typed = match envelope.kind {
        "Pod" => same::<Pod>(input, &json),
        "Secret" => same::<Secret>(input, &json),
        "ConfigMap" => same::<ConfigMap>(input, &json),
        "Service" => same::<Service>(input, &json),
        "CustomResourceDefinition" => same::<CustomResourceDefinition>(input, &json),
        _ => false,
    };
    Print::of((
        envelope.kind.len() % 32,
        typed,
        json.len().ilog2(),
        json.iter().filter(|byte| **byte == b'{').count().min(40),
    ))
}

fn parse(json: &[u8]) -> Value {
    serde_json::from_slice(json).expect("what is written as JSON is JSON")
}

/// Whether it is a `K`, by protobuf and by JSON alike.
fn same<K: DeserializeOwned + Serialize>(body: &[u8], json: &[u8]) -> bool {
    match (protobuf::decode::<K>(body), serde_json::from_slice::<K>(json)) {
        (Ok(one), Ok(other)) => {
            let (one, other) = (value(&one), value(&other));
            assert_eq!(one, other, "protobuf says this, JSON that");
            true
        }
        (Err(_), Err(_)) => false,
        (one, other) => panic!("protobuf says {}, JSON {}", one.is_ok(), other.is_ok()),
    }
}

fn value<K: Serialize>(object: &K) -> Value {
    serde_json::to_value(object).expect("what was decoded can be written")
}
