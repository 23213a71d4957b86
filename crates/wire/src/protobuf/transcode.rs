//! From one format into another without anything in between: what a deserializer shows is handed to a serializer.

use std::cell::Cell;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, Serializer};

/// A value that is still in its deserializer. It can be serialized once.
pub(super) struct Transcoded<D>(Cell<Option<D>>);

impl<D> Transcoded<D> {
    pub(super) fn new(from: D) -> Self {
        Self(Cell::new(Some(from)))
    }
}

impl<'de, D: Deserializer<'de>> Transcoded<D> {
    /// Goes past a value that the serializer had no use for.
    fn skip(self) -> Result<(), D::Error> {
        match self.0.into_inner() {
            Some(unused) => IgnoredAny::deserialize(unused).map(drop),
            None => Ok(()),
        }
    }
}

impl<'de, D: Deserializer<'de>> Serialize for Transcoded<D> {
    fn serialize<S: Serializer>(&self, into: S) -> Result<S::Ok, S::Error> {
        let from = self.0.take().ok_or_else(|| S::Error::custom("a value was read twice"))?;
        from.deserialize_any(Into(into)).map_err(S::Error::custom)
    }
}

struct Into<S>(S);

/// One method of the visitor for one of the serializer.
macro_rules! hand_on {
    ($($visit:ident($type:ty) => $serialize:ident),* $(,)?) => {
        $(
            fn $visit<E: serde::de::Error>(self, value: $type) -> Result<S::Ok, E> {
                self.0.$serialize(value).map_err(E::custom)
            }
        )*
    };
}

impl<'de, S: Serializer> Visitor<'de> for Into<S> {
    type Value = S::Ok;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    hand_on! {
        visit_bool(bool) => serialize_bool,
        visit_i32(i32) => serialize_i32,
        visit_i64(i64) => serialize_i64,
        visit_u64(u64) => serialize_u64,
        visit_f64(f64) => serialize_f64,
        visit_str(&str) => serialize_str,
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<S::Ok, E> {
        self.0.serialize_unit().map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<S::Ok, A::Error> {
        let mut list = self.0.serialize_seq(elements.size_hint()).map_err(A::Error::custom)?;
        while elements.next_element_seed(Element(&mut list))?.is_some() {}
        list.end().map_err(A::Error::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<S::Ok, A::Error> {
        let mut map = self.0.serialize_map(None).map_err(A::Error::custom)?;
        while entries.next_key_seed(Key(&mut map))?.is_some() {
            entries.next_value_seed(Entry(&mut map))?;
        }
        map.end().map_err(A::Error::custom)
    }
}

struct Element<'s, S>(&'s mut S);

impl<'de, S: SerializeSeq> DeserializeSeed<'de> for Element<'_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        let value = Transcoded::new(from);
        self.0.serialize_element(&value).map_err(D::Error::custom)?;
        value.skip()
    }
}

struct Key<'s, S>(&'s mut S);

impl<'de, S: SerializeMap> DeserializeSeed<'de> for Key<'_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        self.0.serialize_key(&Transcoded::new(from)).map_err(D::Error::custom)
    }
}

struct Entry<'s, S>(&'s mut S);

impl<'de, S: SerializeMap> DeserializeSeed<'de> for Entry<'_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        let value = Transcoded::new(from);
        self.0.serialize_value(&value).map_err(D::Error::custom)?;
        value.skip()
    }
}
