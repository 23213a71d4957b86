//! A packed object that counts in a [budget](super::budget), and whose body can be compressed where memory is short.
//!
//! In: the object as it came. Out: the same object at any time, its body restored if need be. Within the budget it stays as
//! it is, and beyond it if it is small; otherwise the body is taken out and compressed soon after. It counts as long as it lives.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pintle_wire::{Body, DecodeError, Head, Packed};

use super::compress_queue::Turn;
use super::compressible_body::CompressibleBody;
use super::storage::{ManagedFields, Storage};

/// One object.
pub(crate) struct CompressibleObject<K> {
    /// Without its body if that is compressible.
    packed: Packed<K>,
    tier: Tier,
    storage: Arc<Storage>,
    weight: usize,
    /// Until it has a successor.
    is_counted: AtomicBool,
}

/// How an object was kept when it came.
enum Tier {
    /// As it came, within the budget.
    Decoded,
    /// As it came, because it is small.
    Small,
    /// Its body is here.
    Compressible(Arc<CompressibleBody>),
}

/// As what an object counts in the budget.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum CountedAs {
    /// It may be kept decoded.
    Decoded,
    /// It is decoded each time, and never kept so.
    Packed,
}

/// Neither JSON nor a message of protobuf, which the empty body would be: what cannot be restored does not decode.
const NOTHING_THAT_DECODES: &[u8] = &[0xff];

impl<K> CompressibleObject<K> {
    /// `turn` says when its body is compressed, if it is.
    pub(crate) fn new(packed: Packed<K>, counted_as: CountedAs, turn: Turn, storage: &Arc<Storage>) -> Self {
        let weight = match counted_as {
            CountedAs::Decoded => storage.budget.add(wanted_of(storage, packed.body())),
            CountedAs::Packed => storage.budget.add_bytes(packed.body().bytes().len()),
        };
        let (packed, tier) = if !storage.budget.is_exceeded() {
            (packed, Tier::Decoded)
        } else if storage.budget.take_small(packed.body().bytes().len()) {
            (packed, Tier::Small)
        } else {
            let (hollow, bytes) = packed.into_hollow();
            (hollow, Tier::Compressible(CompressibleBody::new(bytes, turn, &storage.budget, &storage.dictionary)))
        };
        Self { packed, tier, storage: Arc::clone(storage), weight, is_counted: AtomicBool::new(true) }
    }

    /// Its body, if it is not where it came.
    fn body(&self) -> Option<&CompressibleBody> {
        match &self.tier {
            Tier::Compressible(body) => Some(body),
            Tier::Decoded | Tier::Small => None,
        }
    }

    pub(crate) fn head(&self) -> &Head {
        self.packed.head()
    }

    /// How its store keeps it.
    pub(crate) fn storage(&self) -> &Arc<Storage> {
        &self.storage
    }

    /// The object with its body.
    pub(crate) fn packed(&self) -> Packed<K> {
        match self.body() {
            Some(body) => self.packed.refilled(body.bytes().unwrap_or_else(|_| NOTHING_THAT_DECODES.into())),
            None => self.packed.clone(),
        }
    }

    /// The object decoded, without a copy of what lies there as it came.
    pub(crate) fn decode(&self) -> Result<K, DecodeError> {
        let decode = |bytes: &[u8]| decode_by(&self.storage, &self.packed, self.packed.body_of(bytes));
        match self.body() {
            Some(body) => body.with_bytes(|bytes| decode(bytes.unwrap_or(NOTHING_THAT_DECODES))),
            None => decode(self.packed.body().bytes()),
        }
    }

    /// The same over another object, whose memory is used again; returns whether it was decoded. If not, `place` holds anything.
    pub(crate) fn decode_over(&self, place: &mut K) -> bool {
        let mut decode = |bytes: &[u8]| {
            let body = wanted_of(&self.storage, self.packed.body_of(bytes));
            self.packed.decode_body_over(body, place)
        };
        match self.body() {
            Some(body) => body.with_bytes(|bytes| bytes.is_ok_and(decode)),
            None => decode(self.packed.body().bytes()),
        }
    }

    /// Another state of the object decoded, as its own would be.
    pub(crate) fn decode_other(&self, other: &Packed<K>) -> Result<K, DecodeError> {
        decode_by(&self.storage, other, other.body())
    }

