//! The keys that are due: by priority, and within one by age.
//!
//! In: keys by number, each with a priority and a ticket that says how old it is. Out: the one that matters most, and the oldest
//! of all. The oldest of each priority is known, so that finding the oldest of all looks at no other.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::Priority;
use crate::keyed::Number;

#[derive(Clone, Debug, Default)]
pub(super) struct Ready {
    /// None is empty.
    by_priority: BTreeMap<Reverse<Priority>, BTreeMap<u64, Number>>,
    /// The first ticket of each of them.
    firsts: BTreeSet<(u64, Priority)>,
    len: usize,
}

impl Ready {
    pub(super) fn insert(&mut self, priority: Priority, ticket: u64, number: Number) {
        let keys = self.by_priority.entry(Reverse(priority)).or_default();
        let first = keys.first_key_value().map(|(first, _)| *first);
        self.len += usize::from(keys.insert(ticket, number).is_none());
        if first.is_none_or(|first| ticket < first) {
            first.map(|first| self.firsts.remove(&(first, priority)));
            self.firsts.insert((ticket, priority));
        }
    }

    pub(super) fn remove(&mut self, priority: Priority, ticket: u64) {
        let Some(keys) = self.by_priority.get_mut(&Reverse(priority)) else { return };
        if keys.remove(&ticket).is_none() {
            return;
        }
        self.len -= 1;
        let first = keys.first_key_value().map(|(first, _)| *first);
        if first.is_none() {
            self.by_priority.remove(&Reverse(priority));
        }
        if first.is_none_or(|first| ticket < first) {
            self.firsts.remove(&(ticket, priority));
            first.map(|first| self.firsts.insert((first, priority)));
        }
    }

    /// The oldest of those that matter most.
    pub(super) fn first(&self) -> Option<Number> {
        let (_, keys) = self.by_priority.first_key_value()?;
        keys.first_key_value().map(|(_, number)| *number)
    }

    /// The oldest of all.
    pub(super) fn oldest(&self) -> Option<Number> {
        let (ticket, priority) = self.firsts.first()?;
        self.by_priority.get(&Reverse(*priority))?.get(ticket).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// How many there are of each priority.
    pub(super) fn depths(&self) -> BTreeMap<Priority, usize> {
        self.by_priority.iter().map(|(Reverse(priority), keys)| (*priority, keys.len())).collect()
    }
}
