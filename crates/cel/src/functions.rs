//! Every function an expression may call: how it is declared, and what it does.
//!
//! A library states its overloads as text, one per line:
//!
//! ```text
//! string_char_at_int: string::charAt(int) -> string        a member
//! is_ip: isIP(string) -> bool                              a function
//! list_a_index_of_int: list(A)::indexOf(A) -> int          A is whatever it is called with
//! ```
//! One implementation serves all overloads of a function in its library. Where several libraries have a function of the
//! same name, they are tried one after the other.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::library;
use crate::types::{self, KUBERNETES, Type};
use crate::value::{Evaluated, Value};

/// What a function does with its arguments, of which the first is the target of a member.
pub(crate) type Implementation = for<'v> fn(&[Value<'v>]) -> Evaluated<'v>;

/// Functions that belong together.
pub(crate) struct Library {
    pub(crate) declarations: &'static str,
    pub(crate) implementations: &'static [(&'static str, Implementation)],
}

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) overloads: Vec<Overload>,
    pub(crate) implementations: Vec<Implementation>,
}

#[derive(Debug)]
pub(crate) struct Overload {
    pub(crate) id: &'static str,
    pub(crate) is_member: bool,
    /// The target of a member comes first.
    pub(crate) arguments: Vec<Type>,
    pub(crate) result: Type,
    /// Whether a type of it depends on the call.
    pub(crate) is_generic: bool,
}

/// The function of a name.
pub(crate) fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.get(name)
}

static FUNCTIONS: LazyLock<HashMap<&'static str, Function>> = LazyLock::new(|| {
    let mut functions = HashMap::new();
    for library in library::ALL {
        for line in library.declarations.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (name, overload) = read(line);
            let fresh = || Function { name, overloads: Vec::new(), implementations: Vec::new() };
            functions.entry(name).or_insert_with(fresh).overloads.push(overload);
        }
        for (name, implementation) in library.implementations {
            let function = functions.get_mut(name).unwrap_or_else(|| panic!("{name} is implemented but not declared"));
            function.implementations.push(*implementation);
        }
    }
    functions
});

fn read(line: &'static str) -> (&'static str, Overload) {
    let (id, rest) = line.split_once(": ").unwrap_or_else(|| panic!("{line}: no id"));
    let (signature, result) = rest.rsplit_once(" -> ").unwrap_or_else(|| panic!("{line}: no result"));
    let open = opening(signature);
    let (name, arguments) = (&signature[..open], &signature[open + 1..signature.len() - 1]);
    let (target, name) = match name.split_once("::") {
        Some((target, name)) => (Some(target), name),
        None => (None, name),
    };
    let texts = target.into_iter().chain(split(arguments));
    let is_generic = signature.split(BETWEEN).chain(result.split(BETWEEN)).any(|word| PARAMETERS.contains(&word));
    let overload = Overload {
        id,
        is_member: target.is_some(),
        arguments: texts.map(type_named).collect(),
        result: type_named(result),
        is_generic,
    };
    (name, overload)
}

/// The types that are whatever a call makes them.
const PARAMETERS: [&str; 4] = ["A", "B", "K", "V"];

/// What stands between the types of a declaration.
const BETWEEN: [char; 5] = ['(', ')', ',', ' ', ':'];

/// Where the arguments begin: the bracket that the last one closes.
fn opening(signature: &str) -> usize {
    let mut depth = 0;
    for (at, character) in signature.char_indices().rev() {
        match character {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    panic!("{signature}: no arguments")
}

/// Types that commas separate.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut begin) = (0, 0);
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    let last = text[begin..].trim();
    parts.extend((!last.is_empty()).then_some(last));
    parts
}

fn type_named(text: &str) -> Type {
    if let Some((name, inner)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        let mut inner = split(inner).into_iter().map(type_named);
        let mut next = || inner.next().unwrap_or_else(|| panic!("{text}: a parameter is missing"));
        return match name {
            "list" => Type::list(next()),
            "map" => Type::map(next(), next()),
            "optional" => Type::optional(next()),
            "type" => Type::Type(next().into()),
            _ => panic!("{text}: no such type"),
        };
    }
    match text {
        "dyn" => Type::Dyn,
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "timestamp" => Type::Timestamp,
        "duration" => Type::Duration,
        "A" => Type::Parameter(0),
        "B" => Type::Parameter(1),
        "K" => Type::Parameter(2),
        "V" => Type::Parameter(3),
        name => KUBERNETES.get(kubernetes(name)).unwrap_or_else(|| panic!("{name}: no such type")).clone(),
    }
}

fn kubernetes(name: &str) -> &str {
    match name {
        "URL" => types::URL,
        "IP" => types::IP,
        "CIDR" => types::CIDR,
        "Quantity" => types::QUANTITY,
        "Semver" => types::SEMVER,
        "Format" => types::FORMAT,
        "Authorizer" => types::AUTHORIZER,
        "PathCheck" => types::PATH_CHECK,
        "GroupCheck" => types::GROUP_CHECK,
        "ResourceCheck" => types::RESOURCE_CHECK,
        "Decision" => types::DECISION,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declaration_is_read_and_every_function_does_something() {
        for function in FUNCTIONS.values() {
            assert!(!function.implementations.is_empty(), "{} does nothing", function.name);
        }
        let index_of = function("indexOf").expect("it is declared");
        assert!(index_of.overloads.iter().any(|overload| overload.id == "list_a_index_of_int" && overload.is_generic));
    }
}
