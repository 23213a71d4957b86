//! Finds an object by its name without a search through the sorted map.
//!
//! In: what comes and goes, or a whole list. Out: what is there under a name. It keeps no names, only eight bytes and a bit for each object:
//! what lies there knows its own. Nothing goes over its contents, whose order is that of hashes.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::shelf::Named;

/// What is there, by name; each name once.
pub(crate) struct ByName<E> {
    table: HashTable<E>,
    state: RandomState,
}

impl<E> Default for ByName<E> {
    fn default() -> Self {
        Self { table: HashTable::new(), state: RandomState::default() }
    }
}

impl<E: Named> ByName<E> {
    /// All of a list, in which no name is there twice.
    pub(crate) fn of(list: impl ExactSizeIterator<Item = E>) -> Self {
        let mut all = Self { table: HashTable::with_capacity(list.len()), state: RandomState::default() };
        for entry in list {
            let hash = all.hash(&entry);
            all.table.insert_unique(hash, entry, |entry| hash_by(&all.state, entry));
        }
        all
    }

    pub(crate) fn get(&self, name: &dyn Named) -> Option<&E> {
        self.table.find(self.hash(name), |entry| entry.parts() == name.parts())
    }

    /// Takes the place of what has the same name.
    pub(crate) fn insert(&mut self, entry: E) {
        let hash = self.hash(&entry);
        let state = &self.state;
        match self.table.entry(hash, |known| known.parts() == entry.parts(), |entry| hash_by(state, entry)) {
            Entry::Occupied(mut known) => *known.get_mut() = entry,
            Entry::Vacant(free) => drop(free.insert(entry)),
        }
    }

    pub(crate) fn remove(&mut self, name: &dyn Named) {
        if let Ok(known) = self.table.find_entry(self.hash(name), |entry| entry.parts() == name.parts()) {
            known.remove();
        }
    }

    fn hash(&self, name: &dyn Named) -> u64 {
        hash_by(&self.state, name)
    }
}

fn hash_by(state: &RandomState, name: &dyn Named) -> u64 {
    state.hash_one(name.parts())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::shelf::Key;
    use super::*;

    /// A version of an object.
    #[derive(Clone, Debug, PartialEq)]
    struct Version(Key, u32);

    impl Named for Version {
        fn parts(&self) -> (Option<&str>, &str) {
            self.0.parts()
        }
    }

    fn version(namespace: Option<u32>, name: u32, number: u32) -> Version {
        let namespace = namespace.map(|namespace| namespace.to_string().into());
        Version(Key { namespace, name: name.to_string().into() }, number)
    }

    #[test]
    fn it_finds_what_a_sorted_map_finds_after_anything_came_and_went() {
        let mut random = fastrand::Rng::with_seed(7);
        let (mut by_name, mut sorted) = (ByName::default(), BTreeMap::new());
        for step in 0..20_000 {
            let namespace = (random.u32(..4) > 0).then(|| random.u32(..3));
            let one = version(namespace, random.u32(..200), step);
            match random.u32(..100) {
                0 => by_name = ByName::of(sorted.values().cloned()),
                1..40 => {
                    by_name.remove(&one);
                    sorted.remove(&one.0);
                }
                _ => {
                    by_name.insert(one.clone());
                    sorted.insert(one.0.clone(), one.clone());
                }
            }
            let looked_for = version(namespace, random.u32(..200), 0).0;
            assert_eq!(by_name.get(&looked_for), sorted.get(&looked_for));
            assert_eq!(by_name.table.len(), sorted.len());
        }
    }
}
