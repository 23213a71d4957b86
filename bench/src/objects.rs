//! Objects as an API server sends them, the same in every run.
//!
//! In: how many of which kind, of how many apps, in which encoding. Out: their bytes as the items of a list, in one run with
//! the place of each. A round changes all of them: each object then has another version, patched in place, so that what a round
//! sends is prepared before anything is measured.

mod config_map;
mod document;
mod owned;
mod pod;
mod template;

use std::ops::Range;
use std::str::FromStr;

use pintle_wire::{facts, protobuf};
use serde_json::Value;

use crate::BoxError;
use crate::answer::{Encoding, put_item};

/// The apps in the cluster.
pub(crate) const TEMPLATES: usize = 40;

/// What kind of objects.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    /// About 12 KB of JSON, many fields.
    Pods,
    /// About 2 KB, few fields with long texts.
    ConfigMaps,
    /// A custom resource of about 3 KB, which travels as JSON only.
    Documents,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Pods, Self::ConfigMaps, Self::Documents];

    /// How it is named on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pods => "pods",
            Self::ConfigMaps => "configmaps",
            Self::Documents => "documents",
        }
    }

    /// What its objects say they are: apiVersion and kind.
    pub(crate) fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Pods => ("v1", "Pod"),
            Self::ConfigMaps => ("v1", "ConfigMap"),
            Self::Documents => ("bench.pintle.dev/v1", "Document"),
        }
    }

    /// Whether a server sends it as protobuf, too.
    pub(crate) fn has_protobuf(self) -> bool {
        self != Self::Documents
    }

    /// Namespace and name of each of so many objects.
    pub(crate) fn references(self, count: usize) -> Result<Vec<(String, String)>, BoxError> {
        let reference = |index| {
            let object: Value = serde_json::from_str(&self.json(index, TEMPLATES))?;
            let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
            Ok((text("namespace"), text("name")))
        };
        (0..count).map(reference).collect()
    }

    fn bytes_at_most(self) -> usize {
        match self {
            Self::Pods => 16 * 1024,
            Self::ConfigMaps | Self::Documents => 4 * 1024,
        }
    }

    /// One object of it.
    pub(crate) fn json(self, index: usize, templates: usize) -> String {
        match self {
            Self::Pods => pod::pod(index, templates),
            Self::ConfigMaps => config_map::config_map(index, templates),
            Self::Documents => document::document(index, templates),
        }
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| format!("`{name}` is not a kind; there are {known}"))
    }
}

/// All objects, serialized.
pub(crate) struct Objects {
    /// What they say they are: apiVersion and kind.
    names: (&'static str, &'static str),
    /// How paths call them.
    plural: &'static str,
    bytes: Vec<u8>,
    places: Vec<Place>,
    round: usize,
    encoding: Encoding,
}

/// Where one object stands.
struct Place {
    /// Where it begins as an item of a list.
    item: usize,
    object: Range<usize>,
    /// Where the digits of its version begin.
    version: usize,
}

impl Objects {
    /// So many objects of so many apps.
    pub(crate) fn generate(kind: Kind, count: usize, templates: usize, encoding: Encoding) -> Result<Self, BoxError> {
        // One allocation for all of them: what generating frees must not serve the measured program as a reserve.
        let bytes = Vec::with_capacity(count * kind.bytes_at_most());
        let mut objects = Self {
            names: kind.names(),
            plural: kind.name(),
            bytes,
            places: Vec::with_capacity(count),
            round: 0,
            encoding,
        };
        (0..count).try_for_each(|index| objects.push(&kind.json(index, templates)))?;
        Ok(objects)
    }

    /// The metadata of so many Secrets, each owned by the object of this kind that has its number.
    pub(crate) fn owned_by(kind: Kind, count: usize, encoding: Encoding) -> Result<Self, BoxError> {
        let bytes = Vec::with_capacity(count * owned::BYTES_AT_MOST);
        let places = Vec::with_capacity(count);
        let mut objects = Self { names: owned::NAMES, plural: "secrets", bytes, places, round: 0, encoding };
        for (index, (namespace, name)) in kind.references(count)?.iter().enumerate() {
            objects.push(&owned::metadata(index, kind.names(), namespace, name))?;
        }
        Ok(objects)
    }

    fn push(&mut self, json: &str) -> Result<(), BoxError> {
        let (api_version, name) = self.names;
        let object = match self.encoding {
            Encoding::Json => json.as_bytes().to_vec(),
            Encoding::Protobuf => {
                let shape = facts::kind_of(api_version, name).ok_or("it has no protobuf form")?;
                protobuf::message_from_json(shape, json.as_bytes())?
            }
        };
        let item = self.bytes.len();
        put_item(&mut self.bytes, self.encoding, &object);
        let start = self.bytes.len() - object.len();
        let digits = version(0, self.places.len());
        let found = object.windows(VERSION_DIGITS).position(|window| window == digits.as_bytes());
        let version = start + found.ok_or("an object has a version")?;
        self.places.push(Place { item, object: start..self.bytes.len(), version });
        Ok(())
    }

    /// Every object changes.
    pub(crate) fn change_all(&mut self) {
        self.round += 1;
        for (index, place) in self.places.iter().enumerate() {
            let digits = version(self.round, index);
            self.bytes[place.version..place.version + VERSION_DIGITS].copy_from_slice(digits.as_bytes());
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn average_bytes(&self) -> usize {
        self.bytes.len() / self.places.len()
    }

    /// What they say they are: apiVersion and kind.
    pub(crate) fn names(&self) -> (&'static str, &'static str) {
        self.names
    }

    /// How paths call them.
    pub(crate) fn plural(&self) -> &'static str {
        self.plural
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The latest version of any of them.
    pub(crate) fn resource_version(&self) -> String {
        version(self.round, self.places.len())
    }

    /// The objects from `first` up to, not including, `end` as the items of a list.
    pub(crate) fn items(&self, first: usize, end: usize) -> &[u8] {
        match self.places.get(first..end) {
            // Without the comma before the first.
            Some([head, .., last]) if self.encoding == Encoding::Json => {
                &self.bytes[head.object.start..last.object.end]
            }
            Some([head, .., last]) => &self.bytes[head.item..last.object.end],
            Some([only]) if self.encoding == Encoding::Json => self.object_at(only),
            Some([only]) => &self.bytes[only.item..only.object.end],
            Some([]) | None => &[],
        }
    }

    /// One object.
    pub(crate) fn object(&self, index: usize) -> &[u8] {
        self.object_at(&self.places[index])
    }

    fn object_at(&self, place: &Place) -> &[u8] {
        &self.bytes[place.object.clone()]
    }
}

/// In which of so many groups an object is.
pub(crate) fn uid_group(uid: &str, groups: usize) -> usize {
    let start = uid.get(..8).and_then(|digits| usize::from_str_radix(digits, 16).ok());
    start.unwrap_or_default() % groups
}

/// As many digits in every round, so that a version can be patched; no other number in an object looks like this.
fn version(round: usize, index: usize) -> String {
    format!("77{:02}{index:08}", round + 10)
}

const VERSION_DIGITS: usize = 12;
