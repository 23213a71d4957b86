//! The recent changes of one resource, in order of revision: what a watch can still be started from.
//!
//! In: changes. Out: the changes after a revision, or the fact that some of them are forgotten.
//! Invariant: everything after `forgotten` is here. It grows while its oldest change is young and shrinks again, so
//! that a burst does not cut the watches it feeds.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use tokio::time::Instant;

use crate::storage::entry::{ChangeKind, Entry};

/// One write, as its watchers and its undoing need it.
pub(crate) struct Change {
    /// Where the object stands: `namespace/name` or `name`.
    pub(crate) key: Arc<str>,
    /// The state before; `None` for a new object.
    pub(crate) old: Option<Arc<Entry>>,
    /// The state after; for a deletion the last state, at the revision of the deletion.
    pub(crate) new: Arc<Entry>,
    departed: OnceLock<Bytes>,
}

impl Change {
    pub(crate) fn new(key: Arc<str>, old: Option<Arc<Entry>>, new: Arc<Entry>) -> Change {
        Change { key, old, new, departed: OnceLock::new() }
    }

    pub(crate) fn revision(&self) -> u64 {
        self.new.revision
    }

    pub(crate) fn kind(&self) -> ChangeKind {
        self.new.kind()
    }

    /// The old content at this change's revision: what a watcher receives whose selector the object has just left.
    pub(crate) fn departed(&self, old: &Entry) -> Bytes {
        let encode = || {
            let mut object = old.object();
            object.set_meta("resourceVersion", self.revision().to_string());
            object.encode()
        };
        self.departed.get_or_init(encode).clone()
    }
}

/// How many changes a cache holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Capacity {
    /// Where it starts and shrinks back to.
    pub(crate) least: usize,
    /// Where it stops growing.
    pub(crate) most: usize,
}

/// How many changes each resource remembers.
#[derive(Debug, Clone, Default)]
pub(crate) struct WatchCacheSizes {
    default: Capacity,
    /// By plural, or by plural and group with a point between them.
    own: BTreeMap<String, Capacity>,
}

impl WatchCacheSizes {
    /// So many that nothing is forgotten by itself.
    pub(crate) fn unlimited() -> WatchCacheSizes {
        WatchCacheSizes {
            default: Capacity { least: Capacity::default().least, most: usize::MAX },
            own: BTreeMap::new(),
        }
    }

    pub(crate) fn set_default(&mut self, changes: usize) {
        self.default = Capacity { least: changes, most: changes };
    }

    pub(crate) fn set(&mut self, resource: &str, changes: usize) {
        self.own.insert(resource.to_owned(), Capacity { least: changes, most: changes });
    }

    /// The size for a resource.
    pub(crate) fn of(&self, group: &str, plural: &str) -> Capacity {
        let qualified = if group.is_empty() { plural.to_owned() } else { format!("{plural}.{group}") };
        self.own.get(&qualified).or_else(|| self.own.get(plural)).copied().unwrap_or(self.default)
    }
}

impl Default for Capacity {
    /// The watch cache of kube-apiserver has the same two numbers.
    fn default() -> Self {
        Capacity { least: 100, most: 102_400 }
    }
}

/// The changes.
pub(crate) struct WatchCache {
    changes: VecDeque<(Instant, Arc<Change>)>,
    bounds: Capacity,
    capacity: usize,
    forgotten: u64,
}

impl WatchCache {
    /// An empty cache that knows nothing of what happened up to `forgotten`.
    pub(crate) fn new(bounds: Capacity, forgotten: u64) -> WatchCache {
        WatchCache { changes: VecDeque::new(), bounds, capacity: bounds.least.max(1), forgotten }
    }

    /// The last revision that is no longer here.
    pub(crate) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    pub(crate) fn push(&mut self, change: Arc<Change>, now: Instant) {
        debug_assert!(self.changes.back().is_none_or(|(_, last)| last.revision() < change.revision()), "in order");
        if self.changes.len() >= self.capacity {
            self.resize(now);
        }
        while self.changes.len() >= self.capacity {
            let (_, oldest) = self.changes.pop_front().expect("the capacity is at least one");
            self.forgotten = oldest.revision();
        }
        self.changes.push_back((now, change));
    }

