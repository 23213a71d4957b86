//! An object that concerns the controller's, as its source remembers it: packed, and compressed where memory is short.
//!
//! It counts in the process's [budget](crate::reflector::DecodedBudget) with its bytes: it is decoded each time the mapper
//! needs it, and never kept so.

use std::sync::Arc;

use pintle_wire::{Head, Packed};

use super::watch_progress::See;
use crate::reflector::memory::compress_queue::Turn;
use crate::reflector::memory::compressible_object::{CompressibleObject, CountedAs};
use crate::reflector::memory::storage::Storage;
use crate::reflector::shelf::Shelved;

/// One object; cloning shares it.
pub(crate) struct WatchedObject<O>(Arc<CompressibleObject<O>>);

impl<O> WatchedObject<O> {
    pub(crate) fn new(packed: Packed<O>, storage: &Arc<Storage>) -> Self {
        Self(Arc::new(CompressibleObject::new(packed, CountedAs::Packed, Turn::AfterRest, storage)))
    }

    pub(super) fn head(&self) -> &Head {
        self.0.head()
    }

    /// The object with its body.
    pub(super) fn packed(&self) -> Packed<O> {
        self.0.packed()
    }

    /// Shows its head and its body.
    pub(crate) fn show(&self, see: See<'_>) {
        let packed = self.packed();
        see(packed.head(), Some(packed.body()));
    }
}

impl<O> Shelved for WatchedObject<O> {
    /// Not if this one was damaged on its way and `other` can be read.
    fn is_same_state(&self, other: &Self) -> bool {
        let is_mended_by = |other: Packed<O>| {
            !self.0.has_body(other.body()) && self.packed().decode().is_err() && other.decode().is_ok()
        };
        self.head().is_same_state(other.head()) && !is_mended_by(other.packed())
    }

    fn is_carried_over(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<O> Clone for WatchedObject<O> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use pintle_wire::{Body, HeadReader};

    use super::*;
    use crate::reflector::DecodedBudget;

    fn object(version: u32, data: &str, storage: &Arc<Storage>) -> WatchedObject<ConfigMap> {
        let json = serde_json::json!({
            "metadata": {"name": "a", "uid": "u", "resourceVersion": version.to_string()}, "data": data_of(data)
        });
        let json = json.to_string();
        let head = HeadReader::new().read(json.as_bytes()).unwrap();
        WatchedObject::new(Packed::new(head, Body::json(json.as_bytes())), storage)
    }

    /// What is not a map is not the data of a config map.
    fn data_of(text: &str) -> serde_json::Value {
        if text == "damaged" { serde_json::json!(7) } else { serde_json::json!({"key": text}) }
    }

    fn storage(budget: usize) -> Arc<Storage> {
        Arc::new(Storage { budget: DecodedBudget::new(budget), ..Storage::default() })
    }

    #[test]
    fn an_object_shows_its_head_and_its_body_within_and_beyond_the_budget() {
        for budget in [0, 1 << 20] {
            let one = object(1, "x", &storage(budget));
            let mut shown = None;
            one.show(&mut |head, body| shown = Some((head.name().to_owned(), body.is_some())));
            assert_eq!(shown, Some(("a".to_owned(), true)));
        }
    }

    #[test]
    fn the_same_state_stays_unless_it_was_spoilt_and_comes_intact() {
        for budget in [0, 1 << 20] {
            let storage = storage(budget);
            let is_same = |one: (u32, &str), other: (u32, &str)| {
                object(one.0, one.1, &storage).is_same_state(&object(other.0, other.1, &storage))
            };
            assert!(is_same((1, "x"), (1, "x")) && !is_same((1, "x"), (2, "x")));
            assert!(is_same((1, "damaged"), (1, "damaged")) && is_same((1, "x"), (1, "damaged")));
            assert!(!is_same((1, "damaged"), (1, "x")));
        }
    }
}
