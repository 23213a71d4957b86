//! Updates that are computed without the lock, then committed if their object is still the same (GuaranteedUpdate).
//!
//! ```text
//!   read the object ──► attempt, while others have the cluster ──► still that object? ─yes─► commit
//!                                                                                 └─no─► attempt again, locked
//! ```
//! Most of a write is about the one object it changes: reading, patching, merging, tracking field owners. The rest
//! runs under the lock. An attempt that lost is made a second time under the lock, so every update needs at most two.

use std::borrow::Cow;
use std::sync::Arc;

use crate::cluster::{Cluster, DryRun, ResolvedTarget, Written};
use crate::codec::conversion;
use crate::codec::object::Object;
use crate::managed::Tracker;
use crate::registry::subresources::SubresourceType;
use crate::response::status::Answer;
use crate::server::State;
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

/// An outcome, and what it was worked out from.
pub(crate) struct Attempt {
    old: Arc<Entry>,
    outcome: Answer<Outcome>,
}

impl Attempt {
    /// Works out a change of what is there now; none if nothing is.
    pub(crate) fn of(state: &State, target: &ResolvedTarget, update: &impl TryUpdate) -> Option<Attempt> {
        let (old, tracker) = {
            let cluster = state.cluster();
            (cluster.current(target)?, cluster.tracker(&target.kind))
        };
        Some(Attempt { outcome: try_once(update, target, &old, &tracker), old })
    }
}

impl Cluster {
    /// The object that is meant, if it is there.
    pub(crate) fn current(&self, target: &ResolvedTarget) -> Option<Arc<Entry>> {
        let place = target.place(target.name());
        self.store.get(&place.resource, &place.key)
    }

    /// Changes an object, by the attempt if its object is still the same; `None` if there is no such object.
    pub(crate) fn guaranteed_update(
        &mut self,
        target: &ResolvedTarget,
        update: &impl TryUpdate,
        attempt: Option<Attempt>,
        dry_run: DryRun,
    ) -> Answer<Option<Written>> {
        let Some(old) = self.current(target) else { return Ok(None) };
        let outcome = match attempt {
            Some(attempt) if Arc::ptr_eq(&attempt.old, &old) => attempt.outcome?,
            _ => try_once(update, target, &old, &self.tracker(&target.kind))?,
        };
        let Outcome { before, new, mut warnings } = outcome;
        let mut target = owner(target);
        if let Some(hub) = conversion::hub(&target.kind) {
            target.to_mut().kind = hub;
        }
        self.check_role_write(&target, Some(&before), &new)?;
        let written = self.commit(&target, &old, &before, new, dry_run)?;
        warnings.extend(written.warnings);
        Ok(Some(Written { warnings, ..written }))
    }
}

/// What a change makes of an object, at the version in which its kind is checked and stored.
fn try_once(update: &impl TryUpdate, target: &ResolvedTarget, old: &Entry, tracker: &Tracker) -> Answer<Outcome> {
    let mut outcome = update.try_update(target, old, tracker)?;
    if let Some(hub) = conversion::hub(&target.kind) {
        outcome.before = view::object(&hub, old)?;
        conversion::convert(&mut outcome.new, &hub);
    }
    Ok(outcome)
}

/// Whose rules decide what is stored: who writes a scale writes the object itself.
pub(super) fn owner(target: &ResolvedTarget) -> Cow<'_, ResolvedTarget> {
    match target.subresource_type() {
        SubresourceType::Scale => Cow::Owned(ResolvedTarget { subresource: None, ..target.clone() }),
        _ => Cow::Borrowed(target),
    }
}
