//! Reads a head out of an object's JSON and stops there.
//!
//! `metadata` stands near the front of every object a server writes; what follows it is not looked at. Nothing of an
//! object's content appears in an error.

use std::borrow::Cow;
use std::fmt;

use pintle_core::resource_version::ResourceVersion;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::intern::{Interner, OwnerText};
use super::{Head, Uid, read_json, read_protobuf};
use crate::body::{Body, Encoding};
use crate::json::Declined;
use crate::scan::{Fields, Malformed};

/// Reads heads, sharing the strings that repeat between them.
#[derive(Debug, Default)]
pub struct HeadReader {
    interner: Interner,
}

/// Why an object has no head.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HeadError {
    /// It is not a JSON object, or its metadata is of another shape.
    #[error("an object's metadata is malformed (line {line}, column {column})")]
    Malformed {
        /// Where.
        line: usize,
        /// Where in the line.
        column: usize,
    },
    /// It is not protobuf, or its metadata is of another shape.
    #[error("an object's metadata is malformed protobuf")]
    MalformedProtobuf,
    /// It has no metadata.
    #[error("an object has no metadata")]
    NoMetadata,
    /// It has no name.
    #[error("an object has no metadata.name")]
    NoName,
}

impl HeadReader {
    /// A reader that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the head of one object, however it is written.
    ///
    /// # Errors
    /// When it has none.
    pub fn read_body(&mut self, body: Body<'_>) -> Result<Head, HeadError> {
        match body.encoding() {
            Encoding::Json => self.read(body.bytes()),
            Encoding::Protobuf(_) => read_protobuf::read(&mut self.interner, body.bytes()),
        }
    }

    /// Reads the head of one object that is JSON.
    ///
    /// # Errors
    /// When it has none.
    pub fn read(&mut self, json: &[u8]) -> Result<Head, HeadError> {
        let metadata = read_json::find(json).or_else(|Declined| Metadata::find(json))?;
        let name = metadata.name.filter(|name| !name.0.is_empty()).ok_or(HeadError::NoName)?;
        let owners = metadata.owner_references.unwrap_or_default();
        let owners: Vec<_> = owners.iter().map(OwnerReference::text).collect();
        let owners = self.interner.owners(&owners);
        let labels = self.interner.labels(&metadata.labels.unwrap_or_default().0);
        let mut shared = |text: &Text<'_>| self.interner.intern(&text.0);
        Ok(Head {
            name: name.0.as_ref().into(),
            namespace: metadata.namespace.filter(|it| !it.0.is_empty()).map(|it| shared(&it)),
            uid: Uid::of(metadata.uid.as_ref().map(|it| it.0.as_ref())),
            resource_version: metadata.resource_version.as_ref().and_then(|it| ResourceVersion::parse(&it.0)),
            generation: metadata.generation,
            is_deleting: metadata.is_deleting,
            labels,
            annotations_hash: metadata.annotations.unwrap_or_default().0,
            owners,
            finalizers: metadata.finalizers.unwrap_or_default().iter().map(shared).collect(),
        })
    }
}

/// A string of the object, borrowed unless it holds an escape.
#[derive(Debug, Default, Deserialize, PartialEq)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// The metadata that heads are made of; everything else in it is skipped.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Metadata<'a> {
    pub(super) name: Option<Text<'a>>,
    pub(super) namespace: Option<Text<'a>>,
    pub(super) uid: Option<Text<'a>>,
    pub(super) resource_version: Option<Text<'a>>,
    pub(super) generation: Option<i64>,
    pub(super) is_deleting: bool,
    pub(super) labels: Option<Labels<'a>>,
    pub(super) annotations: Option<AnnotationsHash>,
    pub(super) owner_references: Option<Vec<OwnerReference<'a>>>,
    pub(super) finalizers: Option<Vec<Text<'a>>>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(super) struct OwnerReference<'a> {
    #[serde(borrow)]
    pub(super) api_version: Text<'a>,
    #[serde(borrow)]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) uid: Text<'a>,
    pub(super) controller: Option<bool>,
    pub(super) block_owner_deletion: Option<bool>,
}

