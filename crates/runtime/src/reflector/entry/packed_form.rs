//! An object that came packed: its head, its bytes, and what was decoded of them.
//!
//! In: the packed object and the version before it. Out: the object, decoded at most once while the budget lasts, and
//! whether it decodes at all. Nothing is decoded unless somebody asks for it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use pintle_wire::{Body, DecodeError, Head, Packed};

use super::{Entry, locked};
use crate::reflector::memory::budget::DecodedBudget;
use crate::reflector::memory::compressible_body::{CompressibleBody, SharedDictionary};

/// Whether an object decodes.
pub(crate) type Verdict = Result<(), DecodeError>;

/// How one store keeps its packed objects.
#[derive(Clone)]
pub(crate) struct Storage {
    pub(crate) budget: DecodedBudget,
    pub(crate) dictionary: SharedDictionary,
    pub(crate) managed_fields: ManagedFields,
}

impl Default for Storage {
    fn default() -> Self {
        let (budget, dictionary) = (DecodedBudget::process().clone(), SharedDictionary::default());
        Self { budget, dictionary, managed_fields: ManagedFields::default() }
    }
}

/// Whether what is decoded for a store has its `metadata.managedFields`.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum ManagedFields {
    #[default]
    Skipped,
    Kept,
}

pub(super) struct PackedForm<K> {
    /// Without its body if that is compressible.
    packed: Packed<K>,
    body: Option<Arc<CompressibleBody>>,
    storage: Arc<Storage>,
    /// Whether it decodes, once somebody has tried.
    verdict: OnceLock<Verdict>,
    decoded: OnceLock<Arc<K>>,
    /// The version that is shown instead should this one not decode; dropped when it does.
    before: Mutex<Option<Entry<K>>>,
    was_logged: AtomicBool,
    weight: usize,
}

/// Neither JSON nor a message of protobuf: the empty body would be the latter.
const NOTHING_THAT_DECODES: &[u8] = &[0xff];

impl<K> PackedForm<K> {
    pub(super) fn new(
        packed: Packed<K>,
        verdict: Option<Verdict>,
        before: Option<Entry<K>>,
        storage: &Arc<Storage>,
    ) -> Self {
        let budget = &storage.budget;
        let weight = budget.add(packed.body());
        let compressible = || CompressibleBody::new(packed.body().bytes(), budget.queue(), &storage.dictionary);
        let body = budget.is_exceeded().then(compressible);
        let packed = if body.is_some() { packed.hollow() } else { packed };
        let before = before.filter(|_| !matches!(verdict, Some(Ok(()))));
        Self {
            packed,
            body,
            storage: Arc::clone(storage),
            verdict: verdict.map(OnceLock::from).unwrap_or_default(),
            decoded: OnceLock::new(),
            before: Mutex::new(before),
            was_logged: AtomicBool::new(false),
            weight,
        }
    }

    pub(super) fn head(&self) -> &Head {
        self.packed.head()
    }

    pub(super) fn is_compressed(&self) -> bool {
        self.body.as_ref().is_some_and(|body| body.is_compressed())
    }

    pub(super) fn get(&self) -> Result<Arc<K>, DecodeError> {
        if let Some(decoded) = self.decoded.get() {
            return Ok(Arc::clone(decoded));
        }
        if let Some(Err(error)) = self.verdict.get() {
            return Err(error.clone());
        }
        let decoded = self.decode(&self.whole());
        self.judge(decoded.as_ref().map(drop).map_err(Clone::clone));
        let decoded = Arc::new(decoded?);
        if !self.storage.budget.is_exceeded() {
            return Ok(Arc::clone(self.decoded.get_or_init(|| decoded)));
        }
        Ok(decoded)
    }

    fn decode(&self, packed: &Packed<K>) -> Result<K, DecodeError> {
        match self.storage.managed_fields {
            ManagedFields::Skipped => packed.decode_without_managed_fields(),
            ManagedFields::Kept => packed.decode(),
        }
    }

    /// The object with its body. What cannot be restored does not decode.
    pub(super) fn whole(&self) -> Packed<K> {
        match &self.body {
            Some(body) => self.packed.refilled(body.bytes().unwrap_or_else(|_| NOTHING_THAT_DECODES.into())),
            None => self.packed.clone(),
        }
    }

    /// Whether `other` is the same state of the same object, and does not mend this one.
    pub(super) fn is_state(&self, other: &Packed<K>) -> bool {
        self.head().is_same_state(other.head()) && !self.is_mended_by(other)
    }

    /// Whether it was spoilt on its way: it cannot be read, and the same state as it came in `other` can. Most often the
    /// bytes are the same, and nothing is decoded to find out.
    fn is_mended_by(&self, other: &Packed<K>) -> bool {
        let is_readable = matches!(self.verdict.get(), Some(Ok(())));
        !is_readable && !self.has_bytes(other.body()) && self.get().is_err() && self.decode(other).is_ok()
    }

    fn has_bytes(&self, other: Body<'_>) -> bool {
        match &self.body {
            Some(body) => body.is_same(other.bytes()),
            None => self.packed.body().bytes() == other.bytes(),
        }
    }

    pub(super) fn verdict(&self) -> Option<&Verdict> {
        self.verdict.get()
    }

    pub(super) fn judge(&self, verdict: Verdict) {
        let is_readable = verdict.is_ok();
        if self.verdict.set(verdict).is_ok() && is_readable {
            drop(self.take_before());
        }
    }

    /// Why it does not decode, if that is so; tries unless somebody has.
    pub(super) fn fault(&self) -> Option<DecodeError> {
        if self.verdict.get().is_none() {
            drop(self.get());
        }
        self.verdict.get()?.clone().err()
    }

    pub(super) fn before(&self) -> Option<Entry<K>> {
        locked(&self.before).clone()
    }

    pub(super) fn take_before(&self) -> Option<Entry<K>> {
        locked(&self.before).take()
    }

    pub(super) fn set_before(&self, before: Entry<K>) {
        *locked(&self.before) = Some(before);
    }

    pub(super) fn log_once(&self, error: &DecodeError, kept: bool) {
        if !self.was_logged.swap(true, Ordering::Relaxed) {
            tracing::warn!(%error, kept, "an object in a store cannot be read; readers keep the version they saw before, if any");
        }
    }
}

impl<K> Drop for PackedForm<K> {
    fn drop(&mut self) {
        self.storage.budget.subtract(self.weight);
    }
}

impl<K> fmt::Debug for PackedForm<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.packed.fmt(f)
    }
}
