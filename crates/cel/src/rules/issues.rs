//! Whether the rules of a schema may be installed, in the words of kube-apiserver.
//!
//! A rule says what it must and compiles, and neither it nor all rules together can cost more than a server has to give:
//! each is multiplied by how often its place can be in an object.

use std::sync::Arc;

use serde_json::Value as Json;

use super::compile::{CompiledRule, compile};
use super::{Rule, field_path};
use crate::schema::{Declared, Root, Schema};

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleIssue {
    /// Where in the schema.
    pub path: String,
    /// Of which kind the error is.
    pub kind: RuleIssueKind,
    /// What is wrong.
    pub detail: String,
}

/// The kind of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleIssueKind {
    /// Something is missing.
    Required,
    /// A value, printed as it is to be shown, is not allowed.
    Invalid(String),
    /// It may not be.
    Forbidden,
    /// A text is none of these.
    NotSupported(String, &'static [&'static str]),
    /// What Kubernetes takes for a mistake of its own: a schema does not say what its rules are about.
    Internal,
}

/// What one rule may cost for all places that it is evaluated at.
const RULE_COST_MAX: u64 = 10_000_000;

/// What all rules of a schema may cost.
const SCHEMA_COST_MAX: u64 = 100_000_000;

/// As many rules are named where all together cost too much.
const EXPENSIVE_SHOWN: usize = 4;

