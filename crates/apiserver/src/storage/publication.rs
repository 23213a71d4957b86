//! What is committed, and which of it watchers have seen.
//!
//! In: changes, in the order of their revisions. Out: the broadcaster of each resource, with what is published; for a journal,
//! what is not. Invariant: what is published was committed, and stored by the journal if there is one; nothing overtakes.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;

use crate::data::database::Batch;
use crate::storage::broadcaster::Broadcaster;
use crate::storage::store::{Resource, StorageKey};
use crate::storage::watch_cache::{Change, WatchCacheSizes};

/// The way from the store to watchers.
pub(crate) struct Publication {
    broadcasters: BTreeMap<Resource, Arc<Broadcaster>>,
    /// What is committed, and what watchers do not see yet.
    unpublished: Vec<Step>,
    /// How many steps watchers have seen, ever.
    published: u64,
    when: When,
    progress: Arc<watch::Sender<u64>>,
    sizes: WatchCacheSizes,
}

/// When what is committed is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    /// As soon as the store is given back.
    AtOnce,
    /// Once it is stored elsewhere; `is_begun` while somebody sees to it.
    Journalled { is_begun: bool },
}

/// Something that watchers see.
enum Step {
    Change(Resource, Change),
    /// The watches of a resource end, and new ones begin after a revision.
    Restart(Resource, u64),
}

impl Publication {
    /// Nothing was published yet; watchers know of everything up to this revision.
    pub(super) fn new(sizes: WatchCacheSizes, revision: u64) -> Publication {
        Publication {
            broadcasters: BTreeMap::new(),
            unpublished: Vec::new(),
            published: 0,
            when: When::AtOnce,
            progress: Arc::new(watch::Sender::new(revision)),
            sizes,
        }
    }

    /// The same of a store of its own, which has seen nothing.
    pub(super) fn fork(&self, revision: u64) -> Publication {
        Publication::new(self.sizes.clone(), revision)
    }

    /// Follows the revision of the last write that was published.
    pub(crate) fn progress(&self) -> Arc<watch::Sender<u64>> {
        Arc::clone(&self.progress)
    }

    /// The stream of a resource's changes.
    pub(crate) fn broadcaster(&mut self, resource: &Resource) -> Arc<Broadcaster> {
        if let Some(known) = self.broadcasters.get(resource) {
            return Arc::clone(known);
        }
        let new = Arc::new(Broadcaster::new(self.sizes.of(&resource.group, &resource.plural), 0));
        self.broadcasters.insert(resource.clone(), Arc::clone(&new));
        new
    }

    /// Up to which revision the changes of a resource are forgotten.
    pub(super) fn forgotten(&self, resource: &Resource) -> u64 {
        self.broadcasters.get(resource).map_or(0, |broadcaster| broadcaster.forgotten())
    }

    /// Shows the changes of a resource after a revision, the newest first; `None` when some are forgotten.
    pub(super) fn newest_first(&self, resource: &Resource, after: u64, mut show: impl FnMut(&Change)) -> Option<()> {
        let unpublished = self.unpublished.iter().rev().filter_map(|step| match step {
            Step::Change(of, change) if of == resource => Some(change),
            _ => None,
        });
        unpublished.take_while(|change| change.revision() > after).for_each(&mut show);
        if let Some(broadcaster) = self.broadcasters.get(resource) {
            broadcaster.newest_first(after)?.iter().for_each(|change| show(change));
        }
        Some(())
    }

    /// A change was committed.
    pub(super) fn push(&mut self, resource: Resource, change: Change) {
        self.unpublished.push(Step::Change(resource, change));
    }

    /// From now on a change is published only once a journal has it.
    pub(crate) fn wait_for_journal(&mut self) {
        self.when = When::Journalled { is_begun: false };
    }

    /// How many steps were ever committed.
    pub(crate) fn committed(&self) -> u64 {
        self.published + self.unpublished.len() as u64
    }

    /// How many steps were ever published.
    pub(crate) fn published(&self) -> u64 {
        self.published
    }

    /// What a journal has to store next, with the revision of the last write, and up to which step.
    pub(super) fn unjournalled(&self, revision: u64) -> (Batch, u64) {
        let changes = self.unpublished.iter().filter_map(|step| match step {
            Step::Change(resource, change) => {
                let place = StorageKey { resource: resource.clone(), key: Arc::clone(&change.key) };
                Some((place, Arc::clone(&change.new)))
            }
            Step::Restart(..) => None,
        });
        (Batch { changes: changes.collect(), revision }, self.committed())
    }

    /// Publishes what is committed, where that needs no journal; else returns whether somebody has to begin with that.
    pub(crate) fn publish_or_journal(&mut self) -> bool {
        match &mut self.when {
            When::AtOnce => {
                self.publish();
                false
            }
            When::Journalled { is_begun } => !self.unpublished.is_empty() && !std::mem::replace(is_begun, true),
        }
    }

    /// Whoever began to journal has done all of it.
    pub(crate) fn journalled_all(&mut self) {
        debug_assert!(self.unpublished.is_empty(), "all of it is published");
        if let When::Journalled { is_begun } = &mut self.when {
            *is_begun = false;
        }
    }

    /// Shows watchers everything that was committed since the last time.
    pub(crate) fn publish(&mut self) {
        self.publish_to(self.committed());
    }

    /// Shows watchers what was committed up to a step.
    pub(crate) fn publish_to(&mut self, step: u64) {
        let count = usize::try_from(step.saturating_sub(self.published)).unwrap_or(usize::MAX);
        if count == 0 || self.unpublished.is_empty() {
            return;
        }
        let later = self.unpublished.split_off(count.min(self.unpublished.len()));
        let now = std::mem::replace(&mut self.unpublished, later);
        self.published += now.len() as u64;
        let mut revision = *self.progress.borrow();
        for step in now {
            match step {
                Step::Change(resource, change) => {
                    revision = change.revision();
                    self.broadcaster(&resource).push(change);
                }
                Step::Restart(resource, after) => self.begin_anew(&resource, after),
            }
        }
        self.progress.send_replace(revision);
    }

    /// The watches of a resource end, and new ones begin after a revision: in its turn.
    pub(super) fn restart(&mut self, resource: &Resource, revision: u64) {
        self.unpublished.push(Step::Restart(resource.clone(), revision));
        if self.when == When::AtOnce {
            self.publish();
        }
    }

    fn begin_anew(&mut self, resource: &Resource, revision: u64) {
        let capacity = self.sizes.of(&resource.group, &resource.plural);
        if let Some(old) = self.broadcasters.insert(resource.clone(), Arc::new(Broadcaster::new(capacity, revision))) {
            old.close();
        }
    }

    /// Ends every watch, and has published everything up to a revision.
    pub(super) fn end_watches(&mut self, revision: u64) {
        self.close();
        self.progress.send_replace(revision);
    }

    fn close(&mut self) {
        for broadcaster in std::mem::take(&mut self.broadcasters).values() {
            broadcaster.close();
        }
    }
}

impl Drop for Publication {
    /// Ends every watch: no writer is left.
    fn drop(&mut self) {
        self.close();
    }
}
