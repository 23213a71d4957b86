//! The type checker: which variable a name is, which overloads a call can be, and what type everything has.
//!
//! In: the tree of an expression and what is declared. Out: [`Checked`], filed by the numbers of the nodes, or every issue
//! in cel-go's words. What is known only as `dyn` is left to evaluation.

mod literals;
mod unify;

use std::collections::HashMap;
use std::sync::Arc;

use unify::Substitution;

use crate::ast::{Call, Comprehension, Element, Entry, Expr, Id, Kind, Literal, Select, Struct, operators};
use crate::environment::Environment;
use crate::functions::{Function, Overload, function};
use crate::library::json_patch::ESCAPE_KEY;
use crate::source::Issue;
use crate::types::{KUBERNETES, Type};

/// What the checker found out.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    types: HashMap<Id, Type>,
    /// What names mean; a dotted one under the number of its last part.
    pub(crate) names: HashMap<Id, Name>,
    /// Which overloads a call can be.
    pub(crate) overloads: HashMap<Id, Vec<&'static Overload>>,
    /// Calls like `optional.of(x)`, which have no target but a long name.
    pub(crate) namespaced: HashMap<Id, &'static Function>,
}

/// What a name means.
#[derive(Debug, Clone)]
pub(crate) enum Name {
    /// A declared variable.
    Variable(String),
    /// A variable of a loop.
    Local,
    /// A type.
    Type(Type),
}

impl Checked {
    pub(crate) fn type_of(&self, expr: &Expr) -> &Type {
        self.types.get(&expr.id).unwrap_or(&Type::Error)
    }
}

/// Checks an expression.
pub(crate) fn check(environment: &Environment, expr: &Expr) -> Result<Checked, Vec<Issue>> {
    let mut checker = Checker {
        environment,
        checked: Checked::default(),
        substitution: Substitution::default(),
        locals: Vec::new(),
        issues: Vec::new(),
    };
    checker.expr(expr);
    if !checker.issues.is_empty() {
        return Err(checker.issues);
    }
    let Checker { mut checked, substitution, .. } = checker;
    for found in checked.types.values_mut() {
        *found = substitution.resolved_or_dyn(found);
    }
    let issues = literals::issues(expr, &checked);
    if issues.is_empty() { Ok(checked) } else { Err(issues) }
}

struct Checker<'e> {
    environment: &'e Environment,
    checked: Checked,
    substitution: Substitution,
    locals: Vec<(Arc<str>, Type)>,
    issues: Vec<Issue>,
}