    /// Whether `body` is its own, byte by byte; restores nothing.
    pub(crate) fn has_body(&self, body: Body<'_>) -> bool {
        match self.body() {
            Some(own) => own.is_same(body.bytes()),
            None => self.packed.body().bytes() == body.bytes(),
        }
    }

    /// How many bytes its body takes now, and whether it is compressed.
    pub(crate) fn size(&self) -> (usize, bool) {
        self.body().map_or_else(|| (self.packed.body().bytes().len(), false), CompressibleBody::size)
    }

    /// What it would weigh decoded, by estimate.
    pub(crate) fn weight(&self) -> usize {
        self.weight
    }

    /// Whether there was no room to keep it decoded when it came.
    pub(crate) fn is_beyond_budget(&self) -> bool {
        !matches!(self.tier, Tier::Decoded)
    }

    /// It is about to go, and counts no more: or a list in which everything has changed would count twice, and what fits be kept as what
    /// does not.
    pub(crate) fn supersede(&self) {
        if self.is_counted.swap(false, Ordering::Relaxed) {
            self.storage.budget.subtract(self.weight);
            if matches!(self.tier, Tier::Small) {
                self.storage.budget.give_up_small(self.packed.body().bytes().len());
            }
        }
    }

    /// What was to take its place did not: it counts as before.
    pub(crate) fn reinstate(&self) {
        if !self.is_counted.swap(true, Ordering::Relaxed) {
            self.storage.budget.add_bytes(self.weight);
            if matches!(self.tier, Tier::Small) {
                self.storage.budget.keep_small(self.packed.body().bytes().len());
            }
        }
    }

    /// Whether its body is compressed now.
    pub(crate) fn is_compressed(&self) -> bool {
        self.body().is_some_and(CompressibleBody::is_compressed)
    }
}

fn decode_by<K>(storage: &Storage, packed: &Packed<K>, body: Body<'_>) -> Result<K, DecodeError> {
    packed.decode_body(wanted_of(storage, body))
}

/// What a store wants to be decoded of an object.
fn wanted_of<'a>(storage: &Storage, body: Body<'a>) -> Body<'a> {
    match storage.managed_fields {
        ManagedFields::Skipped => body.without_managed_fields(),
        ManagedFields::Kept => body,
    }
}

impl<K> Drop for CompressibleObject<K> {
    fn drop(&mut self) {
        self.supersede();
    }
}

impl<K> fmt::Debug for CompressibleObject<K> {
    /// Names the object; its content may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.packed.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use pintle_wire::HeadReader;

    use super::*;
    use crate::reflector::DecodedBudget;

    const JSON: &str = r#"{"metadata":{"name":"a","uid":"u"},"data":{"key":"x"}}"#;

    fn packed(json: &str) -> Packed<ConfigMap> {
        Packed::new(HeadReader::new().read(json.as_bytes()).unwrap(), json.as_bytes())
    }

    #[test]
    fn within_and_beyond_the_budget_an_object_reads_the_same_and_counts_while_it_lives() {
        for bytes_max in [0, 1 << 20] {
            for (counted_as, weight) in [(CountedAs::Decoded, 5 * JSON.len()), (CountedAs::Packed, JSON.len())] {
                let storage = Arc::new(Storage { budget: DecodedBudget::new(bytes_max), ..Storage::default() });
                let object = CompressibleObject::new(packed(JSON), counted_as, Turn::AfterRest, &storage);
                assert_eq!(object.body().is_some(), bytes_max == 0, "beyond the budget it can be compressed");
                assert_eq!(object.packed().decode().unwrap().data.unwrap()["key"], "x");
                assert!(object.has_body(Body::json(JSON.as_bytes())) && !object.has_body(Body::json(b"{}")));
                assert!(format!("{:?}", storage.budget).contains(&format!("bytes: {weight},")));
                drop(object);
                assert!(format!("{:?}", storage.budget).contains("bytes: 0,"));
            }
        }
    }

    #[test]
    fn a_body_is_taken_out_of_an_object_that_is_shared_without_changing_the_other_one() {
        let storage = Arc::new(Storage { budget: DecodedBudget::new(0), ..Storage::default() });
        let shared = packed(JSON);
        let object = CompressibleObject::new(shared.clone(), CountedAs::Decoded, Turn::AfterRest, &storage);
        assert_eq!(shared.body().bytes(), JSON.as_bytes());
        assert_eq!(object.packed().body().bytes(), JSON.as_bytes());
    }
}
