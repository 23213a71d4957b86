//! From the checked tree to what is evaluated: names are places, constants are computed, patterns are compiled.
//!
//! The distinctions are those that Kubernetes charges for: a constant costs nothing, a chain of fields is one attribute.

use std::sync::Arc;

use ::regex::bytes::Regex;

use crate::ast::{Comprehension, Expr, Kind, Literal, operators};
use crate::checker::{Checked, Name};
use crate::environment::{COMPOSITION, Environment};
use crate::functions::{Function, function};
use crate::go_regexp;
use crate::value::{EvaluationError, List, Map, OwnedMap, Text, Value};

#[derive(Debug)]
pub(crate) enum Node {
    Constant(Value<'static>),
    /// A declared variable.
    Variable {
        place: usize,
        name: Arc<str>,
    },
    /// `variables`, of which only fields have values.
    Composition,
    /// A variable that is an expression itself.
    Composed {
        place: usize,
        is_test: bool,
    },
    /// A variable of a loop, by its place on the stack.
    Local(usize),
    Select {
        operand: Box<Node>,
        field: Arc<str>,
        is_optional: bool,
    },
    Test {
        operand: Box<Node>,
        field: Arc<str>,
    },
    Index {
        operand: Box<Node>,
        index: Box<Node>,
        is_optional: bool,
    },
    Conditional(Box<[Node; 3]>),
    And(Box<[Node; 2]>),
    Or(Box<[Node; 2]>),
    NotStrictlyFalse(Box<Node>),
    /// `one.or(other)`, `one.orValue(other)`.
    OptionalOr {
        operands: Box<[Node; 2]>,
        is_value: bool,
    },
    /// `value in [constants]`.
    InConstants {
        value: Box<Node>,
        constants: Vec<Value<'static>>,
    },
    Call(Box<PlannedCall>),
    List(Vec<(Node, bool)>),
    Map(Vec<(Node, Node, bool)>),
    /// An object of one of the types of patches.
    Struct {
        name: Arc<str>,
        fields: Vec<(Arc<str>, Node, bool)>,
    },
    /// `accumulator + [item]`, done in place.
    Append {
        accumulator: usize,
        item: Box<Node>,
    },
    /// `cel.@mapInsert(accumulator, …)`, done in place.
    Insert {
        accumulator: usize,
        entry: Vec<Node>,
    },
    Loop(Box<Loop>),
    /// A value that gets a name.
    Binding {
        value: Box<Node>,
        body: Box<Node>,
    },
}

#[derive(Debug)]
pub(crate) struct PlannedCall {
    pub(crate) function: &'static Function,
    /// The overload, where only one is possible.
    pub(crate) overload: Option<&'static str>,
    pub(crate) arguments: Vec<Node>,
    /// The compiled pattern, where it is constant.
    pub(crate) pattern: Option<Regex>,
}

/// A loop. On the stack lie the accumulator, then the one or two variables.
#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) range: Node,
    pub(crate) has_second: bool,
    pub(crate) initial: Node,
    pub(crate) condition: Node,
    pub(crate) step: Node,
    pub(crate) result: Node,
}

impl Node {
    /// Whether it is a name, a field or an index, of which Kubernetes charges one chain as a whole.
    pub(crate) fn is_attribute(&self) -> bool {
        matches!(
            self,
            Node::Variable { .. }
                | Node::Composition
                | Node::Composed { .. }
                | Node::Local(_)
                | Node::Select { .. }
                | Node::Index { .. }
                | Node::Conditional(_)
        )
    }
}

/// Plans an expression; the error is that of a constant which cannot be computed.
pub(crate) fn plan(environment: &Environment, expr: &Expr, checked: &Checked) -> Result<Node, EvaluationError> {
    Planner { environment, checked, locals: Vec::new() }.node(expr)
}

struct Planner<'p> {
    environment: &'p Environment,
    checked: &'p Checked,
    locals: Vec<Arc<str>>,
}

type Planned = Result<Node, EvaluationError>;