    /// The changes after a revision, oldest first; `None` when some of them are forgotten.
    pub(crate) fn after(&self, revision: u64) -> Option<impl DoubleEndedIterator<Item = &Arc<Change>>> {
        let is_after = |change: &Change| change.revision() > revision;
        // Who keeps up is looking for the last few.
        let recent = self.changes.iter().rev().take(RECENT).take_while(|(_, change)| is_after(change)).count();
        let first = match recent {
            RECENT => self.changes.partition_point(|(_, change)| !is_after(change)),
            few => self.changes.len() - few,
        };
        (revision >= self.forgotten).then(|| self.changes.range(first..).map(|(_, change)| change))
    }

    fn resize(&mut self, now: Instant) {
        let age = |index: usize| self.changes.get(index).map_or(WINDOW, |(at, _)| now.duration_since(*at));
        if age(0) < WINDOW {
            self.capacity = (self.capacity * 2).min(self.bounds.most.max(1));
        } else if age(self.changes.len() - self.changes.len() / 4) >= WINDOW {
            self.capacity = (self.capacity / 2).max(self.bounds.least.max(1));
        }
    }
}

/// How long a change stays if there is room: longer than the minute between two bookmarks, so that a watcher that
/// gets bookmarks can always resume.
const WINDOW: Duration = Duration::from_secs(75);

/// So many changes are looked at one by one, the last first, before they are searched.
const RECENT: usize = 4;

/// The frame of a change of this kind around a body.
pub(crate) fn frame(kind: ChangeKind, body: &[u8]) -> Bytes {
    let mut buffer = BytesMut::with_capacity(body.len() + 32);
    buffer.put_slice(kind.prefix());
    buffer.put_slice(body);
    buffer.put_slice(crate::storage::entry::FRAME_END);
    buffer.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::object::Object;
    use pintle_wire::HeadReader;
    use serde_json::json;

    fn change(revision: u64) -> Arc<Change> {
        let object = json!({"apiVersion": "v1", "kind": "K", "metadata": {"name": "x"}});
        let object = Object::from_value(object).unwrap();
        let entry = Entry::new(&mut HeadReader::new(), ChangeKind::Modified, &object, revision).unwrap();
        Arc::new(Change::new("x".into(), None, Arc::new(entry)))
    }

    fn revisions(cache: &WatchCache, after: u64) -> Option<Vec<u64>> {
        Some(cache.after(after)?.map(|change| change.revision()).collect())
    }

    #[test]
    fn a_full_ring_of_fixed_size_forgets_its_oldest_change() {
        let mut cache = WatchCache::new(Capacity { least: 3, most: 3 }, 0);
        let now = Instant::now();
        (1..=5).for_each(|revision| cache.push(change(revision * 10), now));
        assert_eq!(cache.forgotten(), 20);
        assert_eq!(revisions(&cache, 20), Some(vec![30, 40, 50]));
        assert_eq!(revisions(&cache, 35), Some(vec![40, 50]));
        assert_eq!(revisions(&cache, 40), Some(vec![50]));
        assert_eq!(revisions(&cache, 99), Some(vec![]));
        assert_eq!(revisions(&cache, 19), None);
    }

    #[test]
    fn a_reader_gets_what_it_has_not_read_however_far_it_is_behind() {
        let mut cache = WatchCache::new(Capacity { least: 50, most: 50 }, 0);
        (1..=30).for_each(|revision| cache.push(change(revision), Instant::now()));
        for behind in 0..=30 {
            assert_eq!(revisions(&cache, 30 - behind), Some((31 - behind..=30).collect()), "{behind} behind");
        }
    }

    #[test]
    fn a_burst_makes_it_grow_and_quiet_makes_it_shrink() {
        let mut cache = WatchCache::new(Capacity { least: 2, most: 8 }, 0);
        let start = Instant::now();
        (1..=8).for_each(|revision| cache.push(change(revision), start));
        assert_eq!(cache.forgotten(), 0, "all eight are younger than the window");
        cache.push(change(9), start);
        assert_eq!(cache.forgotten(), 1, "eight is the most");
        cache.push(change(10), start + WINDOW);
        assert_eq!(revisions(&cache, cache.forgotten()).unwrap().len(), 4, "all were old, so half of it is enough");
    }
}
