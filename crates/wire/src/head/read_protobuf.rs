//! Reads a head out of an object's protobuf: the fields of its metadata, each by its number, and nothing behind it.
//!
//! The numbers are those of `ObjectMeta` and `OwnerReference` in the tables; a test compares them.

use std::borrow::Cow;
use std::hash::BuildHasher;

use pintle_core::resource_version::ResourceVersion;

use super::intern::{Interner, OwnerText};
use super::read::HeadError;
use super::{Head, Uid};
use crate::protobuf::ProtobufError;
use crate::protobuf::read::{Wire, take_field};

/// The number of `metadata` in every object.
const METADATA: u32 = 1;

mod metadata {
    pub(super) const NAME: u32 = 1;
    pub(super) const NAMESPACE: u32 = 3;
    pub(super) const UID: u32 = 5;
    pub(super) const RESOURCE_VERSION: u32 = 6;
    pub(super) const GENERATION: u32 = 7;
    pub(super) const DELETION_TIMESTAMP: u32 = 9;
    pub(super) const LABELS: u32 = 11;
    pub(super) const ANNOTATIONS: u32 = 12;
    pub(super) const OWNER_REFERENCES: u32 = 13;
    pub(super) const FINALIZERS: u32 = 14;
}

mod owner {
    pub(super) const KIND: u32 = 1;
    pub(super) const NAME: u32 = 3;
    pub(super) const UID: u32 = 4;
    pub(super) const API_VERSION: u32 = 5;
    pub(super) const CONTROLLER: u32 = 6;
    pub(super) const BLOCK_OWNER_DELETION: u32 = 7;
}

/// What metadata says, borrowed.
#[derive(Default)]
struct Metadata<'a> {
    name: &'a [u8],
    namespace: &'a [u8],
    uid: &'a [u8],
    resource_version: &'a [u8],
    generation: i64,
    is_deleting: bool,
    labels: Vec<(&'a [u8], &'a [u8])>,
    annotations_hash: u64,
    owners: Vec<&'a [u8]>,
    finalizers: Vec<&'a [u8]>,
}

/// Reads the head of one message.
pub(super) fn read(interner: &mut Interner, message: &[u8]) -> Result<Head, HeadError> {
    let metadata = Metadata::find(message).map_err(|_| HeadError::MalformedProtobuf)?.ok_or(HeadError::NoMetadata)?;
    if metadata.name.is_empty() {
        return Err(HeadError::NoName);
    }
    let owners: Result<Vec<_>, ProtobufError> = metadata.owners.iter().map(|owner| OwnerMessage::read(owner)).collect();
    let owners = owners.map_err(|_| HeadError::MalformedProtobuf)?;
    let owners = interner.owners(&owners.iter().map(OwnerMessage::text).collect::<Vec<_>>());
    let labels: Vec<_> = metadata.labels.iter().map(|(key, value)| (text(key), text(value))).collect();
    let labels = interner.labels(&labels);
    let mut shared = |bytes: &[u8]| interner.intern(&text(bytes));
    Ok(Head {
        name: text(metadata.name).into(),
        namespace: (!metadata.namespace.is_empty()).then(|| shared(metadata.namespace)),
        uid: Uid::of(Some(&text(metadata.uid))),
        resource_version: ResourceVersion::parse(&text(metadata.resource_version)),
        // JSON leaves it out when it is zero.
        generation: Some(metadata.generation).filter(|generation| *generation != 0),
        is_deleting: metadata.is_deleting,
        labels,
        annotations_hash: metadata.annotations_hash,
        owners,
        finalizers: metadata.finalizers.iter().map(|finalizer| shared(finalizer)).collect(),
    })
}

impl<'a> Metadata<'a> {
    fn find(message: &'a [u8]) -> Result<Option<Self>, ProtobufError> {
        let mut rest = message;
        while let Some((number, wire)) = take_field(&mut rest)? {
            if number == METADATA {
                return Self::of(wire.bytes()).map(Some);
            }
        }
        Ok(None)
    }

    fn of(mut rest: &'a [u8]) -> Result<Self, ProtobufError> {
        let mut found = Self::default();
        while let Some((number, wire)) = take_field(&mut rest)? {
            match number {
                metadata::NAME => found.name = wire.bytes(),
                metadata::NAMESPACE => found.namespace = wire.bytes(),
                metadata::UID => found.uid = wire.bytes(),
                metadata::RESOURCE_VERSION => found.resource_version = wire.bytes(),
                metadata::GENERATION => found.generation = wire.varint().cast_signed(),
                metadata::DELETION_TIMESTAMP => found.is_deleting = true,
                metadata::LABELS => found.labels.push(entry(wire)?),
                metadata::ANNOTATIONS => {
                    let (key, value) = entry(wire)?;
                    found.annotations_hash = found.annotations_hash.wrapping_add(hash_of(&text(key), &text(value)));
                }
                metadata::OWNER_REFERENCES => found.owners.push(wire.bytes()),
                metadata::FINALIZERS => found.finalizers.push(wire.bytes()),
                _ => {}
            }
        }
        Ok(found)
    }
}

/// The hash of one annotation.
pub(super) fn hash_of(key: &str, value: &str) -> u64 {
    foldhash::quality::FixedState::default().hash_one((key, value))
}

