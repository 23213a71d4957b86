//! Objects that do not decode: metadata as it is, everything else of the wrong type.
//!
//! In: JSON that the server made. Out: JSON with one object spoiled. A client that reads heads still learns which object
//! it is; one that decodes the kind fails, whatever the kind.

use bytes::Bytes;
use serde_json::{Map, Value};

/// Spoils the object of a watch frame; `None` where the frame is a bookmark or an error.
pub(super) fn corrupt_frame(frame: &[u8]) -> Option<Bytes> {
    let mut event: Value = serde_json::from_slice(frame).ok()?;
    if !matches!(event["type"].as_str()?, "ADDED" | "MODIFIED" | "DELETED") {
        return None;
    }
    spoil(event.get_mut("object")?.as_object_mut()?);
    Some(format!("{event}\n").into())
}

/// Spoils the n-th object of a list, or an object that is no list; `None` where there is none.
pub(crate) fn corrupt_answer(body: &[u8], nth: usize) -> Option<Bytes> {
    let mut answer: Value = serde_json::from_slice(body).ok()?;
    if answer["kind"] == "Status" {
        return None;
    }
    match answer.get_mut("items") {
        Some(items) => spoil(items.get_mut(nth)?.as_object_mut()?),
        None => spoil(answer.as_object_mut()?),
    }
    Some(answer.to_string().into())
}

fn spoil(object: &mut Map<String, Value>) {
    for (field, value) in object.iter_mut() {
        if !matches!(field.as_str(), "apiVersion" | "kind" | "metadata") {
            *value = if value.is_string() { 0.into() } else { SPOILT.into() };
        }
    }
    for field in ["spec", "data", "status"] {
        object.entry(field).or_insert_with(|| SPOILT.into());
    }
}

/// No kind has a plain text in these places.
const SPOILT: &str = "undecodable";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_metadata_stays_and_the_rest_has_the_wrong_type() {
        let list = json!({"kind": "L", "items": [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}, "x": "t"}]});
        let spoilt: Value = serde_json::from_slice(&corrupt_answer(list.to_string().as_bytes(), 1).unwrap()).unwrap();
        assert_eq!(spoilt["items"][0], list["items"][0]);
        assert_eq!(spoilt["items"][1]["metadata"]["name"], "b");
        assert_eq!((&spoilt["items"][1]["x"], &spoilt["items"][1]["data"]), (&json!(0), &json!(SPOILT)));
        assert!(corrupt_answer(list.to_string().as_bytes(), 2).is_none());
        assert!(corrupt_frame(br#"{"type":"BOOKMARK","object":{}}"#).is_none());
    }
}