impl AsRef<str> for Text<'_> {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl OwnerReference<'_> {
    fn text(&self) -> OwnerText<'_> {
        OwnerText {
            api_version: &self.api_version.0,
            kind: &self.kind.0,
            name: &self.name.0,
            uid: &self.uid.0,
            is_controller: self.controller.unwrap_or_default(),
            blocks_deletion: self.block_owner_deletion.unwrap_or_default(),
        }
    }
}

impl<'a> Metadata<'a> {
    fn find(json: &'a [u8]) -> Result<Self, HeadError> {
        let at = |Malformed { at }| HeadError::malformed(json, at);
        let fields = Fields::of(json).and_then(|fields| fields.enter(b"metadata")).map_err(at)?;
        Self::read(fields.ok_or(HeadError::NoMetadata)?).map_err(at)
    }

    fn read(mut fields: Fields<'a>) -> Result<Self, Malformed> {
        let mut metadata = Self::default();
        while let Some(field) = fields.next_field()? {
            match &*field.name {
                b"name" => metadata.name = field.decode()?,
                b"namespace" => metadata.namespace = field.decode()?,
                b"uid" => metadata.uid = field.decode()?,
                b"resourceVersion" => metadata.resource_version = field.decode()?,
                b"generation" => metadata.generation = field.decode()?,
                b"deletionTimestamp" => metadata.is_deleting = field.decode::<Option<IgnoredAny>>()?.is_some(),
                b"labels" => metadata.labels = field.decode()?,
                b"annotations" => metadata.annotations = field.decode()?,
                b"ownerReferences" => metadata.owner_references = field.decode()?,
                b"finalizers" => metadata.finalizers = field.decode()?,
                // Above all managedFields, a third of many an object.
                _ => {}
            }
        }
        Ok(metadata)
    }
}

impl HeadError {
    fn malformed(json: &[u8], at: usize) -> Self {
        let before = &json[..at.min(json.len())];
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        Self::Malformed {
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            column: 1 + before.len() - line_start,
        }
    }
}

/// Labels in the order they came.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Labels<'a>(pub(super) Vec<(Text<'a>, Text<'a>)>);

impl<'de: 'a, 'a> Deserialize<'de> for Labels<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Labels<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("labels")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Labels<'de>, A::Error> {
                let mut labels = Vec::with_capacity(8);
                while let Some((key, value)) = entries.next_entry::<Text<'de>, Option<Text<'de>>>()? {
                    labels.push((key, value.unwrap_or_default()));
                }
                Ok(Labels(labels))
            }
        }
        from.deserialize_map(Collect)
    }
}

/// A hash over annotations that does not depend on their order.
#[derive(Debug, Default, PartialEq)]
pub(super) struct AnnotationsHash(pub(super) u64);

