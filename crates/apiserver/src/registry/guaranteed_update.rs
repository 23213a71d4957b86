//! Changes of an object that is there (GuaranteedUpdate): whatever the change, the same checks follow it.
//!
//! In: a change, which is a function of the state it replaces ([`TryUpdate`]). Out: the state that is to be stored, worked
//! out from a snapshot; if another write comes first, the change is made again from that.

use std::borrow::Cow;
use std::sync::Arc;

use crate::admission::{Notes, Operation};
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::conversion;
use crate::codec::object::Object;
use crate::managed_fields::Tracker;
use crate::registry::subresources::SubresourceType;
use crate::registry::update;
use crate::registry::write::{Attempted, Write, noted};
use crate::response::status::Answer;
use crate::storage::entry::Entry;
use crate::storage::view;

/// A change of an object that is there.
pub(crate) trait TryUpdate {
    /// What it makes of an object.
    fn try_update(&self, target: &ResolvedTarget, old: &Entry, tracker: &Tracker) -> Answer<Outcome>;
}

/// What a change makes of an object.
pub(crate) struct Outcome {
    /// The object as it was, as the kind that is meant.
    pub(crate) before: Object,
    /// As it becomes, managers included.
    pub(crate) new: Object,
    pub(crate) warnings: Vec<String>,
}

impl Write<'_> {
    /// Works out what a change makes of its object; `None` if there is no such object.
    pub(crate) async fn attempt_update(
        &self,
        snapshot: &ClusterSnapshot,
        change: &impl TryUpdate,
    ) -> Answer<Option<Attempted>> {
        let Some(old) = snapshot.current(&self.target) else { return Ok(None) };
        snapshot.converter().prepare(&self.target.kind, std::slice::from_ref(old)).await?;
        let Outcome { before, new, warnings } = self.try_update(snapshot, change, old).await?;
        let attempted = self.check_update(snapshot, old, before, new).await;
        let mut attempted = self.record.with_warnings(&warnings, attempted)?;
        attempted.warnings.splice(0..0, warnings);
        Ok(Some(attempted))
    }

    /// Checks what a change makes of an object.
    async fn check_update(
        &self,
        snapshot: &ClusterSnapshot,
        old: &Arc<Entry>,
        before: Object,
        mut new: Object,
    ) -> Answer<Attempted> {
        let mut target = owner(&self.target);
        let mut notes = Notes::default();
        let attributes = self.attributes(Operation::Update, &self.target, Some(&before));
        self.admission.mutate(snapshot, &attributes, &mut new, &mut notes).await?;
        update::check_version(&self.target, &before, &new)?;
        self.check_role_write(snapshot, Some(&before), &new)?;
        let mut hub_before = None;
        if let Some(hub) = conversion::hub(&target.kind) {
            hub_before = Some(view::object(&hub, old)?);
            conversion::convert(&mut new, &hub);
            target.to_mut().kind = hub;
        }
        let checked_against = hub_before.as_ref().unwrap_or(&before);
        let checked = snapshot.checked_change(&target, checked_against, new, &mut notes.warnings);
        // What is only warned of is said with a refusal, too.
        attributes.record.keep(&checked, &mut notes);
        let object = checked?;
        self.check_parameters_readable(snapshot, Some(&before), &object)?;
        self.admission.validate(snapshot, &attributes, Some(&object), &mut notes).await?;
        let charge = self.admission.charge(snapshot, &attributes, &object, &mut notes)?;
        let attempted = self.end_update(snapshot, &target, old, checked_against, object).await?;
        let mut attempted = attempted.charging(charge);
        attempted.warnings = noted(notes, attempted.warnings);
        Ok(attempted)
    }
}

impl Write<'_> {
    /// Makes a change. Managers who wrote in other versions are compared in theirs: where a webhook converts, it is asked for
    /// what the comparison turns out to need, and the change is made again.
    async fn try_update(&self, snapshot: &ClusterSnapshot, update: &impl TryUpdate, old: &Entry) -> Answer<Outcome> {
        let tracker = snapshot.tracker(&self.target.kind);
        loop {
            let outcome = update.try_update(&self.target, old, &tracker);
            if !tracker.convert_needed(&snapshot.converter(), &self.target.kind).await? {
                return outcome;
            }
        }
    }
}

/// Whose rules decide what is stored: who writes a scale writes the object itself.
pub(super) fn owner(target: &ResolvedTarget) -> Cow<'_, ResolvedTarget> {
    match target.subresource_type() {
        SubresourceType::Scale => Cow::Owned(ResolvedTarget { subresource: None, ..target.clone() }),
        _ => Cow::Borrowed(target),
    }
}
