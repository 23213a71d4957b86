//! Which object of a list it was that could not be decoded.
//!
//! Asked after the failure only, so the list is gone over once more: its objects are cut out, and the one that the error
//! points into is known by its head. Where the head itself is broken, it stays unknown.

use pintle_wire::{Body, BodyError, CutError, Cutter, HeadReader, Limits, MediaType};

/// The name of the object in `body` that could not be decoded, if it is a list and that can be found out.
pub(super) fn undecodable(body: &[u8], error: &BodyError) -> Option<String> {
    match error {
        BodyError::Json(error) => {
            let at = offset(body, error)?;
            find(body, MediaType::Json, |item| {
                // The cutter gives out parts of the one chunk it got.
                let start = item.bytes().as_ptr().addr() - body.as_ptr().addr();
                (start + 1..=start + item.bytes().len()).contains(&at)
            })
        }
        // There is no place in this error, so it is the first that cannot be read at all.
        _ => find(body, MediaType::Protobuf, |item| item.to_json().is_none()),
    }
}

fn find(body: &[u8], media_type: MediaType, is_it: impl Fn(Body<'_>) -> bool) -> Option<String> {
    let mut found = None;
    let mut on_item = |item: Body<'_>| -> Result<(), CutError> {
        if found.is_none() && is_it(item) {
            found = Some(name_of(item));
        }
        Ok(())
    };
    // What cannot be cut is not a list, or breaks off behind the object.
    Cutter::new(media_type, Limits::default()).push(body, &mut on_item).unwrap_or_default();
    found?
}

fn name_of(item: Body<'_>) -> Option<String> {
    let head = HeadReader::new().read_body(item).ok()?;
    let name = head.name();
    Some(head.namespace().map_or_else(|| name.to_owned(), |namespace| format!("{namespace}/{name}")))
}

/// Where an error points to: so many bytes were read.
fn offset(body: &[u8], error: &serde_json::Error) -> Option<usize> {
    let before = error.line().checked_sub(1)?;
    let line: usize = body.split_inclusive(|byte| *byte == b'\n').take(before).map(<[u8]>::len).sum();
    Some(line + error.column())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use pintle_core::ObjectList;
    use pintle_wire::protobuf;

    use crate::client::answer::decode;

    fn message(body: &[u8]) -> String {
        let error = decode::<ObjectList<ConfigMap>>(body).unwrap_err();
        std::error::Error::source(&error).unwrap().to_string()
    }

    #[test]
    fn a_list_that_does_not_decode_names_its_object_and_quotes_nothing() {
        let list =
            |items: &str| format!("{{\n\"kind\": \"ConfigMapList\", \"metadata\": {{}},\n\"items\": [{items}]}}");
        let good = r#"{"metadata": {"name": "a", "namespace": "ns"}}"#;
        for (bad, name) in [
            (r#"{"metadata": {"name": "b", "namespace": "ns"}, "data": "hunter2"}"#, ", in ns/b at line"),
            (r#"{"data": 7, "metadata": {"name": "c"}}"#, ", in c at line"),
            ("{\n\"metadata\": {\"name\": \"d\"},\n\n\"immutable\": \"hunter2\"}", ", in d at line"),
        ] {
            for items in [bad.to_owned(), format!("{good}, {bad}, {good}"), format!("{good},{bad}")] {
                let message = message(list(&items).as_bytes());
                assert!(message.starts_with("ConfigMapList is not a") && message.contains(name), "{message}");
                assert!(!message.contains("hunter2"), "{message}");
            }
        }
        let headless = message(list(&format!(r#"{good}, {{"metadata": "hunter2"}}"#)).as_bytes());
        assert!(headless.starts_with("ConfigMapList is not a") && !headless.contains(", in "), "{headless}");
        assert!(!message(br#"{"kind": "ConfigMap", "metadata": 7}"#).contains(", in "));
    }

    #[test]
    fn so_does_one_of_protobuf() {
        let json = br#"{"apiVersion":"v1","kind":"ConfigMapList","items":[{"metadata":{"name":"a"}},
            {"metadata":{"name":"b"},"data":{"k":"v"}},{"metadata":{"name":"c"}}]}"#;
        let mut body = protobuf::from_json(json).unwrap();
        // The entry of `data` (2), bytes with a key, becomes a number of the same length.
        let entry = b"\x12\x06\x0a\x01k\x12\x01v";
        let at = body.windows(entry.len()).position(|part| part == entry).unwrap();
        body[at..at + entry.len()].copy_from_slice(b"\x10\xff\xff\xff\xff\xff\xff\x01");
        let message = message(&body);
        assert!(message.starts_with("ConfigMapList is not a") && message.ends_with(", in b"), "{message}");
    }
}
