//! `x-kubernetes-validations`: the rules that a schema states.

use serde_json::Value as Json;

/// A rule as a schema states it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rule {
    pub(crate) rule: String,
    pub(crate) message: String,
    pub(crate) message_expression: String,
    pub(crate) reason: Option<String>,
    pub(crate) field_path: String,
    pub(crate) optional_old_self: Option<bool>,
}

impl Rule {
    /// The rules of one place of a schema.
    pub(crate) fn all(schema: &Json) -> Vec<Rule> {
        let rules = schema.get("x-kubernetes-validations").and_then(Json::as_array);
        rules.into_iter().flatten().map(Rule::read).collect()
    }

    fn read(json: &Json) -> Rule {
        let text = |name: &str| json.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
        Rule {
            rule: text("rule"),
            message: text("message"),
            message_expression: text("messageExpression"),
            reason: json.get("reason").and_then(Json::as_str).map(str::to_owned),
            field_path: text("fieldPath"),
            optional_old_self: json.get("optionalOldSelf").and_then(Json::as_bool),
        }
    }
}
