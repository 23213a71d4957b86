//! What a table becomes: the decoder of a type of fields, from JSON by name and from protobuf by number.
//!
//! A row is `number field "name"`, and a word where it says more:
//!
//! - `omitempty`: Go's JSON leaves it out when it is empty, so from protobuf an empty value is none;
//! - `always`: Go's JSON always has it, so it is there although protobuf did not send it;
//! - `required`: k8s-openapi refuses an object without it;
//! - `managed`: these are the fields that a caller may ask to be skipped.
//!
//! `inline number { … }` holds the fields of a message that JSON writes among those of this type, `json { … }` those that only
//! an older Kubernetes has, and that are not read from protobuf.

/// The decoder of a type; of one without a table that of a struct without fields, which k8s-openapi takes for any JSON.
macro_rules! message {
    ($type:path) => {
        impl $crate::decoders::decode::Decode for $type {
            fn blank() -> Self {
                Self(serde_json::Value::Null)
            }

            fn json(&mut self, reader: &mut $crate::json::Reader<'_>) -> Result<(), $crate::json::Declined> {
                self.0 = serde::Deserialize::deserialize(reader)?;
                Ok(())
            }

            fn protobuf(
                &mut self,
                wire: $crate::protobuf::read::Wire<'_>,
                fields: &mut $crate::decoders::fields::Fields<'_>,
            ) -> Result<(), $crate::json::Declined> {
                let mut unknown = fields.within(wire)?;
                while unknown.next()?.is_some() {}
                self.zero()
            }

            fn zero(&mut self) -> Result<(), $crate::json::Declined> {
                self.0 = serde_json::Map::new().into();
                Ok(())
            }
        }
    };
    ($type:path {
        $($number:literal $field:ident $name:literal $($word:ident)?;)*
        $(inline $inline:literal { $($inner_number:literal $inner:ident $inner_name:literal $($inner_word:ident)?;)* })?
        $(json { $($older:ident $older_name:literal $($older_word:ident)?;)* })?
    }) => {
        decoder! { $type {
            json {
                $($field $name $($word)?;)*
                $($($inner $inner_name $($inner_word)?;)*)?
                $($($older $older_name $($older_word)?;)*)?
            }
            or (_reader, _name) { _reader.skip().map(|_| ()) }
            protobuf { $($number $field $($word)?;)* $(inline $inline { $($inner_number $inner $($inner_word)?;)* })? }
            $(older { $($older)* })?
        } }
    };
}

/// The decoder of the objects of a kind.
macro_rules! object {
    ($type:path as $definition:literal { $($number:literal $field:ident $name:literal $($word:ident)?;)* }) => {
        decoder! { $type {
            json { $($field $name $($word)?;)* }
            or (reader, name) {
                match name {
                    b"apiVersion" => $crate::decoders::message::expect(reader, <$type as k8s_openapi::Resource>::API_VERSION),
                    b"kind" => $crate::decoders::message::expect(reader, <$type as k8s_openapi::Resource>::KIND),
                    _ => reader.skip().map(|_| ()),
                }
            }
            protobuf { $($number $field $($word)?;)* }
        } }

        impl $crate::decoders::decode::Object for $type {
            const DEFINITION: &'static str = $definition;
            const API_VERSION: &'static str = <$type as k8s_openapi::Resource>::API_VERSION;
            const KIND: &'static str = <$type as k8s_openapi::Resource>::KIND;
        }
    };
}

