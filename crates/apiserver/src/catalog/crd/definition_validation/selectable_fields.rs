//! The fields by which a definition lets its objects be selected: paths that lead to plain values of the schema.

use serde_json::Value;

use crate::response::status::FieldError;

/// What is wrong with these fields, for each of the schemas they are to be found in.
pub(super) fn errors(path: &str, fields: Option<&Value>, schemas: &[&Value]) -> Vec<FieldError> {
    let Some(fields) = fields.and_then(Value::as_array) else { return Vec::new() };
    let mut errors: Vec<FieldError> = Vec::new();
    for schema in schemas {
        let mut seen: Vec<&str> = Vec::new();
        for (place, field) in fields.iter().enumerate() {
            let at = format!("{path}[{place}].jsonPath");
            let stated = field.get("jsonPath").and_then(Value::as_str).unwrap_or_default();
            let found = match found(&at, stated, schema) {
                Ok(found) => found,
                Err(error) => {
                    errors.push(error);
                    continue;
                }
            };
            errors.extend(field_errors(&at, stated, found));
            if seen.contains(&stated) {
                errors.push(FieldError::duplicate(&at, &Value::from(stated).to_string()));
            } else {
                seen.push(stated);
            }
        }
        if seen.len() > FIELDS_MAX {
            let found = i64::try_from(seen.len()).unwrap_or(i64::MAX);
            errors.push(FieldError::too_many(path, found, FIELDS_MAX as i64));
        }
    }
    errors
}

fn found<'a>(at: &str, stated: &str, schema: &'a Value) -> Result<&'a Value, FieldError> {
    if stated.is_empty() {
        return Err(FieldError::required(at, ""));
    }
    look_up(stated, schema).map_err(|why| FieldError::invalid_text(at, stated, &format!("is an invalid path: {why}")))
}

fn field_errors(at: &str, stated: &str, found: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if stated.split('.').nth(1) == Some("metadata") {
        errors.push(FieldError::invalid_text(at, stated, "must not point to fields in metadata"));
    }
    let kind = found.get("type").and_then(Value::as_str).unwrap_or_default();
    if !matches!(kind, "string" | "boolean" | "integer") {
        let why = "must point to a field of type string, boolean or integer. Enum string fields and strings with formats \
                   are allowed.";
        errors.push(FieldError::invalid_text(at, stated, why));
    }
    errors
}

/// The schema of the field at a path such as `.spec.color`.
fn look_up<'a>(path: &str, schema: &'a Value) -> Result<&'a Value, String> {
    let Some(steps) = path.strip_prefix('.') else {
        let end = path.find(['.', '[', ']']).unwrap_or(path.len());
        return Err(match &path[..end] {
            "" => "array notation is not allowed".to_owned(),
            word => format!("expected [ or . but got: {word}"),
        });
    };
    steps.split('.').try_fold(schema, |schema, step| {
        let found = schema.get("properties").and_then(|properties| properties.get(step));
        found.ok_or_else(|| "does not refer to a valid field".to_owned())
    })
}

/// kube-apiserver's limit: each field costs every watch of the kind.
const FIELDS_MAX: usize = 8;
