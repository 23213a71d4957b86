//! What a property can be: its schema, and values of it.

use serde_json::{Map, Value, json};

/// The type of a value, as a schema or an expression knows it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    Bool,
    Int,
    Double,
    Text,
    Time,
    Date,
    Span,
    Bytes,
    IntOrString,
    List(Box<Type>),
    /// A list whose items are told apart by their field `name`.
    Keyed(Vec<(&'static str, Type)>),
    Map(Box<Type>),
    Object(Vec<(&'static str, Type)>),
    /// An object of which nothing is known.
    Unknown,
    /// What only expressions have.
    Quantity,
    Address,
    Network,
    Link,
    Version,
}

/// Names of fields, and what expressions call them.
pub(super) const FIELDS: [(&str, &str); 12] = [
    ("size", "size"),
    ("name", "name"),
    ("a-b", "a__dash__b"),
    ("x.y", "x__dot__y"),
    ("f/g", "f__slash__g"),
    ("namespace", "__namespace__"),
    ("in", "__in__"),
    ("items", "items"),
    ("kind", "kind"),
    ("__x", "__underscores__x"),
    ("int", "int"),
    ("value", "value"),
];

impl Type {
    /// Any that a schema can state.
    pub(super) fn of_schema(random: &mut fastrand::Rng, depth: usize) -> Type {
        let simple = 10;
        match random.usize(..if depth == 0 { simple } else { simple + 7 }) {
            0 => Type::Bool,
            1 | 2 => Type::Int,
            3 => Type::Double,
            4 | 5 => Type::Text,
            6 => [Type::Time, Type::Date][random.usize(..2)].clone(),
            7 => Type::Span,
            8 => Type::IntOrString,
            9 => [Type::Bytes, Type::Unknown][random.usize(..2)].clone(),
            10 | 11 => Type::List(Box::new(Type::of_schema(random, depth - 1))),
            12 | 13 => Type::Map(Box::new(Type::of_schema(random, depth - 1))),
            14 => {
                let mut fields = Type::fields(random, depth - 1);
                fields.retain(|(name, _)| *name != "name");
                fields.push(("name", Type::Text));
                Type::Keyed(fields)
            }
            _ => Type::Object(Type::fields(random, depth - 1)),
        }
    }

    fn fields(random: &mut fastrand::Rng, depth: usize) -> Vec<(&'static str, Type)> {
        let mut names = FIELDS;
        random.shuffle(&mut names);
        let count = random.usize(1..4);
        names.iter().take(count).map(|(name, _)| (*name, Type::of_schema(random, depth))).collect()
    }

    /// A schema for it, with limits more often than not: without them a rule is soon too expensive.
    pub(super) fn schema(&self, random: &mut fastrand::Rng) -> Value {
        let mut schema = match self {
            Type::Bool => json!({"type": "boolean"}),
            Type::Int => json!({"type": "integer"}),
            Type::Double => json!({"type": "number"}),
            Type::Text => json!({"type": "string"}),
            Type::Time => json!({"type": "string", "format": "date-time"}),
            Type::Date => json!({"type": "string", "format": "date"}),
            Type::Span => json!({"type": "string", "format": "duration"}),
            Type::Bytes => json!({"type": "string", "format": "byte"}),
            Type::IntOrString => json!({"x-kubernetes-int-or-string": true}),
            Type::Unknown => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
            Type::List(item) => json!({"type": "array", "items": item.schema(random)}),
            Type::Keyed(fields) => {
                let mut item = object_schema(random, fields);
                item["required"] = json!(["name"]);
                // What tells items apart cannot be null.
                item["properties"]["name"] = json!({"type": "string", "maxLength": 16});
                json!({
                    "type": "array", "items": item,
                    "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                })
            }
            Type::Map(value) => json!({"type": "object", "additionalProperties": value.schema(random)}),
            Type::Object(fields) => object_schema(random, fields),
            other => unreachable!("{other:?} is of no schema"),
        };
        if random.u8(..10) < 8 {
            match self {
                Type::Text | Type::Bytes => schema["maxLength"] = (16 << random.u32(..6)).into(),
                Type::List(_) | Type::Keyed(_) => schema["maxItems"] = (4 << random.u32(..4)).into(),
                Type::Map(_) => schema["maxProperties"] = (4 << random.u32(..4)).into(),
                _ => {}
            }
        }
        if random.u8(..12) == 0 {
            schema["nullable"] = true.into();
        }
        schema
    }

    /// A value of it, most of the time.
    pub(super) fn value(&self, random: &mut fastrand::Rng) -> Value {
        if random.u16(..200) == 0 {
            return Value::Null;
        }
        match self {
            Type::Bool => random.bool().into(),
            Type::Int => pick(random, &[0, 1, 2, 3, -1, 7, 10, 443, i64::from(i32::MAX), i64::MAX, i64::MIN]).into(),
            Type::Double => pick(random, &[0.0, 1.0, 1.5, -2.5, 3.0, 1_234_567.5, 0.1]).into(),
            Type::Text => pick(random, TEXTS).into(),
            Type::Time => {
                pick(random, &["2024-02-29T12:00:00Z", "2001-01-01T00:00:00+02:00", "1969-07-20T20:17:40.5Z"]).into()
            }
            Type::Date => pick(random, &["2024-02-29", "2001-01-01", "1969-07-20"]).into(),
            Type::Span => pick(random, &["1h", "90m", "1h30m0.5s", "0s", "-1s"]).into(),
            Type::Bytes => pick(random, &["", "YQ==", "YWJj", "/w=="]).into(),
            Type::IntOrString if random.bool() => Type::Int.value(random),
            Type::IntOrString => pick(random, TEXTS).into(),
            Type::List(item) => (0..random.usize(..4)).map(|_| item.value(random)).collect(),
            Type::Keyed(fields) => {
                let names = ["a", "b", "c"].iter().take(random.usize(..4));
                let item = |name: &&str| {
                    let mut item = object(random, fields);
                    item["name"] = (*name).into();
                    item
                };
                names.map(item).collect()
            }
            Type::Map(value) => {
                let keys = ["a", "b", "a-b", "x.y"].iter().take(random.usize(..4));
                keys.map(|key| ((*key).to_owned(), value.value(random))).collect::<Map<_, _>>().into()
            }
            Type::Object(fields) => object(random, fields),
            Type::Unknown => pick(random, &[json!({}), json!({"a": 1}), json!({"a": {"b": ["c", 2, null]}})]),
            other => unreachable!("{other:?} is of no schema"),
        }
    }
}

fn object_schema(random: &mut fastrand::Rng, fields: &[(&'static str, Type)]) -> Value {
    let properties: Map<String, Value> =
        fields.iter().map(|(name, kind)| ((*name).to_owned(), kind.schema(random))).collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if random.u8(..3) == 0 {
        schema["required"] = json!([fields[0].0]);
    }
    schema
}

fn object(random: &mut fastrand::Rng, fields: &[(&'static str, Type)]) -> Value {
    let mut object = Map::new();
    for (place, (name, kind)) in fields.iter().enumerate() {
        if place == 0 || random.u8(..4) > 0 {
            object.insert((*name).to_owned(), kind.value(random));
        }
    }
    object.into()
}

pub(super) fn pick<T: Clone>(random: &mut fastrand::Rng, choices: &[T]) -> T {
    choices[random.usize(..choices.len())].clone()
}

/// Texts that functions have opinions on.
pub(super) const TEXTS: &[&str] = &[
    "",
    "a",
    "b",
    "Hello",
    "a-b.c",
    "ä€𝄞",
    "10.0.0.1",
    "10.0.0.0/8",
    "::1",
    "https://example.com:80/a?b=c",
    "100Mi",
    "1.5",
    "12",
    "true",
    "1.2.3",
    "2024-02-29T12:00:00Z",
    "1h",
    "%s",
];
