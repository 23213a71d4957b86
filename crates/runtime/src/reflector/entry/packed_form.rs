//! An object that came packed: its head, its bytes, and what was decoded of them.
//!
//! In: the packed object and the version before it. Out: the object, decoded at most once while the budget lasts, and
//! whether it decodes at all. Nothing is decoded unless a reader asks for it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use pintle_wire::{DecodeError, Head, Packed};

use super::{Entry, locked};
use crate::reflector::memory::compress_queue::Turn;
use crate::reflector::memory::compressible_object::{CompressibleObject, CountedAs};
use crate::reflector::memory::hot_objects::{Decoded, HotObjects, Reference};
use crate::reflector::memory::storage::Storage;
use crate::reflector::usage::StoreUsage;

/// Whether an object decodes.
pub(crate) type Verdict = Result<(), DecodeError>;

pub(super) struct PackedForm<K> {
    object: CompressibleObject<K>,
    /// Whether it decodes, once a reader has tried.
    verdict: OnceLock<Verdict>,
    /// Kept while the budget lasts.
    decoded: OnceLock<Arc<K>>,
    /// Kept beyond it, as long as readers come back to it.
    hot: Mutex<Option<Arc<K>>>,
    /// Whether a reader came, since that was last asked.
    was_read: AtomicBool,
    /// The version that is shown instead should this one not decode; dropped when it does.
    before: Mutex<Option<Entry<K>>>,
    was_logged: AtomicBool,
}

impl<K> PackedForm<K> {
    pub(super) fn new(
        packed: Packed<K>,
        verdict: Option<Verdict>,
        before: Option<Entry<K>>,
        turn: Turn,
        storage: &Arc<Storage>,
    ) -> Self {
        let before = before.filter(|_| !matches!(verdict, Some(Ok(()))));
        Self {
            object: CompressibleObject::new(packed, CountedAs::Decoded, turn, storage),
            verdict: verdict.map(OnceLock::from).unwrap_or_default(),
            decoded: OnceLock::new(),
            hot: Mutex::new(None),
            was_read: AtomicBool::new(false),
            before: Mutex::new(before),
            was_logged: AtomicBool::new(false),
        }
    }

    /// The same version as if it came now, when there is no room any more to keep it decoded; `None` if it was like that.
    pub(super) fn without_decoded(&self) -> Option<Self> {
        if self.is_beyond_budget() {
            return None;
        }
        let (verdict, storage) = (self.verdict.get().cloned(), self.object.storage());
        let mut form = Self::new(self.whole(), verdict, self.before(), Turn::Next, storage);
        *form.was_logged.get_mut() = self.was_logged.load(Ordering::Relaxed);
        Some(form)
    }

    /// Whether it is kept once it is decoded, read again or not. What came when there was no room for that could not be let go any more when
    /// there is none again.
    fn stays_decoded(&self) -> bool {
        !self.is_beyond_budget() && !self.object.storage().budget.is_exceeded()
    }

    /// See [`CompressibleObject::supersede`].
    pub(super) fn supersede(&self) {
        self.object.supersede();
    }

    /// See [`CompressibleObject::reinstate`].
    pub(super) fn reinstate(&self) {
        self.object.reinstate();
    }

    pub(super) fn head(&self) -> &Head {
        self.object.head()
    }

    pub(super) fn weight(&self) -> usize {
        self.object.weight()
    }

    pub(super) fn is_compressed(&self) -> bool {
        self.object.is_compressed()
    }

    pub(super) fn is_beyond_budget(&self) -> bool {
        self.object.is_beyond_budget()
    }

    pub(super) fn count_into(&self, usage: &mut StoreUsage) {
        match self.object.size() {
            (bytes, true) => usage.compressed_bytes += bytes,
            (bytes, false) => usage.packed_bytes += bytes,
        }
        if self.decoded.get().is_some() || locked(&self.hot).is_some() {
            usage.decoded_objects += 1;
            usage.decoded_bytes += self.object.weight();
        }
    }

