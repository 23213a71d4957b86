//! The evaluator: a program and the values of its variables become a value and what it cost.
//!
//! Errors are values: `&&` and `||` forget one where the other side decides, a loop carries one along. Only the limit of
//! the cost ends everything at once.

mod attributes;
mod loops;

use std::sync::Arc;

use ::regex::bytes::Regex;

use crate::composition::Composed;
use crate::cost::{self, CostEstimate};
use crate::functions::Function;
use crate::library::regex;
use crate::plan::{Node, PlannedCall};
use crate::types::Type;
use crate::value::{Evaluated, EvaluationError, List, Map, OwnedMap, Text, Value, contains, fail};

/// A compiled expression. It can be evaluated by many at once.
#[derive(Debug)]
pub struct Program {
    root: Node,
    kind: Type,
    cost: CostEstimate,
    /// The variables that it refers to.
    variables: Vec<String>,
}

/// What came of an evaluation.
#[derive(Debug, Clone)]
pub struct Evaluation<'a> {
    /// The value, or why there is none.
    pub result: Evaluated<'a>,
    /// What it cost.
    pub cost: u64,
}

impl Program {
    pub(crate) fn new(root: Node, kind: Type, cost: CostEstimate, variables: Vec<String>) -> Program {
        Program { root, kind, cost, variables }
    }

    /// Whether it refers to a variable.
    #[must_use]
    pub fn uses(&self, variable: &str) -> bool {
        self.variables.iter().any(|used| used == variable)
    }

    /// The type of its value.
    #[must_use]
    pub fn kind(&self) -> &Type {
        &self.kind
    }

    /// What an evaluation costs, as far as that can be known before.
    #[must_use]
    pub fn cost(&self) -> CostEstimate {
        self.cost
    }

    /// Evaluates it with the values of the variables, in the order in which they were declared.
    #[must_use]
    pub fn evaluate<'a>(&'a self, variables: &[Option<Value<'a>>], cost_max: u64) -> Evaluation<'a> {
        self.evaluate_despite(variables, &[], cost_max)
    }

    /// The same where some of the variables cannot be read: why, at the places of those.
    pub(crate) fn evaluate_despite<'a>(
        &'a self,
        variables: &[Option<Value<'a>>],
        unreadable: &[Option<EvaluationError>],
        cost_max: u64,
    ) -> Evaluation<'a> {
        let frame = Frame { variables, unreadable, composed: None, locals: Vec::new(), cost: 0, cost_max };
        frame.evaluate(&self.root)
    }

    /// The same with `variables`, which are evaluated where they are asked for.
    #[must_use]
    pub fn evaluate_composed<'a>(
        &'a self,
        variables: &[Option<Value<'a>>],
        composed: &Composed<'a>,
        cost_max: u64,
    ) -> Evaluation<'a> {
        let composed = Some(composed);
        Frame { variables, unreadable: &[], composed, locals: Vec::new(), cost: 0, cost_max }.evaluate(&self.root)
    }
}

/// What an evaluation knows.
struct Frame<'f, 'a> {
    variables: &'f [Option<Value<'a>>],
    /// Why a variable has no value, where it should have one.
    unreadable: &'f [Option<EvaluationError>],
    composed: Option<&'f Composed<'a>>,
    /// Variables of loops; an accumulator may be an error.
    locals: Vec<Evaluated<'a>>,
    cost: u64,
    cost_max: u64,
}

