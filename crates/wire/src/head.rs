//! What is read of every object once: which object it is, who owns it, what it is labelled.
//!
//! A [`Head`] is small (label keys, namespaces and owners are shared between heads of one reader) and enough to file,
//! select, index and wake without decoding the object. Whatever it does not hold is in the object's bytes.

mod intern;
mod read;
mod read_json;
mod read_protobuf;

use std::borrow::Cow;
use std::sync::Arc;

use pintle_core::resource_version::ResourceVersion;

pub use read::{HeadError, HeadReader};

/// The part of an object that is always decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    name: Arc<str>,
    namespace: Option<Arc<str>>,
    uid: Uid,
    resource_version: Option<ResourceVersion>,
    generation: Option<i64>,
    is_deleting: bool,
    labels: Arc<[Label]>,
    annotations_hash: u64,
    owners: Arc<[Owner]>,
    finalizers: Box<[Arc<str>]>,
}

/// Key and value.
type Label = (Arc<str>, Arc<str>);

/// Who owns an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Owner {
    api_version: Arc<str>,
    kind: Arc<str>,
    name: Arc<str>,
    uid: Uid,
    is_controller: bool,
    blocks_deletion: bool,
}

/// A uid, in 16 bytes if it is a UUID in its canonical spelling, which it is everywhere but in tests.
#[derive(Clone, Debug, Eq, PartialEq)]
enum Uid {
    Unset,
    Uuid(uuid::Uuid),
    Text(Box<str>),
}

impl Head {
    /// The object's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The object's name, to share it.
    pub fn name_shared(&self) -> &Arc<str> {
        &self.name
    }

    /// The namespace, if it lives in one.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// The namespace, to share it.
    pub fn namespace_shared(&self) -> Option<&Arc<str>> {
        self.namespace.as_ref()
    }

    /// The object's identity.
    pub fn uid(&self) -> Option<Cow<'_, str>> {
        self.uid.text()
    }

    /// The version of this state of the object.
    pub fn resource_version(&self) -> Option<&ResourceVersion> {
        self.resource_version.as_ref()
    }

    /// Whether `other` is the very same state of the very same object.
    pub fn is_same_state(&self, other: &Self) -> bool {
        self.resource_version.is_some() && self.resource_version == other.resource_version && self.uid == other.uid
    }

    /// Whether `other` is the same object, in whatever state, as far as identities show.
    pub fn is_same_object(&self, other: &Self) -> bool {
        self.uid == other.uid
    }

    /// How often the object's spec has changed.
    pub fn generation(&self) -> Option<i64> {
        self.generation
    }

    /// Whether it is being deleted: its deletion was requested.
    pub fn is_deleting(&self) -> bool {
        self.is_deleting
    }

    /// Its labels, in the order of their keys.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.labels.iter().map(|(key, value)| (key.as_ref(), value.as_ref()))
    }

    /// The value of one label.
    pub fn label(&self, key: &str) -> Option<&str> {
        let found = self.labels.binary_search_by(|(candidate, _)| candidate.as_ref().cmp(key)).ok()?;
        Some(&self.labels[found].1)
    }

    /// Changes when an annotation does; the same for the same annotations within one process.
    pub fn annotations_hash(&self) -> u64 {
        self.annotations_hash
    }

    /// Who owns it.
    pub fn owners(&self) -> &[Owner] {
        &self.owners
    }

    /// What must happen before it may go.
    pub fn finalizers(&self) -> &[Arc<str>] {
        &self.finalizers
    }
}

impl Owner {
    /// Group and version of the owner.
    pub fn api_version(&self) -> &str {
        &self.api_version
    }

    /// The owner's kind.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The owner's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The owner's name, to share it.
    pub fn name_shared(&self) -> &Arc<str> {
        &self.name
    }

    /// The owner's identity.
    pub fn uid(&self) -> Option<Cow<'_, str>> {
        self.uid.text()
    }

    /// Whether the owner manages the object.
    pub fn is_controller(&self) -> bool {
        self.is_controller
    }

    /// Whether the owner cannot go, in foreground deletion, before the object has.
    pub fn blocks_deletion(&self) -> bool {
        self.blocks_deletion
    }
}

impl Uid {
    fn of(text: Option<&str>) -> Self {
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            return Self::Unset;
        };
        let canonical = |uuid: &uuid::Uuid| uuid.hyphenated().encode_lower(&mut uuid::Uuid::encode_buffer()) == text;
        match uuid::Uuid::try_parse(text).ok().filter(canonical) {
            Some(uuid) => Self::Uuid(uuid),
            None => Self::Text(text.into()),
        }
    }

    fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Unset => None,
            Self::Uuid(uuid) => Some(Cow::Owned(uuid.hyphenated().to_string())),
            Self::Text(text) => Some(Cow::Borrowed(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uids_keep_their_spelling() {
        let upper = "0F3B1B2A-5C1D-4E8F-9A6B-7C8D9E0F1A2B";
        for text in [upper, &upper.to_lowercase(), "u", "not-a-uuid"] {
            assert_eq!(Uid::of(Some(text)).text().as_deref(), Some(text));
        }
        assert!(matches!(Uid::of(Some(&upper.to_lowercase())), Uid::Uuid(_)));
        assert_eq!(Uid::of(Some("")), Uid::Unset);
    }

    #[test]
    fn a_head_is_small() {
        assert!(size_of::<Head>() <= 184, "a Head takes {} bytes before its strings", size_of::<Head>());
    }
}