    pub(super) fn get(&self) -> Result<Arc<K>, DecodeError> {
        if let Some(known) = self.known() {
            return known;
        }
        let decoded = self.decode_over(|| None)?;
        if self.stays_decoded() {
            return Ok(Arc::clone(self.decoded.get_or_init(|| decoded)));
        }
        Ok(decoded)
    }

    /// Decodes it, over what `spare` gives; keeps nothing.
    pub(super) fn decode_over(&self, spare: impl FnOnce() -> Option<Arc<K>>) -> Result<Arc<K>, DecodeError> {
        if let Some(mut decoded) = spare()
            && Arc::get_mut(&mut decoded).is_some_and(|place| self.object.decode_over(place))
        {
            self.judge(Ok(()));
            return Ok(decoded);
        }
        let decoded = self.object.decode();
        self.judge(decoded.as_ref().map(drop).map_err(Clone::clone));
        decoded.map(Arc::new)
    }

    /// What is known without decoding.
    pub(super) fn known(&self) -> Option<Result<Arc<K>, DecodeError>> {
        match (self.kept(), self.verdict.get()) {
            (Some(kept), _) => Some(Ok(kept)),
            (None, Some(Err(error))) => Some(Err(error.clone())),
            (None, Some(Ok(())) | None) => None,
        }
    }

    /// The object, if it is kept decoded.
    fn kept(&self) -> Option<Arc<K>> {
        if let Some(decoded) = self.decoded.get() {
            return Some(Arc::clone(decoded));
        }
        let hot = locked(&self.hot).clone()?;
        self.was_read.store(true, Ordering::Relaxed);
        Some(hot)
    }

    /// Keeps what was decoded just now: all while the budget lasts, beyond it what readers are likely to come back to; `refer`
    /// makes a reference to it. Within the budget, returns what another reader has kept meanwhile.
    pub(super) fn keep<R: Reference>(&self, decoded: Arc<K>, hot: &HotObjects<R>, refer: impl FnOnce() -> R) -> Arc<K> {
        let budget = &self.object.storage().budget;
        if self.stays_decoded() {
            return Arc::clone(self.decoded.get_or_init(|| decoded));
        }
        let times = if self.was_read.swap(true, Ordering::Relaxed) { Decoded::Again } else { Decoded::First };
        let mut kept = locked(&self.hot);
        if kept.is_none() && hot.admit(self.object.weight(), times, budget, refer) {
            *kept = Some(Arc::clone(&decoded));
        }
        decoded
    }

    /// Whether a reader came since this was last asked.
    pub(super) fn was_read(&self) -> bool {
        self.was_read.swap(false, Ordering::Relaxed)
    }

    /// Keeps it decoded no longer, if it was [beyond the budget](Self::keep).
    pub(super) fn cool(&self) {
        drop(locked(&self.hot).take());
    }

    /// The object with its body.
    pub(super) fn whole(&self) -> Packed<K> {
        self.object.packed()
    }

    /// Whether `other` is the same state of the same object, and does not replace an unreadable one.
    pub(super) fn is_state(&self, other: &Packed<K>) -> bool {
        self.head().is_same_state(other.head()) && !self.is_mended_by(other)
    }

    /// Whether it was damaged on its way: it cannot be read, and the same state as it came in `other` can. Most often the
    /// bytes are the same, and nothing is decoded to find out.
    fn is_mended_by(&self, other: &Packed<K>) -> bool {
        let is_readable = matches!(self.verdict.get(), Some(Ok(())));
        !is_readable
            && !self.object.has_body(other.body())
            && self.get().is_err()
            && self.object.decode_other(other).is_ok()
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

    /// Why it does not decode, if that is so; tries unless a reader has.
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

impl<K> fmt::Debug for PackedForm<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.fmt(f)
    }
}
