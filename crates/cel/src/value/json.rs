//! JSON as values: as it stands, or as a schema says what it is.

use base64::engine::general_purpose::URL_SAFE;
use base64::{DecodeError, Engine};
use serde_json::{Number, Value as Json};

use super::{Evaluated, List, Map, Text, Value, fail};
use crate::library::time;
use crate::schema::{Format, Schema, SchemaType};

impl<'a> From<&'a Json> for Value<'a> {
    /// JSON without a schema: whole numbers are ints, others doubles.
    fn from(json: &'a Json) -> Value<'a> {
        match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => number.as_i64().map_or_else(|| Value::Double(double(number)), Value::Int),
            Json::String(text) => Value::String(Text::Borrowed(text)),
            Json::Array(items) => Value::List(List::Json { items, schema: None }),
            Json::Object(fields) => Value::Map(Map::Json { fields, schema: None }),
        }
    }
}

impl<'a> Value<'a> {
    /// JSON as its schema says it is.
    ///
    /// # Errors
    /// The JSON is not of the type that the schema states.
    pub fn of(json: &'a Json, schema: &'a Schema) -> Evaluated<'a> {
        Value::typed(json, Some(schema))
    }

    pub(crate) fn typed(json: &'a Json, schema: Option<&'a Schema>) -> Evaluated<'a> {
        let Some(schema) = schema else {
            return fail("invalid array type, expected Items with a non-empty Schema");
        };
        if json.is_null() {
            return match schema.nullable {
                true => Ok(Value::Null),
                false => fail("invalid data, got null for schema with nullable=false"),
            };
        }
        match (schema.kind, json) {
            (SchemaType::IntOrString, Json::String(text)) => Ok(Value::String(Text::Borrowed(text))),
            (SchemaType::IntOrString, Json::Number(number)) if number.is_i64() => Ok(Value::from(json)),
            (SchemaType::IntOrString, _) => {
                fail("invalid data, expected XIntOrString value to be either a string or integer")
            }
            (SchemaType::Object, Json::Object(fields)) => Ok(Value::Map(Map::Json { fields, schema: Some(schema) })),
            (SchemaType::Object, _) => fail("invalid data, expected a map for the provided schema with type=object"),
            (SchemaType::Array, Json::Array(items)) => Ok(Value::List(List::Json { items, schema: Some(schema) })),
            (SchemaType::Array, _) => fail("invalid data, expected an array for the provided schema with type=array"),
            (SchemaType::String, Json::String(text)) => formatted(text, schema.format),
            (SchemaType::String, _) => fail(format!("invalid data, expected string, got {}", go_type(json))),
            (SchemaType::Number, Json::Number(number)) => Ok(Value::Double(double(number))),
            (SchemaType::Number, _) => fail(format!("invalid data, expected float, got {}", go_type(json))),
            (SchemaType::Integer, Json::Number(number)) if number.is_i64() => Ok(Value::from(json)),
            (SchemaType::Integer, _) => fail(format!("invalid data, expected int, got {}", go_type(json))),
            (SchemaType::Boolean, Json::Bool(value)) => Ok(Value::Bool(*value)),
            (SchemaType::Boolean, _) => fail(format!("invalid data, expected bool, got {}", go_type(json))),
            (SchemaType::None, _) => Ok(Value::Unknown(json)),
        }
    }
}

fn formatted(text: &str, format: Format) -> Evaluated<'_> {
    match format {
        Format::Plain => Ok(Value::String(Text::Borrowed(text))),
        // The schema takes the other alphabet, too; rules do not.
        Format::Byte => match URL_SAFE.decode(text) {
            Ok(bytes) => Ok(Value::Bytes(bytes.into())),
            Err(why) => {
                let at = match why {
                    DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol(at, _) => at,
                    DecodeError::InvalidLength(_) | DecodeError::InvalidPadding => text.len(),
                };
                fail(format!("Invalid byte formatted string {text}: illegal base64 data at input byte {at}"))
            }
        },
        Format::Duration => match time::parse_format_duration(text) {
            Some(nanoseconds) => Ok(Value::Duration(nanoseconds)),
            None => fail(format!("Invalid duration {text}: unable to parse {text} as duration")),
        },
        Format::Date => match text.parse::<jiff::civil::Date>().ok().and_then(time::midnight) {
            Some(moment) => Ok(Value::Timestamp(moment)),
            None => fail(format!("Invalid date formatted string {text}")),
        },
        Format::DateTime => match time::parse_date_time(text) {
            Some(moment) => Ok(Value::Timestamp(moment)),
            None => fail(format!("Invalid date-time formatted string {text}")),
        },
    }
}

fn double(number: &Number) -> f64 {
    number.as_f64().unwrap_or(f64::NAN)
}

/// What Go calls the type of a piece of JSON.
fn go_type(json: &Json) -> &'static str {
    match json {
        Json::Null => "<nil>",
        Json::Bool(_) => "bool",
        Json::Number(number) if number.is_i64() => "int64",
        Json::Number(_) => "float64",
        Json::String(_) => "string",
        Json::Array(_) => "[]interface {}",
        Json::Object(_) => "map[string]interface {}",
    }
}
