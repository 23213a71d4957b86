//! Admission webhooks: programs of the cluster that change or refuse what is written.
//!
//! In: what a request does to an object, and the configurations in the cluster as it was looked at. Out: the object changed,
//! or a refusal. This is where a write waits for something that is not the server.

use super::{Attributes, Notes, Operation};
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::response::status::Answer;

/// How webhooks are called.
#[derive(Debug, Default, Clone)]
pub(crate) struct Webhooks {}

impl Webhooks {
    /// Whether a webhook would be asked about a write.
    #[expect(clippy::unused_self, reason = "how they are reached will decide")]
    pub(crate) fn are_called(&self, _: &ClusterSnapshot, _: Operation, _: &ResolvedTarget) -> bool {
        false
    }

    /// Asks mutating webhooks, one after the other.
    #[expect(clippy::unused_self, clippy::unused_async, reason = "asking them takes both")]
    pub(crate) async fn mutate(
        &self,
        _snapshot: &ClusterSnapshot,
        _attributes: &Attributes<'_>,
        _object: Option<&mut Object>,
        _notes: &mut Notes,
    ) -> Answer<()> {
        Ok(())
    }

    /// Asks validating webhooks, all at once.
    #[expect(clippy::unused_self, clippy::unused_async, reason = "asking them takes both")]
    pub(crate) async fn validate(
        &self,
        _snapshot: &ClusterSnapshot,
        _attributes: &Attributes<'_>,
        _object: Option<&Object>,
        _notes: &mut Notes,
    ) -> Answer<()> {
        Ok(())
    }
}
