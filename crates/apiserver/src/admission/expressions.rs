//! The expressions of webhooks and policies: what they may refer to, and what comes of them.
//!
//! ```text
//!   text ─ compile, in an environment ─► Expression ─ evaluate(variables of a Write, Budget) ─► value, or why there is none
//! ```
//! Every environment has the same variables at the same places, so that what a policy composes can be evaluated for each of
//! its expressions; those that an expression may not refer to have no name there.

pub(super) mod access;
mod declarations;

use std::fmt;

use pintle_cel::{
    Authorizer, COST_PER_CALL_MAX, CompileError, Composed, Environment, Program, ResourceAttributes, Schema, Type,
    Value as Cel,
};
use serde_json::Value;

use access::Access;

/// What expressions are asked about.
pub(super) struct Write<'a> {
    pub(super) object: Option<&'a Value>,
    pub(super) old: Option<&'a Value>,
    /// The review's request.
    pub(super) request: &'a Value,
    /// The namespace of the object, for policies.
    pub(super) namespace: Option<&'a Value>,
    /// The parameter of a policy.
    pub(super) params: Option<&'a Value>,
    pub(super) resource: ResourceAttributes,
    pub(super) access: Access<'a>,
}

/// Whether expressions may refer to `params`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Params {
    Known,
    Unknown,
}

/// Whether expressions may refer to `authorizer`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Authorization {
    Known,
    Unknown,
}

/// The types of what expressions are about, where they are known: an object, and the parameter of a policy.
#[derive(Default)]
pub(super) struct Described<'a> {
    pub(super) object: Option<&'a ObjectSchema>,
    pub(super) params: Option<&'a ObjectSchema>,
}

/// The schema of a kind, and what its type is called in what is said about an expression.
pub(super) struct ObjectSchema {
    pub(super) schema: Schema,
    pub(super) type_name: String,
}

/// What expressions may refer to.
pub(crate) fn environment(params: Params, authorization: Authorization) -> Environment {
    environment_about(&Described::default(), params, authorization)
}

/// The same about objects whose types are known.
pub(super) fn environment_about(about: &Described<'_>, params: Params, authorization: Authorization) -> Environment {
    // No expression can say an empty name.
    let named = |name: &'static str, is_known: bool| if is_known { name } else { "" };
    let typed = |environment: Environment, name: &str, described: Option<&ObjectSchema>| match described {
        Some(known) => environment.with_named_schema(name, &known.schema, &known.type_name),
        None => environment.with(name, Type::Dyn),
    };
    let has_authorizer = authorization == Authorization::Known;
    let objects = typed(typed(Environment::new(), "object", about.object), "oldObject", about.object)
        .with("namespaceObject", declarations::namespace_type())
        .with("request", declarations::request_type());
    typed(objects, named("params", params == Params::Known), about.params)
        .with(named("authorizer", has_authorizer), Type::authorizer())
        .with(named("authorizer.requestResource", has_authorizer), Type::resource_check())
}

impl<'a> Write<'a> {
    /// The values of the variables, at the places where environments have them.
    pub(super) fn variables(&'a self, authorization: Authorization) -> [Option<Cel<'a>>; 7] {
        let json = |value: Option<&'a Value>| Some(value.map_or(Cel::Null, Cel::from));
        let authorizer = (authorization == Authorization::Known).then(|| Authorizer::new(&self.access));
        [
            json(self.object),
            json(self.old),
            json(self.namespace),
            json(Some(self.request)),
            json(self.params),
            authorizer.as_ref().map(Authorizer::value),
            authorizer.as_ref().map(|authorizer| authorizer.request_resource(self.resource.clone())),
        ]
    }
}

/// An expression.
#[derive(Debug)]
pub(super) struct Expression {
    text: String,
    /// What was stored by a server that knew more can lack a program.
    program: Result<Program, NotCompiled>,
}

impl Expression {
    pub(super) fn new(environment: &Environment, text: &str, wanted: &[Type]) -> Expression {
        Expression { text: text.to_owned(), program: compile(environment, text, wanted) }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Its value, or why there is none.
    pub(super) fn evaluate<'a>(
        &'a self,
        variables: &[Option<Cel<'a>>],
        composed: Option<&Composed<'a>>,
        budget: &mut Budget,
    ) -> Result<Result<Cel<'a>, String>, OutOfBudget> {
        let program = match &self.program {
            Ok(program) => program,
            Err(why) => return Ok(Err(format!("compilation error: {why}"))),
        };
        let evaluation = match composed {
            Some(composed) => program.evaluate_composed(variables, composed, COST_PER_CALL_MAX),
            None => program.evaluate(variables, COST_PER_CALL_MAX),
        };
        budget.spend(composed.map_or(0, Composed::take_cost))?;
        budget.spend(evaluation.cost)?;
        Ok(evaluation.result.map_err(|why| format!("expression '{}' resulted in error: {why}", self.text)))
    }
}

/// What several expressions may still cost together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget(pub(super) u64);

/// Several expressions cost more than they may.
#[derive(Debug)]
pub(super) struct OutOfBudget;

impl Budget {
    fn spend(&mut self, cost: u64) -> Result<(), OutOfBudget> {
        self.0 = self.0.checked_sub(cost).ok_or(OutOfBudget)?;
        Ok(())
    }
}

impl fmt::Display for OutOfBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("validation failed due to running out of cost budget, no further validation rules will be run")
    }
}

/// Why an expression cannot be evaluated.
#[derive(Debug)]
pub(crate) enum NotCompiled {
    /// It cannot be read, or its value is of the wrong type.
    Invalid(String),
    /// A constant of it cannot be computed, which kube-apiserver takes for a mistake of its own.
    Internal(String),
}

impl fmt::Display for NotCompiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (NotCompiled::Invalid(why) | NotCompiled::Internal(why)) = self;
        f.write_str(why)
    }
}

impl From<CompileError> for NotCompiled {
    fn from(error: CompileError) -> NotCompiled {
        match error {
            CompileError::Instantiation(_) => NotCompiled::Internal(error.to_string()),
            _ => NotCompiled::Invalid(error.to_string()),
        }
    }
}

/// Compiles an expression whose value is of one of these types.
pub(crate) fn compile(environment: &Environment, expression: &str, wanted: &[Type]) -> Result<Program, NotCompiled> {
    let program = environment.compile(expression)?;
    let found = program.kind();
    if wanted.iter().any(|kind| kind.is_same(found)) {
        return Ok(program);
    }
    let names: Vec<String> = wanted.iter().map(Type::full_name).collect();
    let wanted = match &names[..] {
        [only] => only.clone(),
        several => format!("one of [{}]", several.join(" ")),
    };
    Err(NotCompiled::Invalid(format!("must evaluate to {wanted} but got {}", found.full_name())))
}