impl Planner<'_> {
    fn node(&mut self, expr: &Expr) -> Planned {
        if let Some(name) = self.checked.names.get(&expr.id) {
            return Ok(self.name(expr, name));
        }
        match &expr.kind {
            Kind::Literal(literal) => Ok(Node::Constant(constant(literal))),
            Kind::Ident(name) => Err(EvaluationError::failed(format!("no such attribute(s): {name}"))),
            Kind::Select(select) => {
                let (operand, field) = (self.boxed(&select.operand)?, Arc::clone(&select.field));
                let composed = matches!(*operand, Node::Composition).then(|| self.environment.composed_place(&field));
                if let Some(place) = composed.flatten() {
                    return Ok(Node::Composed { place, is_test: select.is_test });
                }
                Ok(match select.is_test {
                    true => Node::Test { operand, field },
                    false => Node::Select { operand, field, is_optional: false },
                })
            }
            Kind::Call(_) => self.call(expr),
            Kind::List(elements) => {
                let mut items = Vec::new();
                for element in elements {
                    items.push((self.node(&element.value)?, element.is_optional));
                }
                Ok(constant_list(&items).map_or(Node::List(items), Node::Constant))
            }
            Kind::Map(entries) => {
                let mut planned = Vec::new();
                for entry in entries {
                    planned.push((self.node(&entry.key)?, self.node(&entry.value)?, entry.is_optional));
                }
                Ok(constant_map(&planned)?.map_or(Node::Map(planned), Node::Constant))
            }
            Kind::Struct(message) => {
                let mut fields = Vec::new();
                for field in &message.fields {
                    fields.push((Arc::clone(&field.name), self.node(&field.value)?, field.is_optional));
                }
                let name = Arc::from(message.name.strip_prefix('.').unwrap_or(&message.name));
                Ok(Node::Struct { name, fields })
            }
            Kind::Comprehension(loops) => self.comprehension(loops),
        }
    }

    fn boxed(&mut self, expr: &Expr) -> Result<Box<Node>, EvaluationError> {
        self.node(expr).map(Box::new)
    }

    fn name(&self, expr: &Expr, name: &Name) -> Node {
        match (name, &expr.kind) {
            (Name::Type(named), _) => Node::Constant(Value::Type(Arc::from(named.runtime_name()))),
            (Name::Local, Kind::Ident(name)) => {
                let place = self.locals.iter().rposition(|local| local == name);
                Node::Local(place.expect("the checker found it among the variables of loops"))
            }
            (Name::Variable(name), _) if name == COMPOSITION => Node::Composition,
            (Name::Variable(name), _) => {
                let place = self.environment.place(name).expect("the checker found it among the variables");
                Node::Variable { place, name: Arc::from(&**name) }
            }
            (Name::Local, _) => unreachable!("a variable of a loop is a single name"),
        }
    }

    fn call(&mut self, expr: &Expr) -> Planned {
        let Kind::Call(call) = &expr.kind else { unreachable!("only calls come here") };
        let namespaced = self.checked.namespaced.get(&expr.id).copied();
        let mut arguments = Vec::new();
        for argument in call.target.iter().filter(|_| namespaced.is_none()).chain(&call.arguments) {
            arguments.push(self.node(argument)?);
        }
        let name = call.function.strip_prefix('.').unwrap_or(&call.function);
        let function = namespaced.or_else(|| function(name)).expect("the checker found it");
        match self.special(function.name, arguments, &call.arguments) {
            Ok(node) => Ok(node),
            Err(arguments) => self.plain(expr, function, arguments),
        }
    }

    /// Calls that are more than a call of a function; others come back.
    fn special(&self, name: &str, arguments: Vec<Node>, written: &[Expr]) -> Result<Node, Vec<Node>> {
        let pair = |arguments: Vec<Node>| <[Node; 2]>::try_from(arguments).map(Box::new);
        Ok(match name {
            operators::CONDITIONAL => Node::Conditional(Box::new(<[Node; 3]>::try_from(arguments)?)),
            operators::AND => Node::And(pair(arguments)?),
            operators::OR => Node::Or(pair(arguments)?),
            "or" => Node::OptionalOr { operands: pair(arguments)?, is_value: false },
            "orValue" => Node::OptionalOr { operands: pair(arguments)?, is_value: true },
            operators::NOT_STRICTLY_FALSE => {
                let [operand] = <[Node; 1]>::try_from(arguments)?;
                Node::NotStrictlyFalse(Box::new(operand))
            }
            operators::INDEX | operators::OPTIONAL_INDEX => {
                let [operand, index] = <[Node; 2]>::try_from(arguments)?;
                let is_optional = name == operators::OPTIONAL_INDEX;
                Node::Index { operand: Box::new(operand), index: Box::new(index), is_optional }
            }
            operators::OPTIONAL_SELECT => match (arguments.into_iter().next(), written.get(1).map(|field| &field.kind))
            {
                (Some(operand), Some(Kind::Literal(Literal::String(field)))) => {
                    Node::Select { operand: Box::new(operand), field: Arc::clone(field), is_optional: true }
                }
                _ => unreachable!("the checker refuses any other"),
            },
            operators::IN => match &arguments[1] {
                Node::Constant(Value::List(List::Owned(items))) if items.is_empty() => {
                    Node::Constant(Value::Bool(false))
                }
                Node::Constant(Value::List(List::Owned(items))) if are_simple(items) => {
                    let constants = items.to_vec();
                    let value = arguments.into_iter().next().map(Box::new);
                    Node::InConstants { value: value.expect("it has two arguments"), constants }
                }
                _ => return Err(arguments),
            },
            operators::ADD => match (&arguments[0], &arguments[1]) {
                (Node::Local(accumulator), Node::List(items))
                    if self.is_accumulator(*accumulator) && matches!(items[..], [(_, false)]) =>
                {
                    let accumulator = *accumulator;
                    let Some(Node::List(items)) = arguments.into_iter().nth(1) else { unreachable!("it is one") };
                    let item = items.into_iter().next().map(|(item, _)| Box::new(item));
                    Node::Append { accumulator, item: item.expect("it has one item") }
                }
                _ => return Err(arguments),
            },
            operators::MAP_INSERT => match arguments[0] {
                Node::Local(accumulator) if self.is_accumulator(accumulator) => {
                    Node::Insert { accumulator, entry: arguments.into_iter().skip(1).collect() }
                }
                _ => return Err(arguments),
            },
            _ => return Err(arguments),
        })
    }

    fn is_accumulator(&self, place: usize) -> bool {
        &*self.locals[place] == crate::ast::ACCUMULATOR
    }

    fn plain(&self, expr: &Expr, function: &'static Function, arguments: Vec<Node>) -> Planned {
        let overload = match self.checked.overloads.get(&expr.id).map(Vec::as_slice) {
            Some([only]) => Some(only.id),
            _ => None,
        };
        let is_conversion = matches!(
            function.name,
            "bool" | "bytes" | "double" | "duration" | "dyn" | "int" | "string" | "timestamp" | "type" | "uint"
        );
        if is_conversion && let [Node::Constant(value)] = &arguments[..] {
            return crate::evaluate::call(function, std::slice::from_ref(value), None).map(Node::Constant);
        }
        let pattern = match (function.name, arguments.get(1)) {
            ("matches" | "find" | "findAll", Some(Node::Constant(Value::String(text)))) => {
                Some(go_regexp::compile(text).map_err(EvaluationError::failed)?)
            }
            _ => None,
        };
        Ok(Node::Call(Box::new(PlannedCall { function, overload, arguments, pattern })))
    }

    fn comprehension(&mut self, loops: &Comprehension) -> Planned {
        let range = self.node(&loops.range)?;
        let initial = self.node(&loops.initial)?;
        self.locals.push(Arc::clone(&loops.accumulator));
        if loops.is_binding() {
            let body = self.boxed(&loops.result);
            self.locals.pop();
            return Ok(Node::Binding { value: Box::new(initial), body: body? });
        }
        let before = self.locals.len();
        self.locals.push(Arc::clone(&loops.variable));
        self.locals.extend(loops.second_variable.clone());
        let (condition, step) = (self.node(&loops.condition), self.node(&loops.step));
        self.locals.truncate(before);
        let result = self.node(&loops.result);
        self.locals.pop();
        let has_second = loops.second_variable.is_some();
        let planned = Loop { range, has_second, initial, condition: condition?, step: step?, result: result? };
        Ok(Node::Loop(Box::new(planned)))
    }
}

