//! An object checked against the rules of its schema.
//!
//! One walk over the new object and, beside it, the old one: fields and the items of lists with keys have counterparts,
//! other items have none. What a rule says about an unchanged value is a warning, unless the rule is about the change.

use std::sync::{Arc, OnceLock};

use serde_json::Value as Json;

use super::compile::CompiledRule;
use super::correlation::{Correlation, by_keys};
use super::node::Node;
use crate::evaluate::{Evaluation, Program};
use crate::schema::{Declared, ListType, Root, Schema, SchemaType};
use crate::value::{EvaluationError, Value, show};
use crate::{COST_BUDGET, COST_PER_CALL_MAX};

/// The rules of a schema, compiled when they are first needed.
#[derive(Debug)]
pub struct Rules {
    schema: Schema,
    compiled: OnceLock<Node>,
}

/// What came of a check.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Validation {
    /// Rules that do not hold.
    pub violations: Vec<Violation>,
    /// Rules that do not hold of what did not change, as text.
    pub warnings: Vec<Violation>,
}

/// A rule that does not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// The field.
    pub path: String,
    /// Of which kind the error is.
    pub reason: ViolationReason,
    /// The value that is shown, as JSON; none for what is too large to be.
    pub value: Option<String>,
    /// What is wrong.
    pub detail: String,
    /// The rule, as the schema states it.
    pub rule: String,
    /// What came of the rule.
    pub cause: ViolationCause,
}

/// What came of a rule that is violated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ViolationCause {
    /// It does not hold.
    DoesNotHold,
    /// It says nothing, because it does not compile.
    DoesNotCompile,
    /// It could not be evaluated, or no further.
    NotEvaluated,
}

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ViolationReason {
    /// The value is not allowed.
    Invalid,
    /// It may not be set.
    Forbidden,
    /// It is missing.
    Required,
    /// It is there already.
    Duplicate,
}

impl Rules {
    /// The rules of an `openAPIV3Schema`; none if it states none.
    #[must_use]
    pub fn read(schema: &Json, root: Root) -> Option<Rules> {
        let schema = Schema::read(schema, root);
        schema.has_rules().then(|| Rules { schema, compiled: OnceLock::new() })
    }

    /// Checks an object that takes the place of an old one, if there is one.
    #[must_use]
    pub fn validate(&self, object: &Json, old: Option<&Json>) -> Validation {
        let node = self.compiled.get_or_init(|| {
            let declared = Declared::of(&self.schema, "selfType").map(Arc::new);
            Node::new(&self.schema, &self.schema, declared.as_ref()).unwrap_or_default()
        });
        let mut walk = Walk { found: Validation::default(), budget: Some(COST_BUDGET) };
        let correlation = Correlation::of_root(old);
        walk.node(node, &self.schema, "", object, old, correlation);
        walk.found
    }
}

struct Walk {
    found: Validation,
    /// What may still be spent; none when nothing more is evaluated.
    budget: Option<u64>,
}

