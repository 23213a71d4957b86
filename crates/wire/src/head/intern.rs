//! One copy of what many objects share: namespaces, label keys, kinds, and whole sets of labels and owners, which the pods
//! of one ReplicaSet have in common.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::{Label, Owner, Uid};

/// Strings longer than this are rarely shared and are not kept.
const SHARED_LENGTH_MAX: usize = 128;
/// So many strings are kept (2 MiB at the very most); then it begins anew, and only sharing suffers.
const SHARED_COUNT_MAX: usize = 16 * 1024;
/// So many sets of labels, and of owners, are kept: those of 4,096 templates. Then it begins anew, too.
const SHARED_SETS_MAX: usize = 4 * 1024;

/// A larger set is rarely shared and is not kept: so the sets take a few MiB at the most.
const SHARED_SET_LENGTH_MAX: usize = 16;

/// Shares equal strings and sets.
#[derive(Debug, Default)]
pub(super) struct Interner {
    texts: Texts,
    labels: Sets<Label>,
    owners: Sets<Owner>,
}

/// An owner as it is read.
#[derive(Clone, Copy, Default)]
pub(super) struct OwnerText<'a> {
    pub(super) api_version: &'a str,
    pub(super) kind: &'a str,
    pub(super) name: &'a str,
    pub(super) uid: &'a str,
    pub(super) is_controller: bool,
    pub(super) blocks_deletion: bool,
}

impl Interner {
    pub(super) fn intern(&mut self, text: &str) -> Arc<str> {
        self.texts.intern(text)
    }

    /// Labels, in the order of their keys.
    pub(super) fn labels<T: AsRef<str>>(&mut self, labels: &[(T, T)]) -> Arc<[Label]> {
        if labels.is_empty() {
            return Arc::default();
        }
        let hash = self.labels.hash(labels.iter().flat_map(|(key, value)| [key.as_ref(), value.as_ref()]));
        let is_same = |known: &[Label]| {
            let same = |((key, value), (known_key, known_value)): (&(T, T), &Label)| {
                key.as_ref() == &**known_key && value.as_ref() == &**known_value
            };
            known.len() == labels.len() && labels.iter().zip(known).all(same)
        };
        let texts = &mut self.texts;
        self.labels.share(hash, is_same, || {
            let intern = |(key, value): &(T, T)| (texts.intern(key.as_ref()), texts.intern(value.as_ref()));
            let mut labels: Vec<Label> = labels.iter().map(intern).collect();
            labels.sort_unstable();
            labels.into()
        })
    }

    /// Owners, in the order they came.
    pub(super) fn owners(&mut self, owners: &[OwnerText<'_>]) -> Arc<[Owner]> {
        if owners.is_empty() {
            return Arc::default();
        }
        let hash = self.owners.hash(owners.iter().flat_map(|owner| [owner.kind, owner.name, owner.uid]));
        let is_same = |known: &[Owner]| {
            known.len() == owners.len() && owners.iter().zip(known).all(|(owner, known)| owner.is_of(known))
        };
        let texts = &mut self.texts;
        self.owners.share(hash, is_same, || {
            let make = |owner: &OwnerText<'_>| Owner {
                api_version: texts.intern(owner.api_version),
                kind: texts.intern(owner.kind),
                name: owner.name.into(),
                uid: Uid::of(Some(owner.uid)),
                is_controller: owner.is_controller,
                blocks_deletion: owner.blocks_deletion,
            };
            owners.iter().map(make).collect()
        })
    }
}

impl OwnerText<'_> {
    fn is_of(&self, owner: &Owner) -> bool {
        *self.name == *owner.name
            && *self.kind == *owner.kind
            && *self.api_version == *owner.api_version
            && self.is_controller == owner.is_controller
            && self.blocks_deletion == owner.blocks_deletion
            && Uid::of(Some(self.uid)) == owner.uid
    }
}

#[derive(Debug, Default)]
struct Texts(HashSet<Arc<str>, RandomState>);

impl Texts {
    fn intern(&mut self, text: &str) -> Arc<str> {
        if text.len() > SHARED_LENGTH_MAX {
            return text.into();
        }
        if let Some(found) = self.0.get(text) {
            return Arc::clone(found);
        }
        if self.0.len() >= SHARED_COUNT_MAX {
            self.0.clear();
        }
        let text: Arc<str> = text.into();
        self.0.insert(Arc::clone(&text));
        text
    }
}

