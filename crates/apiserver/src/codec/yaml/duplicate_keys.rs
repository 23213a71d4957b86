//! Keys that stand twice in a map, in the words of kube-apiserver's library.
//!
//! In: text that is YAML. Out: one sentence for each key that was there before, with the line of its value, innermost first.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_saphyr::{Options, Spanned};

/// What a strict reader says of the keys that stand twice.
pub(super) fn find(text: &str, options: Options) -> Vec<String> {
    serde_saphyr::from_str_with_options::<Found>(text, options).map_or_else(|_| Vec::new(), |found| found.0)
}

/// What was found in a value.
#[derive(Default)]
struct Found(Vec<String>);

impl<'de> Deserialize<'de> for Found {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Found, D::Error> {
        deserializer.deserialize_any(Finder)
    }
}

struct Finder;

impl<'de> Visitor<'de> for Finder {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found, A::Error> {
        let (mut found, mut keys) = (Vec::new(), Vec::new());
        while let Some(key) = map.next_key::<Value>()? {
            let value = map.next_value::<Spanned<Found>>()?;
            found.extend(value.value.0);
            if keys.contains(&key) {
                found.push(format!("line {}: key {key} already set in map", value.referenced.line()));
            } else {
                keys.push(key);
            }
        }
        Ok(Found(found))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Found, A::Error> {
        let mut found = Vec::new();
        while let Some(item) = items.next_element::<Found>()? {
            found.extend(item.0);
        }
        Ok(Found(found))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Found, E> {
        Ok(Found::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Found, E> {
        Ok(Found::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Found, E> {
        Ok(Found::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Found, E> {
        Ok(Found::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<Found, E> {
        Ok(Found::default())
    }

    fn visit_unit<E>(self) -> Result<Found, E> {
        Ok(Found::default())
    }
}
