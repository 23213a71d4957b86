//! Random objects, as the tables say what they may hold, and changes to them.

use fastrand::Rng;
use serde_json::{Map, Value, json};

use crate::facts::{Field, Holds, Shape, Type};

/// Whether an object may hold what decoders leave to serde.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Oddities {
    None,
    Some,
}

const TEXTS: [&str; 8] =
    ["", "a", "web-5d9c7b-x2x4q", "says \"so\"", "é\u{1f600}\n", "\\", "a text of more than sixteen letters", "1"];
const TIMES: [&str; 4] =
    ["2026-11-14T10:11:12Z", "1970-01-01T00:00:00Z", "2024-02-29T23:59:59Z", "9999-12-30T00:00:00Z"];
const MICRO_TIMES: [&str; 3] =
    ["2026-11-14T10:11:12.123456Z", "2026-11-14T10:11:12.000000Z", "1970-01-01T00:00:00.000001Z"];
const ODD_TIMES: [&str; 7] = [
    "0001-01-01T00:00:00Z",
    "1969-12-31T23:59:58Z",
    "2026-11-14T10:11:12.5Z",
    "2026-11-14T10:11:60Z",
    "2026-02-30T10:11:12Z",
    "2026-11-14T10:11:12+02:00",
    "soon",
];
const ODD_VALUES: [&str; 16] = [
    "null",
    "true",
    "0",
    "-0",
    "7",
    "-1",
    "7.0",
    "1e3",
    "2147483648",
    "9223372036854775808",
    "18446744073709551616",
    "\"\"",
    "\"x\"",
    "[]",
    "{}",
    "[null]",
];

/// An object of this type. Of its fields about as many are there as `random` says this time.
pub(super) fn object_of(random: &mut Rng, kind: &'static Type, oddities: Oddities) -> Value {
    let share = [0.15, 0.3, 0.3, 0.5, 0.8][random.usize(..5)];
    Objects { random, oddities, share, left: 150 }.object(kind)
}

struct Objects<'a> {
    random: &'a mut Rng,
    oddities: Oddities,
    /// How many of the fields are there.
    share: f64,
    /// How many more fields there may be, so that no object is so large that a test takes long.
    left: usize,
}

impl Objects<'_> {
    fn object(&mut self, kind: &'static Type) -> Value {
        let mut object = Map::new();
        self.put_fields(&mut object, kind);
        Value::Object(object)
    }

    fn put_fields(&mut self, object: &mut Map<String, Value>, kind: &'static Type) {
        let mut fields: Vec<&'static Field> = kind.fields().iter().collect();
        // What stands last would else be missing where there is no room for all.
        self.random.shuffle(&mut fields);
        for field in fields {
            if field.is_inline() {
                if field.number() != 0 {
                    self.put_fields(object, field.kind());
                }
            } else if is_always_there(field) || (self.random.f64() < self.share && self.left > 0) {
                self.left = self.left.saturating_sub(1);
                let value = self.field(field);
                object.insert(field.name().to_owned(), value);
            }
        }
    }

    fn field(&mut self, field: &'static Field) -> Value {
        let count = [0, 1, 1, 2, 3][self.random.usize(..5)];
        match field.holds() {
            Holds::One => self.value(field.kind()),
            Holds::List => (0..count).map(|_| self.value(field.kind())).collect(),
            Holds::Map => (0..count).map(|nth| (format!("key-{nth}"), self.value(field.kind()))).collect(),
        }
    }

    fn value(&mut self, kind: &'static Type) -> Value {
        if self.oddities == Oddities::Some && self.random.u8(..) < 2 {
            let odd = ODD_VALUES[self.random.usize(..ODD_VALUES.len())];
            return serde_json::from_str(odd).expect("they are values");
        }
        match kind.shape() {
            Shape::String => self.one_of(&TEXTS),
            Shape::Bool => self.random.bool().into(),
            Shape::Int32 => [0, 1, 8080, -1, i32::MAX, i32::MIN][self.random.usize(..6)].into(),
            Shape::Int64 => [0, 1, 30, -30, 123_456_789_012_345_678_i64, -7][self.random.usize(..6)].into(),
            Shape::Double => 0.5.into(),
            Shape::Bytes => self.one_of(&["", "AAEC", "aHVudGVyMg=="]),
            Shape::Time => self.time(&TIMES),
            Shape::MicroTime => self.time(&MICRO_TIMES),
            Shape::Quantity => self.one_of(&["100m", "1Gi", "0", "5"]),
            Shape::IntOrString => {
                if self.random.bool() {
                    self.one_of(&TEXTS)
                } else {
                    [0, 80, -1][self.random.usize(..3)].into()
                }
            }
            Shape::Raw => json!({ "f:metadata": { "f:labels": { ".": {}, "k:{\"a\":1}": 1.5 } } }),
            Shape::Struct => self.object(kind),
            shape => unreachable!("no decoded kind holds {shape:?}"),
        }
    }

    fn time(&mut self, usual: &[&str]) -> Value {
        let is_odd = self.oddities == Oddities::Some && self.random.u8(..) < 20;
        if is_odd { self.one_of(&ODD_TIMES) } else { self.one_of(usual) }
    }

    fn one_of(&mut self, texts: &[&str]) -> Value {
        texts[self.random.usize(..texts.len())].into()
    }
}

