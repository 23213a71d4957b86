//! The admission plugins of kube-apiserver: rules of its own that change or refuse what is written.
//!
//! In: what a request does to an object, and the cluster as it was looked at. Out: the object changed, or a refusal. They
//! are pure: they look at the snapshot and wait for nothing.

use super::{Attributes, Notes};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::response::status::Answer;

/// Which plugins are on.
#[derive(Debug, Default, Clone)]
pub(crate) struct Plugins {}

impl Plugins {
    /// Lets the plugins change an object that is to be stored, in kube-apiserver's order.
    #[expect(clippy::unused_self, reason = "which of them are on will decide")]
    pub(crate) fn mutate(
        &self,
        _snapshot: &ClusterSnapshot,
        _attributes: &Attributes<'_>,
        _object: &mut Object,
        _notes: &mut Notes,
    ) -> Answer<()> {
        Ok(())
    }

    /// Lets the plugins refuse what is about to be stored or deleted.
    #[expect(clippy::unused_self, reason = "which of them are on will decide")]
    pub(crate) fn validate(
        &self,
        _snapshot: &ClusterSnapshot,
        _attributes: &Attributes<'_>,
        _object: Option<&Object>,
        _notes: &mut Notes,
    ) -> Answer<()> {
        Ok(())
    }
}
