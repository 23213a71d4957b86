//! The schema that a definition states for a version, as text where it is stored: the outermost fields and properties, each a
//! slice of the stored object. It is large, clients read it as it was written, and only what stands around it changes.

use std::collections::BTreeMap;
use std::fmt;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::storage::entry::Entry;

/// A schema, taken apart once.
pub(crate) struct StatedSchema {
    /// Every field but `properties`.
    pub(crate) fields: BTreeMap<String, Bytes>,
    pub(crate) properties: BTreeMap<String, Bytes>,
}

impl StatedSchema {
    /// The schemas of a stored definition, by version; a version that states none is left out.
    pub(crate) fn all(entry: &Entry) -> BTreeMap<String, StatedSchema> {
        let body = entry.body();
        let Ok(Definition { spec }) = serde_json::from_slice(&body) else { return BTreeMap::new() };
        let stated = spec.versions.into_iter().filter_map(|version| Some((version.name, version.schema?.stated?)));
        stated.map(|(version, outermost)| (version, outermost.within(&body))).collect()
    }
}

/// A stored definition, of which only the schemas are looked at.
#[derive(Deserialize)]
struct Definition<'a> {
    #[serde(borrow)]
    spec: Spec<'a>,
}

#[derive(Deserialize)]
struct Spec<'a> {
    #[serde(borrow)]
    versions: Vec<Version<'a>>,
}

#[derive(Deserialize)]
struct Version<'a> {
    name: String,
    #[serde(borrow)]
    schema: Option<Schema<'a>>,
}

#[derive(Deserialize)]
struct Schema<'a> {
    #[serde(borrow, rename = "openAPIV3Schema")]
    stated: Option<Outermost<'a>>,
}

/// A schema, borrowed from the text it is read from.
struct Outermost<'a> {
    fields: BTreeMap<String, &'a RawValue>,
    properties: BTreeMap<String, &'a RawValue>,
}

impl Outermost<'_> {
    /// The same as slices of the text it was read from.
    fn within(self, text: &Bytes) -> StatedSchema {
        let shared = |fields: BTreeMap<String, &RawValue>| {
            fields.into_iter().map(|(name, value)| (name, text.slice_ref(value.get().as_bytes()))).collect()
        };
        StatedSchema { fields: shared(self.fields), properties: shared(self.properties) }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Outermost<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Outermost<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a schema")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Outermost<'de>, A::Error> {
                let mut read = Outermost { fields: BTreeMap::new(), properties: BTreeMap::new() };
                while let Some(name) = map.next_key::<String>()? {
                    if name == "properties" {
                        read.properties = map.next_value::<Option<_>>()?.unwrap_or_default();
                    } else {
                        read.fields.insert(name, map.next_value()?);
                    }
                }
                Ok(read)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}
