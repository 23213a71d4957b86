//! Finding objects by what they contain, without looking at all of them.
//!
//! ```text
//!   entry ──function──► values ──┐
//!                                ├──► Index: value ──► keys
//!   Change { old, new } ─────────┘
//! ```
//!
//! An index is kept in the same step as the shelf, so it never finds an object that is not there. The function is
//! the user's: it is called outside of every lock, once for each version of an object, and if it panics the object is
//! in the store nevertheless, only not in that index.

use std::any::type_name;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::entry::Entry;
use super::shelf::{Change, Key};

/// The values under which an index finds an object.
pub(crate) type Values = Arc<[Arc<str>]>;

/// Which index, for as long as the process lives.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct IndexId(u64);

/// What yields the values of an object.
pub(crate) type Function<K> = dyn Fn(&Entry<K>) -> Vec<Arc<str>> + Send + Sync;

/// No index has this name.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the store has no index {name:?}: add it with Store::add_index, before or while the store is filled")]
pub struct NoSuchIndex {
    pub(crate) name: String,
}

/// An index of this name is there already, and other code may rely on it.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the store has an index {name:?} already: choose another name, or remove the old one with Store::remove_index")]
pub struct IndexExists {
    pub(crate) name: String,
}

/// The function of an index, to be called without a lock.
pub(crate) struct Rule<K> {
    pub(crate) id: IndexId,
    name: Box<str>,
    function: Box<Function<K>>,
    has_panicked: AtomicBool,
}

impl<K> Rule<K> {
    pub(crate) fn new(name: &str, function: Box<Function<K>>) -> Arc<Self> {
        static IDS: AtomicU64 = AtomicU64::new(0);
        let id = IndexId(IDS.fetch_add(1, Ordering::Relaxed));
        Arc::new(Self { id, name: name.into(), function, has_panicked: AtomicBool::new(false) })
    }

    /// Sees to it that the values of `entry` are known.
    pub(crate) fn prepare(&self, entry: &Entry<K>) {
        if entry.values(self.id).is_none() {
            entry.note_values(self.id, self.values(entry).into());
        }
    }

    fn values(&self, entry: &Entry<K>) -> Vec<Arc<str>> {
        let mut values = catch_unwind(AssertUnwindSafe(|| (self.function)(entry))).unwrap_or_else(|_| {
            if !self.has_panicked.swap(true, Ordering::Relaxed) {
                let (kind, index) = (type_name::<K>(), &self.name);
                tracing::error!(kind, %index, ?entry, "the function of an index panicked: the object is in the store but not in this index");
            }
            Vec::new()
        });
        values.sort_unstable();
        values.dedup();
        values
    }
}

/// The indexes of one store, by name.
pub(crate) struct Indexes<K>(BTreeMap<Box<str>, Index<K>>);

struct Index<K> {
    rule: Arc<Rule<K>>,
    keys: HashMap<Arc<str>, BTreeSet<Key>>,
}

impl<K> Default for Indexes<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K> Indexes<K> {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn rules(&self) -> Vec<Arc<Rule<K>>> {
        self.0.values().map(|index| Arc::clone(&index.rule)).collect()
    }

    /// Whether its indexes are those of `rules`.
    pub(crate) fn are(&self, rules: &[Arc<Rule<K>>]) -> bool {
        self.0.values().map(|index| index.rule.id).eq(rules.iter().map(|rule| rule.id))
    }

    /// Whether every index knows the values of `entry`.
    pub(crate) fn are_prepared_for(&self, entry: &Entry<K>) -> bool {
        self.0.values().all(|index| entry.values(index.rule.id).is_some())
    }

    /// Adds an index of what lies there; the values of all of it are known.
    pub(crate) fn add<'a>(&mut self, rule: Arc<Rule<K>>, there: impl Iterator<Item = (&'a Key, &'a Entry<K>)>)
    where
        K: 'a,
    {
        let mut index = Index { keys: HashMap::new(), rule };
        for (key, entry) in there {
            index.insert(key, entry);
        }
        self.0.insert(index.rule.name.clone(), index);
    }

    pub(crate) fn remove(&mut self, name: &str) -> bool {
        self.0.remove(name).is_some()
    }

    /// Follows what changed.
    pub(crate) fn follow(&mut self, changes: &[Change<Entry<K>>]) {
        for index in self.0.values_mut() {
            for change in changes {
                if let Some(old) = &change.old {
                    index.remove(&change.key, old);
                }
                if let Some(new) = &change.new {
                    index.insert(&change.key, new);
                }
            }
        }
    }

    /// The keys of the objects that have `value`.
    pub(crate) fn find(&self, name: &str, value: &str) -> Result<Option<&BTreeSet<Key>>, NoSuchIndex> {
        let index = self.0.get(name).ok_or_else(|| NoSuchIndex { name: name.to_owned() })?;
        Ok(index.keys.get(value))
    }

    /// All values, in their order.
    pub(crate) fn values(&self, name: &str) -> Result<Vec<String>, NoSuchIndex> {
        let index = self.0.get(name).ok_or_else(|| NoSuchIndex { name: name.to_owned() })?;
        let mut values: Vec<_> = index.keys.keys().map(|value| value.as_ref().to_owned()).collect();
        values.sort_unstable();
        Ok(values)
    }
}

impl<K> Index<K> {
    fn insert(&mut self, key: &Key, entry: &Entry<K>) {
        let values = entry.values(self.rule.id).expect("values are prepared before an entry comes onto the shelf");
        for value in values.iter() {
            self.keys.entry(Arc::clone(value)).or_default().insert(key.clone());
        }
    }

    fn remove(&mut self, key: &Key, entry: &Entry<K>) {
        let values = entry.values(self.rule.id).expect("what lies on the shelf was prepared");
        for value in values.iter() {
            if let Some(keys) = self.keys.get_mut(value) {
                keys.remove(key);
                if keys.is_empty() {
                    self.keys.remove(value);
                }
            }
        }
    }
}

impl<K> fmt::Debug for Indexes<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
