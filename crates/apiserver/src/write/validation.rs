//! What becomes of fields that no type knows, or that come twice: refused, told, or passed over.

use serde_json::Value;

use crate::cluster::Subject;
use crate::status::{Answer, FieldError, Refusal, invalid};
use crate::typed::{self, Trouble};
use crate::write::custom;

/// The `fieldValidation` of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Validation {
    Ignore,
    Warn,
    Strict,
}

impl Validation {
    /// What a client is warned of, or its refusal, given what a strict reader found.
    pub(crate) fn judge(self, subject: &Subject, found: Vec<String>) -> Answer<Vec<String>> {
        match self {
            Validation::Strict if !found.is_empty() => Err(strict_error(subject, &found)),
            Validation::Ignore | Validation::Strict => Ok(Vec::new()),
            Validation::Warn => Ok(found),
        }
    }
}

impl Validation {
    /// The outcome of a patch, read again as its type; `found` is what a strict reader finds in the patch itself.
    pub(crate) fn reread(
        self,
        subject: &Subject,
        mut value: Value,
        mut found: Vec<String>,
    ) -> Answer<(Value, Vec<String>)> {
        let value = match typed::of_body(subject) {
            None => {
                custom::read_metadata(&value).map_err(|why| invalid_patch(&why))?;
                found.extend(custom::shape(&subject.kind, &mut value));
                value
            }
            Some(kind) => match typed::reread(kind, value) {
                Ok(read) => {
                    found.extend(read.strict);
                    read.value
                }
                Err(Trouble::WrongType(why)) => return Err(invalid_patch(&why)),
                Err(Trouble::Syntax(error)) => return Err(invalid_patch(&error.to_string())),
            },
        };
        match self {
            Validation::Strict if !found.is_empty() => Err(invalid_patch(&strict_sentence(&found))),
            Validation::Ignore | Validation::Strict => Ok((value, Vec::new())),
            Validation::Warn => Ok((value, found)),
        }
    }
}

/// 422: a patch that makes no object of its kind. What it makes is not repeated, it may hold secrets.
pub(crate) fn invalid_patch(why: &str) -> Refusal {
    invalid("", "", "", &[FieldError::invalid("patch", "\"{...}\"", why)])
}

fn strict_error(subject: &Subject, found: &[String]) -> Refusal {
    super::cannot_be_handled(subject, &strict_sentence(found))
}

/// What is wrong, in one sentence.
fn strict_sentence(found: &[String]) -> String {
    format!("strict decoding error: {}", found.join(", "))
}
