//! An object's JSON without `metadata.managedFields`.
//!
//! They are a third of a pod's bytes and half of what decoding it costs, and a controller reads them about never. The
//! value is replaced by `null`, so the object decodes as one that has none. `metadata` stands near the front; what
//! follows it is not looked at.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The same object without its managed fields; `None` if it has none, or is no object at all.
pub(super) fn without(json: &[u8]) -> Option<Vec<u8>> {
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
    let mut found = None;
    // It always ends with an error: there is no other way to stop in the middle of an object.
    let _ = serde_json::Deserializer::from_slice(json).deserialize_map(Until { key: "metadata", found: &mut found });
    let metadata: &RawValue = found?;
    let mut found = None;
    let _ = serde_json::Deserializer::from_str(metadata.get())
        .deserialize_map(Until { key: "managedFields", found: &mut found });
    let fields: &RawValue = found?;
    let start = fields.get().as_ptr().addr() - json.as_ptr().addr();
    Some(start..start + fields.get().len())
}

/// Goes over an object's fields up to `key`.
struct Until<'f, 'a> {
    key: &'static str,
    found: &'f mut Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Visitor<'a> for Until<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(name) = fields.next_key::<Name<'a>>()? {
            if name.0 == self.key {
                *self.found = Some(fields.next_value()?);
                return Err(A::Error::custom("the rest is not looked at"));
            }
            fields.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: Option<&str>) {
        let lean = without(json.as_bytes()).map(|lean| String::from_utf8(lean).unwrap());
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
            if let Some(lean) = without(&json[..end]) {
                assert!(lean.len() < json.len());
            }
        }
    }
}
