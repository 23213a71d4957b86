//! The rules of one place of a schema, compiled.

use std::sync::Arc;

use super::{Rule, field_path};
use crate::environment::{CompileError, Environment};
use crate::evaluate::Program;
use crate::schema::{Declared, REQUEST_MAX, Schema};
use crate::types::Type;

#[derive(Debug)]
pub(super) struct CompiledRule {
    pub(super) rule: Rule,
    /// The program, or why there is none.
    pub(super) program: Result<Program, String>,
    pub(super) message: Option<Result<Program, String>>,
    pub(super) uses_old_self: bool,
    /// Where a violation is reported, below the place of the rule.
    pub(super) field_path: Option<String>,
    /// How often the place can be in an object, as far as its size alone says.
    pub(super) cardinality_max: u64,
}

impl CompiledRule {
    /// Whether the rule or its message does not compile.
    pub(super) fn is_broken(&self) -> bool {
        self.program.is_err() || matches!(self.message, Some(Err(_)))
    }
}

/// Compiles the rules of a place; `declared` is what its schema says it is.
pub(super) fn compile(rules: &[Rule], schema: &Schema, declared: &Arc<Declared>) -> Vec<CompiledRule> {
    let environment = |is_optional: bool| {
        Environment::new().with_declared("self", declared, false).with_declared("oldSelf", declared, is_optional)
    };
    // Between two places there is at least a comma.
    let cardinality_max = u64::try_from(REQUEST_MAX / (declared.serialized_min + 1)).unwrap_or_default();
    let compiled = rules.iter().filter(|rule| !rule.rule.trim().is_empty()).map(|rule| {
        let environment = environment(rule.optional_old_self == Some(true));
        let program = program(&environment, &rule.rule, &Type::Bool, "", "cel expression must evaluate to a bool");
        let what = "messageExpression must evaluate to a string";
        let message = (!rule.message_expression.is_empty() && program.is_ok())
            .then(|| self::program(&environment, &rule.message_expression, &Type::String, "messageExpression ", what));
        CompiledRule {
            uses_old_self: program.as_ref().is_ok_and(|program| program.uses("oldSelf")),
            field_path: field_path::normalized(&rule.field_path, schema).ok().filter(|path| !path.is_empty()),
            rule: rule.clone(),
            program,
            message,
            cardinality_max,
        }
    });
    compiled.collect()
}

fn program(environment: &Environment, text: &str, kind: &Type, of: &str, otherwise: &str) -> Result<Program, String> {
    let program = environment.compile(text).map_err(|error| match error {
        CompileError::Instantiation(why) if !of.is_empty() => format!("{of}instantiation failed: {why}"),
        other => format!("{of}{other}"),
    })?;
    if program.kind().is_same(kind) { Ok(program) } else { Err(otherwise.to_owned()) }
}
