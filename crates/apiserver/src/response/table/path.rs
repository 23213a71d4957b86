//! The part of JSONPath that printer columns are written in: fields, places, `[*]` and `[?(@.type=="Ready")]`.

use serde_json::Value;

/// Every value that a path such as `.status.conditions[?(@.type=="Ready")].status` leads to.
pub(super) fn find<'a>(value: &'a Value, path: &str) -> Vec<&'a Value> {
    let mut found = vec![value];
    let mut rest = path.trim();
    while !rest.is_empty() {
        let (step, after) = next(rest);
        rest = after;
        found = found.into_iter().flat_map(|value| follow(value, &step)).collect();
    }
    found
}

enum Step {
    Field(String),
    StorageKey(usize),
    All,
    /// Elements whose field has this text.
    Where(String, String),
}

fn next(path: &str) -> (Step, &str) {
    if let Some(inside) = path.strip_prefix('[') {
        let end = inside.find(']').unwrap_or(inside.len());
        let after = inside.get(end + 1..).unwrap_or_default();
        return (bracket(&inside[..end]), after);
    }
    let path = path.strip_prefix('.').unwrap_or(path);
    let mut end = path.len();
    let mut is_escaped = false;
    for (at, sign) in path.char_indices() {
        if !is_escaped && matches!(sign, '.' | '[') {
            end = at;
            break;
        }
        is_escaped = sign == '\\';
    }
    (Step::Field(path[..end].replace('\\', "")), &path[end..])
}

fn bracket(inside: &str) -> Step {
    let quoted = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
    if inside == "*" {
        return Step::All;
    }
    if let Ok(place) = inside.parse() {
        return Step::StorageKey(place);
    }
    let condition = inside.strip_prefix("?(@.").and_then(|rest| rest.strip_suffix(')'));
    match condition.and_then(|condition| condition.split_once("==")) {
        Some((field, text)) => Step::Where(field.trim().to_owned(), quoted(text)),
        None => Step::Field(quoted(inside)),
    }
}

fn follow<'a>(value: &'a Value, step: &Step) -> Vec<&'a Value> {
    let items = || value.as_array().into_iter().flatten();
    match step {
        Step::Field(name) => value.get(name.as_str()).into_iter().collect(),
        Step::StorageKey(place) => value.get(place).into_iter().collect(),
        Step::All => match value {
            Value::Object(fields) => fields.values().collect(),
            _ => items().collect(),
        },
        Step::Where(field, text) => items().filter(|item| item.get(field).is_some_and(|found| found == text)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_lead_to_values() {
        let object = json!({"spec": {"a.b": 1, "list": [{"n": "x"}, {"n": "y"}]}, "status": {"conditions": [
            {"type": "Ready", "status": "True"}, {"type": "Other", "status": "False"},
        ]}});
        let check = |path: &str, expected: Value| assert_eq!(json!(find(&object, path)), expected, "{path}");
        check(".status.conditions[?(@.type==\"Ready\")].status", json!(["True"]));
        check(".spec.list[*].n", json!(["x", "y"]));
        check(".spec.list[1].n", json!(["y"]));
        check(".spec.a\\.b", json!([1]));
        check(".spec['a.b']", json!([1]));
        check(".spec.none.at.all", json!([]));
    }
}
