//! Reading JSON as a Go type does: field by field, in the order of the text.
//!
//! In: bytes (or a value) and a type. Out: a value with the type's fields alone, and the paths of fields that are unknown
//! or come twice, each in the order in which they stand. A value of the wrong type ends it, said in Go's words.

mod free;

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use pintle_wire::facts::{Field, Holds, Shape, Type};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::go_base64;
use super::go_text::readable;
use super::quantity;
use free::Free;

/// What was read.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) value: Value,
    /// What a strict reader refuses, one sentence each: `unknown field "spec.a"`.
    pub(crate) strict: Vec<String>,
}

/// Why something could not be read.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// It is not JSON.
    Syntax(serde_json::Error),
    /// A value is of another type than its field; Go's sentence.
    WrongType(String),
}

/// Reads the JSON of an object of a type.
pub(crate) fn read(kind: &'static Type, body: &[u8]) -> Result<Read, Trouble> {
    let body = readable(body);
    let mut deserializer = serde_json::Deserializer::from_slice(&body);
    let done = read_from(kind, &mut deserializer)?;
    deserializer.end().map_err(Trouble::Syntax)?;
    Ok(done)
}

/// Reads a value that was made otherwise, by a patch for instance.
pub(crate) fn reread(kind: &'static Type, value: Value) -> Result<Read, Trouble> {
    read_from(kind, value)
}

/// Reads JSON of no type; names that come twice are noted all the same.
pub(crate) fn read_free(body: &[u8]) -> Result<Read, serde_json::Error> {
    let mut notes = Notes::default();
    let body = readable(body);
    let mut deserializer = serde_json::Deserializer::from_slice(&body);
    let value = Free { path: &Path::Root, notes: &mut notes }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(Read { value, strict: notes.strict })
}

/// Reads what an apply has merged, which kube-apiserver converts field by field instead of decoding JSON.
pub(crate) fn convert(kind: &'static Type, value: Value) -> Result<Value, Trouble> {
    read_with(Notes { words: Words::Conversion, ..Notes::default() }, kind, value).map(|read| read.value)
}

fn read_from<'de, D>(kind: &'static Type, deserializer: D) -> Result<Read, Trouble>
where
    D: Deserializer<'de, Error = serde_json::Error>,
{
    read_with(Notes::default(), kind, deserializer)
}

fn read_with<'de, D>(mut notes: Notes, kind: &'static Type, deserializer: D) -> Result<Read, Trouble>
where
    D: Deserializer<'de, Error = serde_json::Error>,
{
    let expected = Expected { kind, holds: Holds::One, parent: go_name(kind) };
    let value = Seed { expected, path: &Path::Root, notes: &mut notes }.deserialize(deserializer);
    match (value, notes.refused.take(), notes.wrong.take()) {
        (_, Some(refused), _) => Err(Trouble::WrongType(refused)),
        (Err(error), None, None) => Err(Trouble::Syntax(error)),
        (Err(error), None, Some(_)) if notes.words == Words::Decoder => Err(Trouble::Syntax(error)),
        (_, None, Some(wrong)) => Err(Trouble::WrongType(wrong)),
        (Ok(value), None, None) => Ok(Read { value, strict: notes.strict }),
    }
}

#[derive(Default)]
struct Notes {
    strict: Vec<String>,
    /// The first value of a type that its field has not. Go's decoder reads on after it.
    wrong: Option<String>,
    /// A text that its type could not read, which ends the reading.
    refused: Option<String>,
    words: Words,
}

/// Whose words a refusal is in, and what becomes of numbers that do not fit.
#[derive(Clone, Copy, Default, PartialEq)]
enum Words {
    /// Go's decoder of JSON.
    #[default]
    Decoder,
    /// The conversion of what was merged: whole numbers lose what their field has no bits for, as in Go.
    Conversion,
}

impl Notes {
    fn duplicate(&mut self, path: &Path<'_>) {
        self.strict.push(format!("duplicate field {:?}", path.to_string()));
    }

