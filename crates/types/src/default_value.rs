//! Defaults of a schema as expressions of Rust.
//!
//! In: the JSON of a default and the type of its field. Out: an expression of that type, or why there is none. The server
//! fills in the defaults below a default, too, so an object's missing fields take their own. A plan asks whether there is
//! an expression, the printer for its text.

use serde_json::{Map, Value};

use crate::model::{External, Item, Model, Presence, Struct, Type};
use crate::options::Maps;
use crate::schema::Place;

/// Writes defaults as expressions.
pub(crate) struct DefaultValues<'a> {
    pub(crate) model: &'a Model,
    pub(crate) maps: Maps,
    /// What the source calls a path of a library.
    pub(crate) name_of: &'a dyn Fn(&str) -> String,
}

/// A default that is not of its type.
#[derive(Debug)]
pub(crate) struct Misfit {
    pub(crate) place: Place,
    pub(crate) problem: String,
}

impl DefaultValues<'_> {
    /// Whether `Default::default()` is the same value.
    pub(crate) fn is_default_of_type(&self, value: &Value, type_: &Type) -> bool {
        match (type_, value) {
            (Type::Bool, value) => value == false,
            (Type::Integer(_) | Type::Float(_), value) => value.as_f64() == Some(0.0),
            (Type::String, Value::String(text)) => text.is_empty(),
            (Type::List(_), Value::Array(items)) => items.is_empty(),
            (Type::Map(_), Value::Object(values)) => values.is_empty(),
            (Type::Item(index), value) => match (&self.model.items[*index], value) {
                (Item::Struct(one), Value::Object(fields)) => fields.is_empty() && self.model.struct_has_default(one),
                (Item::Enum(one), Value::String(text)) => one.default.as_ref() == Some(text),
                _ => false,
            },
            _ => false,
        }
    }

    pub(crate) fn expression(&self, value: &Value, type_: &Type, place: &Place) -> Result<String, Misfit> {
        let wrong =
            || Misfit { place: place.clone(), problem: format!("has the default {value}, which is not of its type") };
        match (type_, value) {
            (Type::Optional(_), Value::Null) => Ok("None".to_owned()),
            (Type::Optional(inner), value) => Ok(format!("Some({})", self.expression(value, inner, place)?)),
            (Type::Bool, Value::Bool(truth)) => Ok(truth.to_string()),
            (Type::Integer(_), value) => integer(value).ok_or_else(wrong),
            (Type::Float(_), value) => value.as_f64().map(|number| format!("{number:?}")).ok_or_else(wrong),
            (Type::String, Value::String(text)) => Ok(format!("{text:?}.to_owned()")),
            (Type::Any, value) => Ok(json(value)),
            (Type::External(external), value) => Ok(self.external(*external, value)),
            (Type::Given(_), value) => Ok(decoded(value)),
            (Type::List(inner), Value::Array(items)) => {
                let items = items.iter().map(|item| self.expression(item, inner, &place.items()));
                Ok(format!("vec![{}]", items.collect::<Result<Vec<_>, _>>()?.join(", ")))
            }
            (Type::Map(inner), Value::Object(values)) => self.map_expression(values, inner, &place.values()),
            (Type::Item(index), value) => match (&self.model.items[*index], value) {
                (Item::Struct(one), Value::Object(values)) => self.struct_expression(one, values, place),
                (Item::Enum(one), Value::String(text)) => {
                    let variant = one.variants.iter().find(|variant| variant.value == *text).ok_or_else(wrong)?;
                    Ok(format!("{}::{}", one.name, variant.identifier))
                }
                _ => Err(wrong()),
            },
            _ => Err(wrong()),
        }
    }

    fn map_expression<'v>(
        &self,
        values: impl IntoIterator<Item = (&'v String, &'v Value)>,
        inner: &Type,
        place: &Place,
    ) -> Result<String, Misfit> {
        let map = (self.name_of)(self.maps.path());
        let mut entries = Vec::new();
        for (key, value) in values {
            entries.push(format!("({key:?}.to_owned(), {})", self.expression(value, inner, place)?));
        }
        Ok(if entries.is_empty() { format!("{map}::new()") } else { format!("{map}::from([{}])", entries.join(", ")) })
    }

    fn struct_expression(&self, one: &Struct, values: &Map<String, Value>, place: &Place) -> Result<String, Misfit> {
        let mut fields = Vec::new();
        for field in &one.fields {
            let place = place.property(&field.name);
            let expression = match (values.get(&field.name), &field.presence) {
                (Some(value), _) => self.expression(value, &field.type_, &place)?,
                (None, Presence::Optional) => "None".to_owned(),
                (None, Presence::Default) => "Default::default()".to_owned(),
                (None, Presence::DefaultTo(_)) => format!("{}::{}()", one.name, field.default_function()),
                (None, Presence::Required) => {
                    let problem = "is required, and a default around it does not have it".to_owned();
                    return Err(Misfit { place, problem });
                }
            };
            fields.push(format!("{}: {expression}", field.identifier));
        }
        if let Some((identifier, type_)) = &one.rest {
            let rest = values.iter().filter(|(key, _)| one.fields.iter().all(|field| field.name != **key));
            fields.push(format!("{identifier}: {}", self.map_expression(rest, type_, &place.values())?));
        }
        Ok(format!("{} {{ {} }}", one.name, fields.join(", ")))
    }

    fn external(&self, external: External, value: &Value) -> String {
        let name = (self.name_of)(external.path());
        match (external, value) {
            (External::IntOrString, Value::Number(number)) if number.is_i64() => format!("{name}::Int({number})"),
            (External::IntOrString, Value::String(text)) => format!("{name}::String({text:?}.to_owned())"),
            (External::Quantity, Value::String(text)) => format!("{name}({text:?}.to_owned())"),
            (External::RawExtension, value) => format!("{name}({})", json(value)),
            (_, value) => decoded(value),
        }
    }
}

fn integer(value: &Value) -> Option<String> {
    let whole = value.as_f64().filter(|number| number.fract() == 0.0);
    value
        .as_i64()
        .map(|number| number.to_string())
        .or_else(|| value.as_u64().map(|number| number.to_string()))
        .or_else(|| whole.map(|number| format!("{number:.0}")))
}

/// An expression of whatever type is expected there.
fn decoded(value: &Value) -> String {
    format!("serde_json::from_value({}).expect(\"the schema's default is of this type\")", json(value))
}

fn json(value: &Value) -> String {
    format!("serde_json::json!({})", literal(value))
}

/// JSON in Rust's notation, whose strings are escaped otherwise.
fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        Value::Array(items) => format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| format!("{key:?}: {}", literal(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        plain => plain.to_string(),
    }
}
