//! A [`Status`] as a document of its own: the body of an answer, or the object of an error in a watch.

use serde::{Serialize, Serializer};

use super::{Status, StatusDetails, StatusSummary};
use crate::metadata::ListMeta;

/// Writes a status with `kind` and `apiVersion`, in the order in which kube-apiserver writes it.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a>(pub &'a Status);

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, into: S) -> Result<S::Ok, S::Error> {
        let Status { status, code, message, metadata, reason, details } = self.0;
        Written {
            kind: "Status",
            api_version: "v1",
            metadata: metadata.clone().unwrap_or_default(),
            status: *status,
            message,
            reason,
            details: details.as_ref(),
            code: Some(*code).filter(|code| *code != 0),
        }
        .serialize(into)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    kind: &'static str,
    api_version: &'static str,
    metadata: ListMeta,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<StatusSummary>,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a StatusDetails>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
}