const REASONS: &[&str] = &["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// What is wrong with the rules of an `openAPIV3Schema` at a path.
#[must_use]
pub fn rule_issues(path: &str, schema: &Json) -> Vec<RuleIssue> {
    let schema = Schema::read(schema, Root::Resource);
    if !schema.has_rules() {
        return Vec::new();
    }
    let mut installer = Installer::default();
    let place = Place { path: path.to_owned(), cardinality: Some(1), uncorrelatable: None };
    let declared = Declared::of(&schema, "selfType").map(Arc::new);
    installer.schema(&schema, declared.as_ref(), &place);
    installer.total(path);
    installer.stated.extend(installer.found);
    installer.stated
}

#[derive(Default)]
struct Installer {
    /// What is wrong with what rules say.
    stated: Vec<RuleIssue>,
    /// What is wrong with what they mean.
    found: Vec<RuleIssue>,
    cost: u64,
    expensive: Vec<(String, u64)>,
}

#[derive(Clone)]
struct Place {
    path: String,
    /// How often it can be in an object, if the schema limits that.
    cardinality: Option<u64>,
    /// The list or map above it whose parts have no counterpart in the old object.
    uncorrelatable: Option<String>,
}

impl Installer {
    fn schema(&mut self, schema: &Schema, declared: Option<&Arc<Declared>>, place: &Place) {
        let below = |name: &str| Place { path: format!("{}.{name}", place.path), ..place.multiplied(schema) };
        if let Some(additional) = schema.additional() {
            let mut below = below("additionalProperties");
            if !schema.map_is_atomic_or_granular {
                below.uncorrelatable.get_or_insert_with(|| place.path.clone());
            }
            self.schema(additional, declared.and_then(|declared| declared.item()), &below);
        }
        for (name, property) in &schema.properties {
            let own = crate::schema::escape(name).and_then(|escaped| declared?.field(&escaped));
            let fresh = || Declared::of(property, "selfType").map(Arc::new);
            self.schema(property, own.cloned().or_else(fresh).as_ref(), &below(&format!("properties[{name}]")));
        }
        if let Some(items) = schema.items() {
            let mut below = below("items");
            if !matches!(schema.list_type, crate::schema::ListType::Map(_)) {
                below.uncorrelatable.get_or_insert_with(|| place.path.clone());
            }
            self.schema(items, declared.and_then(|declared| declared.item()), &below);
        }
        let before = self.stated.len();
        for (number, rule) in schema.rules.iter().enumerate() {
            self.rule(rule, schema, &format!("{}.x-kubernetes-validations[{number}]", place.path));
        }
        if self.stated.len() > before || schema.rules.is_empty() {
            return;
        }
        let Some(declared) = declared else {
            let why = "internal error: failed to construct type information for x-kubernetes-validations rules: unable to \
                       convert structural schema to CEL declarations";
            let path = format!("{}.x-kubernetes-validations", place.path);
            return self.say(&path, RuleIssueKind::Internal, why);
        };
        let mut compiled = compile(&schema.rules, schema, declared);
        // In what is wrong with a rule, types are named from its own place on.
        if compiled.iter().any(CompiledRule::is_broken)
            && let Some(named) = Declared::of(schema, "selfType").map(Arc::new)
        {
            compiled = compile(&schema.rules, schema, &named);
        }
        for (number, rule) in compiled.iter().enumerate() {
            self.compiled(rule, place, &format!("{}.x-kubernetes-validations[{number}]", place.path));
        }
    }

    /// What a rule says.
    fn rule(&mut self, rule: &Rule, schema: &Schema, path: &str) {
        let is_blank = |text: &str| !text.is_empty() && text.trim().is_empty();
        let has_lines = |text: &str| text.contains(['\n', '\r']);
        let text = |text: &str| RuleIssueKind::Invalid(Json::from(text).to_string());
        let mut say = |field: &str, kind: RuleIssueKind, detail: &str| {
            self.stated.push(RuleIssue { path: format!("{path}.{field}"), kind, detail: detail.to_owned() });
        };
        if rule.rule.trim().is_empty() {
            say("rule", RuleIssueKind::Required, "rule is not specified");
        } else if is_blank(&rule.message) {
            say("message", text(&rule.message), "must be non-empty if specified");
        } else if has_lines(rule.message.trim()) {
            say("message", text(&rule.message), "must not contain line breaks");
        } else if has_lines(rule.rule.trim()) && rule.message.trim().is_empty() {
            say("message", RuleIssueKind::Required, "message must be specified if rule contains line breaks");
        }
        if is_blank(&rule.message_expression) {
            say("messageExpression", RuleIssueKind::Required, "messageExpression must be non-empty if specified");
        }
        if let Some(reason) = rule.reason.as_deref().filter(|reason| !REASONS.contains(reason)) {
            say("reason", RuleIssueKind::NotSupported(reason.to_owned(), REASONS), "");
        }
        if is_blank(&rule.field_path) {
            say("fieldPath", text(&rule.field_path), "must be non-empty if specified");
        }
        if has_lines(&rule.field_path) {
            say("fieldPath", text(&rule.field_path), "must not contain line breaks");
        }
        if !rule.field_path.is_empty() && field_path::normalized(&rule.field_path, schema).is_err() {
            say("fieldPath", text(&rule.field_path), "must be a valid path");
        }
    }

    /// What a rule means.
    fn compiled(&mut self, compiled: &CompiledRule, place: &Place, path: &str) {
        let rule = &compiled.rule;
        let (at_rule, at_message) = (format!("{path}.rule"), format!("{path}.messageExpression"));
        match &compiled.program {
            Ok(program) => {
                let count = place.cardinality.unwrap_or(compiled.cardinality_max);
                self.charge(&at_rule, "estimated rule cost", program.cost().max.saturating_mul(count));
            }
            Err(why) => self.say(&at_rule, RuleIssueKind::Invalid(go_json(rule)), why),
        }
        match &compiled.message {
            Some(Ok(message)) => self.charge(&at_message, "estimated messageExpression cost", message.cost().max),
            Some(Err(why)) => self.say(&at_message, RuleIssueKind::Invalid(go_json(rule)), why),
            None => {}
        }
        match (compiled.uses_old_self, &place.uncorrelatable, rule.optional_old_self) {
            (true, Some(within), _) => {
                let kind = RuleIssueKind::Invalid(Json::from(rule.rule.as_str()).to_string());
                let why = "oldSelf cannot be used on the uncorrelatable portion of the schema within";
                self.say(&at_rule, kind, &format!("{why} {within}"));
            }
            (false, _, Some(optional)) => {
                let kind = RuleIssueKind::Invalid(optional.to_string());
                self.say(&format!("{path}.optionalOldSelf"), kind, "may not be set if oldSelf is not used in rule");
            }
            _ => {}
        }
    }

    fn charge(&mut self, path: &str, what: &str, cost: u64) {
        if cost > RULE_COST_MAX {
            self.say(path, RuleIssueKind::Forbidden, &over_budget(what, cost, RULE_COST_MAX));
        }
        self.cost = self.cost.saturating_add(cost);
        // What is less than a hundredth of the limit is not what exceeds it.
        if cost >= SCHEMA_COST_MAX / 100 {
            self.expensive.push((path.to_owned(), cost));
        }
    }

    fn total(&mut self, path: &str) {
        if self.cost <= SCHEMA_COST_MAX {
            return;
        }
        self.expensive.sort_by_key(|(_, cost)| std::cmp::Reverse(*cost));
        for (at, _) in std::mem::take(&mut self.expensive).iter().take(EXPENSIVE_SHOWN) {
            let why = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
            self.say(at, RuleIssueKind::Forbidden, why);
        }
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        let why = over_budget(what, self.cost, SCHEMA_COST_MAX);
        self.say(path, RuleIssueKind::Forbidden, &why);
    }

    fn say(&mut self, path: &str, kind: RuleIssueKind, detail: &str) {
        self.found.push(RuleIssue { path: path.to_owned(), kind, detail: detail.to_owned() });
    }
}

impl Place {
    /// The place of what is in this one, which can be there more often.
    fn multiplied(&self, schema: &Schema) -> Place {
        let count = schema.elements_max_stated();
        let cardinality = self.cardinality.zip(count).map(|(own, count)| own.saturating_mul(count));
        Place { cardinality, ..self.clone() }
    }
}

fn over_budget(what: &str, cost: u64, budget: u64) -> String {
    let factor = cost as f64 / budget as f64;
    let factor = match factor {
        factor if factor > 100.0 => "more than 100x".to_owned(),
        factor if factor < 1.5 => format!("{factor:.6}x"),
        factor => format!("{factor:.1}x"),
    };
    let remedy = "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and \
                  strings are declared";
    format!("{what} exceeds budget by factor of {factor} ({remedy})")
}

/// A rule as Go prints the struct it has for it, with the signs of HTML escaped.
fn go_json(rule: &Rule) -> String {
    let text = |text: &str| {
        let quoted = Json::from(text).to_string();
        quoted.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
    };
    let reason = rule.reason.as_deref().map_or_else(|| "null".to_owned(), text);
    let optional = rule.optional_old_self.map_or_else(|| "null".to_owned(), |optional| optional.to_string());
    format!(
        "{{\"Rule\":{},\"Message\":{},\"MessageExpression\":{},\"Reason\":{reason},\"FieldPath\":{},\
         \"OptionalOldSelf\":{optional}}}",
        text(&rule.rule),
        text(&rule.message),
        text(&rule.message_expression),
        text(&rule.field_path),
    )
}