/// An owner, as text.
#[derive(Default)]
struct OwnerMessage<'a> {
    api_version: Cow<'a, str>,
    kind: Cow<'a, str>,
    name: Cow<'a, str>,
    uid: Cow<'a, str>,
    is_controller: bool,
    blocks_deletion: bool,
}

impl<'a> OwnerMessage<'a> {
    fn read(mut rest: &'a [u8]) -> Result<Self, ProtobufError> {
        let mut read = Self::default();
        while let Some((number, wire)) = take_field(&mut rest)? {
            match number {
                owner::KIND => read.kind = text(wire.bytes()),
                owner::NAME => read.name = text(wire.bytes()),
                owner::UID => read.uid = text(wire.bytes()),
                owner::API_VERSION => read.api_version = text(wire.bytes()),
                owner::CONTROLLER => read.is_controller = wire.varint() != 0,
                owner::BLOCK_OWNER_DELETION => read.blocks_deletion = wire.varint() != 0,
                _ => {}
            }
        }
        Ok(read)
    }

    fn text(&self) -> OwnerText<'_> {
        OwnerText {
            api_version: &self.api_version,
            kind: &self.kind,
            name: &self.name,
            uid: &self.uid,
            is_controller: self.is_controller,
            blocks_deletion: self.blocks_deletion,
        }
    }
}

fn entry(wire: Wire<'_>) -> Result<(&[u8], &[u8]), ProtobufError> {
    let [mut key, mut value] = [&[][..]; 2];
    let mut rest = wire.bytes();
    while let Some((number, wire)) = take_field(&mut rest)? {
        match number {
            1 => key = wire.bytes(),
            2 => value = wire.bytes(),
            _ => {}
        }
    }
    Ok((key, value))
}

fn text(bytes: &[u8]) -> Cow<'_, str> {
    // Going by words, where the lossy reading goes by bytes.
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;
    use crate::facts;
    use crate::head::HeadReader;
    use crate::protobuf;

    #[test]
    fn the_numbers_are_those_of_the_tables() {
        let number = |kind: &str, field: &str| {
            let kind = facts::named(&format!("io.k8s.apimachinery.pkg.apis.meta.v1.{kind}")).unwrap();
            u32::from(kind.field(field).unwrap().number())
        };
        for (name, expected) in [
            ("name", metadata::NAME),
            ("namespace", metadata::NAMESPACE),
            ("uid", metadata::UID),
            ("resourceVersion", metadata::RESOURCE_VERSION),
            ("generation", metadata::GENERATION),
            ("deletionTimestamp", metadata::DELETION_TIMESTAMP),
            ("labels", metadata::LABELS),
            ("annotations", metadata::ANNOTATIONS),
            ("ownerReferences", metadata::OWNER_REFERENCES),
            ("finalizers", metadata::FINALIZERS),
        ] {
            assert_eq!(number("ObjectMeta", name), expected, "{name}");
        }
        for (name, expected) in [
            ("kind", owner::KIND),
            ("name", owner::NAME),
            ("uid", owner::UID),
            ("apiVersion", owner::API_VERSION),
            ("controller", owner::CONTROLLER),
            ("blockOwnerDeletion", owner::BLOCK_OWNER_DELETION),
        ] {
            assert_eq!(number("OwnerReference", name), expected, "{name}");
        }
        for kind in facts::types() {
            let of_objects = kind.own_field("metadata").filter(|field| field.kind().name().ends_with(".ObjectMeta"));
            // A template is not an object; everything else has its metadata first.
            assert!(of_objects.is_none_or(|field| matches!(field.number(), 0 | 1)), "{}", kind.name());
        }
    }

    #[test]
    fn a_head_is_the_same_from_both_encodings() {
        for json in [
            r#"{"metadata":{"name":"a"}}"#,
            r#"{"metadata":{"annotations":{"b":"2","a":""},"deletionTimestamp":"2026-01-01T00:00:00Z",
            "finalizers":["example.com/x","y"],"generation":3,"labels":{"b":"2","a":"1"},"name":"n","namespace":"ns",
            "managedFields":[{"manager":"m","fieldsV1":{"f":{}}}],
            "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs","uid":"u","controller":true},
              {"apiVersion":"v1","kind":"Node","name":"o","uid":"0f3b1b2a-5c1d-4e8f-9a6b-7c8d9e0f1a2b","blockOwnerDeletion":true}],
            "resourceVersion":"42","uid":"0f3b1b2a-5c1d-4e8f-9a6b-7c8d9e0f1a2b"},"spec":{}}"#,
        ] {
            let kind = facts::kind_of("v1", "Pod").unwrap();
            let message = protobuf::message_from_json(kind, json.as_bytes()).unwrap();
            let head = HeadReader::new().read_body(Body::protobuf(kind, &message)).unwrap();
            assert_eq!(head, HeadReader::new().read(json.as_bytes()).unwrap());
        }
    }

    #[test]
    fn what_has_no_head_says_why_and_no_more() {
        let kind = facts::kind_of("v1", "Pod").unwrap();
        let read = |message: &[u8]| HeadReader::new().read_body(Body::protobuf(kind, message));
        assert!(matches!(read(b""), Err(HeadError::NoMetadata)));
        assert!(matches!(read(b"\x0a\0"), Err(HeadError::NoName)));
        for wrong in [&b"\x0a\x09hunter2"[..], b"\x0a\x07hunter2", b"\x0b"] {
            let error = read(wrong).unwrap_err();
            assert!(matches!(error, HeadError::MalformedProtobuf), "{error}");
        }
    }
}
