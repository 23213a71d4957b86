//! Fields that a policy states, merged into an object as server-side apply merges them; nobody owns them afterwards.

use pintle_core::field_set::{FieldPath, PathElement};
use serde_json::Value;

use crate::admission::asked::Asked;
use crate::managed_fields::merge::Schema;
use crate::managed_fields::merge::check::check;
use crate::managed_fields::merge::combine::combine;
use crate::managed_fields::merge::schema::Shape;

/// The object with what is stated, or why that cannot be merged into it.
pub(super) fn merged(asked: &Asked<'_>, object: &Value, mut stated: Value) -> Result<Value, String> {
    let failed = |why: String| format!("error applying patch: {why}");
    for field in ["apiVersion", "kind"] {
        stated[field] = object.get(field).cloned().unwrap_or_default();
    }
    let schema = asked.schema().unwrap_or(Schema::Deduced);
    check(schema, &stated).map_err(|why| failed(format!("failed to convert patch object to typed object: {why}")))?;
    let mut atomic = Vec::new();
    find_atomic(schema, &stated, &mut FieldPath::default(), &mut atomic);
    if !atomic.is_empty() {
        let why = format!("may not mutate atomic arrays, maps or structs: {}", atomic.join(", "));
        return Err(failed(format!("invalid ApplyConfiguration: {why}")));
    }
    Ok(combine(schema, object, &stated))
}

/// What is merged as a whole is not stated: whoever means to change a part of it would lose the rest.
fn find_atomic(schema: Schema<'_>, value: &Value, path: &mut FieldPath, found: &mut Vec<String>) {
    match (schema.shape(value), value) {
        (Shape::Map(map), Value::Object(fields)) => {
            if map.is_atomic {
                found.push(path.to_string());
            }
            for (name, value) in fields {
                let Some(child) = map.child(name).filter(|child| child.is_declared) else { continue };
                path.0.push(PathElement::field(name));
                find_atomic(child.schema, value, path, found);
                path.0.pop();
            }
        }
        (Shape::List(list), Value::Array(items)) => {
            if list.relation.is_atomic() {
                found.push(path.to_string());
            }
            for (place, item) in items.iter().enumerate() {
                path.0.push(PathElement::Index(i64::try_from(place).unwrap_or(i64::MAX)));
                find_atomic(list.items, item, path, found);
                path.0.pop();
            }
        }
        _ => {}
    }
}
