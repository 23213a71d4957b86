//! A patch made of what differs between two states of an object.
//!
//! In: the object as it was read, and as it should be. Out: a merge patch or a list of operations that leads from one to
//! the other and touches nothing else, so that what others change meanwhile stays. With a lock the server refuses it
//! (409) if the object is not at the version that was read.
//!
//! `managedFields` and `resourceVersion` are the server's and never part of a difference. A merge patch replaces lists
//! as a whole and cannot set anything to `null`; a list of operations can do both, but counts on the places of items.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::params::Patch;

/// What differs between two states of an object.
#[derive(Clone)]
pub struct Difference {
    old: Value,
    new: Value,
    lock: Option<String>,
}

/// An object that was never read has no version to lock on.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the object has no resourceVersion to lock on; read it from the server first")]
pub struct NoVersion;

impl Difference {
    /// What leads from `old` to `new`.
    ///
    /// # Errors
    /// When one of them cannot be written as JSON.
    pub fn between<K: Serialize>(old: &K, new: &K) -> Result<Self, serde_json::Error> {
        let (old, mut new) = (serde_json::to_value(old)?, serde_json::to_value(new)?);
        for word in ["resourceVersion", "managedFields"] {
            keep(&old, &mut new, word);
        }
        Ok(Self { old, new, lock: None })
    }

    /// Whether there is nothing to change.
    pub fn is_empty(&self) -> bool {
        self.old == self.new
    }

    /// The same change, to be refused if the object is no longer at the version of the old state.
    ///
    /// # Errors
    /// When the old state has no version.
    pub fn locked(mut self) -> Result<Self, NoVersion> {
        let version = self.old.get("metadata").and_then(|metadata| metadata.get("resourceVersion"));
        self.lock = Some(version.and_then(Value::as_str).ok_or(NoVersion)?.to_owned());
        Ok(self)
    }

    /// As a merge patch (RFC 7396).
    pub fn merge_patch(&self) -> Patch<Value> {
        let mut patch = merge(&self.old, &self.new).unwrap_or_else(|| json!({}));
        if let Some(version) = &self.lock {
            patch["metadata"]["resourceVersion"] = json!(version);
        }
        Patch::Merge(patch)
    }

    /// As a list of operations (RFC 6902).
    #[cfg(feature = "jsonpatch")]
    pub fn json_patch(&self) -> Patch<Value> {
        let mut patch = json_patch::diff(&self.old, &self.new);
        if let Some(version) = &self.lock {
            // Not a `test`, which a server answers with 422: what claims to be an old version is a conflict.
            let path = json_patch::jsonptr::PointerBuf::from_tokens(["metadata", "resourceVersion"]);
            let claim = json_patch::ReplaceOperation { path, value: json!(version) };
            patch.0.insert(0, json_patch::PatchOperation::Replace(claim));
        }
        Patch::Json(patch)
    }
}

impl std::fmt::Debug for Difference {
    /// Without the objects, which may be Secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Difference").field("is_empty", &self.is_empty()).field("lock", &self.lock).finish()
    }
}

/// Makes `word` of the metadata the same as it was.
fn keep(old: &Value, new: &mut Value, word: &str) {
    let was = old.get("metadata").and_then(|metadata| metadata.get(word));
    let Some(metadata) = new.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    match was {
        Some(was) => metadata.insert(word.to_owned(), was.clone()),
        None => metadata.remove(word),
    };
}

/// The merge patch from `old` to `new`; none where they are the same.
fn merge(old: &Value, new: &Value) -> Option<Value> {
    let (Value::Object(old), Value::Object(new)) = (old, new) else {
        return (old != new).then(|| new.clone());
    };
    let gone = old.keys().filter(|name| !new.contains_key(*name)).map(|name| (name.clone(), Value::Null));
    let changed = new.iter().filter_map(|(name, value)| {
        let change = old.get(name).map_or_else(|| Some(value.clone()), |was| merge(was, value))?;
        Some((name.clone(), change))
    });
    let patch: Map<String, Value> = gone.chain(changed).collect();
    (!patch.is_empty()).then(|| patch.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(version: &str, data: &Value) -> Value {
        json!({ "metadata": { "name": "a", "resourceVersion": version, "managedFields": [version] }, "data": data })
    }

    #[test]
    fn only_what_differs_is_sent() {
        let old = object("1", &json!({ "kept": "x", "changed": "x", "gone": "x", "list": [1, 2] }));
        let new = object("2", &json!({ "kept": "x", "changed": "y", "made": "x", "list": [1, 3] }));
        let Patch::Merge(patch) = Difference::between(&old, &new).unwrap().merge_patch() else { panic!("a merge") };
        assert_eq!(patch, json!({ "data": { "changed": "y", "gone": null, "made": "x", "list": [1, 3] } }));
        assert!(Difference::between(&old, &object("2", &old["data"])).unwrap().is_empty());
    }

    #[test]
    fn a_lock_is_the_version_that_was_read() {
        let (old, new) = (object("7", &json!({})), object("9", &json!({ "a": "b" })));
        let locked = Difference::between(&old, &new).unwrap().locked().unwrap();
        assert_eq!(
            locked.merge_patch(),
            Patch::Merge(json!({ "metadata": { "resourceVersion": "7" }, "data": { "a": "b" } }))
        );
        let unread = json!({ "metadata": { "name": "a" } });
        assert_eq!(Difference::between(&unread, &new).unwrap().locked().unwrap_err(), NoVersion);
    }

    #[cfg(feature = "jsonpatch")]
    mod as_operations {
        use super::*;
        use crate::seeded::Walk;

        /// A value without `null`, which a merge patch cannot say.
        fn value(walk: &mut Walk, depth: usize) -> Value {
            match walk.below(if depth == 0 { 3 } else { 5 }) {
                0 => json!(walk.coin()),
                1 => json!(walk.below(3)),
                2 => json!(walk.text(2)),
                3 => (0..walk.below(4)).map(|_| value(walk, depth - 1)).collect(),
                _ => (0..walk.below(4)).map(|_| (walk.text(1), value(walk, depth - 1))).collect(),
            }
        }

        #[test]
        fn both_patches_lead_from_any_state_to_any_other() {
            for seed in 0..5_000 {
                let mut walk = Walk::new(seed);
                let (old, new) = (object("1", &value(&mut walk, 3)), object("1", &value(&mut walk, 3)));
                let difference = Difference::between(&old, &new).unwrap();
                let (Patch::Merge(merge), Patch::Json(operations)) =
                    (difference.merge_patch(), difference.json_patch())
                else {
                    panic!("each is of its kind")
                };
                let (mut merged, mut patched) = (old.clone(), old.clone());
                json_patch::merge(&mut merged, &merge);
                json_patch::patch(&mut patched, &operations).unwrap();
                assert_eq!((&merged, &patched), (&new, &new), "seed {seed}");
            }
        }

        #[test]
        fn a_lock_is_the_first_operation() {
            let (old, new) = (object("7", &json!({})), object("9", &json!({ "a": "b" })));
            let patch = Difference::between(&old, &new).unwrap().locked().unwrap().json_patch();
            let body = String::from_utf8(patch.serialize().unwrap()).unwrap();
            assert!(body.starts_with(r#"[{"op":"replace","path":"/metadata/resourceVersion","value":"7"}"#), "{body}");
        }
    }
}
