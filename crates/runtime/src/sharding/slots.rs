//! The keys of a controller in 1024 slots, and which replica each slot belongs to.
//!
//! ```text
//!   uid or namespace ──hash──► slot ──highest score among the members──► replica
//! ```
//! In: a text and the names of the replicas. Out: a slot and its owner. Each replica scores each slot by a hash of both, and
//! the highest score owns it: a replica that comes takes slots from all others and moves none between them, and one that
//! goes leaves its slots to all others. It is pure, and the same in every build: replicas of two versions must agree.

use std::fmt;

/// How many slots there are: ten replicas get shares that differ by about a tenth, and a set is 256 characters long.
pub(crate) const SLOTS: usize = 1024;
const WORDS: usize = SLOTS / 64;

/// The slot of a key, by its uid or its namespace.
pub(crate) fn slot_of(text: &str) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "less than 1024")]
    let slot = (hash(text) % SLOTS as u64) as usize;
    slot
}

/// Some of the slots.
#[derive(Clone, Copy, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) struct Slots([u64; WORDS]);

impl Slots {
    pub(crate) const NONE: Self = Self([0; WORDS]);
    pub(crate) const ALL: Self = Self([u64::MAX; WORDS]);

    /// The slots that `member` owns among `members`, of which it is one.
    pub(crate) fn of<'a>(member: &str, members: impl IntoIterator<Item = &'a str>) -> Self {
        let own = hash(member);
        let others: Vec<(u64, &str)> =
            members.into_iter().filter(|other| *other != member).map(|other| (hash(other), other)).collect();
        let wins = |slot: &usize| {
            let score = (score(own, *slot), member);
            others.iter().all(|(hash, other)| score > (self::score(*hash, *slot), other))
        };
        (0..SLOTS).filter(wins).collect()
    }

    pub(crate) fn contains(&self, slot: usize) -> bool {
        self.0[slot / 64] & (1 << (slot % 64)) != 0
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::NONE
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// In one of both, or in both.
    pub(crate) fn union(self, other: Self) -> Self {
        self.zip(other, |one, other| one | other)
    }

    /// In both.
    pub(crate) fn intersection(self, other: Self) -> Self {
        self.zip(other, |one, other| one & other)
    }

    /// In this one alone.
    pub(crate) fn minus(self, other: Self) -> Self {
        self.zip(other, |one, other| one & !other)
    }

    /// As `Display` prints it; `None` if it is anything else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.len() != WORDS * 16 || !text.is_ascii() {
            return None;
        }
        let mut words = [0; WORDS];
        for (at, word) in words.iter_mut().enumerate() {
            *word = u64::from_str_radix(&text[at * 16..(at + 1) * 16], 16).ok()?;
        }
        Some(Self(words))
    }

    fn zip(self, other: Self, with: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|at| with(self.0[at], other.0[at])))
    }
}

impl FromIterator<usize> for Slots {
    fn from_iter<I: IntoIterator<Item = usize>>(slots: I) -> Self {
        let mut set = Self::NONE;
        for slot in slots {
            set.0[slot / 64] |= 1 << (slot % 64);
        }
        set
    }
}

impl fmt::Display for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|word| write!(f, "{word:016x}"))
    }
}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} slots", self.len())
    }
}

fn score(member: u64, slot: usize) -> u64 {
    mix(member ^ mix(slot as u64))
}

/// FNV-1a, mixed: by itself it hardly changes its upper bits for names that differ in their last character.
pub(super) fn hash(text: &str) -> u64 {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    mix(text.bytes().fold(0xcbf2_9ce4_8422_2325, fold))
}

/// Lets every bit depend on every other: the last step of SplitMix64.
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(members: &[&str]) -> Vec<Slots> {
        members.iter().map(|member| Slots::of(member, members.iter().copied())).collect()
    }

    #[test]
    fn every_slot_has_one_owner_and_shares_are_about_the_same() {
        for count in [1, 2, 3, 5, 10] {
            let names: Vec<String> = (0..count).map(|number| format!("web-{number}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let shares = shares(&names);
            let all = shares.iter().fold(Slots::NONE, |all, share| all.union(*share));
            assert_eq!((all.len(), shares.iter().map(Slots::len).sum::<usize>()), (SLOTS, SLOTS));
            let fair = SLOTS / count;
            assert!(shares.iter().all(|share| share.len().abs_diff(fair) * 2 < fair), "{shares:?}");
        }
    }

    #[test]
    fn a_replica_that_comes_or_goes_moves_no_slot_between_the_others() {
        let (three, four) = (shares(&["a", "b", "c"]), shares(&["a", "b", "c", "d"]));
        for (before, after) in three.iter().zip(&four) {
            assert!(after.minus(*before).is_empty(), "what the others have they had before");
            assert_eq!(before.minus(*after), before.intersection(four[3]), "and what they lost is the new one's");
        }
    }

    #[test]
    fn names_that_differ_in_one_character_are_spread() {
        let slots: std::collections::BTreeSet<_> =
            (0..100).map(|number| slot_of(&format!("tenant-{number}"))).collect();
        assert!(slots.len() > 80, "{}", slots.len());
    }

    #[test]
    fn a_set_is_read_as_it_was_printed_and_nothing_else_is_a_set() {
        let some: Slots = [0, 1, 63, 64, 700, 1023].into_iter().collect();
        for set in [Slots::NONE, some, Slots::of("a", ["a"])] {
            assert_eq!(Slots::parse(&set.to_string()), Some(set));
        }
        for text in ["", "00", &"g".repeat(256), &"é".repeat(128), &"0".repeat(257), &"+".repeat(256)] {
            assert_eq!(Slots::parse(text), None, "{text}");
        }
    }

    #[test]
    fn slots_and_owners_are_the_same_in_every_build() {
        assert_eq!(["", "default", "kube-system"].map(slot_of), [155, 910, 825]);
        let shares = shares(&["a", "b"]);
        assert_eq!((shares[0].len(), shares[0].contains(0), shares[0].contains(1)), (522, false, false));
    }
}