impl<'a> Frame<'_, 'a> {
    fn evaluate(mut self, root: &'a Node) -> Evaluation<'a> {
        let result = self.value(root);
        Evaluation { result, cost: self.cost }
    }

    fn charge(&mut self, cost: u64) -> Result<(), EvaluationError> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > self.cost_max { Err(EvaluationError::CostLimitExceeded) } else { Ok(()) }
    }

    fn value(&mut self, node: &'a Node) -> Evaluated<'a> {
        match node {
            Node::Constant(value) => Ok(value.clone()),
            Node::Variable { .. }
            | Node::Composition
            | Node::Composed { .. }
            | Node::Local(_)
            | Node::Select { .. }
            | Node::Index { .. }
            | Node::Conditional(_) => self.attribute(node, attributes::Charge::Whole),
            Node::Test { operand, field } => self.test(operand, field),
            Node::And(operands) => self.logical(operands, false),
            Node::Or(operands) => self.logical(operands, true),
            Node::NotStrictlyFalse(operand) => {
                let value = self.value(operand);
                stop_at_limit(&value)?;
                self.charge(1)?;
                Ok(Value::Bool(!matches!(value, Ok(Value::Bool(false)))))
            }
            Node::OptionalOr { operands, is_value } => self.optional_or(operands, *is_value),
            Node::InConstants { value, constants } => {
                let value = self.value(value)?;
                Ok(Value::Bool(contains(constants, &value)))
            }
            Node::Call(call) => self.call(call),
            Node::List(items) => self.list(items),
            Node::Map(entries) => self.map(entries),
            Node::Struct { name, fields } => self.object(name, fields),
            Node::Append { accumulator, item } => self.append(*accumulator, item),
            Node::Insert { accumulator, entry } => self.insert(*accumulator, entry),
            Node::Loop(loops) => self.run(loops),
            Node::Binding { value, body } => {
                let value = self.value(value);
                stop_at_limit(&value)?;
                self.locals.push(value);
                let result = self.value(body);
                self.locals.pop();
                result
            }
        }
    }

    /// `&&`, which `false` decides, and `||`, which `true` does.
    fn logical(&mut self, operands: &'a [Node; 2], decisive: bool) -> Evaluated<'a> {
        let mut failed = None;
        for operand in operands {
            let value = self.value(operand);
            stop_at_limit(&value)?;
            match value {
                Ok(Value::Bool(value)) if value == decisive => return Ok(Value::Bool(decisive)),
                Ok(Value::Bool(_)) => {}
                Ok(_) => failed = failed.or(Some(EvaluationError::NoSuchOverload)),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(Value::Bool(!decisive)), Err)
    }

    fn optional_or(&mut self, operands: &'a [Node; 2], is_value: bool) -> Evaluated<'a> {
        match self.value(&operands[0])? {
            Value::Optional(Some(value)) if is_value => value.taken_out(),
            value @ Value::Optional(Some(_)) => Ok(value),
            Value::Optional(None) => self.value(&operands[1]),
            _ => Err(EvaluationError::NoSuchOverload),
        }
    }

    fn call(&mut self, planned: &'a PlannedCall) -> Evaluated<'a> {
        let mut arguments = Vec::with_capacity(planned.arguments.len());
        for argument in &planned.arguments {
            let value = self.value(argument);
            stop_at_limit(&value)?;
            arguments.push(value);
        }
        // Even a call that cannot be made is charged for.
        let result = match arguments.iter().find_map(|argument| argument.as_ref().err()) {
            Some(error) => Err(error.clone()),
            None => {
                let values: Vec<Value<'a>> = arguments.iter().flatten().cloned().collect();
                call(planned.function, &values, planned.pattern.as_ref())
            }
        };
        self.charge(cost::of_call(planned.function.name, planned.overload, &arguments, &result))?;
        result
    }

    fn list(&mut self, items: &'a [(Node, bool)]) -> Evaluated<'a> {
        let mut values = Vec::with_capacity(items.len());
        for (item, is_optional) in items {
            match (self.value(item)?, is_optional) {
                (value, false) => values.push(value),
                (Value::Optional(Some(value)), true) => values.push(value.taken_out()?),
                (Value::Optional(None), true) => {}
                (other, true) => {
                    let other = other.plain();
                    return fail(format!("cannot initialize optional list element from non-optional value {other}"));
                }
            }
        }
        self.charge(cost::LIST)?;
        Ok(Value::list(values))
    }

    fn map(&mut self, entries: &'a [(Node, Node, bool)]) -> Evaluated<'a> {
        let mut map = OwnedMap::default();
        for (key, value, is_optional) in entries {
            let key = self.value(key)?;
            match (self.value(value)?, is_optional) {
                (value, false) => map.set(key, value)?,
                (Value::Optional(Some(value)), true) => map.set(key, value.taken_out()?)?,
                (Value::Optional(None), true) => {}
                (other, true) => {
                    let (key, other) = (key.plain(), other.plain());
                    let why = format!("cannot initialize optional entry '{key}' from non-optional value {other}");
                    return fail(why);
                }
            }
        }
        self.charge(cost::MAP)?;
        Ok(Value::Map(Map::Owned(Arc::new(map))))
    }
}

impl<'a> Frame<'_, 'a> {
    fn object(&mut self, name: &Arc<str>, fields: &'a [(Arc<str>, Node, bool)]) -> Evaluated<'a> {
        let mut map = OwnedMap::of_object(Arc::clone(name));
        for (field, value, is_optional) in fields {
            let key = Value::String(Text::from(Arc::clone(field)));
            match (self.value(value)?, is_optional) {
                (value, false) => map.set(key, value)?,
                (Value::Optional(Some(value)), true) => map.set(key, value.taken_out()?)?,
                (Value::Optional(None), true) => {}
                (other, true) => {
                    let other = other.plain();
                    return fail(format!("cannot initialize optional entry '{field}' from non-optional value {other}"));
                }
            }
        }
        self.charge(cost::STRUCT)?;
        Ok(Value::Map(Map::Owned(Arc::new(map))))
    }
}

/// The limit of the cost is no error that an operator may forget.
fn stop_at_limit(value: &Evaluated<'_>) -> Result<(), EvaluationError> {
    match value {
        Err(EvaluationError::CostLimitExceeded) => Err(EvaluationError::CostLimitExceeded),
        _ => Ok(()),
    }
}

/// Calls a function: the first library that takes the arguments answers.
pub(crate) fn call<'v>(function: &Function, arguments: &[Value<'v>], pattern: Option<&Regex>) -> Evaluated<'v> {
    if let Some(pattern) = pattern {
        return regex::find(function.name, Some(pattern), arguments);
    }
    let mut result = Err(EvaluationError::NoSuchOverload);
    for implementation in &function.implementations {
        result = implementation(arguments);
        if !matches!(result, Err(EvaluationError::NoSuchOverload)) {
            break;
        }
    }
    result.map_err(|error| unfit(function, arguments, error))
}

/// Functions that no library of Kubernetes adds say no more than that there is no such overload.
fn unfit(function: &Function, arguments: &[Value<'_>], error: EvaluationError) -> EvaluationError {
    let name = function.name;
    let is_terse = name.contains(['_', '@'])
        || matches!(name, "matches" | "startsWith" | "endsWith" | "contains" | "orValue" | "or");
    if error != EvaluationError::NoSuchOverload || is_terse {
        return error;
    }
    let types: Vec<&str> = arguments.iter().map(Value::type_name).collect();
    EvaluationError::failed(format!("no such overload: {name}({})", types.join(", ")))
}

/// The items of a list that an expression made, to be changed in place.
fn items_mut<'l, 'a>(list: &'l mut List<'a>) -> Result<&'l mut Vec<Value<'a>>, EvaluationError> {
    if let List::Json { .. } = list {
        *list = List::Owned(Arc::new(list.to_vec()?));
    }
    match list {
        List::Owned(items) => Ok(Arc::make_mut(items)),
        List::Json { .. } => Err(EvaluationError::NoSuchOverload),
    }
}
