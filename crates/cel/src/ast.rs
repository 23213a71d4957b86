//! An expression as it was read, macros expanded.
//!
//! Every node has a number, under which the checker files its type and its overloads, and the place of the sign that made
//! it: the operator, the dot, the opening bracket.

use std::sync::Arc;

use crate::source::Offset;

/// The number of a node within its expression.
pub(crate) type Id = u32;

#[derive(Debug, Clone)]
pub(crate) struct Expr {
    pub(crate) id: Id,
    pub(crate) offset: Offset,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Literal(Literal),
    /// A name; one with a leading dot keeps it.
    Ident(Arc<str>),
    Select(Box<Select>),
    Call(Box<Call>),
    List(Vec<Element>),
    Map(Vec<Entry>),
    Struct(Box<Struct>),
    Comprehension(Box<Comprehension>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(Arc<str>),
    Bytes(Arc<[u8]>),
}

/// `operand.field`, or whether there is such a field, which is what `has()` asks.
#[derive(Debug, Clone)]
pub(crate) struct Select {
    pub(crate) operand: Expr,
    pub(crate) field: Arc<str>,
    pub(crate) is_test: bool,
}

/// `function(arguments)` or `target.function(arguments)`; operators are calls, too.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) function: Arc<str>,
    pub(crate) target: Option<Expr>,
    pub(crate) arguments: Vec<Expr>,
}

/// An item of a list; an optional one is there if it has a value.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub(crate) value: Expr,
    pub(crate) is_optional: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: Expr,
    pub(crate) value: Expr,
    pub(crate) is_optional: bool,
}

/// `Name{field: value}`. Only the types of patches can be made this way.
#[derive(Debug, Clone)]
pub(crate) struct Struct {
    pub(crate) name: String,
    pub(crate) fields: Vec<StructField>,
}

/// A field of a struct; an optional one is there if it has a value.
#[derive(Debug, Clone)]
pub(crate) struct StructField {
    pub(crate) name: Arc<str>,
    /// Where its colon stands, of which issues speak.
    pub(crate) offset: Offset,
    pub(crate) value: Expr,
    pub(crate) is_optional: bool,
}

/// What macros become: a loop over `range` that carries `accumulator` along.
#[derive(Debug, Clone)]
pub(crate) struct Comprehension {
    pub(crate) range: Expr,
    pub(crate) variable: Arc<str>,
    pub(crate) second_variable: Option<Arc<str>>,
    pub(crate) accumulator: Arc<str>,
    pub(crate) initial: Expr,
    pub(crate) condition: Expr,
    pub(crate) step: Expr,
    pub(crate) result: Expr,
}

impl Comprehension {
    /// Whether it loops over nothing and only gives a value a name.
    pub(crate) fn is_binding(&self) -> bool {
        matches!(&self.range.kind, Kind::List(elements) if elements.is_empty())
            && matches!(self.condition.kind, Kind::Literal(Literal::Bool(false)))
            && &*self.accumulator != ACCUMULATOR
    }
}

/// The name of what a loop carries along. No expression can say it.
pub(crate) const ACCUMULATOR: &str = "@result";

/// The loop variable of a binding, which is never read.
pub(crate) const UNUSED: &str = "#unused";

/// The names that operators have as functions.
pub(crate) mod operators {
    pub(crate) const CONDITIONAL: &str = "_?_:_";
    pub(crate) const AND: &str = "_&&_";
    pub(crate) const OR: &str = "_||_";
    pub(crate) const NOT: &str = "!_";
    pub(crate) const NEGATE: &str = "-_";
    pub(crate) const EQUALS: &str = "_==_";
    pub(crate) const NOT_EQUALS: &str = "_!=_";
    pub(crate) const ADD: &str = "_+_";
    pub(crate) const IN: &str = "@in";
    pub(crate) const INDEX: &str = "_[_]";
    pub(crate) const OPTIONAL_INDEX: &str = "_[?_]";
    pub(crate) const OPTIONAL_SELECT: &str = "_?._";
    pub(crate) const NOT_STRICTLY_FALSE: &str = "@not_strictly_false";
    pub(crate) const MAP_INSERT: &str = "cel.@mapInsert";
    pub(crate) const SORT_BY_KEYS: &str = "@sortByAssociatedKeys";
}

impl Expr {
    /// The dotted name that this reads as, if it is one.
    pub(crate) fn qualified_name(&self) -> Option<String> {
        match &self.kind {
            Kind::Ident(name) => Some(name.to_string()),
            Kind::Select(select) if !select.is_test => {
                Some(format!("{}.{}", select.operand.qualified_name()?, select.field))
            }
            _ => None,
        }
    }

    /// Calls `visit` for this node and everything below it, parents first.
    pub(crate) fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }

    /// What is directly below, in the order of evaluation.
    pub(crate) fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            Kind::Literal(_) | Kind::Ident(_) => Vec::new(),
            Kind::Select(select) => vec![&select.operand],
            Kind::Call(call) => call.target.iter().chain(&call.arguments).collect(),
            Kind::List(elements) => elements.iter().map(|element| &element.value).collect(),
            Kind::Map(entries) => entries.iter().flat_map(|entry| [&entry.key, &entry.value]).collect(),
            Kind::Struct(message) => message.fields.iter().map(|field| &field.value).collect(),
            Kind::Comprehension(loops) => {
                vec![&loops.range, &loops.initial, &loops.condition, &loops.step, &loops.result]
            }
        }
    }
}