/// k8s-openapi has nothing to put in the place of a time, so it refuses an object without one that is required.
fn is_always_there(field: &Field) -> bool {
    field.is_required() && !field.is_pointer() && matches!(field.kind().shape(), Shape::Time | Shape::MicroTime)
}

/// The JSON of a value with white space here and there, members that come twice, and members that no type has.
pub(super) fn text_of(random: &mut Rng, value: &Value) -> String {
    let mut text = String::new();
    // Most texts have few of them, or none would be taken.
    let every = [40, 400, 4000][random.usize(..3)];
    print(random, value, every, &mut text);
    text
}

fn print(random: &mut Rng, value: &Value, every: usize, text: &mut String) {
    let happens = |random: &mut Rng| random.usize(..every) == 0;
    if happens(random) {
        text.push_str([" ", "\n\t", "  \r"][random.usize(..3)]);
    }
    match value {
        Value::Array(elements) => {
            text.push('[');
            for (place, element) in elements.iter().enumerate() {
                text.push_str(if place == 0 { "" } else { "," });
                print(random, element, every, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            text.push('{');
            for (place, (name, member)) in members.iter().enumerate() {
                text.push_str(if place == 0 { "" } else { "," });
                if happens(random) {
                    text.push_str(r#""unknown":{"a":["}"]},"#);
                }
                if happens(random) {
                    text.push_str(&format!(
                        "{}:{},",
                        Value::from(name.as_str()),
                        ODD_VALUES[random.usize(..ODD_VALUES.len())]
                    ));
                }
                if happens(random) && name.starts_with('s') {
                    text.push_str(&format!("\"\\u0073{}\"", &name[1..]));
                } else {
                    text.push_str(&Value::from(name.as_str()).to_string());
                }
                text.push(':');
                print(random, member, every, text);
            }
            text.push('}');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
    if happens(random) {
        text.push(' ');
    }
}

/// `text` with one character or value changed.
pub(super) fn text_with_changes(random: &mut Rng, text: &str) -> String {
    let mut at = random.usize(..text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let (before, behind) = text.split_at(at);
    let mut rest = behind.chars();
    let changed = rest.next();
    match random.u8(..4) {
        0 => format!("{before}{}", rest.as_str()),
        1 => format!(
            "{before}{}{}",
            ["\"", "\\", "{", "}", "[", "]", ",", "0", "n", "\u{1}"][random.usize(..10)],
            rest.as_str()
        ),
        // The value of a member, if that is a scalar.
        2 => match text[at..].find(':').map(|colon| at + colon + 1) {
            Some(value) => {
                let end = text[value..].find([',', '}', ']', '{', '[']).map_or(text.len(), |end| value + end);
                format!("{}{}{}", &text[..value], ODD_VALUES[random.usize(..ODD_VALUES.len())], &text[end..])
            }
            None => before.to_owned(),
        },
        _ => format!("{before}{}{}", changed.unwrap_or(' '), behind),
    }
}

/// `message` with a byte changed, cut off, with fields that come twice or that no type has, or as it is.
pub(super) fn message_with_changes(random: &mut Rng, message: &[u8]) -> Vec<u8> {
    let mut changed = message.to_vec();
    let at = random.usize(..=message.len());
    match random.u8(..8) {
        0 => changed.truncate(at),
        1 => changed.insert(at, random.u8(..)),
        2 if at < message.len() => changed[at] = random.u8(..),
        3 if at < message.len() => changed[at] ^= 1 << random.u8(..8),
        4 if at < message.len() => drop(changed.remove(at)),
        // Every field once more: protobuf joins them.
        5 => changed.extend_from_slice(message),
        // Field 60, which no type has: a number, eight bytes, text, four bytes.
        6 => changed.extend_from_slice(
            [&[0xe0, 3, 7][..], &[0xe1, 3, 1, 2, 3, 4, 5, 6, 7, 8], &[0xe2, 3, 1, b'a'], &[0xe5, 3, 1, 2, 3, 4]]
                [random.usize(..4)],
        ),
        _ => {}
    }
    changed
}
