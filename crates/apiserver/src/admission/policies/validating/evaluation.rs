//! The validations and audit annotations of one policy, evaluated for one write and one parameter.

use pintle_cel::{COST_BUDGET, Composed, Composition, Type, Value as Cel};
use serde_json::Value;

use crate::admission::expressions::{Authorization, Budget, Expression, OutOfBudget, Params, Write, environment};
use crate::admission::match_conditions::FailurePolicy;
use crate::admission::policies::policy::{Policy, Rules};

/// What a validating policy says.
#[derive(Debug)]
pub(in crate::admission::policies) struct Validations {
    validations: Vec<Validation>,
    annotations: Vec<(String, Expression)>,
}

#[derive(Debug)]
struct Validation {
    expression: Expression,
    message_expression: Option<Expression>,
    message: String,
    reason: String,
}

impl Rules for Validations {
    fn read(spec: &Value, params: Params, composition: &Composition) -> Validations {
        let full = environment(params, Authorization::Known).with_composition(composition);
        let for_messages = environment(params, Authorization::Unknown).with_composition(composition);
        let items = |field: &str| spec.get(field).and_then(Value::as_array).into_iter().flatten();
        let validation = |item: &Value| {
            let message_expression = text(item, "messageExpression");
            Validation {
                expression: Expression::new(&full, text(item, "expression"), &[Type::Bool]),
                message_expression: (!message_expression.is_empty())
                    .then(|| Expression::new(&for_messages, message_expression, &[Type::String])),
                message: text(item, "message").to_owned(),
                reason: text(item, "reason").to_owned(),
            }
        };
        let annotation = |item: &Value| {
            let value = Expression::new(&full, text(item, "valueExpression"), &[Type::String, Type::Null]);
            (text(item, "key").to_owned(), value)
        };
        Validations {
            validations: items("validations").map(validation).collect(),
            annotations: items("auditAnnotations").map(annotation).collect(),
        }
    }
}

fn text<'a>(item: &'a Value, field: &str) -> &'a str {
    item.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// What a policy says of a write.
#[derive(Debug, Default)]
pub(super) struct Judgement {
    pub(super) violations: Vec<Violation>,
    pub(super) annotations: Vec<Annotation>,
}

/// A validation that a write does not pass.
#[derive(Debug)]
pub(super) struct Violation {
    /// The place of the validation.
    pub(super) at: usize,
    pub(super) message: String,
    /// Empty where the policy does not say.
    pub(super) reason: String,
}

/// An audit annotation.
#[derive(Debug)]
pub(super) enum Annotation {
    Published { key: String, value: String },
    Failed(String),
}

impl Judgement {
    /// Of a policy that cannot be asked.
    fn failed(policy: FailurePolicy, why: String) -> Judgement {
        let mut judgement = Judgement::default();
        if policy == FailurePolicy::Fail {
            judgement.violations.push(Violation { at: 0, message: why, reason: String::new() });
        }
        judgement
    }
}

/// Evaluates a policy. Its conditions do not see the namespace.
pub(super) fn judge<'a>(policy: &Policy<Validations>, mut write: Write<'a>, namespace: Option<&'a Value>) -> Judgement {
    let on_failure = policy.failure_policy;
    match policy.match_conditions.hold(on_failure, &write) {
        Ok(true) => {}
        Ok(false) => return Judgement::default(),
        Err(why) => return Judgement::failed(on_failure, why),
    }
    write.namespace = namespace;
    let judged = violations(policy, &write).and_then(|violations| {
        let annotations = annotations(policy, &write)?;
        Ok(Judgement { violations, annotations })
    });
    judged.unwrap_or_else(|out| Judgement::failed(on_failure, out.to_string()))
}

fn violations(policy: &Policy<Validations>, write: &Write<'_>) -> Result<Vec<Violation>, OutOfBudget> {
    let validations = &policy.rules.validations;
    let mut budget = Budget(COST_BUDGET);
    let (variables, composed) = (write.variables(Authorization::Known), Composed::new(&policy.composition));
    let mut results = Vec::with_capacity(validations.len());
    for validation in validations {
        results.push(validation.expression.evaluate(&variables, Some(&composed), &mut budget)?);
    }
    let messages = messages(policy, write, budget);
    let mut violations = Vec::new();
    for (at, (validation, result)) in validations.iter().zip(results).enumerate() {
        let failed = match (result, &messages) {
            (Err(why), _) => Some(why),
            (Ok(_), Err(out)) => Some(format!("failed messageExpression: {out}")),
            (Ok(Cel::Bool(true)), _) => None,
            (Ok(_), Ok(messages)) => {
                let message = messages[at].as_deref().and_then(presentable).or(Some(validation.message.trim()));
                let message = message.filter(|message| !message.is_empty()).map(str::to_owned);
                let expression = || format!("failed expression: {}", validation.expression.text().trim());
                let (message, reason) = (message.unwrap_or_else(expression), validation.reason.clone());
                violations.push(Violation { at, message, reason });
                None
            }
        };
        // What could not be found out counts only where the policy says so.
        if let Some(message) = failed.filter(|_| policy.failure_policy == FailurePolicy::Fail) {
            violations.push(Violation { at, message, reason: String::new() });
        }
    }
    Ok(violations)
}

/// What the message expressions of the validations come to. All are evaluated, whether their validation holds or not:
/// kube-apiserver charges for them so.
fn messages(
    policy: &Policy<Validations>,
    write: &Write<'_>,
    mut budget: Budget,
) -> Result<Vec<Option<String>>, OutOfBudget> {
    let (variables, composed) = (write.variables(Authorization::Unknown), Composed::new(&policy.composition));
    let mut messages = Vec::with_capacity(policy.rules.validations.len());
    for validation in &policy.rules.validations {
        let Some(expression) = &validation.message_expression else {
            messages.push(None);
            continue;
        };
        let result = expression.evaluate(&variables, Some(&composed), &mut budget)?;
        messages.push(result.ok().and_then(|value| value.as_str().map(|text| text.trim().to_owned())));
    }
    Ok(messages)
}

/// A message that can be shown: one line of bounded length.
fn presentable(message: &str) -> Option<&str> {
    let is_shown = !message.is_empty() && message.len() <= MESSAGE_MAX && !message.contains('\n');
    is_shown.then_some(message)
}

fn annotations(policy: &Policy<Validations>, write: &Write<'_>) -> Result<Vec<Annotation>, OutOfBudget> {
    let mut budget = Budget(COST_BUDGET);
    // They may refer to the authorizer and do not get it, as in kube-apiserver.
    let (variables, composed) = (write.variables(Authorization::Unknown), Composed::new(&policy.composition));
    let mut annotations = Vec::new();
    for (key, expression) in &policy.rules.annotations {
        match expression.evaluate(&variables, Some(&composed), &mut budget)? {
            Ok(value) => {
                let value = value.as_str().map(str::trim).filter(|value| !value.is_empty());
                annotations.extend(value.map(|value| Annotation::Published {
                    key: key.clone(),
                    value: shortened(value, ANNOTATION_MAX).to_owned(),
                }));
            }
            Err(why) if policy.failure_policy == FailurePolicy::Fail => annotations.push(Annotation::Failed(why)),
            Err(_) => {}
        }
    }
    Ok(annotations)
}

/// The beginning of a text, of so many bytes at most.
fn shortened(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or_default()]
}

/// A longer message of an expression is not shown.
const MESSAGE_MAX: usize = 5 * 1024;

/// A longer annotation is cut.
const ANNOTATION_MAX: usize = 10 * 1024;