impl Walk {
    fn node<'o>(
        &mut self,
        node: &'o Node,
        schema: &'o Schema,
        path: &str,
        value: &'o Json,
        old: Option<&'o Json>,
        correlation: Correlation<'o>,
    ) {
        if value.is_null() || self.budget.is_none() {
            return;
        }
        self.rules(node, schema, path, value, old, correlation);
        for all_of in &node.all_of {
            let uncorrelated = correlation.without_counterpart();
            self.node(all_of, schema, path, value, old, uncorrelated);
        }
        match value {
            Json::Array(items) => self.items(node, schema, path, (value, items), old, correlation),
            Json::Object(fields) => self.fields(node, schema, path, (value, fields), old, correlation),
            _ => {}
        }
    }

    fn items<'o>(
        &mut self,
        node: &'o Node,
        schema: &'o Schema,
        path: &str,
        (value, items): (&'o Json, &'o [Json]),
        old: Option<&'o Json>,
        correlation: Correlation<'o>,
    ) {
        let (Some(below), Some(part)) = (&node.items, schema.items()) else { return };
        for (place, item) in items.iter().enumerate() {
            let counterpart = |list: Option<&'o Json>| match &schema.list_type {
                ListType::Map(keys) => by_keys(list?.as_array()?, item, keys),
                _ => None,
            };
            let correlation = correlation.below(value, counterpart(correlation.current));
            self.node(below, part, &format!("{path}[{place}]"), item, counterpart(old), correlation);
        }
    }

    fn fields<'o>(
        &mut self,
        node: &'o Node,
        schema: &'o Schema,
        path: &str,
        (value, fields): (&'o Json, &'o serde_json::Map<String, Json>),
        old: Option<&'o Json>,
        correlation: Correlation<'o>,
    ) {
        for (name, field) in fields {
            let own = node.properties.get(name).zip(schema.properties.get(name));
            let other = || node.additional.as_deref().zip(schema.additional());
            let (Some((below, part)), is_key) = (own.or_else(other), own.is_none()) else { continue };
            let path = match (is_key, path) {
                (true, path) => format!("{path}[{name}]"),
                (false, "") => name.clone(),
                (false, path) => format!("{path}.{name}"),
            };
            let old = old.filter(|_| schema.map_is_atomic_or_granular).and_then(|old| old.get(name));
            let below_correlation = correlation.field(value, name);
            self.node(below, part, &path, field, old, below_correlation);
        }
    }

    fn rules<'o>(
        &mut self,
        node: &'o Node,
        schema: &'o Schema,
        path: &str,
        value: &'o Json,
        old: Option<&'o Json>,
        correlation: Correlation<'o>,
    ) {
        let old = old.filter(|old| !old.is_null());
        if node.rules.is_empty() {
            return;
        }
        let (own, before) = (Value::of(value, schema), old.map(|old| Value::of(old, schema)).transpose());
        let unreadable = [own.as_ref().err().cloned(), before.as_ref().err().cloned()];
        let (own, before) = (own.ok(), before.ok().flatten());
        for compiled in &node.rules {
            if self.budget == Some(0) {
                self.stop(compiled, path, schema, OUT_OF_BUDGET);
            }
            let is_optional = compiled.rule.optional_old_self == Some(true);
            if self.budget.is_none() {
                return;
            }
            if compiled.uses_old_self && old.is_none() && !is_optional {
                continue;
            }
            let before = match is_optional {
                true => Some(Value::Optional(before.clone().map(Arc::new))),
                false => before.clone(),
            };
            let is_unchanged = !compiled.uses_old_self && correlation.is_unchanged(value);
            let given = Given { variables: &[own.clone(), before], unreadable: &unreadable };
            self.rule(compiled, schema, path, value, given, is_unchanged);
        }
    }

    fn rule<'o>(
        &mut self,
        compiled: &'o CompiledRule,
        schema: &Schema,
        path: &str,
        value: &Json,
        given: Given<'_, 'o>,
        is_unchanged: bool,
    ) {
        let rule = compiled.rule.shown();
        let program = match &compiled.program {
            Ok(program) => program,
            Err(why) => {
                let violation = Violation::of_type(compiled, path, schema, &format!("rule compile error: {why}"));
                let violation = Violation { cause: ViolationCause::DoesNotCompile, ..violation };
                return self.found.violations.push(violation);
            }
        };
        let evaluation = given.evaluate(program);
        match self.budget.and_then(|budget| budget.checked_sub(evaluation.cost)) {
            Some(rest) => self.budget = Some(rest),
            None => return self.stop(compiled, path, schema, OUT_OF_BUDGET),
        }
        match evaluation.result {
            Ok(Value::Bool(true)) => {}
            Ok(_) => self.violated(compiled, schema, path, value, given, is_unchanged),
            Err(error @ EvaluationError::CostLimitExceeded) => {
                let why = "no further validation rules will be run due to call cost exceeds limit for rule";
                self.stop(compiled, path, schema, &format!("'{error}': {why}: {rule}"));
            }
            Err(error) if error.to_string().starts_with("no such overload") => {
                let why = "call arguments did not match a supported operator, function or macro signature for rule";
                self.fail(compiled, path, schema, &format!("'{error}': {why}: {rule}"));
            }
            Err(error) => self.fail(compiled, path, schema, &format!("{error} evaluating rule: {rule}")),
        }
    }

    fn violated<'o>(
        &mut self,
        compiled: &'o CompiledRule,
        schema: &Schema,
        path: &str,
        value: &Json,
        given: Given<'_, 'o>,
        is_unchanged: bool,
    ) {
        let path = match (&compiled.field_path, path) {
            (None, path) => path.to_owned(),
            (Some(below), "") => below.clone(),
            (Some(below), path) => format!("{path}.{below}"),
        };
        let rule = &compiled.rule;
        let said = match self.message(compiled, given) {
            Ok(said) => said,
            Err(why) => {
                let violation = Violation::of_type(compiled, &path, schema, &why);
                self.add(violation, is_unchanged);
                self.budget = None;
                return;
            }
        };
        let detail = said.unwrap_or_else(|| match rule.message.is_empty() {
            true => format!("failed rule: {}", rule.shown()),
            false => rule.shown().to_owned(),
        });
        let reason = match rule.reason.as_deref() {
            Some("FieldValueForbidden") => ViolationReason::Forbidden,
            Some("FieldValueRequired") => ViolationReason::Required,
            Some("FieldValueDuplicate") => ViolationReason::Duplicate,
            _ => ViolationReason::Invalid,
        };
        let is_large = matches!(schema.kind, SchemaType::Object | SchemaType::Array);
        let value = (!is_large).then(|| shown(value));
        let (rule, cause) = (rule.rule.clone(), ViolationCause::DoesNotHold);
        self.add(Violation { path, reason, value, detail, rule, cause }, is_unchanged);
    }

    /// What `messageExpression` says; nothing where it cannot say anything usable. The error ends everything.
    fn message<'o>(&mut self, compiled: &'o CompiledRule, given: Given<'_, 'o>) -> Result<Option<String>, String> {
        let Some(Ok(program)) = &compiled.message else { return Ok(None) };
        let evaluation = given.evaluate(program);
        let rest = self.budget.and_then(|budget| budget.checked_sub(evaluation.cost)).ok_or(
            "messageExpression evaluation failed due to running out of cost budget, no further validation rules will \
             be run",
        )?;
        if let Err(EvaluationError::CostLimitExceeded) = evaluation.result {
            let text = &compiled.rule.message_expression;
            return Err(format!(
                "no further validation rules will be run due to call cost exceeds limit for messageExpression: {text:?}"
            ));
        }
        self.budget = Some(rest);
        let said = match &evaluation.result {
            Ok(Value::String(said)) => said.trim().to_owned(),
            _ => return Ok(None),
        };
        let is_usable = !said.is_empty() && said.len() <= MESSAGE_MAX && !said.contains('\n');
        Ok(is_usable.then_some(said))
    }

    fn add(&mut self, violation: Violation, is_unchanged: bool) {
        let list = if is_unchanged { &mut self.found.warnings } else { &mut self.found.violations };
        list.push(violation);
    }

    fn fail(&mut self, compiled: &CompiledRule, path: &str, schema: &Schema, why: &str) {
        self.found.violations.push(Violation::of_type(compiled, path, schema, why));
    }

    fn stop(&mut self, compiled: &CompiledRule, path: &str, schema: &Schema, why: &str) {
        self.fail(compiled, path, schema, why);
        self.budget = None;
    }
}