    /// An unknown field is reported once, however often it occurs.
    fn unknown(&mut self, path: &Path<'_>) {
        let problem = format!("unknown field {:?}", path.to_string());
        if !self.strict.contains(&problem) {
            self.strict.push(problem);
        }
    }
}

/// What is expected at one place.
#[derive(Clone, Copy)]
struct Expected {
    kind: &'static Type,
    holds: Holds,
    /// The Go name of the struct the place is in.
    parent: &'static str,
}

impl Expected {
    fn of(field: &Field, parent: &'static Type) -> Expected {
        Expected { kind: field.kind(), holds: field.holds(), parent: go_name(parent) }
    }

    /// What each element of a list or map is.
    fn element(&self) -> Expected {
        Expected { holds: Holds::One, ..*self }
    }

    /// The type as Go prints it.
    fn go_type(&self) -> String {
        match self.holds {
            Holds::One => go_name_of_value(self.kind),
            Holds::List => format!("[]{}", go_name_of_value(self.kind)),
            Holds::Map => format!("map[string]{}", go_name_of_value(self.kind)),
        }
    }
}

/// `PodSpec` of `io.k8s.api.core.v1.PodSpec`.
fn go_name(kind: &Type) -> &'static str {
    kind.name().rsplit('.').next().unwrap_or_default()
}

/// Go's name of the struct written inline in which a type has a field, if it is not its own.
fn inlined(kind: &'static Type, field: &str) -> Option<&'static str> {
    // They stand first, and most types have none.
    let mut inline = kind.fields().iter().take_while(|field| field.is_inline()).peekable();
    inline.peek()?;
    if kind.fields().iter().any(|own| own.name() == field && !own.is_inline()) {
        return None;
    }
    inline.find(|inline| inline.kind().field(field).is_some()).map(|inline| go_name(inline.kind()))
}

/// `v1.PodSpec`, or Go's name of a plain type.
fn go_name_of_value(kind: &Type) -> String {
    match kind.shape() {
        Shape::String => "string".to_owned(),
        Shape::Bool => "bool".to_owned(),
        Shape::Int32 => "int32".to_owned(),
        Shape::Int64 => "int64".to_owned(),
        Shape::Double => "float64".to_owned(),
        Shape::Bytes => "[]uint8".to_owned(),
        _ => {
            let parts: Vec<&str> = kind.name().rsplitn(3, '.').collect();
            format!("{}.{}", parts.get(1).copied().unwrap_or_default(), parts[0])
        }
    }
}

/// Where in the document.
enum Path<'a> {
    Root,
    Field(&'a Path<'a>, &'a str),
    /// A struct whose fields are written among those of the one it is in: only Go's errors name it.
    Inline(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    /// As Go's errors write it: without the places in lists.
    fn fields(&self) -> String {
        match self {
            Path::Root => String::new(),
            Path::Field(parent, name) | Path::Inline(parent, name) => join(&parent.fields(), name),
            Path::Item(parent, _) => parent.fields(),
        }
    }
}

fn join(parent: &str, name: &str) -> String {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Field(Path::Root | Path::Inline(Path::Root, _), name) => f.write_str(name),
            Path::Inline(parent, _) => write!(f, "{parent}"),
            Path::Field(parent, name) => write!(f, "{parent}.{name}"),
            Path::Item(parent, at) => write!(f, "{parent}[{at}]"),
        }
    }
}

/// Reads the value at one place.
struct Seed<'a> {
    expected: Expected,
    path: &'a Path<'a>,
    notes: &'a mut Notes,
}

