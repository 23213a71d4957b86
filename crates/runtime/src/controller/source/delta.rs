//! What a watch brought, as changes of its cache: the same from a watch of the controller's own and from a shared one.

use tokio::time::Instant;

use crate::reflector::shelf::Change;
use crate::watcher::Event;

/// What one step of a watch changed.
pub(crate) struct Delta<T> {
    pub(super) changes: Vec<Change<T>>,
    /// Whether they are of what was there from the beginning.
    pub(super) are_initial: bool,
    /// Whether a list is complete with it.
    pub(super) is_list_complete: bool,
    /// Whether it comes from a change of scope: what is missing then is not gone.
    pub(super) is_rescoped: bool,
    /// Whether the server refuses the watch.
    pub(super) is_refused: bool,
    /// What was reconciled since then may have seen what came and went unseen here.
    pub(super) unsure_since: Option<Instant>,
}

impl<T> Delta<T> {
    /// The same with other changes.
    pub(super) fn map<U>(self, change: impl FnMut(Change<T>) -> Change<U>) -> Delta<U> {
        Delta {
            changes: self.changes.into_iter().map(change).collect(),
            are_initial: self.are_initial,
            is_list_complete: self.is_list_complete,
            is_rescoped: self.is_rescoped,
            is_refused: self.is_refused,
            unsure_since: self.unsure_since,
        }
    }
}

impl<T> Default for Delta<T> {
    fn default() -> Self {
        Self {
            changes: Vec::new(),
            are_initial: false,
            is_list_complete: false,
            is_rescoped: false,
            is_refused: false,
            unsure_since: None,
        }
    }
}

/// Turns the events of a watch of the controller's own into deltas.
pub(super) struct Deltas {
    has_synced: bool,
}

impl Deltas {
    pub(super) fn new() -> Self {
        Self { has_synced: false }
    }

    /// What `apply` makes of `event`.
    pub(super) fn of<O, T>(
        &mut self,
        event: Event<O>,
        is_rescoped: bool,
        unsure_since: Option<Instant>,
        apply: impl FnOnce(Event<O>) -> Vec<Change<T>>,
    ) -> Delta<T> {
        let is_list_complete = matches!(event, Event::InitDone);
        let are_initial = is_list_complete && !self.has_synced;
        self.has_synced |= is_list_complete;
        let changes = apply(event);
        Delta { changes, are_initial, is_list_complete, is_rescoped, is_refused: false, unsure_since }
    }
}
