//! What to look for in a store: everything that is asked for must hold.

use std::collections::BTreeSet;

use pintle_core::{Resource, Selector};

use super::entry::Entry;
use super::index::NoSuchIndex;
use super::shared_cache::Contents;
use super::shelf::Key;

/// Which objects of a store are wanted. Nothing is decoded to find them.
///
/// ```
/// use pintle_runtime::reflector::Query;
/// let pods_of_a_node = Query::new().within("shop").by("node", "n1");
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Query {
    namespace: Option<String>,
    owners: Vec<String>,
    values: Vec<(String, String)>,
    selectors: Vec<Selector>,
}

/// The name of the built-in index of owners, as uids.
pub(crate) const OWNER: &str = "pintle.owner";

impl Query {
    /// Everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Those in `namespace`.
    pub fn within(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.to_owned());
        self
    }

    /// Those that the object with this uid owns.
    pub fn owned_by(mut self, uid: &str) -> Self {
        self.owners.push(uid.to_owned());
        self
    }

    /// Those that the index `name` finds under `value`.
    pub fn by(mut self, name: &str, value: &str) -> Self {
        self.values.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Those whose labels match.
    pub fn labelled(mut self, selector: Selector) -> Self {
        self.selectors.push(selector);
        self
    }

    /// The namespace that was asked for.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    pub(crate) fn asks_for_owners(&self) -> bool {
        !self.owners.is_empty()
    }

    /// What is found, in the order of the keys.
    pub(crate) fn find<K: Resource>(&self, contents: &Contents<K>) -> Result<Vec<Entry<K>>, NoSuchIndex> {
        let owners = self.owners.iter().map(|uid| (OWNER, uid.as_str()));
        let terms = owners.chain(self.values.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let sets: Vec<Option<&BTreeSet<Key>>> =
            terms.map(|(name, value)| contents.indexes.find(name, value)).collect::<Result<_, _>>()?;
        let Some(mut sets) = sets.into_iter().collect::<Option<Vec<_>>>() else { return Ok(Vec::new()) };
        sets.sort_unstable_by_key(|set| set.len());
        let found: Vec<&Entry<K>> = match sets.split_first() {
            Some((smallest, others)) => {
                let common = smallest.iter().filter(|key| others.iter().all(|set| set.contains(*key)));
                common.filter(|key| self.is_within(key)).filter_map(|key| contents.get(key)).collect()
            }
            None => match &self.namespace {
                Some(namespace) => contents.shelf.within(namespace).map(|(_, entry)| entry).collect(),
                None => contents.shelf.iter().map(|(_, entry)| entry).collect(),
            },
        };
        let is_labelled = |entry: &&Entry<K>| self.selectors.iter().all(|selector| entry.matches(selector));
        Ok(found.into_iter().filter(is_labelled).cloned().collect())
    }

    fn is_within(&self, key: &Key) -> bool {
        self.namespace.as_deref().is_none_or(|namespace| key.namespace.as_deref() == Some(namespace))
    }
}
