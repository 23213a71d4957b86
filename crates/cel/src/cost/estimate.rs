//! What an expression can cost, before it is evaluated: as Kubernetes estimates it to refuse rules that could cost too much.
//!
//! Sizes come from literals, from what is computed with them, and from a schema by the path of a field. What is not known
//! is as large as a number can be. `estimate/calls.rs` knows the functions.

mod calls;

use std::collections::HashMap;
use std::sync::Arc;

use super::{CALL, CostEstimate, IDENT, LIST, MAP, STRUCT, Size};
use crate::ast::{ACCUMULATOR, Comprehension, Expr, Id, Kind, Literal, Select};
use crate::checker::Checked;
use crate::environment::Environment;
use crate::types::Type;

/// Estimates the cost of an expression.
pub(crate) fn estimate(environment: &Environment, expr: &Expr, checked: &Checked) -> CostEstimate {
    let mut estimator = Estimator {
        environment,
        checked,
        paths: HashMap::new(),
        sizes: HashMap::new(),
        entries: HashMap::new(),
        locals: Vec::new(),
    };
    estimator.cost(expr)
}

/// A path from a variable: names of fields, `@items`, `@keys`, `@values`.
type Path = Vec<String>;

pub(super) struct Estimator<'e> {
    environment: &'e Environment,
    checked: &'e Checked,
    paths: HashMap<Id, Path>,
    sizes: HashMap<Id, Size>,
    entries: HashMap<Id, Entries>,
    locals: Vec<Local>,
}

/// How large the keys and the values of a list or map are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entries {
    is_list: bool,
    key: Size,
    value: Size,
}

struct Local {
    name: Arc<str>,
    path: Path,
    size: Option<Size>,
    entries: Option<Entries>,
}

/// A call, and how large what it returns is.
pub(super) struct CallEstimate {
    cost: CostEstimate,
    result: Option<Size>,
}

/// What an estimate asks of an operand.
pub(super) struct Operand<'o> {
    expr: &'o Expr,
    kind: &'o Type,
    path: Path,
    size: Option<Size>,
}

