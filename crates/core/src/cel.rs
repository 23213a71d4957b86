//! What a schema says in CEL, and how server-side apply merges it: words for `x-kubernetes-validations` and the
//! merge types.
//!
//! In: a [`Rule`] or a [`MergeStrategy`] (`cel/strategy.rs`), as users write them in `#[kube(validation = …)]` and
//! `#[x_kube(…)]`. Out: the same inside a schema (`cel/schema.rs`), and with feature `cel` what the rules say of an
//! object (`cel/evaluate.rs`).

#[cfg(feature = "cel")]
mod evaluate;
#[cfg(feature = "schema")]
mod schema;
mod strategy;

use std::str::FromStr;

use serde::{Deserialize, Serialize};

#[cfg(feature = "cel")]
pub use self::evaluate::{validate_cel, validate_cel_schema, validate_cel_update};
#[cfg(feature = "schema")]
pub use self::schema::{merge_properties, merge_strategy, merge_strategy_property, validate, validate_property};
// All of it, as in kube; what has the same name here wins.
#[cfg(feature = "cel")]
#[doc(no_inline)]
pub use kube_cel::*;

pub use self::strategy::{ListMerge, MapMerge, MergeStrategy, StructMerge};

/// A condition that the API server checks before it stores an object.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// The condition, a CEL expression about `self` and, for a change, `oldSelf`.
    pub rule: String,
    /// The message for the user when it does not hold.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// The field that the failure is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field_path: Option<String>,
    /// The kind of failure, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Whether a rule about `oldSelf` is checked on creation too, where `oldSelf` is an empty optional.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional_old_self: Option<bool>,
}

impl Rule {
    /// A rule with nothing but its condition.
    ///
    /// ```
    /// use pintle_core::Rule;
    /// let rule = Rule::new("self == oldSelf").message("is immutable");
    /// assert_eq!(rule.rule, "self == oldSelf");
    /// ```
    pub fn new(rule: impl Into<String>) -> Self {
        Self { rule: rule.into(), ..Self::default() }
    }

    /// Says `message` when the rule does not hold.
    #[must_use]
    pub fn message(mut self, message: impl Into<Message>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Gives the failure this reason.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<Reason>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Reports the failure at this field.
    #[must_use]
    pub fn field_path(mut self, field_path: impl Into<String>) -> Self {
        self.field_path = Some(field_path.into());
        self
    }

    /// Whether `oldSelf` is an optional, so that the rule is checked on creation too.
    #[must_use]
    pub fn optional_old_self(mut self, optional: bool) -> Self {
        self.optional_old_self = Some(optional);
        self
    }
}

impl From<&str> for Rule {
    fn from(rule: &str) -> Self {
        Self::new(rule)
    }
}

impl From<(&str, &str)> for Rule {
    fn from((rule, message): (&str, &str)) -> Self {
        Self::new(rule).message(message)
    }
}

/// The message for the user when a rule does not hold.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Message {
    /// These words.
    Message(String),
    /// What this CEL expression evaluates to.
    #[serde(rename = "messageExpression")]
    Expression(String),
}

impl From<&str> for Message {
    fn from(message: &str) -> Self {
        Self::Message(message.to_owned())
    }
}

/// The kind of failure that a rule reports.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub enum Reason {
    /// The value is wrong.
    #[default]
    FieldValueInvalid,
    /// The value may not be used here.
    FieldValueForbidden,
    /// There should be a value.
    FieldValueRequired,
    /// The value is there already.
    FieldValueDuplicate,
}

impl FromStr for Reason {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        serde_json::from_value(serde_json::Value::from(text))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Message, Reason, Rule};

    #[test]
    fn a_rule_is_written_with_what_it_has() {
        assert_eq!(serde_json::to_value(Rule::from("self > 0")).unwrap(), json!({ "rule": "self > 0" }));
        let said = json!({ "rule": "self > 0", "message": "too small" });
        assert_eq!(serde_json::to_value(Rule::from(("self > 0", "too small"))).unwrap(), said);
        let whole = Rule::new("self > 0")
            .message(Message::Expression("'no ' + string(self)".to_owned()))
            .reason(Reason::FieldValueForbidden)
            .field_path(".size")
            .optional_old_self(true);
        let expected = json!({
            "rule": "self > 0",
            "messageExpression": "'no ' + string(self)",
            "reason": "FieldValueForbidden",
            "fieldPath": ".size",
            "optionalOldSelf": true,
        });
        assert_eq!(serde_json::to_value(&whole).unwrap(), expected);
        let read: Rule = serde_json::from_value(expected).unwrap();
        assert_eq!(read.message, whole.message);
    }

    #[test]
    fn a_reason_is_read_from_its_name() {
        assert_eq!("FieldValueRequired".parse::<Reason>().unwrap(), Reason::FieldValueRequired);
        assert!("required".parse::<Reason>().is_err());
    }
}
