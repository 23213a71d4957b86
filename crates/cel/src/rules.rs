//! `x-kubernetes-validations`: the rules that a schema states.
//!
//! ```text
//!   openAPIV3Schema ─┬─ issues: may it be installed?  ─► RuleIssue       rules/issues.rs
//!                    └─ Rules: compiled once ─ validate(object, old) ─► Violation      rules/validate.rs
//! ```

mod compile;
mod correlation;
mod field_path;
mod issues;
mod node;
mod validate;

use serde_json::Value as Json;

pub use issues::{RuleIssue, RuleIssueKind, rule_issues};
pub use validate::{Rules, Validation, Violation, ViolationCause, ViolationReason};

/// A rule as a schema states it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Rule {
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

    /// What names the rule in an error.
    fn shown(&self) -> &str {
        if self.message.is_empty() { self.rule.trim() } else { self.message.trim() }
    }
}