fn constant(literal: &Literal) -> Value<'static> {
    match literal {
        Literal::Null => Value::Null,
        Literal::Bool(value) => Value::Bool(*value),
        Literal::Int(number) => Value::Int(*number),
        Literal::Uint(number) => Value::Uint(*number),
        Literal::Double(number) => Value::Double(*number),
        Literal::String(text) => Value::String(Text::from(Arc::clone(text))),
        Literal::Bytes(bytes) => Value::Bytes(Arc::clone(bytes)),
    }
}

fn constant_list(items: &[(Node, bool)]) -> Option<Value<'static>> {
    let values = items.iter().map(|item| match item {
        (Node::Constant(value), false) => Some(value.clone()),
        _ => None,
    });
    values.collect::<Option<Vec<_>>>().map(Value::list)
}

fn constant_map(entries: &[(Node, Node, bool)]) -> Result<Option<Value<'static>>, EvaluationError> {
    let mut map = OwnedMap::default();
    for entry in entries {
        match entry {
            (Node::Constant(key), Node::Constant(value), false) => map.set(key.clone(), value.clone())?,
            _ => return Ok(None),
        }
    }
    Ok(Some(Value::Map(Map::Owned(Arc::new(map)))))
}

/// Whether membership can be decided without looking into the items.
fn are_simple(items: &[Value<'_>]) -> bool {
    let is_simple = |item: &Value<'_>| {
        matches!(item, Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::String(_))
    };
    !items.is_empty() && items.iter().all(is_simple)
}
