//! `matchConditions`: expressions that say whether a webhook or a policy is asked about a write.
//!
//! ```text
//!   configuration ─ compiled when stored ─► conditions ─┬─ one is false ──► it is not asked
//!   object, oldObject, request, authorizer ─────────────┼─ all are true ──► it is
//!                                                       └─ one fails ─────► as its failurePolicy says
//! ```
//! A false condition wins over one that fails. All conditions of a webhook or policy share one budget of cost.

use pintle_cel::{Environment, MATCH_CONDITIONS_COST_BUDGET, Type, Value as Cel};
use serde_json::Value;

use super::expressions::{Authorization, Budget, Expression, Write};

/// The conditions of a webhook or policy.
#[derive(Debug, Default)]
pub(super) struct MatchConditions(Vec<Expression>);

/// What becomes of a write about which a webhook or a policy cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailurePolicy {
    Fail,
    Ignore,
}

impl FailurePolicy {
    /// The policy of a webhook, or of the spec of a policy.
    pub(super) fn read(value: &Value) -> FailurePolicy {
        match value.get("failurePolicy").and_then(Value::as_str) {
            Some("Ignore") => FailurePolicy::Ignore,
            _ => FailurePolicy::Fail,
        }
    }
}

impl MatchConditions {
    /// The conditions of a webhook, or of the spec of a policy.
    pub(super) fn read(value: &Value, environment: &Environment) -> MatchConditions {
        let conditions = value.get("matchConditions").and_then(Value::as_array).into_iter().flatten();
        let expression = |condition: &Value| condition.get("expression")?.as_str().map(str::trim).map(str::to_owned);
        let read = conditions.filter_map(expression).map(|text| Expression::new(environment, &text, &[Type::Bool]));
        MatchConditions(read.collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all hold; the error is why that cannot be said where its policy is to fail.
    pub(super) fn hold(&self, policy: FailurePolicy, write: &Write<'_>) -> Result<bool, String> {
        match (self.evaluate(write), policy) {
            (Ok(holds), _) => Ok(holds),
            (Err(why), FailurePolicy::Fail) => Err(why),
            (Err(_), FailurePolicy::Ignore) => Ok(false),
        }
    }

    fn evaluate(&self, write: &Write<'_>) -> Result<bool, String> {
        let variables = write.variables(Authorization::Known);
        let mut budget = Budget(MATCH_CONDITIONS_COST_BUDGET);
        let mut failed = Vec::new();
        let mut is_false = false;
        for condition in &self.0 {
            let result = condition.evaluate(&variables, None, &mut budget).map_err(|out| out.to_string())?;
            match result {
                Ok(Cel::Bool(holds)) => is_false |= !holds,
                Ok(_) => {}
                Err(why) => failed.push(why),
            }
        }
        match &failed[..] {
            _ if is_false => Ok(false),
            [] => Ok(true),
            [why] => Err(why.clone()),
            several => Err(format!("[{}]", several.join(", "))),
        }
    }
}
