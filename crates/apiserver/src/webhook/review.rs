//! Reviews: what all questions to webhooks have in common, whatever they are about.
//!
//! In: the JSON that came back. Out: its `response`, if it is a review of the version that was sent.

use serde_json::Value;

use crate::codec::typed::go_errors;
use crate::registry::no_such_kind;

/// Which review is exchanged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReviewType {
    pub(crate) group: &'static str,
    pub(crate) version: &'static str,
    pub(crate) kind: &'static str,
}

impl ReviewType {
    pub(crate) fn api_version(self) -> String {
        format!("{}/{}", self.group, self.version)
    }

    /// Checks that what came back can be read as the review that was sent; it may also say nothing of what it is.
    pub(crate) fn check(self, value: &Value) -> Result<(), String> {
        if !value.is_object() && !value.is_null() {
            return Err(format!("couldn't get version/kind; json parse error: {}", go_errors::no_object(value)));
        }
        let (found, kind) = (text(value, "apiVersion"), text(value, "kind"));
        if kind.is_empty() {
            return Ok(());
        }
        let version = found.strip_prefix(self.group).and_then(|rest| rest.strip_prefix('/')).unwrap_or_default();
        match version {
            "v1" | "v1beta1" if kind != self.kind => Err(no_such_kind(found, kind)),
            found if found == self.version => Ok(()),
            "v1" | "v1beta1" => {
                let (to, kind) = (self.version, self.kind);
                Err(format!("converting ({version}.{kind}) to ({to}.{kind}): unknown conversion"))
            }
            _ => Err(no_such_kind(found, kind)),
        }
    }

    /// The type as Go prints it.
    pub(crate) fn print(self) -> String {
        format!("{}/{}, Kind={}", self.group, self.version, self.kind)
    }
}

/// The type that a value says it is of, as Go prints it.
pub(crate) fn type_said(value: &Value) -> String {
    let (api_version, kind) = (text(value, "apiVersion"), text(value, "kind"));
    let slash = if api_version.contains('/') { "" } else { "/" };
    format!("{slash}{api_version}, Kind={kind}")
}

/// The first of the versions of a review that this server knows too.
pub(crate) fn version(listed: &Value) -> &'static str {
    let listed = listed.as_array().into_iter().flatten().filter_map(Value::as_str);
    let known = listed.filter_map(|version| ["v1", "v1beta1"].into_iter().find(|known| *known == version));
    known.into_iter().next().unwrap_or("v1")
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}
