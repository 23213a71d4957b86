//! The words the tables are written in, so that a field is one line.

use super::{Field, Holds, NUMBERS, Type};

pub(super) use super::Rule::{Default, ListAtomic, ListMap, ListSet, MapAtomic, MapGranular, Patch};
pub(super) use super::Shape;

/// A Go pointer.
pub(super) const POINTER: u8 = 1;
/// JSON leaves it out when it is empty.
pub(super) const OMITEMPTY: u8 = 2;
/// JSON leaves it out when it is zero.
pub(super) const OMITZERO: u8 = 4;
/// Written among the fields of the type it is in.
pub(super) const INLINE: u8 = 8;
/// The schema asks for it.
pub(super) const REQUIRED: u8 = 16;

/// Text.
pub static STRING: Type = shaped("string", Shape::String, &[]);
/// True or false.
pub static BOOL: Type = shaped("bool", Shape::Bool, &[]);
/// A number of 32 bits.
pub static INT32: Type = shaped("int32", Shape::Int32, &[]);
/// A number of 64 bits.
pub static INT64: Type = shaped("int64", Shape::Int64, &[]);
/// A number with a fraction.
pub static DOUBLE: Type = shaped("double", Shape::Double, &[]);
/// Bytes.
pub static BYTES: Type = shaped("bytes", Shape::Bytes, &[]);
/// Anything.
pub(super) static ANY: Type = shaped("any", Shape::Any, &[]);

/// A type of fields.
pub(super) const fn fields(name: &'static str, fields: &'static [Field]) -> Type {
    shaped(name, Shape::Struct, fields)
}

/// A type of fields that merges as a whole.
pub(super) const fn atomic(name: &'static str, fields: &'static [Field]) -> Type {
    Type { is_atomic: true, ..shaped(name, Shape::Struct, fields) }
}

/// A type with a shape of its own.
pub(super) const fn shaped(name: &'static str, shape: Shape, fields: &'static [Field]) -> Type {
    Type { name, shape, is_atomic: false, fields, numbers: numbers(fields), always_written: always_written(fields) }
}

/// A field that holds one value.
pub(super) const fn one(number: u8, name: &'static str, kind: &'static Type, flags: u8) -> Field {
    Field { name, kind, rules: &[], number, holds: Holds::One, flags }
}

/// A field that holds a list.
pub(super) const fn list(number: u8, name: &'static str, kind: &'static Type, flags: u8) -> Field {
    Field { name, kind, rules: &[], number, holds: Holds::List, flags }
}

/// A field that holds a map.
pub(super) const fn map(number: u8, name: &'static str, kind: &'static Type, flags: u8) -> Field {
    Field { name, kind, rules: &[], number, holds: Holds::Map, flags }
}

impl Field {
    /// What it says beyond its type.
    pub(super) const fn with(self, rules: &'static [super::Rule]) -> Self {
        Self { rules, ..self }
    }
}

const fn numbers(fields: &[Field]) -> [u8; NUMBERS] {
    assert!(fields.len() < u8::MAX as usize, "places are one byte");
    let mut numbers = [0; NUMBERS];
    let mut place = 0;
    while place < fields.len() {
        if fields[place].number != 0 {
            numbers[fields[place].number as usize] = place as u8 + 1;
        }
        place += 1;
    }
    numbers
}

const fn always_written(fields: &[Field]) -> u64 {
    let mut always = 0;
    let mut place = 0;
    while place < fields.len() {
        let field = &fields[place];
        let may_be_left_out = field.flags & (OMITEMPTY | OMITZERO) != 0 && field.flags & INLINE == 0;
        if field.number != 0 && !may_be_left_out {
            always |= 1 << field.number;
        }
        place += 1;
    }
    always
}
