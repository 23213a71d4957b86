//! What Kubernetes wants of literals beyond their types: durations, timestamps and patterns that can be read, lists and
//! maps of one type, formats that fit their arguments.

use super::{Checked, Expr};
use crate::ast::{Kind, Literal};
use crate::go_regexp;
use crate::library::format_string::{self, Argument};
use crate::library::time;
use crate::source::Issue;
use crate::types::Type;

/// What is wrong with the literals of an expression that is otherwise right.
pub(super) fn issues(expr: &Expr, checked: &Checked) -> Vec<Issue> {
    let mut issues = Vec::new();
    expr.walk(&mut |node| arguments(node, checked, &mut issues));
    mixed(expr, checked, false, &mut issues);
    issues
}

/// An argument of `format`, and what is written out in it.
fn argument<'a>(expr: &'a Expr, checked: &'a Checked) -> Argument<'a> {
    let items = match &expr.kind {
        Kind::List(elements) => elements.iter().map(|element| argument(&element.value, checked)).collect(),
        Kind::Map(entries) => {
            entries.iter().flat_map(|entry| [&entry.key, &entry.value]).map(|part| argument(part, checked)).collect()
        }
        _ => Vec::new(),
    };
    Argument { kind: checked.type_of(expr), offset: expr.offset, items }
}

fn arguments(node: &Expr, checked: &Checked, issues: &mut Vec<Issue>) {
    let Kind::Call(call) = &node.kind else { return };
    let Some(first) = call.arguments.first() else { return };
    if &*call.function == "format"
        && let Some(Kind::Literal(Literal::String(format))) = call.target.as_ref().map(|target| &target.kind)
        && let Kind::List(elements) = &first.kind
    {
        let arguments: Vec<_> = elements.iter().map(|element| argument(&element.value, checked)).collect();
        issues.extend(format_string::issue(format, &arguments, node.offset));
        return;
    }
    let Kind::Literal(literal) = &first.kind else { return };
    let is_wrong = match (&*call.function, literal) {
        ("duration", Literal::String(text)) => time::parse_duration(text).is_err(),
        ("timestamp", Literal::String(text)) => time::parse_timestamp(text).is_err(),
        ("timestamp", Literal::Int(seconds)) => time::from_seconds(*seconds).is_err(),
        // Null has the type of every duration and timestamp, and is none.
        ("duration" | "timestamp", Literal::Null) => true,
        ("matches", Literal::String(pattern)) => go_regexp::compile(pattern).is_err(),
        _ => false,
    };
    if is_wrong {
        issues.push(Issue::new(first.offset, format!("invalid {} argument", call.function)));
    }
}

/// Lists and maps of several types. Those that are formatted may be.
fn mixed(node: &Expr, checked: &Checked, is_formatted: bool, issues: &mut Vec<Issue>) {
    let is_formatted = is_formatted || matches!(&node.kind, Kind::Call(call) if &*call.function == "format");
    let held = |value: &Expr, is_optional: bool| match checked.type_of(value) {
        Type::Optional(inner) if is_optional => (**inner).clone(),
        other => other.clone(),
    };
    let mismatch = |value: &Expr, first: &Type, found: &Type| {
        Issue::new(value.offset, format!("expected type '{first}' but found '{found}'"))
    };
    match &node.kind {
        _ if is_formatted => {}
        Kind::List(elements) => {
            let types: Vec<Type> = elements.iter().map(|one| held(&one.value, one.is_optional)).collect();
            let other = types.iter().position(|found| !found.is_same(&types[0]));
            issues.extend(other.map(|place| mismatch(&elements[place].value, &types[0], &types[place])));
        }
        Kind::Map(entries) => {
            for entry in entries.iter().skip(1) {
                let (key, first) = (checked.type_of(&entry.key), checked.type_of(&entries[0].key));
                if !key.is_same(first) {
                    issues.push(mismatch(&entry.key, first, key));
                }
                let value = held(&entry.value, entry.is_optional);
                let first = held(&entries[0].value, entries[0].is_optional);
                if !value.is_same(&first) {
                    issues.push(mismatch(&entry.value, &first, &value));
                }
            }
        }
        _ => {}
    }
    for child in node.children() {
        mixed(child, checked, is_formatted, issues);
    }
}
