//! Macros: calls that are short for a test of a field or a loop.
//!
//! A name with a number of arguments that is not in the table is an ordinary call.

use std::sync::Arc;

use super::Parser;
use crate::ast::Element;
use crate::ast::{ACCUMULATOR, Call, Comprehension, Expr, Kind, Literal, Select, UNUSED, operators};
use crate::source::{Issue, Offset};

/// Expands a call if it is a macro; else the call comes back.
pub(super) fn expand(
    parser: &mut Parser<'_>,
    offset: Offset,
    name: &Arc<str>,
    target: Option<Expr>,
    arguments: Vec<Expr>,
) -> Result<Expr, Box<Call>> {
    let Some(expansion) = of(name, target.is_some(), arguments.len()) else {
        return Err(Box::new(Call { function: Arc::clone(name), target, arguments }));
    };
    let mut maker = Maker { parser, offset };
    let expanded = match target {
        None => maker.has(&arguments[0]),
        Some(target) => maker.expand(expansion, target, arguments),
    };
    Ok(expanded.unwrap_or_else(|issue| {
        parser.issues.push(issue);
        parser.literal_at(offset, Literal::Null)
    }))
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Macro {
    Has,
    All,
    Exists,
    ExistsOne,
    /// `map` and `filter`: a list of what the last argument makes of the items that pass.
    List {
        variables: usize,
    },
    Filter,
    Map,
    MapEntry,
    OptionalMap,
    OptionalFlatMap,
    SortBy,
}

fn of(name: &str, is_member: bool, arguments: usize) -> Option<Macro> {
    Some(match (name, is_member, arguments) {
        ("has", false, 1) => Macro::Has,
        ("all", true, 2 | 3) => Macro::All,
        ("exists", true, 2 | 3) => Macro::Exists,
        ("exists_one", true, 2 | 3) | ("existsOne", true, 3) => Macro::ExistsOne,
        ("map", true, 2 | 3) => Macro::List { variables: 1 },
        ("filter", true, 2) => Macro::Filter,
        ("transformList", true, 3 | 4) => Macro::List { variables: 2 },
        ("transformMap", true, 3 | 4) => Macro::Map,
        ("transformMapEntry", true, 3 | 4) => Macro::MapEntry,
        ("optMap", true, 2) => Macro::OptionalMap,
        ("optFlatMap", true, 2) => Macro::OptionalFlatMap,
        ("sortBy", true, 2) => Macro::SortBy,
        _ => return None,
    })
}

/// Makes the nodes of an expansion; all of them stand where the macro does.
struct Maker<'p, 'a> {
    parser: &'p mut Parser<'a>,
    offset: Offset,
}

type Expanded = Result<Expr, Issue>;

impl Maker<'_, '_> {
    fn has(&mut self, argument: &Expr) -> Expanded {
        match &argument.kind {
            Kind::Select(select) if !select.is_test => {
                let select = Select { is_test: true, ..(**select).clone() };
                Ok(self.node(Kind::Select(Box::new(select))))
            }
            _ => Err(Issue::new(argument.offset, "invalid argument to has() macro")),
        }
    }

    fn expand(&mut self, expansion: Macro, target: Expr, mut arguments: Vec<Expr>) -> Expanded {
        let last = arguments.pop().expect("the table wants arguments");
        match expansion {
            Macro::OptionalMap | Macro::OptionalFlatMap => self.optional(expansion, target, &arguments[0], last),
            Macro::SortBy => self.sort_by(target, &arguments[0], last),
            _ => {
                let count = match expansion {
                    Macro::List { variables } => variables,
                    Macro::Filter => 1,
                    Macro::Map | Macro::MapEntry => 2,
                    _ => arguments.len(),
                };
                let filter = (arguments.len() > count).then(|| arguments.remove(count));
                let what = match expansion {
                    Macro::List { variables: 1 } | Macro::Filter => "argument is not an identifier",
                    _ => "argument must be a simple name",
                };
                let variables = variables(&arguments, what)?;
                Ok(self.loops(expansion, target, &variables, filter, last))
            }
        }
    }

    fn loops(
        &mut self,
        expansion: Macro,
        range: Expr,
        variables: &[Arc<str>],
        filter: Option<Expr>,
        body: Expr,
    ) -> Expr {
        let (initial, condition, step) = match expansion {
            Macro::All => {
                let condition = self.accumulator();
                let condition = self.call(operators::NOT_STRICTLY_FALSE, vec![condition]);
                let accumulator = self.accumulator();
                (Kind::Literal(Literal::Bool(true)), condition, self.call(operators::AND, vec![accumulator, body]))
            }
            Macro::Exists => {
                let accumulator = self.accumulator();
                let negated = self.call(operators::NOT, vec![accumulator]);
                let condition = self.call(operators::NOT_STRICTLY_FALSE, vec![negated]);
                let accumulator = self.accumulator();
                (Kind::Literal(Literal::Bool(false)), condition, self.call(operators::OR, vec![accumulator, body]))
            }
            Macro::ExistsOne => {
                let (accumulator, one) = (self.accumulator(), self.literal(Literal::Int(1)));
                let more = self.call(operators::ADD, vec![accumulator, one]);
                let step = self.unless(body, more);
                (Kind::Literal(Literal::Int(0)), self.literal(Literal::Bool(true)), step)
            }
            Macro::Map | Macro::MapEntry => {
                let mut arguments = vec![self.accumulator()];
                if expansion == Macro::Map {
                    arguments.push(self.node(Kind::Ident(Arc::clone(&variables[0]))));
                }
                arguments.push(body);
                let step = self.call(operators::MAP_INSERT, arguments);
                let step = self.filtered(filter, step);
                (Kind::Map(Vec::new()), self.literal(Literal::Bool(true)), step)
            }
            _ => {
                let (filter, item) = match expansion {
                    Macro::Filter => (Some(body), self.node(Kind::Ident(Arc::clone(&variables[0])))),
                    _ => (filter, body),
                };
                let accumulator = self.accumulator();
                let item = self.node(Kind::List(vec![Element { value: item, is_optional: false }]));
                let step = self.call(operators::ADD, vec![accumulator, item]);
                let step = self.filtered(filter, step);
                (Kind::List(Vec::new()), self.literal(Literal::Bool(true)), step)
            }
        };
        let result = match expansion {
            Macro::ExistsOne => {
                let (accumulator, one) = (self.accumulator(), self.literal(Literal::Int(1)));
                self.call(operators::EQUALS, vec![accumulator, one])
            }
            _ => self.accumulator(),
        };
        let initial = self.node(initial);
        self.node(Kind::Comprehension(Box::new(Comprehension {
            range,
            variable: Arc::clone(&variables[0]),
            second_variable: variables.get(1).cloned(),
            accumulator: Arc::from(ACCUMULATOR),
            initial,
            condition,
            step,
            result,
        })))
    }

    /// `filter ? step : accumulator`.
    fn unless(&mut self, filter: Expr, step: Expr) -> Expr {
        let accumulator = self.accumulator();
        self.call(operators::CONDITIONAL, vec![filter, step, accumulator])
    }

    fn filtered(&mut self, filter: Option<Expr>, step: Expr) -> Expr {
        match filter {
            Some(filter) => self.unless(filter, step),
            None => step,
        }
    }

    /// `target.hasValue() ? optional.of(body with target.value()) : optional.none()`.
    fn optional(&mut self, expansion: Macro, target: Expr, variable: &Expr, body: Expr) -> Expanded {
        let Kind::Ident(name) = &variable.kind else {
            let name = if expansion == Macro::OptionalMap { "optMap" } else { "optFlatMap" };
            return Err(Issue::new(variable.offset, format!("{name}() variable name must be a simple identifier")));
        };
        let copy = self.copy(&target);
        let value = self.member("value", copy);
        let mut bound = self.binding(name, value, body);
        if expansion == Macro::OptionalMap {
            bound = self.call("optional.of", vec![bound]);
        }
        let has_value = self.member("hasValue", target);
        let none = self.call("optional.none", Vec::new());
        Ok(self.call(operators::CONDITIONAL, vec![has_value, bound, none]))
    }

    fn sort_by(&mut self, target: Expr, variable: &Expr, key: Expr) -> Expanded {
        if !matches!(
            target.kind,
            Kind::List(_) | Kind::Select(_) | Kind::Ident(_) | Kind::Comprehension(_) | Kind::Call(_)
        ) {
            let message = "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
            return Err(Issue::new(target.offset, message));
        }
        let name: Arc<str> = Arc::from("@__sortBy_input__");
        let variables = variables(std::slice::from_ref(variable), "argument is not an identifier")?;
        let input = self.node(Kind::Ident(Arc::clone(&name)));
        let keys = self.loops(Macro::List { variables: 1 }, input, &variables, None, key);
        let input = self.node(Kind::Ident(Arc::clone(&name)));
        let call = Call { function: Arc::from(operators::SORT_BY_KEYS), target: Some(input), arguments: vec![keys] };
        let sorted = self.node(Kind::Call(Box::new(call)));
        Ok(self.binding(&name, target, sorted))
    }

    /// A loop over nothing, which gives a value a name.
    fn binding(&mut self, name: &Arc<str>, value: Expr, body: Expr) -> Expr {
        let range = self.node(Kind::List(Vec::new()));
        let condition = self.literal(Literal::Bool(false));
        let step = self.node(Kind::Ident(Arc::clone(name)));
        self.node(Kind::Comprehension(Box::new(Comprehension {
            range,
            variable: Arc::from(UNUSED),
            second_variable: None,
            accumulator: Arc::clone(name),
            initial: value,
            condition,
            step,
            result: body,
        })))
    }

    fn node(&mut self, kind: Kind) -> Expr {
        self.parser.node(self.offset, kind)
    }

    fn literal(&mut self, literal: Literal) -> Expr {
        self.node(Kind::Literal(literal))
    }

    fn accumulator(&mut self) -> Expr {
        self.node(Kind::Ident(Arc::from(ACCUMULATOR)))
    }

    fn call(&mut self, function: &str, arguments: Vec<Expr>) -> Expr {
        self.parser.call(self.offset, function, arguments)
    }

    fn member(&mut self, function: &str, target: Expr) -> Expr {
        let call = Call { function: Arc::from(function), target: Some(target), arguments: Vec::new() };
        self.node(Kind::Call(Box::new(call)))
    }

    /// The same tree under other numbers, so that both can be checked.
    fn copy(&mut self, expr: &Expr) -> Expr {
        let mut copy = expr.clone();
        self.renumber(&mut copy);
        copy
    }

    fn renumber(&mut self, expr: &mut Expr) {
        expr.id = self.parser.next_id;
        self.parser.next_id += 1;
        match &mut expr.kind {
            Kind::Literal(_) | Kind::Ident(_) => {}
            Kind::Select(select) => self.renumber(&mut select.operand),
            Kind::Call(call) => {
                call.target.iter_mut().chain(&mut call.arguments).for_each(|child| self.renumber(child));
            }
            Kind::List(elements) => elements.iter_mut().for_each(|element| self.renumber(&mut element.value)),
            Kind::Map(entries) => entries.iter_mut().for_each(|entry| {
                self.renumber(&mut entry.key);
                self.renumber(&mut entry.value);
            }),
            Kind::Struct(message) => message.fields.iter_mut().for_each(|field| self.renumber(&mut field.value)),
            Kind::Comprehension(loops) => {
                let Comprehension { range, initial, condition, step, result, .. } = &mut **loops;
                for child in [range, initial, condition, step, result] {
                    self.renumber(child);
                }
            }
        }
    }
}

fn variables(arguments: &[Expr], what: &str) -> Result<Vec<Arc<str>>, Issue> {
    let mut names: Vec<Arc<str>> = Vec::new();
    for argument in arguments {
        let Kind::Ident(name) = &argument.kind else { return Err(Issue::new(argument.offset, what)) };
        if names.contains(name) {
            return Err(Issue::new(argument.offset, format!("duplicate variable name: {name}")));
        }
        if &**name == "__result__" {
            let message = "iteration variable overwrites accumulator variable";
            return Err(Issue::new(argument.offset, message));
        }
        names.push(Arc::clone(name));
    }
    Ok(names)
}
