//! The selector that stands in an object (`spec.selector`), as the text of a query.
//!
//! In: a LabelSelector or a plain map of labels. Out: the canonical text, requirements in the order of their keys; what
//! it matches is then asked of the one grammar of label selectors.

use pintle_core::labels::Requirements;
use serde_json::Value;

/// The text of a LabelSelector, or of a map of labels; `None` where it is neither.
pub(crate) fn text(selector: &Value) -> Option<String> {
    let selector = selector.as_object()?;
    let is_labels =
        !selector.is_empty() && !selector.contains_key("matchLabels") && !selector.contains_key("matchExpressions");
    let labels = if is_labels { Some(selector) } else { selector.get("matchLabels").and_then(Value::as_object) };
    let mut terms: Vec<(String, String)> = Vec::new();
    for (key, value) in labels.into_iter().flatten() {
        terms.push((key.clone(), format!("{key}={}", value.as_str()?)));
    }
    let expressions = selector.get("matchExpressions").and_then(Value::as_array).filter(|_| !is_labels);
    for expression in expressions.into_iter().flatten() {
        let key = expression.get("key")?.as_str()?;
        terms.push((key.to_owned(), term(key, expression)?));
    }
    terms.sort_by(|a, b| a.0.cmp(&b.0));
    let texts: Vec<String> = terms.into_iter().map(|(_, text)| text).collect();
    Some(texts.join(","))
}

/// Whether an object with these labels is meant by a LabelSelector.
pub(crate) fn matches(selector: &Value, labels: Option<&Value>) -> bool {
    let Some(Ok(requirements)) = text(selector).map(|text| text.parse::<Requirements>()) else {
        return false;
    };
    requirements.matches_by(|key| labels.and_then(|labels| labels.get(key)).and_then(Value::as_str))
}

fn term(key: &str, expression: &Value) -> Option<String> {
    let mut values: Vec<&str> =
        expression.get("values").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    values.sort_unstable();
    let values = values.join(",");
    Some(match expression.get("operator")?.as_str()? {
        "In" => format!("{key} in ({values})"),
        "NotIn" => format!("{key} notin ({values})"),
        "Exists" => key.to_owned(),
        "DoesNotExist" => format!("!{key}"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn requirements_stand_in_the_order_of_their_keys() {
        let selector = json!({"matchLabels": {"z": "1", "b": "2"}, "matchExpressions": [
            {"key": "c", "operator": "In", "values": ["y", "x"]}, {"key": "a", "operator": "DoesNotExist"},
        ]});
        assert_eq!(text(&selector).unwrap(), "!a,b=2,c in (x,y),z=1");
        assert_eq!(text(&json!({"app": "web"})).unwrap(), "app=web");
        assert_eq!(text(&json!({})).unwrap(), "");
        assert_eq!(text(&json!("app=web")), None);
    }

    #[test]
    fn matching_is_that_of_queries() {
        let selector =
            json!({"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "old", "operator": "DoesNotExist"}]});
        assert!(matches(&selector, Some(&json!({"app": "web"}))));
        assert!(!matches(&selector, Some(&json!({"app": "web", "old": "1"}))));
        assert!(!matches(&selector, None));
    }
}