/// Sets by the hash of what is in them. Where two have the same hash, the later one is kept.
#[derive(Debug)]
struct Sets<T>(HashMap<u64, Arc<[T]>, RandomState>);

impl<T> Default for Sets<T> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<T> Sets<T> {
    fn hash<'a>(&self, texts: impl Iterator<Item = &'a str>) -> u64 {
        let mut hasher = self.0.hasher().build_hasher();
        for text in texts {
            hasher.write(text.as_bytes());
            hasher.write_u8(u8::MAX);
        }
        hasher.finish()
    }

    fn share(&mut self, hash: u64, is_same: impl FnOnce(&[T]) -> bool, make: impl FnOnce() -> Arc<[T]>) -> Arc<[T]> {
        if let Some(known) = self.0.get(&hash).filter(|known| is_same(known)) {
            return Arc::clone(known);
        }
        if self.0.len() >= SHARED_SETS_MAX {
            self.0.clear();
        }
        let made = make();
        if made.len() <= SHARED_SET_LENGTH_MAX {
            self.0.insert(hash, Arc::clone(&made));
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_are_one() {
        let mut interner = Interner::default();
        assert!(Arc::ptr_eq(&interner.intern("app"), &interner.intern("app")));
    }

    #[test]
    fn equal_sets_are_one_and_others_are_not() {
        let mut interner = Interner::default();
        let one = interner.labels(&[("app", "web"), ("tier", "front")]);
        assert!(Arc::ptr_eq(&one, &interner.labels(&[("app", "web"), ("tier", "front")])));
        let others: [&[(&str, &str)]; 4] =
            [&[("app", "web")], &[("app", "web"), ("tier", "back")], &[("app", "web"), ("tierfront", "")], &[]];
        for other in others {
            assert_eq!(interner.labels(other).iter().map(|(key, value)| (&**key, &**value)).collect::<Vec<_>>(), other);
        }
        assert_eq!(interner.labels(&[("tier", "front"), ("app", "web")]), one, "in the order of their keys");

        let owner =
            OwnerText { api_version: "apps/v1", kind: "ReplicaSet", name: "rs", uid: "u", ..OwnerText::default() };
        let one = interner.owners(&[owner]);
        assert!(Arc::ptr_eq(&one, &interner.owners(&[owner])));
        let others = [
            OwnerText { api_version: "apps/v2", ..owner },
            OwnerText { kind: "Job", ..owner },
            OwnerText { name: "rt", ..owner },
            OwnerText { uid: "v", ..owner },
            OwnerText { is_controller: true, ..owner },
            OwnerText { blocks_deletion: true, ..owner },
        ];
        for other in others {
            let read = interner.owners(&[other]);
            assert!(other.is_of(&read[0]) && !owner.is_of(&read[0]));
            assert_eq!(interner.owners(&[owner]), one);
        }
        assert!(interner.owners(&[]).is_empty() && interner.owners(&[owner, owner]).len() == 2);
    }

    #[test]
    fn it_never_grows_past_its_bounds() {
        let mut interner = Interner::default();
        for number in 0..SHARED_COUNT_MAX * 2 + 1 {
            let text = number.to_string();
            interner.labels(&[("number", text.as_str())]);
            interner.owners(&[OwnerText { name: &text, ..OwnerText::default() }]);
            assert!(interner.texts.0.len() <= SHARED_COUNT_MAX);
            assert!(interner.labels.0.len() <= SHARED_SETS_MAX && interner.owners.0.len() <= SHARED_SETS_MAX);
        }
        let known = interner.owners.0.len();
        interner.owners(&[OwnerText { name: "many", ..OwnerText::default() }; SHARED_SET_LENGTH_MAX + 1]);
        assert_eq!(interner.owners.0.len(), known, "a large set is not kept");
        interner.intern(&"x".repeat(SHARED_LENGTH_MAX + 1));
        assert!(!interner.texts.0.contains("x".repeat(SHARED_LENGTH_MAX + 1).as_str()));
    }
}
