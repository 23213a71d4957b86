//! A [`Status`] inside another document: without `kind` and `apiVersion`, which only documents of their own carry.
//!
//! For `#[serde(serialize_with = "nested::serialize")]` on a field. Reading needs nothing special.

use serde::{Serialize, Serializer};

use super::{Status, StatusDetails, StatusSummary};
use crate::metadata::ListMeta;

/// Writes what `status` says, and nothing of what it leaves open.
pub(crate) fn serialize<S: Serializer>(status: &Status, into: S) -> Result<S::Ok, S::Error> {
    Nested {
        status: status.status,
        code: Some(status.code).filter(|code| *code != 0),
        message: &status.message,
        metadata: status.metadata.as_ref(),
        reason: &status.reason,
        details: status.details.as_ref(),
    }
    .serialize(into)
}

#[derive(Serialize)]
struct Nested<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<StatusSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a ListMeta>,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a StatusDetails>,
}