impl Seed<'_> {
    fn wrong<E: serde::de::Error>(self, found: &str) -> Result<Value, E> {
        let (fields, kind) = (self.path.fields(), self.expected.go_type());
        let place = if fields.is_empty() {
            format!("Go value of type {kind}")
        } else {
            format!("Go struct field {}.{fields} of type {kind}", self.expected.parent)
        };
        self.notes.wrong.get_or_insert(format!("json: cannot unmarshal {found} into {place}"));
        match self.notes.words {
            Words::Decoder => Ok(Value::Null),
            Words::Conversion => Err(E::custom("a value of the wrong type")),
        }
    }

    fn refuse<E: serde::de::Error>(self, why: String) -> E {
        self.notes.refused.get_or_insert(why);
        E::custom("a value that cannot be read")
    }

    fn is_one(&self) -> bool {
        self.expected.holds == Holds::One
    }

    fn number<E: serde::de::Error>(self, number: Number) -> Result<Value, E> {
        let fits = |number: &Number| match self.expected.kind.shape() {
            Shape::Int32 => number.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
            Shape::Int64 => number.as_i64().is_some(),
            _ => true,
        };
        if !self.is_one() {
            return self.wrong("number");
        }
        match self.expected.kind.shape() {
            Shape::Double | Shape::Any | Shape::Raw | Shape::OrArray | Shape::OrBool | Shape::OrStrings => {
                Ok(Value::Number(number))
            }
            Shape::Int32 | Shape::Int64 if fits(&number) => Ok(Value::Number(number)),
            Shape::Int32 | Shape::Int64 if self.notes.words == Words::Conversion => self.converted(&number),
            Shape::Int32 | Shape::Int64 => self.wrong(&format!("number {number}")),
            Shape::IntOrString if number.as_i64().is_some_and(|number| i32::try_from(number).is_ok()) => {
                Ok(Value::Number(number))
            }
            Shape::Quantity => self.quantity(&number.to_string()),
            _ => self.wrong("number"),
        }
    }

    /// A whole number without the bits that its field has not; a fraction is refused.
    #[expect(clippy::cast_possible_truncation, reason = "that is what kube-apiserver does")]
    fn converted<E: serde::de::Error>(self, number: &Number) -> Result<Value, E> {
        let is_short = self.expected.kind.shape() == Shape::Int32;
        match number.as_i64() {
            Some(number) if is_short => Ok((number as i32).into()),
            Some(number) => Ok(number.into()),
            None => {
                let bits = if is_short { 32 } else { 64 };
                Err(self.refuse(format!("cannot convert float64 to int{bits}")))
            }
        }
    }

    fn quantity<E: serde::de::Error>(self, text: &str) -> Result<Value, E> {
        match quantity::canonical(text) {
            Some(canonical) => Ok(Value::String(canonical)),
            None => Err(self.refuse(QUANTITY_REFUSED.to_owned())),
        }
    }

    fn text<E: serde::de::Error>(self, text: Cow<'_, str>) -> Result<Value, E> {
        if !self.is_one() {
            return self.wrong("string");
        }
        match self.expected.kind.shape() {
            Shape::Quantity => self.quantity(&text),
            Shape::Bytes => match go_base64::canonical(&text) {
                Ok(canonical) => Ok(canonical.into()),
                Err(at) => {
                    let decoding =
                        if self.notes.words == Words::Conversion { "error decoding from json: " } else { "" };
                    Err(self.refuse(format!("{decoding}illegal base64 data at input byte {at}")))
                }
            },
            Shape::Time | Shape::MicroTime => match text.parse::<jiff::Timestamp>() {
                Ok(_) if self.expected.kind.shape() == Shape::MicroTime && !has_microseconds(&text) => {
                    Err(self.refuse(without_microseconds(&text)))
                }
                // Go's first moment stands for none.
                Ok(time) if time.as_second() == ZERO_TIME => Ok(Value::Null),
                Ok(_) => Ok(text.into()),
                Err(_) => Err(self.refuse(unreadable_time(&text))),
            },
            Shape::Bool | Shape::Int32 | Shape::Int64 | Shape::Double | Shape::Struct | Shape::Items => {
                self.wrong("string")
            }
            _ => Ok(text.into()),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: serde::de::Error>(self, truth: bool) -> Result<Value, E> {
        use Shape::{Any, Bool, OrArray, OrBool, OrStrings, Raw};
        let fits = matches!(self.expected.kind.shape(), Bool | Any | Raw | OrArray | OrBool | OrStrings);
        if fits && self.is_one() { Ok(truth.into()) } else { self.wrong("bool") }
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Value, E> {
        self.number(number.into())
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Value, E> {
        self.number(number.into())
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Value, E> {
        match Number::from_f64(number) {
            Some(number) => self.number(number),
            None => self.wrong("number"),
        }
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Value, E> {
        self.text(text.into())
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<Value, E> {
        self.text(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        use Shape::{Any, Items, OrArray, OrBool, OrStrings, Raw};
        let is_free = matches!(self.expected.kind.shape(), Any | Raw | Items | OrArray | OrBool | OrStrings);
        if self.expected.holds != Holds::List && !(self.is_one() && is_free) {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return self.wrong("array");
        }
        let mut list = Vec::new();
        loop {
            let path = Path::Item(self.path, list.len());
            let next = match self.expected.holds {
                Holds::List => {
                    let seed = Seed { expected: self.expected.element(), path: &path, notes: &mut *self.notes };
                    items.next_element_seed(seed)?
                }
                _ => items.next_element::<Value>()?,
            };
            match next {
                Some(item) => list.push(item),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        use Shape::{Any, OrArray, OrBool, OrStrings, Raw, Struct};
        let shape = self.expected.kind.shape();
        let is_free = matches!(shape, Any | Raw | OrArray | OrBool | OrStrings);
        match self.expected.holds {
            Holds::One if is_free => {
                let mut map = Map::new();
                while let Some((key, value)) = entries.next_entry::<String, Value>()? {
                    map.insert(key, value);
                }
                Ok(Value::Object(map))
            }
            Holds::One if shape == Struct => self.fields(entries),
            Holds::Map => self.entries(entries),
            _ => {
                while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                self.wrong("object")
            }
        }
    }
}

impl Seed<'_> {
    /// The fields of a struct.
    fn fields<'de, A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let kind = self.expected.kind;
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let path = Path::Field(self.path, &key);
            let Some(field) = kind.field(&key) else {
                self.notes.unknown(&path);
                entries.next_value::<IgnoredAny>()?;
                continue;
            };
            if map.contains_key(&key) {
                self.notes.duplicate(&path);
            }
            let inline = inlined(kind, &key).map(|name| Path::Inline(self.path, name));
            let path = Path::Field(inline.as_ref().unwrap_or(self.path), &key);
            let seed = Seed { expected: Expected::of(field, kind), path: &path, notes: &mut *self.notes };
            let value = entries.next_value_seed(seed)?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }

    /// The entries of a map.
    fn entries<'de, A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let path = Path::Field(self.path, &key);
            if map.contains_key(&key) {
                self.notes.duplicate(&path);
            }
            // Go names the map in its errors, not the key.
            let seed = Seed { expected: self.expected.element(), path: self.path, notes: &mut *self.notes };
            let seed = if seed.expected.kind.shape() == Shape::Struct { Seed { path: &path, ..seed } } else { seed };
            let shape = seed.expected.kind.shape();
            let value = match (entries.next_value_seed(seed)?, shape) {
                // To Go, null leaves a new entry at its zero.
                (Value::Null, Shape::String) => "".into(),
                (Value::Null, Shape::Quantity) => "0".into(),
                (value, _) => value,
            };
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

/// Go reads a time with microseconds only where there are six digits of them.
fn has_microseconds(time: &str) -> bool {
    let digits = time.split_once('.').map_or("", |(_, fraction)| fraction);
    digits.bytes().take_while(u8::is_ascii_digit).count() == 6
}

fn without_microseconds(time: &str) -> String {
    let rest = time.get("2006-01-02T15:04:05".len()..).unwrap_or_default();
    format!("parsing time {time:?} as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse {rest:?} as \".000000\"")
}

fn unreadable_time(text: &str) -> String {
    let mut message = String::new();
    // Writing into memory does not fail.
    write!(message, "parsing time {text:?} as \"2006-01-02T15:04:05Z07:00\": cannot parse {text:?} as \"2006\"")
        .unwrap_or_default();
    message
}

/// What Go's quantities say of everything they cannot read.
const QUANTITY_REFUSED: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/// The first second of the year 1.
const ZERO_TIME: i64 = -62_135_596_800;
