//! What a schema says about merging, whether it is from the tables of facts about Kubernetes' own types or from a
//! CustomResourceDefinition.
//!
//! In: a value at a place. Out: its [`Shape`]: a scalar, a list that merges whole, by value or by keys, or a map that
//! merges whole or key by key; and the schema of each child. Where nothing is declared the value itself decides.

use std::borrow::Cow;

use pintle_core::field_set::PathElement;
use pintle_wire::facts::{self, Holds, ListType};
use serde_json::Value;

use crate::catalog::crd::structural::Structural;

/// The schema of one place.
#[derive(Clone, Copy)]
pub(crate) enum Schema<'s> {
    /// One value of a built-in type.
    Type(&'static facts::Type),
    /// A field of a built-in type, with however many values it holds.
    Field(&'static facts::Field),
    /// A whole custom resource, or one embedded in another.
    Resource(&'s Structural),
    /// Subresource of a custom resource.
    Custom(&'s Structural),
    /// Anything: maps merge by key, everything else as a whole.
    Deduced,
    /// Anything, as a whole.
    Opaque,
}

/// How a value merges.
#[derive(Clone, Copy)]
pub(crate) enum Shape<'s> {
    Scalar(Scalar),
    List(List<'s>),
    Map(Map<'s>),
}

/// What a scalar must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Text,
    Number,
    Truth,
    Any,
}

/// How a list merges.
#[derive(Clone, Copy)]
pub(crate) struct List<'s> {
    pub(crate) relation: Relation<'s>,
    pub(crate) items: Schema<'s>,
}

/// What makes two items of two lists the same item.
#[derive(Clone, Copy)]
pub(crate) enum Relation<'s> {
    /// Nothing: the list is one value.
    Atomic,
    /// Their value.
    Set,
    /// The values of these keys.
    Keys(&'s [&'s str]),
    /// The values of these keys, as a definition has them.
    OwnedKeys(&'s [String]),
}

/// How a map merges.
#[derive(Clone, Copy)]
pub(crate) struct Map<'s> {
    pub(crate) is_atomic: bool,
    fields: Fields<'s>,
}

/// Which keys a map may have.
#[derive(Clone, Copy)]
enum Fields<'s> {
    /// The fields of a built-in type.
    Type(&'static facts::Type),
    /// The fields of a custom resource beside its type and metadata.
    Resource(&'s Structural),
    Custom(&'s Structural),
    /// Any key, with values of this schema.
    Any(Values<'s>),
}

/// The schema of the values of an undeclared map, without naming `Schema` inside itself.
#[derive(Clone, Copy)]
enum Values<'s> {
    Type(&'static facts::Type),
    Custom(&'s Structural),
    Deduced,
    Opaque,
}

/// The schema of something inside a value.
#[derive(Clone, Copy)]
pub(crate) struct Child<'s> {
    pub(crate) schema: Schema<'s>,
    /// Whether it is a field by name rather than one key of many.
    pub(crate) is_declared: bool,
}

impl<'s> Schema<'s> {
    /// How this value merges; where the schema leaves it open, the value decides.
    pub(crate) fn shape(self, value: &Value) -> Shape<'s> {
        match self {
            Schema::Type(kind) => of_type(kind, kind.is_atomic(), value),
            Schema::Field(field) => of_field(field, value),
            Schema::Resource(schema) => Shape::Map(Map { is_atomic: false, fields: Fields::Resource(schema) }),
            Schema::Custom(schema) => of_custom(schema, value),
            Schema::Deduced => deduced(value),
            Schema::Opaque => opaque(value),
        }
    }

    /// The schema behind a path element, if there is one.
    pub(crate) fn child(self, element: &PathElement) -> Option<Child<'s>> {
        match (element, self.shape(probe(element))) {
            (PathElement::Field(name), Shape::Map(map)) => map.child(name),
            (PathElement::Field(_), _) => None,
            (_, Shape::List(list)) => Some(Child { schema: list.items, is_declared: false }),
            _ => None,
        }
    }

    /// The value that a key of this item has when it is left out.
    pub(crate) fn default_of(self, name: &str) -> Option<Cow<'s, Value>> {
        match self {
            Schema::Type(kind) => fact_default(kind.field(name)?).map(Cow::Owned),
            Schema::Field(field) => fact_default(field.kind().field(name)?).map(Cow::Owned),
            Schema::Resource(schema) | Schema::Custom(schema) => {
                schema.properties.get(name)?.default.as_ref().map(Cow::Borrowed)
            }
            Schema::Deduced | Schema::Opaque => None,
        }
    }
}

impl<'s> Relation<'s> {
    /// The names of the keys, if items are known by keys.
    pub(crate) fn keys(self) -> Option<Vec<&'s str>> {
        match self {
            Relation::Keys(keys) => Some(keys.to_vec()),
            Relation::OwnedKeys(keys) => Some(keys.iter().map(String::as_str).collect()),
            Relation::Atomic | Relation::Set => None,
        }
    }

    pub(crate) fn is_atomic(self) -> bool {
        matches!(self, Relation::Atomic)
    }
}

impl<'s> Map<'s> {
    /// The schema of a key; `None` where there is no such field.
    pub(crate) fn child(&self, name: &str) -> Option<Child<'s>> {
        let declared = |schema| Child { schema, is_declared: true };
        match self.fields {
            Fields::Type(kind) => kind.field(name).map(|field| declared(Schema::Field(field))),
            Fields::Resource(schema) => match name {
                "apiVersion" | "kind" => Some(declared(Schema::Type(&facts::STRING))),
                "metadata" => facts::named(OBJECT_META).map(|kind| declared(Schema::Type(kind))),
                _ => custom_child(schema, name),
            },
            Fields::Custom(schema) => custom_child(schema, name),
            Fields::Any(element) => Some(Child { schema: element.schema(), is_declared: false }),
        }
    }
}

