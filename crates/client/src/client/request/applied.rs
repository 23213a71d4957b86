//! What was last applied through a client and its clones, so that the same need not be sent again.
//!
//! In: a place (which object, through which path, as which manager), its uid, what was applied and the version that it
//! led to. Out: that version, while place, uid and what is to be applied are the same. Only hashes are kept, by a random
//! key of this process, and a bounded number of them: forgetting costs a request that changes nothing.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// So many applies are remembered at least, and twice as many at most; each takes some 100 bytes.
const REMEMBERED: usize = 32_768;

/// The memory of applies.
#[derive(Debug, Default)]
pub struct AppliedMemory {
    hasher: RandomState,
    generations: Mutex<Generations>,
}

/// What was used lately, and what was before that.
#[derive(Debug, Default)]
struct Generations {
    young: HashMap<u64, Memory>,
    old: HashMap<u64, Memory>,
}

#[derive(Clone, Debug)]
struct Memory {
    uid_and_body: u64,
    version: String,
}

impl AppliedMemory {
    /// The version that applying this here led to, if that was the last thing that was applied here.
    pub fn version_of(&self, place: &impl Hash, uid: &str, body: &Value) -> Option<String> {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let memory = generations.recall(self.hasher.hash_one(place))?;
        (memory.uid_and_body == self.hasher.hash_one((uid, body))).then_some(memory.version)
    }

    /// Remembers that applying this here led to `version`.
    pub fn remember(&self, place: &impl Hash, uid: &str, body: &Value, version: &str) {
        let memory = Memory { uid_and_body: self.hasher.hash_one((uid, body)), version: version.to_owned() };
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        generations.insert(self.hasher.hash_one(place), memory);
    }
}

impl Generations {
    fn recall(&mut self, place: u64) -> Option<Memory> {
        if let Some(memory) = self.old.remove(&place) {
            self.insert(place, memory);
        }
        self.young.get(&place).cloned()
    }

    fn insert(&mut self, place: u64, memory: Memory) {
        if self.young.len() >= REMEMBERED {
            self.old = std::mem::take(&mut self.young);
        }
        self.old.remove(&place);
        self.young.insert(place, memory);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_apply_is_known_by_place_uid_and_body() {
        let memory = AppliedMemory::default();
        let (one, other) = (json!({"a": 1}), json!({"a": 2}));
        memory.remember(&"place", "uid", &one, "5");
        assert_eq!(memory.version_of(&"place", "uid", &one).as_deref(), Some("5"));
        assert_eq!(memory.version_of(&"elsewhere", "uid", &one), None);
        assert_eq!(memory.version_of(&"place", "its successor", &one), None);
        assert_eq!(memory.version_of(&"place", "uid", &other), None);
        memory.remember(&"place", "uid", &other, "6");
        assert_eq!(memory.version_of(&"place", "uid", &one), None, "something else was applied since");
    }

    #[test]
    fn it_is_bounded_and_keeps_what_is_used() {
        let memory = AppliedMemory::default();
        let body = json!({});
        memory.remember(&0, "uid", &body, "1");
        for place in 1..=5 * REMEMBERED {
            memory.remember(&place, "uid", &body, "1");
            if place % 1000 == 0 {
                assert!(memory.version_of(&0, "uid", &body).is_some(), "it is asked for again and again");
            }
        }
        let generations = memory.generations.lock().unwrap();
        assert!(generations.young.len() + generations.old.len() <= 2 * REMEMBERED);
        drop(generations);
        assert_eq!(memory.version_of(&1, "uid", &body), None, "it was not asked for");
    }
}