/// What objects and messages have in common.
macro_rules! decoder {
    ($type:path {
        json { $($field:ident $name:literal $($word:ident)?;)* }
        or ($reader:ident, $other:ident) { $($or:tt)* }
        protobuf {
            $($number:literal $own:ident $($own_word:ident)?;)*
            $(inline $inline:literal { $($inner_number:literal $inner:ident $($inner_word:ident)?;)* })?
        }
        $(older { $($older:ident)* })?
    }) => {
        impl $crate::decoders::decode::Decode for $type {
            #[inline]
            fn blank() -> Self {
                Self { $($field: $crate::decoders::decode::Decode::blank(),)* }
            }

            fn json(&mut self, reader: &mut $crate::json::Reader<'_>) -> Result<(), $crate::json::Declined> {
                #[derive(Clone, Copy)]
                #[expect(non_camel_case_types, reason = "they are the fields of the type")]
                enum Field {
                    $($field,)*
                }
                const ROWS: &[$crate::decoders::names::Row<Field>] =
                    &[$($crate::decoders::names::Row::new($name, Field::$field),)*];
                const TABLE: [u8; $crate::decoders::names::places(ROWS.len())] = $crate::decoders::names::table(ROWS);
                reader.open(b'{')?;
                let (mut is_first, mut seen) = (true, 0_u64);
                while let Some(name) = reader.next_name(&mut is_first)? {
                    let Some(field) = $crate::decoders::names::find(ROWS, &TABLE, name) else {
                        let ($reader, $other) = (&mut *reader, name.bytes);
                        $($or)*?;
                        continue;
                    };
                    let bit = 1 << field as u32;
                    if seen & bit != 0 {
                        return Err($crate::json::Declined);
                    }
                    seen |= bit;
                    match field {
                        $(Field::$field => json_row!(self.$field, reader $($word)?),)*
                    }
                }
                $(json_end!(seen & (1 << Field::$field as u32); $($word)?);)*
                if reader.overwrites() {
                    $(
                        if seen & (1 << Field::$field as u32) == 0 {
                            $crate::decoders::decode::Decode::reset(&mut self.$field);
                        }
                    )*
                }
                reader.close(b'}')
            }

            fn protobuf(
                &mut self,
                wire: $crate::protobuf::read::Wire<'_>,
                fields: &mut $crate::decoders::fields::Fields<'_>,
            ) -> Result<(), $crate::json::Declined> {
                $crate::decoders::decode::Message::message(self, fields.within(wire)?)
            }

            fn zero(&mut self) -> Result<(), $crate::json::Declined> {
                $crate::decoders::decode::Message::message(self, $crate::decoders::fields::Fields::none())
            }
        }

        impl $crate::decoders::decode::Message for $type {
            fn message(
                &mut self,
                mut fields: $crate::decoders::fields::Fields<'_>,
            ) -> Result<(), $crate::json::Declined> {
                while let Some((number, wire)) = fields.next()? {
                    match number {
                        $($number => protobuf_row!($number, self.$own, wire, fields $($own_word)?),)*
                        $($inline => {
                            fields.note($inline)?;
                            inline(self, fields.within(wire)?)?;
                        })?
                        _ => {}
                    }
                }
                $(protobuf_end!($number, self.$own, fields $($own_word)?);)*
                if fields.overwrites() {
                    $(protobuf_reset!($number, self.$own, fields $($own_word)?);)*
                    $($($crate::decoders::decode::Decode::reset(&mut self.$older);)*)?
                }
                $(
                    if !fields.has($inline) {
                        inline(self, $crate::decoders::fields::Fields::none())?;
                    }

                    fn inline(
                        object: &mut $type,
                        mut fields: $crate::decoders::fields::Fields<'_>,
                    ) -> Result<(), $crate::json::Declined> {
                        while let Some((number, wire)) = fields.next()? {
                            match number {
                                $($inner_number => protobuf_row!($inner_number, object.$inner, wire, fields $($inner_word)?),)*
                                _ => {}
                            }
                        }
                        $(protobuf_end!($inner_number, object.$inner, fields $($inner_word)?);)*
                        if fields.overwrites() {
                            $(protobuf_reset!($inner_number, object.$inner, fields $($inner_word)?);)*
                        }
                        Ok(())
                    }
                )?
                Ok(())
            }
        }
    };
}

/// Reads the value of a field from JSON. For k8s-openapi `null` is as good as nothing, unless the field is required.
macro_rules! json_row {
    ($place:expr, $reader:ident required) => {
        $crate::decoders::decode::Decode::json(&mut $place, $reader)?
    };
    ($place:expr, $reader:ident managed) => {
        if $reader.skips_managed_fields() {
            $reader.skip()?;
            $crate::decoders::decode::Decode::reset(&mut $place);
        } else {
            json_row!($place, $reader)
        }
    };
    ($place:expr, $reader:ident $($word:ident)?) => {
        if $reader.takes_null()? {
            $crate::decoders::decode::Decode::reset(&mut $place);
        } else {
            $crate::decoders::decode::Decode::json(&mut $place, $reader)?
        }
    };
}

/// What is asked of a field when the object has been read.
macro_rules! json_end {
    ($seen:expr; required) => {
        if $seen == 0 {
            return Err($crate::json::Declined);
        }
    };
    ($seen:expr; $($word:ident)?) => {};
}

/// Reads the value of a field from protobuf.
macro_rules! protobuf_row {
    ($number:literal, $place:expr, $wire:ident, $fields:ident omitempty) => {{
        $fields.note($number)?;
        $crate::decoders::decode::Decode::protobuf_unless_empty(&mut $place, $wire, &mut $fields)?
    }};
    ($number:literal, $place:expr, $wire:ident, $fields:ident managed) => {
        if !$fields.skips_managed_fields() {
            protobuf_row!($number, $place, $wire, $fields)
        }
    };
    ($number:literal, $place:expr, $wire:ident, $fields:ident $($word:ident)?) => {{
        $fields.note($number)?;
        $crate::decoders::decode::Decode::protobuf(&mut $place, $wire, &mut $fields)?
    }};
}

/// What becomes of a field that was not sent.
macro_rules! protobuf_end {
    ($number:literal, $place:expr, $fields:ident always) => {
        if !$fields.has($number) {
            $crate::decoders::decode::Decode::zero(&mut $place)?;
        }
    };
    ($number:literal, $place:expr, $fields:ident required) => {
        if !$fields.has($number) {
            return Err($crate::json::Declined);
        }
    };
    ($number:literal, $place:expr, $fields:ident $($word:ident)?) => {};
}

/// What becomes of such a field where something else may stand.
macro_rules! protobuf_reset {
    ($number:literal, $place:expr, $fields:ident always) => {};
    ($number:literal, $place:expr, $fields:ident required) => {};
    ($number:literal, $place:expr, $fields:ident $($word:ident)?) => {
        if !$fields.has($number) {
            $crate::decoders::decode::Decode::reset(&mut $place);
        }
    };
}

use crate::json::{Declined, Reader, Text};

/// The next value must be this text.
pub(super) fn expect(reader: &mut Reader<'_>, expected: &str) -> Result<(), Declined> {
    match reader.text()? {
        Text::Plain(text) if text == expected => Ok(()),
        _ => Err(Declined),
    }
}
