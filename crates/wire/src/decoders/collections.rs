//! What may be absent, lists and maps.

use std::collections::BTreeMap;

use super::decode::Decode;
use super::fields::{Fields, bytes};
use crate::json::{Declined, Reader};
use crate::protobuf::read::{Wire, take_field};

impl<T: Decode> Decode for Option<T> {
    #[inline]
    fn blank() -> Self {
        None
    }

    #[inline]
    fn json(&mut self, reader: &mut Reader<'_>) -> Result<(), Declined> {
        self.insert(T::blank()).json(reader)
    }

    #[inline]
    fn protobuf(&mut self, wire: Wire<'_>, fields: &mut Fields<'_>) -> Result<(), Declined> {
        T::optional(self, wire, fields)
    }

    #[inline]
    fn protobuf_unless_empty(&mut self, wire: Wire<'_>, fields: &mut Fields<'_>) -> Result<(), Declined> {
        if T::is_empty(wire) { Ok(()) } else { T::optional(self, wire, fields) }
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

    fn json(&mut self, reader: &mut Reader<'_>) -> Result<(), Declined> {
        reader.open(b'[')?;
        let mut is_first = true;
        while reader.goes_on(b']', &mut is_first)? {
            self.push(T::blank());
            if let Some(element) = self.last_mut() {
                element.json(reader)?;
            }
        }
        reader.close(b']')
    }

    fn protobuf(&mut self, wire: Wire<'_>, fields: &mut Fields<'_>) -> Result<(), Declined> {
        let following = fields.same_count()?;
        self.reserve_exact(1 + following);
        self.resize_with(1 + following, T::blank);
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
        let mut is_first = true;
        while reader.goes_on(b'}', &mut is_first)? {
            let key = reader.string()?;
            reader.take(b':')?;
            let mut value = T::blank();
            value.json(reader)?;
            self.insert(key, value);
        }
        reader.close(b'}')
    }

    fn protobuf(&mut self, wire: Wire<'_>, fields: &mut Fields<'_>) -> Result<(), Declined> {
        let following = fields.same_count()?;
        self.take_entry(wire, fields)?;
        for _ in 0..following {
            let (_, wire) = fields.next()?.ok_or(Declined)?;
            self.take_entry(wire, fields)?;
        }
        Ok(())
    }
}

/// Takes an entry of a map.
trait TakeEntry {
    fn take_entry(&mut self, wire: Wire<'_>, fields: &mut Fields<'_>) -> Result<(), Declined>;
}

impl<T: Decode> TakeEntry for BTreeMap<String, T> {
    #[inline]
    fn take_entry(&mut self, wire: Wire<'_>, fields: &mut Fields<'_>) -> Result<(), Declined> {
        let (mut key, mut value) = (String::new(), T::blank());
        let mut has_value = false;
        let mut rest = bytes(wire)?;
        while let Some((number, wire)) = take_field(&mut rest).map_err(|_| Declined)? {
            match number {
                1 => key.protobuf(wire, fields)?,
                2 if has_value => return Err(Declined),
                2 => {
                    value.protobuf(wire, fields)?;
                    has_value = true;
                }
                _ => {}
            }
        }
        if !has_value {
            value.zero()?;
        }
        self.insert(key, value);
        Ok(())
    }
}
