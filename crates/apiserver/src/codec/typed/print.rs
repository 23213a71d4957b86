//! Zeros as Go writes them: some fields are always there, some only when they hold something.
//!
//! In: a value that was read as a type. Out: the same with zeros written or left out as the type's tags say. It is what
//! makes `status: {}` appear on a new Deployment and `restartCount: 0` on a container's status.

use pintle_wire::facts::{Field, Holds, Shape, Type};
use serde_json::{Map, Value};

/// Rewrites an object of a type as Go would print it.
pub(crate) fn print(kind: &Type, value: &mut Value) {
    match (kind.shape(), value) {
        (Shape::Struct, Value::Object(map)) => print_fields(kind, map),
        (Shape::Struct, other) if other.is_null() => {
            let mut map = Map::new();
            print_fields(kind, &mut map);
            *other = Value::Object(map);
        }
        _ => {}
    }
}

/// Goes by the fields that are there, which are few beside those that could be.
fn print_fields(kind: &Type, map: &mut Map<String, Value>) {
    map.retain(|name, value| {
        let Some(field) = kind.field(name) else { return true };
        if !value.is_null() {
            print_field(field, value);
        }
        !is_dropped(field, value)
    });
    write_zeros(kind, map);
}

fn write_zeros(kind: &Type, map: &mut Map<String, Value>) {
    for field in kind.fields() {
        if field.is_inline() {
            write_zeros(field.kind(), map);
        } else if is_always_written(field) && !map.contains_key(field.name()) {
            map.insert(field.name().to_owned(), zero(field));
        }
    }
}

fn print_field(field: &Field, value: &mut Value) {
    match (field.holds(), value) {
        (Holds::One, value) => print(field.kind(), value),
        (Holds::List, Value::Array(items)) => items.iter_mut().for_each(|item| print(field.kind(), item)),
        (Holds::Map, Value::Object(entries)) => entries.values_mut().for_each(|entry| print(field.kind(), entry)),
        _ => {}
    }
}

/// Whether a value counts as not there.
fn is_dropped(field: &Field, value: &Value) -> bool {
    if value.is_null() {
        return true;
    }
    let is_empty = match field.holds() {
        // Storage knows no difference between a list with nothing in it and none.
        Holds::List => return value.as_array().is_some_and(Vec::is_empty),
        Holds::Map => return value.as_object().is_some_and(Map::is_empty),
        Holds::One if field.is_pointer() => false,
        Holds::One => match value {
            Value::String(text) => text.is_empty() && field.kind().shape() != Shape::IntOrString,
            Value::Bool(truth) => !truth,
            Value::Number(number) => number.as_f64() == Some(0.0) && field.kind().shape() != Shape::IntOrString,
            Value::Object(map) => field.omits_zero() && map.is_empty(),
            Value::Null | Value::Array(_) => false,
        },
    };
    is_empty && (field.omits_empty() || field.omits_zero())
}

/// Whether something is written for a field that holds nothing.
fn is_always_written(field: &Field) -> bool {
    // To Go a time is a struct, and a struct is never empty.
    let is_struct = || matches!(field.kind().shape(), Shape::Struct | Shape::Time | Shape::MicroTime);
    let is_one_struct = || field.holds() == Holds::One && !field.is_pointer() && is_struct();
    !field.omits_zero() && (!field.omits_empty() || is_one_struct())
}

/// What is written for a field that holds nothing.
fn zero(field: &Field) -> Value {
    if field.is_pointer() || field.holds() != Holds::One {
        return Value::Null;
    }
    match field.kind().shape() {
        Shape::String | Shape::Duration => "".into(),
        Shape::Bool => false.into(),
        Shape::Int32 | Shape::Int64 | Shape::Double | Shape::IntOrString => 0.into(),
        Shape::Quantity => "0".into(),
        Shape::Struct => {
            let mut map = Map::new();
            print_fields(field.kind(), &mut map);
            Value::Object(map)
        }
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_wire::facts::kind_of;
    use serde_json::json;

    #[expect(clippy::needless_pass_by_value, reason = "a table of `json!` reads best without ampersands")]
    fn check(api_version: &str, kind: &str, mut value: Value, expected: Value) {
        print(kind_of(api_version, kind).unwrap(), &mut value);
        assert_eq!(value, expected);
    }

    #[test]
    fn a_struct_is_always_there_and_an_empty_list_never() {
        let sent = json!({"metadata": {"name": "a", "finalizers": [], "creationTimestamp": null}, "spec": {
            "selector": {}, "template": {"spec": {"containers": [{"name": "c", "args": [], "stdin": false}]}},
        }});
        let expected = json!({"metadata": {"name": "a"}, "spec": {
            "selector": {}, "strategy": {}, "template": {"metadata": {}, "spec": {"containers": [{"name": "c", "resources": {}}]}},
        }, "status": {}});
        check("apps/v1", "Deployment", sent, expected);
    }

    #[test]
    fn a_pointer_keeps_its_zero() {
        let sent = json!({"metadata": {}, "spec": {"replicas": 0, "minReadySeconds": 0}});
        let mut expected = json!({"metadata": {}, "spec": {"replicas": 0, "selector": null, "template": {"metadata": {}, "spec": {"containers": null}}, "strategy": {}}, "status": {}});
        expected["spec"]["replicas"] = 0.into();
        check("apps/v1", "Deployment", sent, expected);
    }

    #[test]
    fn printing_twice_is_printing_once() {
        let mut value = json!({"metadata": {}, "status": {"containerStatuses": [{"name": "c"}]}});
        let pod = kind_of("v1", "Pod").unwrap();
        print(pod, &mut value);
        let once = value.clone();
        print(pod, &mut value);
        assert_eq!(value, once);
        assert_eq!(value["status"]["containerStatuses"][0]["restartCount"], 0);
    }
}
