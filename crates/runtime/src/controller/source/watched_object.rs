//! An object that concerns the controller's, as its source remembers it: packed, and compressed where memory is short.
//!
//! It counts in the process's [budget](crate::reflector::DecodedBudget) with its bytes: it is decoded each time the mapper is
//! asked about it, and never kept so.

use std::sync::Arc;

use pintle_wire::{Head, Packed};

use super::watch_progress::See;
use crate::reflector::entry::Storage;
use crate::reflector::memory::compressible_body::CompressibleBody;
use crate::reflector::shelf::Shelved;

/// One object; cloning shares it.
pub(in crate::controller) struct WatchedObject<O>(Arc<Contents<O>>);

struct Contents<O> {
    /// Without its body if that is compressible.
    packed: Packed<O>,
    body: Option<Arc<CompressibleBody>>,
    storage: Arc<Storage>,
    bytes: usize,
}

/// Neither JSON nor a message of protobuf: what cannot be restored does not decode.
const NOTHING_THAT_DECODES: &[u8] = &[0xff];

impl<O> WatchedObject<O> {
    pub(super) fn new(packed: Packed<O>, storage: &Arc<Storage>) -> Self {
        let budget = &storage.budget;
        let bytes = budget.add_bytes(packed.body().bytes().len());
        let compressible = || CompressibleBody::new(packed.body().bytes(), budget.queue(), &storage.dictionary);
        let body = budget.is_exceeded().then(compressible);
        let packed = if body.is_some() { packed.hollow() } else { packed };
        Self(Arc::new(Contents { packed, body, storage: Arc::clone(storage), bytes }))
    }

    pub(super) fn head(&self) -> &Head {
        self.0.packed.head()
    }

    /// The object with its body.
    pub(super) fn packed(&self) -> Packed<O> {
        match &self.0.body {
            Some(body) => self.0.packed.refilled(body.bytes().unwrap_or_else(|_| NOTHING_THAT_DECODES.into())),
            None => self.0.packed.clone(),
        }
    }

    /// Shows its head and its body.
    pub(super) fn show(&self, see: See<'_>) {
        let packed = self.packed();
        see(packed.head(), Some(packed.body()));
    }

    fn has_bytes_of(&self, other: &Self) -> bool {
        let other = other.packed();
        match &self.0.body {
            Some(body) => body.is_same(other.body().bytes()),
            None => self.0.packed.body().bytes() == other.body().bytes(),
        }
    }
}

impl<O> Shelved for WatchedObject<O> {
    /// Not if this one was spoilt on its way and `other` can be read.
    fn is_same_state(&self, other: &Self) -> bool {
        let is_mended =
            || !self.has_bytes_of(other) && self.packed().decode().is_err() && other.packed().decode().is_ok();
        self.head().is_same_state(other.head()) && !is_mended()
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

impl<O> Drop for Contents<O> {
    fn drop(&mut self) {
        self.storage.budget.subtract(self.bytes);
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
        if text == "spoilt" { serde_json::json!(7) } else { serde_json::json!({"key": text}) }
    }

    fn storage(budget: usize) -> Arc<Storage> {
        Arc::new(Storage { budget: DecodedBudget::new(budget), ..Storage::default() })
    }

    #[test]
    fn within_and_beyond_the_budget_an_object_reads_the_same_and_is_counted_while_it_lives() {
        for budget in [0, 1 << 20] {
            let storage = storage(budget);
            let one = object(1, "x", &storage);
            assert_eq!(one.0.body.is_some(), budget == 0, "beyond the budget it can be compressed");
            let decoded = one.packed().decode().unwrap();
            assert_eq!(decoded.data.unwrap()["key"], "x");
            let mut shown = None;
            one.show(&mut |head, body| shown = Some((head.name().to_owned(), body.is_some())));
            assert_eq!(shown, Some(("a".to_owned(), true)));
            assert!(format!("{:?}", storage.budget).contains(&format!("bytes: {}", one.0.bytes)));
            drop(one);
            assert!(format!("{:?}", storage.budget).contains("bytes: 0"));
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
            assert!(is_same((1, "spoilt"), (1, "spoilt")) && is_same((1, "x"), (1, "spoilt")));
            assert!(!is_same((1, "spoilt"), (1, "x")));
        }
    }
}
