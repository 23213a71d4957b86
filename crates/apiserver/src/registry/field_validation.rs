//! `fieldValidation`: whether unknown and duplicate fields are refused, warned about or ignored.

use serde_json::Value;

use crate::cluster::ResolvedTarget;
use crate::codec::typed::{self, Trouble};
use crate::registry::custom_resource;
use crate::response::status::{Answer, FieldError, Refusal, bad_request, invalid};

/// The `fieldValidation` of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldValidation {
    Ignore,
    Warn,
    Strict,
}

impl FieldValidation {
    /// What a client is warned of, or its refusal, given what a strict reader found.
    pub(crate) fn judge(self, target: &ResolvedTarget, found: &[String]) -> Answer<Vec<String>> {
        match self {
            FieldValidation::Strict if !found.is_empty() => Err(strict_error(target, found)),
            FieldValidation::Ignore | FieldValidation::Strict => Ok(Vec::new()),
            FieldValidation::Warn => Ok(found.iter().flat_map(|found| each_line(found)).collect()),
        }
    }
}

/// What the library for YAML finds is one text of many lines, and each is a warning of its own.
fn each_line(found: &str) -> Vec<String> {
    match found.strip_prefix("yaml: unmarshal errors:\n") {
        Some(lines) => lines.lines().map(|line| line.trim().to_owned()).collect(),
        None => vec![found.to_owned()],
    }
}

impl FieldValidation {
    /// What a client is warned of, or its refusal, given the keys that stand twice in what it applies.
    pub(crate) fn judge_applied(self, found: &[String]) -> Answer<Vec<String>> {
        match self {
            FieldValidation::Strict if !found.is_empty() => Err(bad_request(format!(
                "error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  {}",
                found.join("\n  ")
            ))),
            FieldValidation::Ignore | FieldValidation::Strict => Ok(Vec::new()),
            FieldValidation::Warn => Ok(found.to_vec()),
        }
    }

    /// The outcome of a patch, read again as its type; `found` is what a strict reader finds in the patch itself.
    pub(crate) fn reread(
        self,
        target: &ResolvedTarget,
        mut value: Value,
        mut found: Vec<String>,
    ) -> Answer<(Value, Vec<String>)> {
        let value = match typed::of_body(target) {
            None => {
                custom_resource::read_type(&value).map_err(|why| invalid_patch(&why))?;
                custom_resource::read_metadata(&value).map_err(|why| invalid_patch(&why))?;
                found.extend(custom_resource::prune(&target.kind, &mut value));
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
            FieldValidation::Strict if !found.is_empty() => Err(invalid_patch(&strict_sentence(&found))),
            FieldValidation::Ignore | FieldValidation::Strict => Ok((value, Vec::new())),
            FieldValidation::Warn => Ok((value, found)),
        }
    }
}

/// 422: a patch that makes no object of its kind. What it makes is not repeated, it may hold secrets.
pub(crate) fn invalid_patch(why: &str) -> Refusal {
    invalid("", "", "", &[FieldError::invalid("patch", "\"{...}\"", why)])
}

fn strict_error(target: &ResolvedTarget, found: &[String]) -> Refusal {
    super::cannot_be_handled(target, &strict_sentence(found))
}

/// What is wrong, in one sentence.
fn strict_sentence(found: &[String]) -> String {
    format!("strict decoding error: {}", found.join(", "))
}
