//! One stored state of one object: its bytes, encoded once, and its [`Head`].
//!
//! In: an [`Object`] with its resourceVersion set. Out: the same bytes for every reader: as a body, as the watch
//! frame of the write that made it, as PartialObjectMetadata. Invariant: the body has the layout that
//! `Object::encode_into` writes.

use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use bytes::{BufMut, Bytes, BytesMut};
use pintle_wire::{Head, HeadError, HeadReader};

use crate::catalog::kinds::Kind;
use crate::codec::object::Object;
use crate::storage::selectable_fields::SelectableFields;

/// A stored state of an object.
pub(crate) struct Entry {
    pub(crate) head: Head,
    pub(crate) revision: u64,
    kind: ChangeKind,
    frame: Bytes,
    /// Where in the body its `apiVersion` stands; every reader asks for it.
    api_version: Range<usize>,
    metadata_only: OnceLock<Bytes>,
    /// By what it is selected, once somebody asks.
    selectable_fields: OnceLock<Box<SelectableFields>>,
    /// What webhooks made of it; most objects have none.
    converted: OnceLock<Box<Mutex<Vec<Converted>>>>,
}

/// The form of an entry at another version.
struct Converted {
    api_version: String,
    /// Of which state of the definition.
    since: u64,
    body: Bytes,
}

/// What a write did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    Added,
    Modified,
    Deleted,
}

impl ChangeKind {
    /// The bytes of a watch frame before its object.
    pub(crate) fn prefix(self) -> &'static [u8] {
        match self {
            ChangeKind::Added => b"{\"type\":\"ADDED\",\"object\":",
            ChangeKind::Modified => b"{\"type\":\"MODIFIED\",\"object\":",
            ChangeKind::Deleted => b"{\"type\":\"DELETED\",\"object\":",
        }
    }
}

/// The bytes of a watch frame after its object.
pub(crate) const FRAME_END: &[u8] = b"}\n";

impl Entry {
    /// Encodes an object; fails when its metadata has a wrong shape.
    pub(crate) fn new(
        reader: &mut HeadReader,
        kind: ChangeKind,
        object: &Object,
        revision: u64,
    ) -> Result<Entry, HeadError> {
        let mut buffer = kind.prefix().to_vec();
        object.encode_into(&mut buffer);
        buffer.extend_from_slice(FRAME_END);
        Entry::of_frame(reader, kind, buffer, revision)
    }

    fn of_frame(reader: &mut HeadReader, kind: ChangeKind, buffer: Vec<u8>, revision: u64) -> Result<Entry, HeadError> {
        // It is kept for as long as the object is: without the room that was left for more. An allocator that is asked to
        // take that back may leave it there, so what has some is copied.
        let frame = if buffer.len() == buffer.capacity() { buffer.into() } else { Bytes::copy_from_slice(&buffer) };
        let body = frame.slice(kind.prefix().len()..frame.len() - FRAME_END.len());
        let (head, api_version) = (reader.read(&body)?, api_version_place(&body));
        Ok(Entry {
            head,
            revision,
            kind,
            frame,
            api_version,
            metadata_only: OnceLock::new(),
            selectable_fields: OnceLock::new(),
            converted: OnceLock::new(),
        })
    }

    /// A new object that is encoded already, in the store's layout and with its version.
    pub(crate) fn of_body(reader: &mut HeadReader, body: &[u8], revision: u64) -> Result<Entry, HeadError> {
        let kind = ChangeKind::Added;
        Entry::of_frame(reader, kind, [kind.prefix(), body, FRAME_END].concat(), revision)
    }

    /// The object's JSON.
    pub(crate) fn body(&self) -> Bytes {
        self.frame.slice(self.kind.prefix().len()..self.frame.len() - FRAME_END.len())
    }

    /// The same, to look at.
    pub(crate) fn body_bytes(&self) -> &[u8] {
        &self.frame[self.kind.prefix().len()..self.frame.len() - FRAME_END.len()]
    }

    /// The watch frame of the write that made this entry.
    pub(crate) fn frame(&self) -> Bytes {
        self.frame.clone()
    }

    /// What the write that made this entry did.
    pub(crate) fn kind(&self) -> ChangeKind {
        self.kind
    }

    /// The decoded object.
    pub(crate) fn object(&self) -> Object {
        Object::decode(self.body_bytes())
    }

    /// The `apiVersion` the object was written with.
    pub(crate) fn api_version(&self) -> &str {
        std::str::from_utf8(&self.body_bytes()[self.api_version.clone()]).unwrap_or_default()
    }

    /// Whether it was written with this `apiVersion`.
    pub(crate) fn is_at(&self, api_version: &str) -> bool {
        self.body_bytes()[self.api_version.clone()] == *api_version.as_bytes()
    }

    /// The body with another `apiVersion`; shared when it is the one it was written with.
    pub(crate) fn body_at(&self, api_version: &str) -> Bytes {
        let body = self.body();
        if self.is_at(api_version) {
            return body;
        }
        let place = self.api_version.clone();
        let mut buffer = BytesMut::with_capacity(body.len() + api_version.len());
        buffer.put_slice(&body[..place.start]);
        buffer.put_slice(api_version.as_bytes());
        buffer.put_slice(&body[place.end..]);
        buffer.freeze()
    }

    /// The text of a field by which objects of a kind are selected; each is looked for once, for all who ask.
    pub(crate) fn selectable_field(&self, kind: &Kind, field: &str) -> &str {
        let mut fields = &self.selectable_fields;
        loop {
            let known = fields.get_or_init(|| Box::new(SelectableFields::read(kind, &self.body())));
            match known.get(field) {
                Some(text) => return text,
                None if known.are_of(kind) => return "",
                None => fields = &known.of_another_version,
            }
        }
    }