impl<'de> Deserialize<'de> for AnnotationsHash {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Mix;
        impl<'de> Visitor<'de> for Mix {
            type Value = AnnotationsHash;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("annotations")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<AnnotationsHash, A::Error> {
                let mut mixed = 0_u64;
                while let Some((key, value)) = entries.next_entry::<Text<'de>, Option<Text<'de>>>()? {
                    let value = value.unwrap_or_default();
                    mixed = mixed.wrapping_add(read_protobuf::hash_of(&key.0, &value.0));
                }
                Ok(AnnotationsHash(mixed))
            }
        }
        from.deserialize_map(Mix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Head, HeadError> {
        HeadReader::new().read(json.as_bytes())
    }

    #[test]
    fn a_head_holds_what_metadata_says() {
        let head = read(
            r#"{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"a":"1"},"deletionTimestamp":"2026-01-01T00:00:00Z",
            "finalizers":["example.com/x"],"generation":3,"labels":{"b":"2","a":"1"},"managedFields":[{"f":{}}],"name":"n",
            "namespace":"ns","ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs","uid":"u","controller":true}],
            "resourceVersion":"42","uid":"0f3b1b2a-5c1d-4e8f-9a6b-7c8d9e0f1a2b"},"spec":{}}"#,
        )
        .unwrap();
        assert_eq!((head.name(), head.namespace()), ("n", Some("ns")));
        assert_eq!(head.resource_version(), Some(&ResourceVersion::from(42)));
        assert_eq!(head.uid().as_deref(), Some("0f3b1b2a-5c1d-4e8f-9a6b-7c8d9e0f1a2b"));
        assert_eq!((head.generation(), head.is_deleting()), (Some(3), true));
        assert_eq!(head.labels().collect::<Vec<_>>(), [("a", "1"), ("b", "2")]);
        assert_eq!((head.label("b"), head.label("c")), (Some("2"), None));
        assert_eq!(head.finalizers().iter().map(AsRef::as_ref).collect::<Vec<&str>>(), ["example.com/x"]);
        let owner = &head.owners()[0];
        assert_eq!((owner.api_version(), owner.kind(), owner.name()), ("apps/v1", "ReplicaSet", "rs"));
        assert!(owner.is_controller() && !owner.blocks_deletion());
    }

    #[test]
    fn nothing_behind_the_metadata_is_looked_at() {
        assert_eq!(read(r#"{"metadata":{"name":"n"},"spec":{ no json at all"#).unwrap().name(), "n");
    }

    #[test]
    fn annotations_hash_alike_in_any_order() {
        let hash = |annotations: &str| {
            read(&format!(r#"{{"metadata":{{"name":"n","annotations":{annotations}}}}}"#)).unwrap().annotations_hash()
        };
        assert_eq!(hash(r#"{"a":"1","b":"2"}"#), hash(r#"{"b":"2","a":"1"}"#));
        assert_ne!(hash(r#"{"a":"1"}"#), hash(r#"{"a":"2"}"#));
        assert_ne!(hash(r#"{"a":"b"}"#), hash(r#"{"b":"a"}"#));
    }

    /// What the quick reader does not decline is what the careful one reads.
    #[test]
    fn both_readers_of_json_agree() {
        let owner = r#"{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs","uid":"u","controller":true,"x":[1]}"#;
        let quick: usize = [
            r#""name":"n""#,
            r#""name":null,"uid":"u","uid":"v""#,
            r#""name":"n" , "labels": {"b":"2", "a":null}"#,
            r#""annotations":{"a":"1","b":""},"deletionTimestamp":null"#,
            r#""deletionTimestamp":"2026-01-01T00:00:00Z","generation":-3,"finalizers":["a","b\n"]"#,
            &format!(r#""ownerReferences":[{owner},{owner}],"managedFields":[{{"f":{{}}}}],"resourceVersion":"42""#),
            r#""ownerReferences":[{"kind":"k"}]"#,
            r#""ownerReferences":[{"apiVersion":"a","kind":"k","name":"n","name":"m","uid":"u"}]"#,
            r#""ownerReferences":[{"apiVersion":"a","kind":"k","name":"n","uid":"u","controller":null,"controller":true}]"#,
            r#""generation":1.5"#,
            r#""labels":{"a":1}"#,
            r#""na\u006de":"n""#,
            r#""name":"n",}"#,
        ]
        .into_iter()
        .filter(|metadata| {
            let json = format!(r#"{{"kind":"Pod","metadata":{{{metadata}}},"spec":{{}}}}"#);
            let quick = read_json::find(json.as_bytes());
            let careful = Metadata::find(json.as_bytes());
            assert!(quick.is_err() || quick.as_ref().ok() == careful.as_ref().ok(), "{metadata}");
            quick.is_ok()
        })
        .count();
        assert_eq!(quick, 6, "what servers write is read quickly");
    }

    #[test]
    fn nulls_and_escapes_are_read() {
        let head = read(r#"{"metadata":{"name":"a\u0062","labels":{"l":null},"annotations":{"a":null},"finalizers":null,"namespace":""}}"#).unwrap();
        assert_eq!((head.name(), head.namespace(), head.labels().len()), ("ab", None, 1));
    }

    #[test]
    fn what_has_no_head_says_why_and_no_more() {
        assert!(matches!(read("{}"), Err(HeadError::NoMetadata)));
        assert!(matches!(read(r#"{"metadata":{}}"#), Err(HeadError::NoName)));
        for wrong in ["[]", r#"{"metadata":{"name":{"hunter2":1}}}"#, r#"{"metadata":"#, r#"{"metadata":null}"#] {
            let error = read(wrong).unwrap_err();
            assert!(matches!(error, HeadError::Malformed { .. }), "{wrong}");
            assert!(!error.to_string().contains("hunter2"));
        }
        let error = read("{\n \"metadata\": {\n  \"name\": 7 } }").unwrap_err().to_string();
        assert_eq!(error, "an object's metadata is malformed (line 3, column 11)");
    }
}
