//! Variables that are expressions themselves: `variables.name`, evaluated where they are first asked for.
//!
//! In: names and expressions in their order, each of which may refer to those before it ([`Composition`]). Out: their
//! values ([`Composed`]), each worked out once for all expressions that share them. What that costs is counted beside
//! the cost of the expression that asked, as Kubernetes does it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::COST_PER_CALL_MAX;
use crate::environment::{CompileError, Environment};
use crate::evaluate::Program;
use crate::types::Type;
use crate::value::{Evaluated, EvaluationError, Value, fail};

/// The variables of a policy, compiled.
#[derive(Debug, Default)]
pub struct Composition {
    variables: Vec<(String, Result<Program, CompileError>)>,
}

impl Composition {
    /// Without variables.
    #[must_use]
    pub fn new() -> Composition {
        Composition::default()
    }

    /// Compiles one more variable. One that does not compile has its place, and fails whoever asks for it.
    ///
    /// # Errors
    /// With everything that is wrong with the expression.
    pub fn add(&mut self, environment: &Environment, name: &str, expression: &str) -> Result<(), CompileError> {
        let compiled = environment.clone().with_composition(self).compile(expression);
        let result = compiled.as_ref().map(drop).map_err(Clone::clone);
        self.variables.push((name.to_owned(), compiled));
        result
    }

    /// What can be selected: the names, and where their values are.
    pub(crate) fn fields(&self) -> (Type, BTreeMap<String, usize>) {
        let (mut types, mut places) = (BTreeMap::new(), BTreeMap::new());
        for (place, (name, program)) in self.variables.iter().enumerate() {
            types.insert(name.clone(), program.as_ref().map_or(Type::Dyn, |program| declared(program.kind())));
            places.insert(name.clone(), place);
        }
        (Type::object("kubernetes.variables", types), places)
    }
}

/// The type of a variable to those who refer to it: simple types, and lists and maps of them.
fn declared(kind: &Type) -> Type {
    match kind {
        Type::Bool
        | Type::Bytes
        | Type::Double
        | Type::Duration
        | Type::Int
        | Type::Null
        | Type::String
        | Type::Timestamp
        | Type::Uint => kind.clone(),
        Type::List(_) | Type::Map(_) => kind.map_parameters(declared),
        _ => Type::Dyn,
    }
}

/// The values of a composition, as far as they were asked for.
#[derive(Debug)]
pub struct Composed<'a> {
    composition: &'a Composition,
    found: RefCell<Vec<Option<Evaluated<'a>>>>,
    cost: Cell<u64>,
}

impl<'a> Composed<'a> {
    /// Nothing was asked for yet.
    #[must_use]
    pub fn new(composition: &'a Composition) -> Composed<'a> {
        let found = RefCell::new(vec![None; composition.variables.len()]);
        Composed { composition, found, cost: Cell::new(0) }
    }

    /// What the variables have cost since this was last asked.
    pub fn take_cost(&self) -> u64 {
        self.cost.take()
    }

    /// The value of a variable, given those of the environment.
    pub(crate) fn value(&self, place: usize, variables: &[Option<Value<'a>>]) -> Evaluated<'a> {
        let known = self.found.borrow().get(place).cloned().flatten();
        known.unwrap_or_else(|| {
            let value = self.evaluate(place, variables);
            self.found.borrow_mut()[place] = Some(value.clone());
            value
        })
    }

    fn evaluate(&self, place: usize, variables: &[Option<Value<'a>>]) -> Evaluated<'a> {
        let (name, program) = &self.composition.variables[place];
        let program = match program {
            Ok(program) => program,
            Err(why) => return fail(format!("composited variable {name:?} fails to compile: {why}")),
        };
        let evaluation = program.evaluate_composed(variables, self, COST_PER_CALL_MAX);
        self.cost.set(self.cost.get().saturating_add(evaluation.cost));
        evaluation
            .result
            .map_err(|why| EvaluationError::failed(format!("composited variable {name:?} fails to evaluate: {why}")))
    }
}