impl Checker<'_> {
    /// Checks a node and everything below it, and returns its type.
    fn expr(&mut self, expr: &Expr) -> Type {
        let found = match &expr.kind {
            Kind::Literal(literal) => literal_type(literal),
            Kind::Ident(name) => self.ident(expr, name),
            Kind::Select(select) => self.select(expr, select),
            Kind::Call(call) => self.call(expr, call),
            Kind::List(elements) => self.list(elements),
            Kind::Map(entries) => self.map(entries),
            Kind::Struct(message) => self.message(expr, message),
            Kind::Comprehension(loops) => self.comprehension(loops),
        };
        self.checked.types.insert(expr.id, found.clone());
        found
    }

    fn ident(&mut self, expr: &Expr, name: &Arc<str>) -> Type {
        if let Some((_, found)) = self.locals.iter().rev().find(|(local, _)| local == name) {
            let found = found.clone();
            self.checked.names.insert(expr.id, Name::Local);
            return found;
        }
        match self.global(expr, name) {
            Some(found) => found,
            None => self.undeclared(expr, name),
        }
    }

    fn global(&mut self, expr: &Expr, name: &str) -> Option<Type> {
        let name = name.strip_prefix('.').unwrap_or(name);
        if let Some(found) = self.environment.variable(name) {
            self.checked.names.insert(expr.id, Name::Variable(name.to_owned()));
            return Some(found.clone());
        }
        let named = type_by_name(name)?;
        self.checked.names.insert(expr.id, Name::Type(named.clone()));
        Some(Type::Type(Arc::new(named)))
    }

    fn select(&mut self, expr: &Expr, select: &Select) -> Type {
        if !select.is_test
            && let Some(name) = expr.qualified_name()
            && !self.begins_with_local(&name)
            && let Some(found) = self.global(expr, &name)
        {
            return found;
        }
        let found = self.field(expr, &select.operand, &select.field, false);
        if select.is_test { Type::Bool } else { self.substitution.resolved(&found) }
    }

    fn begins_with_local(&self, name: &str) -> bool {
        let first = name.split('.').next().unwrap_or_default();
        self.locals.iter().any(|(local, _)| &**local == first)
    }

    fn field(&mut self, expr: &Expr, operand: &Expr, field: &str, is_optional: bool) -> Type {
        let operand = self.expr(operand);
        let operand = self.substitution.resolved(&operand);
        let (target, was_optional) = match &operand {
            Type::Optional(inner) => (&**inner, true),
            other => (other, false),
        };
        let found = match target {
            Type::Map(types) => types.1.clone(),
            Type::Object(object) => match object.field(field) {
                Some(found) => found.clone(),
                None => self.refuse(expr, format!("undefined field '{field}'")),
            },
            Type::Parameter(_) => {
                self.substitution.is_assignable(&Type::Dyn, target);
                Type::Dyn
            }
            other => {
                if !other.is_dyn_or_error() {
                    self.refuse(expr, format!("type '{other}' does not support field selection"));
                }
                Type::Dyn
            }
        };
        if was_optional || is_optional { Type::optional(found) } else { found }
    }

    fn call(&mut self, expr: &Expr, call: &Call) -> Type {
        if &*call.function == operators::OPTIONAL_SELECT {
            return self.optional_select(expr, call);
        }
        let mut arguments: Vec<Type> = call.arguments.iter().map(|argument| self.expr(argument)).collect();
        let Some(target) = &call.target else {
            let name = call.function.strip_prefix('.').unwrap_or(&call.function);
            return match function(name) {
                Some(function) => self.resolve(expr, call, function, &arguments, false),
                None => self.undeclared(expr, name),
            };
        };
        let qualified = target.qualified_name().filter(|name| !self.begins_with_local(name));
        let named = qualified.map(|prefix| format!("{prefix}.{}", call.function));
        let named = named.filter(|name| name != ESCAPE_KEY || self.environment.has_patch_types());
        if let Some(function) = named.and_then(|name| function(&name)) {
            self.checked.namespaced.insert(expr.id, function);
            return self.resolve(expr, call, function, &arguments, false);
        }
        arguments.insert(0, self.expr(target));
        match function(&call.function) {
            Some(function) => self.resolve(expr, call, function, &arguments, true),
            None => self.undeclared(expr, &call.function),
        }
    }

    fn optional_select(&mut self, expr: &Expr, call: &Call) -> Type {
        let [operand, field] = &call.arguments[..] else {
            return self.refuse(expr, "unsupported optional field selection".to_owned());
        };
        let Kind::Literal(Literal::String(name)) = &field.kind else {
            return self.refuse(field, "unsupported optional field selection".to_owned());
        };
        let found = self.field(expr, operand, name, true);
        self.substitution.resolved(&found)
    }

    fn resolve(
        &mut self,
        expr: &Expr,
        call: &Call,
        function: &'static Function,
        arguments: &[Type],
        is_member: bool,
    ) -> Type {
        if [operators::AND, operators::OR].contains(&function.name) {
            return self.logical(expr, call, function, arguments);
        }
        let mut result: Option<Type> = None;
        let mut matching = Vec::new();
        for overload in function.overloads.iter().filter(|overload| overload.is_member == is_member) {
            let (wanted, returned) = self.substitution.instance(overload);
            if !self.substitution.are_assignable(arguments, &wanted) {
                continue;
            }
            matching.push(overload);
            let returned = self.substitution.resolved(&returned);
            result = Some(match result {
                None => returned,
                Some(first) if !first.is_dyn() && !returned.is_same(&first) => Type::Dyn,
                Some(first) => first,
            });
        }
        let Some(result) = result else {
            let arguments: Vec<Type> = arguments.iter().map(|one| self.substitution.resolved_or_dyn(one)).collect();
            let shown = signature(&arguments, is_member);
            let name = function.name;
            return self.refuse(expr, format!("found no matching overload for '{name}' applied to '{shown}'"));
        };
        self.checked.overloads.insert(expr.id, matching);
        result
    }

    fn logical(&mut self, expr: &Expr, call: &Call, function: &'static Function, arguments: &[Type]) -> Type {
        let mut result = Type::Bool;
        for (argument, found) in call.arguments.iter().zip(arguments) {
            if !self.substitution.is_assignable(found, &Type::Bool) {
                result = self.refuse(argument, format!("expected type 'bool' but found '{found}'"));
            }
        }
        self.checked.overloads.insert(expr.id, function.overloads.iter().collect());
        result
    }

    fn list(&mut self, elements: &[Element]) -> Type {
        let mut item: Option<Type> = None;
        for element in elements {
            let found = self.expr(&element.value);
            let found = self.entry_type(&element.value, found, element.is_optional);
            item = Some(self.join(item, found));
        }
        Type::list(item.unwrap_or_else(|| self.substitution.fresh()))
    }

    fn map(&mut self, entries: &[Entry]) -> Type {
        let (mut key, mut value): (Option<Type>, Option<Type>) = (None, None);
        for entry in entries {
            let found = self.expr(&entry.key);
            key = Some(self.join(key, found));
            let found = self.expr(&entry.value);
            let found = self.entry_type(&entry.value, found, entry.is_optional);
            value = Some(self.join(value, found));
        }
        let key = key.unwrap_or_else(|| self.substitution.fresh());
        Type::map(key, value.unwrap_or_else(|| self.substitution.fresh()))
    }

    /// The type of an item or a value; an optional one is what it may hold.
    fn entry_type(&mut self, expr: &Expr, found: Type, is_optional: bool) -> Type {
        match found {
            Type::Optional(inner) if is_optional => (*inner).clone(),
            found if is_optional && !found.is_dyn() => {
                self.refuse(expr, format!("expected type 'optional_type({found})' but found '{found}'"));
                found
            }
            found => found,
        }
    }

    /// One type for both; what has none in common is `dyn`.
    fn join(&mut self, previous: Option<Type>, current: Type) -> Type {
        match previous {
            None => current,
            Some(previous) if self.substitution.is_assignable(&previous, &current) => {
                unify::most_general(&previous, &current)
            }
            Some(_) => Type::Dyn,
        }
    }

    /// An object of one of the types of patches.
    fn message(&mut self, expr: &Expr, message: &Struct) -> Type {
        let name = message.name.strip_prefix('.').unwrap_or(&message.name);
        let Some(made) = self.environment.patch_type(name) else {
            message.fields.iter().for_each(|field| drop(self.expr(&field.value)));
            return self.undeclared(expr, &message.name);
        };
        let Type::Object(declared) = &made else { unreachable!("the types of patches are objects") };
        for field in &message.fields {
            let found = self.expr(&field.value);
            let found = self.entry_type(&field.value, found, field.is_optional);
            let name = &field.name;
            let why = match declared.field(name) {
                None => format!("undefined field '{name}'"),
                Some(wanted) if !self.substitution.is_assignable(wanted, &found) => {
                    format!("expected type of field '{name}' is '{wanted}' but provided type is '{found}'")
                }
                Some(_) => continue,
            };
            self.issues.push(Issue::new(field.offset, why));
        }
        made
    }

    fn comprehension(&mut self, loops: &Comprehension) -> Type {
        let range = self.expr(&loops.range);
        let accumulated = self.expr(&loops.initial);
        let range = self.substitution.resolved(&range);
        let has_second = loops.second_variable.is_some();
        let (first, second) = match &range {
            Type::List(item) if has_second => (Type::Int, (**item).clone()),
            Type::List(item) => ((**item).clone(), Type::Error),
            Type::Map(types) => (types.0.clone(), types.1.clone()),
            Type::Dyn | Type::Error | Type::Parameter(_) => {
                self.substitution.is_assignable(&Type::Dyn, &range);
                (Type::Dyn, Type::Dyn)
            }
            other => {
                let why = "cannot be range of a comprehension (must be list, map, or dynamic)";
                self.refuse(&loops.range, format!("expression of type '{other}' {why}"));
                (Type::Error, Type::Error)
            }
        };
        let outside = self.locals.len();
        self.locals.push((Arc::clone(&loops.accumulator), accumulated.clone()));
        let before = self.locals.len();
        self.locals.push((Arc::clone(&loops.variable), first));
        if let Some(variable) = &loops.second_variable {
            self.locals.push((Arc::clone(variable), second));
        }
        let condition = self.expr(&loops.condition);
        self.assert(&loops.condition, &Type::Bool, &condition);
        let step = self.expr(&loops.step);
        self.assert(&loops.step, &accumulated, &step);
        self.locals.truncate(before);
        let result = self.expr(&loops.result);
        self.locals.truncate(outside);
        self.substitution.resolved(&result)
    }

    fn assert(&mut self, expr: &Expr, wanted: &Type, found: &Type) {
        if !self.substitution.is_assignable(wanted, found) {
            self.refuse(expr, format!("expected type '{wanted}' but found '{found}'"));
        }
    }

    fn undeclared(&mut self, expr: &Expr, name: &str) -> Type {
        self.refuse(expr, format!("undeclared reference to '{name}' (in container '')"))
    }

    fn refuse(&mut self, expr: &Expr, message: String) -> Type {
        self.issues.push(Issue::new(expr.offset, message));
        Type::Error
    }
}

fn literal_type(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::String(_) => Type::String,
        Literal::Bytes(_) => Type::Bytes,
    }
}

/// The types that can be named in an expression, to compare with `type(x)`.
fn type_by_name(name: &str) -> Option<Type> {
    Some(match name {
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "null_type" => Type::Null,
        "list" => Type::list(Type::Dyn),
        "map" => Type::map(Type::Dyn, Type::Dyn),
        "type" => Type::Type(Arc::new(Type::Dyn)),
        "optional_type" => Type::optional(Type::Dyn),
        "google.protobuf.Timestamp" => Type::Timestamp,
        "google.protobuf.Duration" => Type::Duration,
        name => KUBERNETES.get(name)?.clone(),
    })
}

fn signature(arguments: &[Type], is_member: bool) -> String {
    let list = |types: &[Type]| types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
    match arguments {
        [target, arguments @ ..] if is_member => format!("{target}.({})", list(arguments)),
        arguments => format!("({})", list(arguments)),
    }
}