impl Estimator<'_> {
    fn cost(&mut self, expr: &Expr) -> CostEstimate {
        if let Some(crate::checker::Name::Variable(name)) = self.checked.names.get(&expr.id) {
            self.paths.insert(expr.id, vec![name.clone()]);
            return CostEstimate::fixed(IDENT);
        }
        match &expr.kind {
            Kind::Literal(_) => CostEstimate::default(),
            Kind::Ident(name) => {
                let path = self.local(name).map_or_else(|| vec![name.to_string()], |local| local.path.clone());
                self.paths.insert(expr.id, path);
                CostEstimate::fixed(IDENT)
            }
            // A type with a long name is one name.
            Kind::Select(_) if self.checked.names.contains_key(&expr.id) => CostEstimate::fixed(IDENT),
            Kind::Select(select) => self.select(expr, select),
            Kind::Call(_) => self.call(expr),
            Kind::List(elements) => {
                let values = elements.iter().map(|element| &element.value);
                let (cost, value) = self.all(values);
                self.entries.insert(expr.id, Entries { is_list: true, key: Size::fixed(1), value });
                cost.plus(CostEstimate::fixed(LIST))
            }
            Kind::Map(entries) => {
                let (keys_cost, key) = self.all(entries.iter().map(|entry| &entry.key));
                let (values_cost, value) = self.all(entries.iter().map(|entry| &entry.value));
                self.entries.insert(expr.id, Entries { is_list: false, key, value });
                keys_cost.plus(values_cost).plus(CostEstimate::fixed(MAP))
            }
            Kind::Struct(message) => {
                self.all(message.fields.iter().map(|field| &field.value)).0.plus(CostEstimate::fixed(STRUCT))
            }
            Kind::Comprehension(loops) if loops.is_binding() => self.binding(expr, loops),
            Kind::Comprehension(loops) => self.comprehension(expr, loops),
        }
    }

    /// What several expressions cost together, and how large one of them can be.
    fn all<'x>(&mut self, exprs: impl Iterator<Item = &'x Expr>) -> (CostEstimate, Size) {
        let mut cost = CostEstimate::default();
        let mut size: Option<Size> = None;
        for expr in exprs {
            cost = cost.plus(self.cost(expr));
            let own = self.size_or_unknown(expr);
            size = Some(size.map_or(own, |size| size.union(own)));
        }
        (cost, size.unwrap_or(Size::fixed(0)))
    }

    fn select(&mut self, expr: &Expr, select: &Select) -> CostEstimate {
        let cost = self.cost(&select.operand);
        if select.is_test {
            return cost;
        }
        let mut path = self.path(&select.operand);
        path.push(select.field.to_string());
        self.paths.insert(expr.id, path);
        match self.checked.type_of(&select.operand) {
            Type::Map(_) | Type::Object(_) | Type::Parameter(_) => cost.plus(CostEstimate::fixed(IDENT)),
            _ => cost,
        }
    }

    fn binding(&mut self, expr: &Expr, loops: &Comprehension) -> CostEstimate {
        let cost = self.cost(&loops.range).plus(self.cost(&loops.initial));
        self.push_value(&loops.accumulator, &loops.initial);
        let cost = cost.plus(self.cost(&loops.result));
        self.locals.pop();
        self.copy_sizes(expr, &loops.result);
        cost
    }

    fn comprehension(&mut self, expr: &Expr, loops: &Comprehension) -> CostEstimate {
        let cost = self.cost(&loops.range).plus(self.cost(&loops.initial));
        let outside = self.locals.len();
        self.push_value(&loops.accumulator, &loops.initial);
        let before = self.locals.len();
        self.push_variables(loops);
        let condition = self.cost(&loops.condition);
        let step = self.cost(&loops.step);
        let step_entries = self.entries_of(&loops.step);
        self.locals.truncate(before);
        let result = self.cost(&loops.result);
        self.locals.truncate(outside);
        let count = self.size_or_unknown(&loops.range);
        match loops.initial.kind {
            Kind::Literal(_) => {
                if let Some(size) = self.size(&loops.initial) {
                    self.sizes.insert(expr.id, size);
                }
            }
            Kind::List(_) | Kind::Map(_) => {
                self.sizes.insert(expr.id, count);
                if let Some(entries) = step_entries {
                    self.entries.insert(expr.id, entries);
                }
            }
            _ => {}
        }
        cost.plus(result).plus(count.times_cost(step.plus(condition)))
    }

    fn push_value(&mut self, name: &Arc<str>, value: &Expr) {
        let (path, size, entries) = (self.path(value), self.size(value), self.entries_of(value));
        self.locals.push(Local { name: Arc::clone(name), path, size, entries });
    }

    /// The variables of a loop: parts of what it loops over.
    fn push_variables(&mut self, loops: &Comprehension) {
        let entries = self.entries_of(&loops.range);
        let is_list = entries
            .map_or_else(|| matches!(self.checked.type_of(&loops.range), Type::List(_)), |entries| entries.is_list);
        let path = self.path(&loops.range);
        let mut push = |name: &Arc<str>, part: &str, size: Option<Size>| {
            let path = path.iter().cloned().chain([part.to_owned()]).collect();
            self.locals.push(Local { name: Arc::clone(name), path, size, entries: None });
        };
        let (key, value) = (entries.map(|entries| entries.key), entries.map(|entries| entries.value));
        match (&loops.second_variable, is_list) {
            (Some(second), true) => {
                push(&loops.variable, "@indices", key);
                push(second, "@items", value);
            }
            (Some(second), false) => {
                push(&loops.variable, "@keys", key);
                push(second, "@values", value);
            }
            (None, true) => push(&loops.variable, "@items", value),
            (None, false) => push(&loops.variable, "@keys", key),
        }
    }

    fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().rev().find(|local| &*local.name == name)
    }

    fn path(&self, expr: &Expr) -> Path {
        if let Kind::Ident(name) = &expr.kind
            && let Some(local) = self.local(name)
        {
            return local.path.clone();
        }
        self.paths.get(&expr.id).cloned().unwrap_or_default()
    }

    fn size(&mut self, expr: &Expr) -> Option<Size> {
        if let Some(size) = self.sizes.get(&expr.id) {
            return Some(*size);
        }
        if let Some(size) = literal_size(expr) {
            return Some(size);
        }
        if let Some(size) = self.schema_size(&self.path(expr)) {
            self.sizes.insert(expr.id, size);
            return Some(size);
        }
        if is_scalar(self.checked.type_of(expr)) {
            return Some(Size::fixed(1));
        }
        match &expr.kind {
            Kind::Ident(name) => self.local(name).and_then(|local| local.size),
            _ => None,
        }
    }

    fn size_or_unknown(&mut self, expr: &Expr) -> Size {
        self.size(expr).unwrap_or(Size::UNKNOWN)
    }

    /// How large the schema lets something be.
    fn schema_size(&self, path: &[String]) -> Option<Size> {
        let most = self.environment.elements_max(path)?;
        Some(Size { min: 0, max: u64::try_from(most).unwrap_or_default() })
    }

    fn entries_of(&self, expr: &Expr) -> Option<Entries> {
        if let Some(entries) = self.entries.get(&expr.id) {
            return Some(*entries);
        }
        match &expr.kind {
            Kind::Ident(name) => self.local(name).and_then(|local| local.entries),
            _ => None,
        }
    }

    fn copy_sizes(&mut self, to: &Expr, from: &Expr) {
        if let Some(size) = self.size(from) {
            self.sizes.insert(to.id, size);
        }
        if let Some(entries) = self.entries_of(from) {
            self.entries.insert(to.id, entries);
        }
    }

    fn operand<'o>(&mut self, expr: &'o Expr) -> Operand<'o>
    where
        Self: 'o,
    {
        let mut path = self.path(expr);
        if path.first().is_some_and(|first| first == ACCUMULATOR) {
            path.clear();
        }
        let size = self.size(expr);
        Operand { expr, kind: self.checked.type_of(expr), path, size }
    }

    fn call(&mut self, expr: &Expr) -> CostEstimate {
        let Kind::Call(call) = &expr.kind else { return CostEstimate::default() };
        if &*call.function == "dyn"
            && let [argument] = &call.arguments[..]
        {
            let cost = self.cost(argument);
            self.copy_sizes(expr, argument);
            return cost.plus(CostEstimate::fixed(CALL));
        }
        self.plain_call(expr, call)
    }
}

fn literal_size(expr: &Expr) -> Option<Size> {
    let count = match &expr.kind {
        Kind::Literal(Literal::String(text)) => text.chars().count(),
        Kind::Literal(Literal::Bytes(bytes)) => bytes.len(),
        Kind::Literal(_) => 1,
        Kind::List(elements) => elements.len(),
        Kind::Map(entries) => entries.len(),
        _ => return None,
    };
    Some(Size::fixed(count as u64))
}

/// Whether all values of a type are equally large.
fn is_scalar(found: &Type) -> bool {
    match found {
        Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::Uint => true,
        Type::Optional(value) => is_scalar(value),
        _ => false,
    }
}
