//! Values by key, where each key lies once: whoever sorts or counts the keys refers to them by number.
//!
//! ```text
//!   index: hash ──► number ──► slots: key, its hash, value
//! ```
//! So a key that goes from one order into another is neither cloned nor hashed again, and a table that grows reads no key.

use std::hash::{BuildHasher, Hash};

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use slab::Slab;

/// The number of a key, as long as it is known; another key may have it after that.
pub(crate) type Number = usize;

/// A value for each key.
#[derive(Clone, Debug)]
pub(crate) struct Keyed<T, V> {
    slots: Slab<Slot<T, V>>,
    index: HashTable<Number>,
    hasher: RandomState,
}

#[derive(Clone, Debug)]
struct Slot<T, V> {
    key: T,
    hash: u64,
    value: V,
}

/// What room is kept when the last key is gone. A controller that starts has every key of its kind waiting at once, and hardly any after
/// that; for few of them, memory is not asked for anew each time.
const SPARE: usize = 1024;

/// A key that was looked up.
pub(crate) enum Found {
    Known(Number),
    /// Its hash, for [`Keyed::insert`].
    Unknown(u64),
}

impl<T, V> Default for Keyed<T, V> {
    fn default() -> Self {
        Self { slots: Slab::new(), index: HashTable::new(), hasher: RandomState::default() }
    }
}

impl<T: Eq + Hash, V> Keyed<T, V> {
    /// Looks `key` up, by one computation of its hash.
    pub(crate) fn find(&self, key: &T) -> Found {
        let hash = self.hasher.hash_one(key);
        match self.index.find(hash, |&number| self.slots[number].key == *key) {
            Some(&number) => Found::Known(number),
            None => Found::Unknown(hash),
        }
    }

    /// The number of `key`, if it is known.
    pub(crate) fn number(&self, key: &T) -> Option<Number> {
        match self.find(key) {
            Found::Known(number) => Some(number),
            Found::Unknown(_) => None,
        }
    }

    /// Takes in a key that is not known yet, with the hash by which it was not found.
    pub(crate) fn insert(&mut self, key: T, hash: u64, value: V) -> Number {
        let number = self.slots.insert(Slot { key, hash, value });
        let slots = &self.slots;
        self.index.insert_unique(hash, number, |&number| slots[number].hash);
        number
    }

    /// Forgets the key of this number.
    pub(crate) fn remove(&mut self, number: Number) -> T {
        let Slot { key, hash, .. } = self.slots.remove(number);
        if let Ok(entry) = self.index.find_entry(hash, |&other| other == number) {
            entry.remove();
        }
        if self.slots.is_empty() && self.slots.capacity() > SPARE {
            (self.slots, self.index) = (Slab::new(), HashTable::new());
        }
        key
    }
}

impl<T, V> Keyed<T, V> {
    /// The key of this number.
    pub(crate) fn key(&self, number: Number) -> &T {
        &self.slots[number].key
    }

    /// The key of this number, to be replaced by one that is equal.
    pub(crate) fn key_mut(&mut self, number: Number) -> &mut T {
        &mut self.slots[number].key
    }

    /// The value of the key of this number.
    pub(crate) fn value(&self, number: Number) -> &V {
        &self.slots[number].value
    }

    /// The value of the key of this number.
    pub(crate) fn value_mut(&mut self, number: Number) -> &mut V {
        &mut self.slots[number].value
    }

    /// All keys and values, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&T, &V)> {
        self.slots.iter().map(|(_, slot)| (&slot.key, &slot.value))
    }

    /// All values, in no order.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.slots.iter_mut().map(|(_, slot)| &mut slot.value)
    }

    /// Whether no key is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_by_its_number_and_its_number_by_the_key_until_it_is_removed() {
        let mut keyed = Keyed::default();
        let numbers: Vec<Number> = (0..1000)
            .map(|key: u32| match keyed.find(&key) {
                Found::Unknown(hash) => keyed.insert(key, hash, key * 2),
                Found::Known(_) => panic!("{key} is new"),
            })
            .collect();
        for (key, &number) in (0..).zip(&numbers) {
            assert_eq!((keyed.number(&key), *keyed.key(number), *keyed.value(number)), (Some(number), key, key * 2));
        }
        for (key, &number) in (0..).zip(&numbers).filter(|(key, _)| key % 2 == 0) {
            assert_eq!(keyed.remove(number), key);
        }
        let mut left: Vec<u32> = keyed.iter().map(|(key, _)| *key).collect();
        left.sort_unstable();
        assert_eq!(left, (0..1000).filter(|key| key % 2 == 1).collect::<Vec<_>>());
        assert!((0..1000).all(|key| keyed.number(&key).is_some() == (key % 2 == 1)));
    }

    #[test]
    fn the_memory_of_many_keys_is_given_back_with_the_last_of_them_and_that_of_a_few_kept() {
        for (count, is_kept) in [(SPARE, true), (4 * SPARE, false)] {
            let mut keyed = Keyed::default();
            for _ in 0..2 {
                let numbers: Vec<Number> = (0..count)
                    .map(|key| {
                        let Found::Unknown(hash) = keyed.find(&key) else { panic!("{key} is new") };
                        keyed.insert(key, hash, ())
                    })
                    .collect();
                for (key, number) in numbers.into_iter().enumerate() {
                    assert_eq!(keyed.remove(number), key);
                }
                assert_eq!(keyed.slots.capacity() > 0, is_kept, "{count}");
            }
        }
    }
}
