//! What may be absent, lists and maps.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::decode::Decode;
use super::fields::{Fields, bytes, text};
use crate::json::{Declined, Reader, Text};
use crate::protobuf::read::{Wire, take_field};

impl<T: Decode> Decode for Option<T> {
    #[inline]
    fn blank() -> Self {
        None
    }

    #[inline]
    fn reset(&mut self) {
        if self.is_some() {
            *self = None;
        }
    }

    #[inline]
    fn json(&mut self, reader: &mut Reader<'_>) -> Result<(), Declined> {
        self.get_or_insert_with(T::blank).json(reader)
    }

    #[inline]
    fn protobuf(&mut self, wire: Wire<'_>, fields: &mut Fields<'_>) -> Result<(), Declined> {
        T::optional(self, wire, fields)
    }

    #[inline]
    fn protobuf_unless_empty(&mut self, wire: Wire<'_>, fields: &mut Fields<'_>) -> Result<(), Declined> {
        if T::is_empty(wire) {
            self.reset();
            return Ok(());
        }
        T::optional(self, wire, fields)
    }

    #[inline]
    fn zero(&mut self) -> Result<(), Declined> {
        T::optional_zero(self)
    }
}

impl<T: Decode> Decode for Vec<T> {
    #[inline]
    fn blank() -> Self {
        Self::new()
    }

    #[inline]
    fn reset(&mut self) {
        self.clear();
    }

    fn json(&mut self, reader: &mut Reader<'_>) -> Result<(), Declined> {
        reader.open(b'[')?;
        let (mut is_first, mut count) = (true, 0);
        while reader.goes_on(b']', &mut is_first)? {
            if count == self.len() {
                self.push(T::blank());
            }
            if let Some(element) = self.get_mut(count) {
                element.json(reader)?;
            }
            count += 1;
        }
        self.truncate(count);
        reader.close(b']')
    }

    fn protobuf(&mut self, wire: Wire<'_>, fields: &mut Fields<'_>) -> Result<(), Declined> {
        let count = 1 + fields.same_count()?;
        self.reserve_exact(count.saturating_sub(self.len()));
        self.resize_with(count, T::blank);
        let [first, others @ ..] = self.as_mut_slice() else { return Err(Declined) };
        first.protobuf(wire, fields)?;
        for element in others {
            let (_, wire) = fields.next()?.ok_or(Declined)?;
            element.protobuf(wire, fields)?;
        }
        Ok(())
    }
}

impl<T: Decode> Decode for BTreeMap<String, T> {
    #[inline]
    fn blank() -> Self {
        Self::new()
    }

    fn json(&mut self, reader: &mut Reader<'_>) -> Result<(), Declined> {
        reader.open(b'{')?;
        overwrite(self, &mut JsonEntries { reader, is_first: true })?;
        reader.close(b'}')
    }

    fn protobuf(&mut self, wire: Wire<'_>, fields: &mut Fields<'_>) -> Result<(), Declined> {
        let left = fields.same_count()?;
        overwrite(self, &mut ProtobufEntries { first: Some(wire), left, value: None, fields })
    }
}

/// The entries of a map on their way.
trait Entries<'a> {
    /// The key of the next one.
    fn next_key(&mut self) -> Result<Option<Cow<'a, str>>, Declined>;

    /// Its value.
    fn read_value<T: Decode>(&mut self, place: &mut T) -> Result<(), Declined>;
}

/// Makes `map` hold `entries` and nothing else. As long as its keys are those that come, they stay.
fn overwrite<'a, T: Decode>(map: &mut BTreeMap<String, T>, entries: &mut impl Entries<'a>) -> Result<(), Declined> {
    let mut known = map.iter_mut();
    let (mut next, stale) = loop {
        match (entries.next_key()?, known.next()) {
            (Some(key), Some((name, value))) if *name == *key => entries.read_value(value)?,
            (next, stale) => break (next, stale.map(|(name, _)| name.clone())),
        }
    };
    if let Some(stale) = stale {
        // What comes before it was overwritten, and is in the order of the keys.
        drop(map.split_off(&stale));
    }
    while let Some(key) = next {
        let mut value = T::blank();
        entries.read_value(&mut value)?;
        map.insert(key.into_owned(), value);
        next = entries.next_key()?;
    }
    Ok(())
}

struct JsonEntries<'r, 'a> {
    reader: &'r mut Reader<'a>,
    is_first: bool,
}

impl<'a> Entries<'a> for JsonEntries<'_, 'a> {
    #[inline]
    fn next_key(&mut self) -> Result<Option<Cow<'a, str>>, Declined> {
        if !self.reader.goes_on(b'}', &mut self.is_first)? {
            return Ok(None);
        }
        let key = match self.reader.text()? {
            Text::Plain(text) => Cow::Borrowed(text),
            Text::Unescaped(text) => Cow::Owned(text),
        };
        self.reader.take(b':')?;
        Ok(Some(key))
    }

    #[inline]
    fn read_value<T: Decode>(&mut self, place: &mut T) -> Result<(), Declined> {
        place.json(self.reader)
    }
}

struct ProtobufEntries<'a, 'f, 'b> {
    first: Option<Wire<'a>>,
    /// How many follow it.
    left: usize,
    /// That of the entry whose key was read last, if it was sent.
    value: Option<Wire<'a>>,
    fields: &'f mut Fields<'b>,
}

impl<'a, 'b: 'a> Entries<'a> for ProtobufEntries<'a, '_, 'b> {
    #[inline]
    fn next_key(&mut self) -> Result<Option<Cow<'a, str>>, Declined> {
        let entry = match self.first.take() {
            Some(first) => first,
            None if self.left == 0 => return Ok(None),
            None => {
                self.left -= 1;
                self.fields.next()?.ok_or(Declined)?.1
            }
        };
        let (mut key, mut rest) = ("", bytes(entry)?);
        self.value = None;
        while let Some((number, wire)) = take_field(&mut rest).map_err(|_| Declined)? {
            match number {
                1 => key = text(wire)?,
                2 if self.value.is_some() => return Err(Declined),
                2 => self.value = Some(wire),
                _ => {}
            }
        }
        Ok(Some(Cow::Borrowed(key)))
    }

    #[inline]
    fn read_value<T: Decode>(&mut self, place: &mut T) -> Result<(), Declined> {
        match self.value {
            Some(wire) => place.protobuf(wire, self.fields),
            None => place.zero(),
        }
    }
}
