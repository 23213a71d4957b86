//! Regular expressions: `find` and `findAll`. `matches` is among the functions of text.

use ::regex::bytes::Regex;

use crate::functions::Library;
use crate::go_regexp;
use crate::value::{Evaluated, EvaluationError, Value, fail};

pub(crate) const LIBRARY: Library = Library {
    declarations: "
        string_find_string: string::find(string) -> string
        string_find_all_string: string::findAll(string) -> list(string)
        string_find_all_string_int: string::findAll(string, int) -> list(string)
    ",
    implementations: &[
        ("find", |arguments| find("find", None, arguments)),
        ("findAll", |arguments| find("findAll", None, arguments)),
    ],
};

/// `matches`, `find` or `findAll`, with a pattern that was compiled before or is now.
pub(crate) fn find<'v>(function: &str, compiled: Option<&Regex>, arguments: &[Value<'v>]) -> Evaluated<'v> {
    let (Value::String(text), Value::String(pattern)) = (&arguments[0], &arguments[1]) else {
        return Err(EvaluationError::NoSuchOverload);
    };
    let limit = match arguments.get(2) {
        None => -1,
        Some(Value::Int(limit)) => *limit,
        Some(_) => return Err(EvaluationError::NoSuchOverload),
    };
    let fresh;
    let pattern = match compiled {
        Some(compiled) => compiled,
        None => {
            fresh = match go_regexp::compile(pattern) {
                Ok(found) => found,
                Err(why) => return fail(format!("Illegal regex: {why}")),
            };
            &fresh
        }
    };
    // A pattern may match within a character where it names bytes; such a part is shown as Go's JSON would show it.
    let shown = |found: ::regex::bytes::Match<'_>| Value::string(&String::from_utf8_lossy(found.as_bytes()));
    match function {
        "matches" => Ok(Value::Bool(pattern.is_match(text.as_bytes()))),
        "find" => Ok(pattern.find(text.as_bytes()).map_or_else(|| Value::string(""), shown)),
        _ => {
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            Ok(Value::list(go_regexp::find_all(pattern, text).take(limit).map(shown).collect()))
        }
    }
}