impl<'s> Values<'s> {
    fn schema(self) -> Schema<'s> {
        match self {
            Values::Type(kind) => Schema::Type(kind),
            Values::Custom(schema) => of_structural(schema),
            Values::Deduced => Schema::Deduced,
            Values::Opaque => Schema::Opaque,
        }
    }
}

/// The schema of a definition's schema, which may embed a whole resource.
fn of_structural(schema: &Structural) -> Schema<'_> {
    if schema.embedded_resource { Schema::Resource(schema) } else { Schema::Custom(schema) }
}

fn of_type(kind: &'static facts::Type, is_atomic: bool, value: &Value) -> Shape<'static> {
    use facts::Shape as Fact;
    match kind.shape() {
        Fact::String | Fact::Bytes | Fact::Time | Fact::MicroTime | Fact::Duration => Shape::Scalar(Scalar::Text),
        Fact::Bool => Shape::Scalar(Scalar::Truth),
        Fact::Int32 | Fact::Int64 | Fact::Double => Shape::Scalar(Scalar::Number),
        Fact::IntOrString | Fact::Quantity => Shape::Scalar(Scalar::Any),
        Fact::Struct => Shape::Map(Map { is_atomic, fields: Fields::Type(kind) }),
        // Mostly an object; the `default` of a definition's schema may be anything.
        Fact::Raw if value.is_object() => Shape::Map(Map { is_atomic, fields: Fields::Any(Values::Deduced) }),
        Fact::Items => Shape::List(List { relation: Relation::Atomic, items: Schema::Type(&facts::STRING) }),
        Fact::Raw | Fact::Any | Fact::OrArray | Fact::OrBool | Fact::OrStrings => opaque(value),
    }
}

fn of_field(field: &'static facts::Field, value: &Value) -> Shape<'static> {
    match field.holds() {
        Holds::One => of_type(field.kind(), field.is_atomic_map(), value),
        Holds::Map => {
            let fields = Fields::Any(Values::Type(field.kind()));
            Shape::Map(Map { is_atomic: field.is_atomic_map(), fields })
        }
        Holds::List => {
            let relation = match field.list_type() {
                ListType::Atomic => Relation::Atomic,
                ListType::Set => Relation::Set,
                ListType::Map(keys) => Relation::Keys(keys),
            };
            Shape::List(List { relation, items: Schema::Type(field.kind()) })
        }
    }
}

fn of_custom<'s>(schema: &'s Structural, value: &Value) -> Shape<'s> {
    match schema.kind.as_str() {
        _ if schema.int_or_string => Shape::Scalar(Scalar::Any),
        "object" => Shape::Map(Map { is_atomic: schema.map_type == "atomic", fields: Fields::Custom(schema) }),
        "array" => {
            let relation = match schema.list_type.as_str() {
                "set" => Relation::Set,
                "map" => Relation::OwnedKeys(&schema.list_map_keys),
                _ => Relation::Atomic,
            };
            let items = schema.items.as_deref().map_or(Schema::Opaque, of_structural);
            Shape::List(List { relation, items })
        }
        "string" => Shape::Scalar(Scalar::Text),
        "boolean" => Shape::Scalar(Scalar::Truth),
        "integer" | "number" => Shape::Scalar(Scalar::Number),
        _ if schema.preserve_unknown_fields => deduced(value),
        _ => opaque(value),
    }
}

fn custom_child<'s>(schema: &'s Structural, name: &str) -> Option<Child<'s>> {
    if let Some(property) = schema.properties.get(name) {
        return Some(Child { schema: of_structural(property), is_declared: true });
    }
    let element = match &schema.additional_properties {
        Some(additional) => additional.schema().map_or(Values::Deduced, Values::Custom),
        None if schema.preserve_unknown_fields || schema.properties.is_empty() => Values::Deduced,
        None => return None,
    };
    Some(Child { schema: element.schema(), is_declared: false })
}

fn deduced(value: &Value) -> Shape<'static> {
    match value {
        Value::Object(_) => Shape::Map(Map { is_atomic: false, fields: Fields::Any(Values::Deduced) }),
        _ => opaque(value),
    }
}

fn opaque(value: &Value) -> Shape<'static> {
    match value {
        Value::Object(_) => Shape::Map(Map { is_atomic: true, fields: Fields::Any(Values::Opaque) }),
        Value::Array(_) => Shape::List(List { relation: Relation::Atomic, items: Schema::Opaque }),
        _ => Shape::Scalar(Scalar::Any),
    }
}

/// The default of a built-in field as its OpenAPI document has it: fields that are always written have their zero.
fn fact_default(field: &facts::Field) -> Option<Value> {
    if let Some(json) = field.default_json() {
        return serde_json::from_str(json).ok();
    }
    if field.is_pointer() || field.omits_empty() || field.holds() != Holds::One {
        return None;
    }
    match field.kind().shape() {
        facts::Shape::String => Some(Value::from("")),
        facts::Shape::Bool => Some(Value::from(false)),
        facts::Shape::Int32 | facts::Shape::Int64 => Some(Value::from(0)),
        _ => None,
    }
}

/// A value of the kind that an element is found in, for schemas that look at the value.
fn probe(element: &PathElement) -> &'static Value {
    static MAP: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| Value::Object(serde_json::Map::new()));
    static LIST: Value = Value::Array(Vec::new());
    match element {
        PathElement::Field(_) => &MAP,
        _ => &LIST,
    }
}

/// The type of every object's metadata.
const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
