//! One mutation of a policy: an expression whose value is a JSON patch, or fields to apply.

use pintle_cel::{COST_BUDGET, Composed, Composition, Type, Value as Cel};
use serde_json::Value;

use super::apply_configuration;
use crate::admission::asked::Asked;
use crate::admission::expressions::{Authorization, Budget, Expression, Params, Write, environment};
use crate::admission::policies::policy::Rules;
use crate::admission::rounds::Reinvocation;
use crate::webhook::apply_json_patch;

/// What a mutating policy says.
#[derive(Debug)]
pub(in crate::admission::policies) struct Mutations {
    pub(super) mutations: Vec<Mutation>,
    pub(super) reinvocation: Reinvocation,
}

/// One of its mutations.
#[derive(Debug)]
pub(super) enum Mutation {
    JsonPatch(Expression),
    ApplyConfiguration(Expression),
}

impl Rules for Mutations {
    fn read(spec: &Value, params: Params, composition: &Composition) -> Mutations {
        let environment = environment(params, Authorization::Known).with_composition(composition).with_patch_types();
        let mutation = |mutation: &Value| {
            let expression = |field: &str, wanted: Type| {
                let text = mutation.get(field)?.get("expression")?.as_str()?;
                Some(Expression::new(&environment, text, &[wanted]))
            };
            let patch = || expression("jsonPatch", Type::json_patch()).map(Mutation::JsonPatch);
            let applied = expression("applyConfiguration", Type::apply_configuration());
            applied.map(Mutation::ApplyConfiguration).or_else(patch)
        };
        let mutations = spec.get("mutations").and_then(Value::as_array).into_iter().flatten();
        Mutations { mutations: mutations.filter_map(mutation).collect(), reinvocation: Reinvocation::read(spec) }
    }
}

impl Mutation {
    /// What a mutation makes of the object of a write, or why it cannot.
    pub(super) fn patched(
        &self,
        asked: &Asked<'_>,
        composition: &Composition,
        write: &Write<'_>,
    ) -> Result<Value, String> {
        let (variables, composed) = (write.variables(Authorization::Known), Composed::new(composition));
        let (Mutation::JsonPatch(expression) | Mutation::ApplyConfiguration(expression)) = self;
        let mut budget = Budget(COST_BUDGET);
        let value = expression.evaluate(&variables, Some(&composed), &mut budget).map_err(|out| out.to_string())??;
        let object = write.object.cloned().unwrap_or_default();
        match self {
            Mutation::JsonPatch(_) => json_patched(&value, object),
            Mutation::ApplyConfiguration(_) => {
                value.check_object_names().map_err(|why| format!("type mismatch: {why}"))?;
                apply_configuration::merged(asked, &object, value.to_json()?)
            }
        }
    }
}

/// The object with a JSON patch applied; one whose test fails changes nothing.
fn json_patched(patch: &Cel<'_>, object: Value) -> Result<Value, String> {
    let operations = patch.to_json_patch()?;
    let mut patched = object.clone();
    match apply_json_patch(&operations, &mut patched) {
        Ok(()) => Ok(patched),
        Err(why) if why.ends_with("test failed") => Ok(object),
        Err(why) => Err(format!("JSON Patch: {why}")),
    }
}