    /// The form that a webhook made of it, at the version of a kind.
    pub(crate) fn converted(&self, kind: &Kind) -> Option<Bytes> {
        let forms = self.converted.get()?.lock().unwrap_or_else(PoisonError::into_inner);
        let is_meant = |form: &&Converted| form.since == kind.since && form.api_version == kind.api_version();
        forms.iter().find(is_meant).map(|form| form.body.clone())
    }

    /// Keeps the form that a webhook made; those of an earlier state of the definition go.
    pub(crate) fn keep_converted(&self, kind: &Kind, body: Bytes) {
        let forms = self.converted.get_or_init(Box::default);
        let mut forms = forms.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, api_version) = (kind.since, kind.api_version());
        forms.retain(|form| form.since == since && form.api_version != api_version);
        forms.push(Converted { api_version, since, body });
    }

    /// The object reduced to its metadata, encoded at most once.
    pub(crate) fn metadata_only(&self) -> Bytes {
        self.metadata_only.get_or_init(|| metadata_only(&self.object())).clone()
    }
}

/// An object encoded but for its version, which only its commit knows: that writes a few digits and computes nothing.
pub(crate) struct Encoded {
    kind: ChangeKind,
    buffer: Vec<u8>,
    /// Where the version is to be written.
    version: usize,
}

impl Encoded {
    /// Encodes an object for a write of this kind.
    pub(crate) fn new(kind: ChangeKind, object: &Object) -> Encoded {
        let mut buffer = Vec::with_capacity(ENCODED_BYTES);
        buffer.extend_from_slice(kind.prefix());
        let version = object.encode_unversioned(&mut buffer);
        buffer.extend_from_slice(FRAME_END);
        Encoded { kind, buffer, version }
    }

    /// The entry at a revision; fails when the object's metadata has a wrong shape.
    pub(super) fn at(self, reader: &mut HeadReader, revision: u64) -> Result<Entry, HeadError> {
        let (before, after) = self.buffer.split_at(self.version);
        let frame = [before, revision.to_string().as_bytes(), after].concat();
        Entry::of_frame(reader, self.kind, frame, revision)
    }
}

/// The PartialObjectMetadata of an object.
pub(crate) fn metadata_only(object: &Object) -> Bytes {
    let mut buffer = b"{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":".to_vec();
    serde_json::to_writer(&mut buffer, object.metadata()).expect("a JSON value always prints into memory");
    buffer.push(b'}');
    Bytes::from(buffer.into_boxed_slice())
}

/// Where in a body the text of its `apiVersion` stands. Neither it nor the kind before it has signs that are escaped.
fn api_version_place(body: &[u8]) -> Range<usize> {
    let end_of_text = |from: usize| body[from..].iter().position(|byte| *byte == b'"').map_or(from, |at| from + at);
    let start = end_of_text(KIND.len()) + API_VERSION.len();
    start..end_of_text(start)
}

/// Room for most objects, so that encoding one does not ask for more and more.
const ENCODED_BYTES: usize = 8 * 1024;

const KIND: &[u8] = b"{\"kind\":\"";
const API_VERSION: &[u8] = b"\",\"apiVersion\":\"";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry() -> Entry {
        let object =
            json!({"apiVersion": "g/v1", "kind": "K", "metadata": {"name": "x", "resourceVersion": "7"}, "spec": {}});
        let object = Object::from_value(object).unwrap();
        Entry::new(&mut HeadReader::new(), ChangeKind::Modified, &object, 7).unwrap()
    }

    #[test]
    fn the_frame_wraps_the_very_bytes_of_the_body() {
        let entry = entry();
        let frame = entry.frame();
        assert_eq!(&frame[ChangeKind::Modified.prefix().len()..frame.len() - 2], &entry.body()[..]);
        assert_eq!(entry.head.name(), "x");
    }

    #[test]
    fn an_encoded_object_gets_its_version_where_it_belongs() {
        let text = r#"{"resourceVersion":""}"#;
        let value = json!({"apiVersion": "g/v1", "kind": "K", "spec": {}, "metadata": {
            "name": "x", "resourceVersion": "5", "labels": {"resourceVersion": ""}, "annotations": {"a": text},
        }});
        let mut object = Object::from_value(value).unwrap();
        let encoded = Encoded::new(ChangeKind::Added, &object).at(&mut HeadReader::new(), 1234).unwrap();
        object.set_meta("resourceVersion", "1234");
        let direct = Entry::new(&mut HeadReader::new(), ChangeKind::Added, &object, 1234).unwrap();
        assert_eq!(encoded.frame(), direct.frame());
        object.put_meta("resourceVersion", None);
        let unset = Encoded::new(ChangeKind::Added, &object).at(&mut HeadReader::new(), 1234).unwrap();
        assert_eq!(unset.object(), direct.object());
    }

    #[test]
    fn another_version_differs_only_in_api_version() {
        let entry = entry();
        assert_eq!(entry.api_version(), "g/v1");
        let text = String::from_utf8(entry.body_at("g/v2beta1").to_vec()).unwrap();
        assert!(text.starts_with("{\"kind\":\"K\",\"apiVersion\":\"g/v2beta1\""), "{text}");
    }

    #[test]
    fn the_metadata_form_has_metadata_and_nothing_else() {
        let value: serde_json::Value = serde_json::from_slice(&entry().metadata_only()).unwrap();
        assert_eq!(value["kind"], "PartialObjectMetadata");
        assert_eq!(value["metadata"]["name"], "x");
        assert!(value.get("spec").is_none());
    }
}
