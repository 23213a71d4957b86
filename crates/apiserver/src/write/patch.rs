//! PATCH: parts of an object changed, by JSON patch or by merge patch.
//!
//! In: the patch. Out: the stored object. The patch is applied to the current state under the lock, so it can only
//! conflict when it names a resourceVersion itself. Strategic merge and apply are refused by name.

mod operation;

use operation::{Operations, Rejected};
use pintle_core::call::PatchKind;
use serde_json::Value;

use crate::cluster::{Cluster, Run, Subject, Written};
use crate::kinds::Kind;
use crate::status::{
    Answer, Refusal, bad_request, not_found, refuse, refuse_plainly, too_large, unsupported_media_type,
};
use crate::view;

/// A decoded patch.
pub(crate) enum Patch {
    Json(json_patch::Patch),
    Merge(Value),
}

impl Patch {
    /// Decodes the body of a patch of this kind.
    pub(crate) fn decode(kind: &Kind, patch: PatchKind, body: &[u8]) -> Answer<Patch> {
        let undecodable = |error: serde_json::Error| bad_request(format!("error decoding patch: {error}"));
        match patch {
            PatchKind::Json => {
                let patch: json_patch::Patch = serde_json::from_slice(body).map_err(undecodable)?;
                if patch.0.len() > OPERATIONS_MAX {
                    return Err(too_large(&format!(
                        "The allowed maximum operations in a JSON patch is {OPERATIONS_MAX}, got {}",
                        patch.0.len()
                    )));
                }
                Ok(Patch::Json(patch))
            }
            PatchKind::Merge => {
                let patch: Value = serde_json::from_slice(body).map_err(undecodable)?;
                if patch.is_object() {
                    Ok(Patch::Merge(patch))
                } else {
                    Err(bad_request("a merge patch must be a JSON object"))
                }
            }
            PatchKind::Strategic if kind.is_custom() => Err(unsupported_media_type(CUSTOM_TYPES)),
            PatchKind::Strategic => Err(missing("strategic merge patch (application/strategic-merge-patch+json)")),
            PatchKind::Apply => Err(missing("server-side apply (application/apply-patch+yaml)")),
        }
    }

    fn apply(self, target: &mut Value) -> Result<(), Rejected> {
        match self {
            Patch::Json(patch) => {
                let mut operations = Operations::default();
                let mut all = patch.0.into_iter();
                all.try_for_each(|operation| operations.perform(operation, target))
            }
            Patch::Merge(patch) => {
                json_patch::merge(target, &patch);
                Ok(())
            }
        }
    }
}

impl Cluster {
    /// Changes parts of an object.
    pub(crate) fn patch(&mut self, subject: &Subject, patch: Patch, run: Run) -> Answer<Written> {
        let place = subject.place(subject.name());
        let Some(old) = self.store.get(&place.resource, &place.key) else {
            return Err(not_found(&subject.kind, subject.name()));
        };
        let mut value = view::object(&subject.kind, &old)?.into_value();
        patch.apply(&mut value).map_err(|Rejected| rejected())?;
        let object = super::object(subject, value)?;
        super::check_name(subject, &object)?;
        self.replace(subject, &old, object, run)
    }
}

/// kube-apiserver says no more than this about a JSON patch that does not fit its object.
fn rejected() -> Refusal {
    refuse_plainly(422, "Invalid", "the server rejected our request due to an error in our request")
}

fn missing(feature: &str) -> Refusal {
    let message = format!(
        "{feature} is not implemented by this server yet - accepted media types include: {}",
        [PatchKind::Json.content_type(), PatchKind::Merge.content_type()].join(", ")
    );
    refuse(415, "UnsupportedMediaType", message)
}

/// What a custom resource accepts on kube-apiserver.
pub(crate) const CUSTOM_TYPES: &[&str] =
    &["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];

/// kube-apiserver's limit, which bounds the time one request can take.
const OPERATIONS_MAX: usize = 10_000;
