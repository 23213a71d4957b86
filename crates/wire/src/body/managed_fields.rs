//! An object without `metadata.managedFields`.
//!
//! They are a third of a pod's bytes and half of what decoding it costs, and a controller reads them about never. In
//! JSON the value is replaced by `null`, so the object decodes as one that has none; in protobuf the field is left out.
//! `metadata` stands near the front; what follows it is not looked at.

use std::ops::Range;

use super::{Body, Encoding};
use crate::protobuf::read::take_field;
use crate::protobuf::write::put_bytes;
use crate::scan::Fields;

/// The same object without its managed fields; `None` if it has none, or is not an object at all.
pub(super) fn without(body: Body<'_>) -> Option<Vec<u8>> {
    match body.encoding() {
        Encoding::Json => without_in_json(body.bytes()),
        Encoding::Protobuf(_) => without_in_protobuf(body.bytes()),
    }
}

/// The number of `metadata` in every object, and of `managedFields` there.
const METADATA: u32 = 1;
const MANAGED_FIELDS: u32 = 17;

fn without_in_protobuf(message: &[u8]) -> Option<Vec<u8>> {
    let mut rest = message;
    loop {
        let before = message.len() - rest.len();
        let (number, wire) = take_field(&mut rest).ok()??;
        if number != METADATA {
            continue;
        }
        let metadata = without_field(wire.bytes(), MANAGED_FIELDS)?;
        let mut lean = Vec::with_capacity(message.len());
        lean.extend_from_slice(&message[..before]);
        put_bytes(&mut lean, 1, &metadata);
        lean.extend_from_slice(rest);
        return Some(lean);
    }
}

/// A message without the fields of this number; `None` if it has none.
fn without_field(message: &[u8], number: u32) -> Option<Vec<u8>> {
    let mut lean = Vec::with_capacity(message.len());
    let mut rest = message;
    loop {
        let before = rest;
        let Some((found, _)) = take_field(&mut rest).ok()? else { break };
        if found != number {
            lean.extend_from_slice(&before[..before.len() - rest.len()]);
        }
    }
    (lean.len() < message.len()).then_some(lean)
}

fn without_in_json(json: &[u8]) -> Option<Vec<u8>> {
    let span = find(json)?;
    let mut lean = Vec::with_capacity(json.len() - span.len() + NOTHING.len());
    lean.extend_from_slice(&json[..span.start]);
    lean.extend_from_slice(NOTHING);
    lean.extend_from_slice(&json[span.end..]);
    Some(lean)
}

const NOTHING: &[u8] = b"null";

/// Where the managed fields stand.
fn find(json: &[u8]) -> Option<Range<usize>> {
    let mut metadata = Fields::of(json).ok()?.enter(b"metadata").ok()??;
    while let Some(field) = metadata.next_field().ok()? {
        if *field.name == *b"managedFields" {
            return Some(field.start..field.start + field.value.len());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{facts, protobuf};

    fn check(json: &str, expected: Option<&str>) {
        let lean = without_in_json(json.as_bytes()).map(|lean| String::from_utf8(lean).unwrap());
        assert_eq!(lean.as_deref(), expected, "{json}");
    }

    #[test]
    fn only_the_managed_fields_of_the_metadata_go() {
        check(r#"{"metadata":{"name":"a"}}"#, None);
        check(r#"{"spec":{"managedFields":[1]}}"#, None);
        check(r#"{"spec":{"metadata":{"managedFields":[1]}},"metadata":{"name":"a"}}"#, None);
        check("[1]", None);
        check(r#"{"metadata":7}"#, None);
        check(
            r#"{"spec":{"managedFields":[1]},"metadata":{"labels":{"managedFields":"b"},"managedFields": [{"f":["]"]}] ,"uid":"u"},"x":1}"#,
            Some(
                r#"{"spec":{"managedFields":[1]},"metadata":{"labels":{"managedFields":"b"},"managedFields": null ,"uid":"u"},"x":1}"#,
            ),
        );
    }

    #[test]
    fn every_cut_of_a_document_is_survived() {
        let json = br#"{"kind":"P","metadata":{"name":"a","managedFields":[{"manager":"m\"]"}]},"spec":{}}"#;
        for end in 0..json.len() {
            if let Some(lean) = without_in_json(&json[..end]) {
                assert!(lean.len() < json.len());
            }
        }
    }

    #[test]
    fn protobuf_without_them_is_what_json_without_them_would_be() {
        let kind = facts::kind_of("v1", "Pod").unwrap();
        let message = |json: &str| protobuf::message_from_json(kind, json.as_bytes()).unwrap();
        let full = message(
            r#"{"metadata":{"name":"a","managedFields":[{"manager":"m"},{"manager":"n"}],"labels":{"a":"b"}},"spec":{"nodeName":"x"}}"#,
        );
        let lean = message(r#"{"metadata":{"name":"a","labels":{"a":"b"}},"spec":{"nodeName":"x"}}"#);
        assert_eq!(without(Body::protobuf(kind, &full)), Some(lean.clone()));
        assert_eq!(without(Body::protobuf(kind, &lean)), None);
        for end in 0..full.len() {
            let _ = without(Body::protobuf(kind, &full[..end]));
        }
        let metadata = facts::named("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta").unwrap();
        assert_eq!(u32::from(metadata.field("managedFields").unwrap().number()), MANAGED_FIELDS);
    }
}
