//! `jsonpatch.escapeKey`: a key as a step of a JSON pointer. Only expressions that mutate may call it.

use crate::functions::Library;
use crate::value::{EvaluationError, Value};

pub(crate) const LIBRARY: Library = Library {
    declarations: "
        string_jsonpatch_escapeKey_string: jsonpatch.escapeKey(string) -> string
    ",
    implementations: &[("jsonpatch.escapeKey", |arguments| {
        let key = arguments[0].as_str().ok_or(EvaluationError::NoSuchOverload)?;
        Ok(Value::string(&key.replace('~', "~0").replace('/', "~1")))
    })],
};

/// The function, which is not declared everywhere.
pub(crate) const ESCAPE_KEY: &str = "jsonpatch.escapeKey";
