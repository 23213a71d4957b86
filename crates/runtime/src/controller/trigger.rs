//! From a change to the keys that should be reconciled because of it.
//!
//! Pure: what changed goes in, keys come out. A change knows what was there before, so an object that lost its owner
//! wakes the owner it had, and a deletion seen only by a relist wakes like any other.

use std::sync::Arc;

use pintle_wire::Head;

use crate::reflector::shelf::{Change, Key, Shelved};

/// An owned object as it is remembered: its head and nothing else.
#[derive(Clone, Debug)]
pub(super) struct Owned(pub(super) Arc<Head>);

impl Shelved for Owned {
    fn is_same_state(&self, other: &Self) -> bool {
        self.0.is_same_state(&other.0)
    }
}

/// Wakes the owners of what changed, if they are of one kind.
#[derive(Clone, Debug)]
pub(super) struct Owners {
    pub(super) group: String,
    pub(super) kind: String,
}

impl Owners {
    /// The owners before and after the change, each once.
    pub(super) fn wake(&self, change: &Change<Owned>) -> Vec<Key> {
        let mut keys = Vec::new();
        for head in [&change.old, &change.new].into_iter().flatten().map(|owned| &owned.0) {
            for owner in head.owners().iter().filter(|owner| self.is_ours(owner.api_version(), owner.kind())) {
                let key = Key { namespace: head.namespace_shared().cloned(), name: owner.name().into() };
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
        keys
    }

    /// An owner is known by group and kind, whatever version it was written with.
    fn is_ours(&self, api_version: &str, kind: &str) -> bool {
        let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
        group == self.group && kind == self.kind
    }
}

/// Wakes the object that changed itself, unless it is gone.
pub(super) fn itself<E>(change: &Change<E>) -> Option<Key> {
    change.new.is_some().then(|| change.key.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_wire::HeadReader;

    fn owned(owners: &[(&str, &str, &str)]) -> Owned {
        let owners: Vec<_> = owners
            .iter()
            .map(|(api_version, kind, name)| {
                serde_json::json!({"apiVersion": api_version, "kind": kind, "name": name, "uid": "u"})
            })
            .collect();
        let json = serde_json::json!({"metadata": {"name": "c", "namespace": "ns", "ownerReferences": owners}});
        Owned(Arc::new(HeadReader::new().read(json.to_string().as_bytes()).unwrap()))
    }

    fn check(old: Option<Owned>, new: Option<Owned>, expected: &[&str]) {
        let owners = Owners { group: "example.com".into(), kind: "Document".into() };
        let key = Key { namespace: Some("ns".into()), name: "c".into() };
        let woken = owners.wake(&Change { key, old, new });
        assert!(woken.iter().all(|key| key.namespace.as_deref() == Some("ns")));
        assert_eq!(woken.iter().map(|key| key.name.as_ref()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn owners_before_and_after_are_woken_once() {
        let a = || owned(&[("example.com/v1", "Document", "a")]);
        let b = || owned(&[("example.com/v1beta1", "Document", "b"), ("apps/v1", "Document", "x")]);
        check(None, Some(a()), &["a"]);
        check(Some(a()), Some(a()), &["a"]);
        check(Some(a()), Some(b()), &["a", "b"]);
        check(Some(b()), None, &["b"]);
        check(None, Some(owned(&[("example.com/v1", "Other", "y")])), &[]);
    }
}