/// `self` and `oldSelf`, and why they cannot be read where they cannot: a text that only its schema takes for base64.
#[derive(Clone, Copy)]
struct Given<'g, 'o> {
    variables: &'g [Option<Value<'o>>],
    unreadable: &'g [Option<EvaluationError>],
}

impl<'o> Given<'_, 'o> {
    fn evaluate(self, program: &'o Program) -> Evaluation<'o> {
        program.evaluate_despite(self.variables, self.unreadable, COST_PER_CALL_MAX)
    }
}

impl Violation {
    /// An error of the evaluation, which shows the type of the place instead of its value.
    fn of_type(compiled: &CompiledRule, path: &str, schema: &Schema, why: &str) -> Violation {
        Violation {
            path: path.to_owned(),
            reason: ViolationReason::Invalid,
            value: Some(Json::from(schema.stated_type.as_str()).to_string()),
            detail: why.to_owned(),
            rule: compiled.rule.rule.clone(),
            cause: ViolationCause::NotEvaluated,
        }
    }
}

/// A value as Go prints it in an error.
fn shown(value: &Json) -> String {
    match value {
        Json::Number(number) if number.is_f64() => number.as_f64().map_or_else(String::new, show::double),
        other => other.to_string(),
    }
}

/// The longest message that an expression may make.
const MESSAGE_MAX: usize = 5 << 10;

const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";
