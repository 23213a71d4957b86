//! One object in a store: packed as it came, or plain because it came decoded.
//!
//! A packed object is decoded when somebody gets it. The result is kept while all packed stores of the process
//! together fit into one budget. What comes when they do not is kept [cold](super::cold) and decoded anew each time.
//! Until it is known to decode it holds on to the version before it, so that an object which does not decode is never
//! absent if it ever was there.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use pintle_core::Selector;
use pintle_core::reference::Lookup;
use pintle_wire::{Body, DecodeError, Encoding, Head, Packed};

use super::cold::{Cold, SharedPress};
use super::index::{IndexId, Values};
use super::shelf::{Key, Shelved};

/// An object as it lies in a store; cloning shares it.
pub struct Entry<K>(Arc<Lying<K>>);

struct Lying<K> {
    form: Form<K>,
    /// Under which values it is found, for each index that asked.
    values: Mutex<Vec<(IndexId, Values)>>,
}

enum Form<K> {
    Packed(PackedForm<K>),
    Plain(Arc<K>),
}

struct PackedForm<K> {
    /// Without its body if that lies cold.
    packed: Packed<K>,
    cold: Option<Arc<Cold>>,
    managed_fields: ManagedFields,
    /// Whether it decodes, once somebody has tried.
    verdict: OnceLock<Result<(), DecodeError>>,
    decoded: OnceLock<Arc<K>>,
    /// The version before it, until this one is known to decode.
    before: Mutex<Option<Entry<K>>>,
    was_told: AtomicBool,
    weight: usize,
}

/// Whether what is decoded for a store has its `metadata.managedFields`.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum ManagedFields {
    #[default]
    Skipped,
    Kept,
}

/// What decoded objects may weigh in one process, by estimate: enough for every small cluster to stay decoded.
static DECODED_BYTES_MAX: AtomicUsize = AtomicUsize::new(64 << 20);
/// A decoded object takes about six times the bytes of its JSON (measured on pods).
const DECODED_GROWTH: usize = 6;
/// Protobuf is a third shorter than JSON (measured on pods).
const DECODED_GROWTH_OF_PROTOBUF: usize = 9;
/// Neither JSON nor a message of protobuf: the empty body would be the latter.
const NOTHING_THAT_DECODES: &[u8] = &[0xff];
/// What the objects in all packed stores of the process would weigh if they were decoded.
static DECODED_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Sets what the decoded objects of all packed stores of the process may weigh together, by estimate, for what comes
/// from now on; 64 MiB unless set. Objects beyond that are kept compressed and decoded each time somebody gets one.
pub fn set_decoded_budget(bytes: usize) {
    DECODED_BYTES_MAX.store(bytes, Ordering::Relaxed);
}

/// Whether the packed stores of the process are larger than may lie decoded.
fn is_over_budget() -> bool {
    DECODED_BYTES.load(Ordering::Relaxed) > DECODED_BYTES_MAX.load(Ordering::Relaxed)
}

impl<K> Entry<K> {
    pub(crate) fn packed(packed: Packed<K>, managed_fields: ManagedFields, press: &SharedPress) -> Self {
        let body = packed.body();
        let weight = match body.encoding() {
            Encoding::Json => body.bytes().len() * DECODED_GROWTH,
            Encoding::Protobuf(_) => body.bytes().len() * DECODED_GROWTH_OF_PROTOBUF,
        };
        DECODED_BYTES.fetch_add(weight, Ordering::Relaxed);
        let cold = is_over_budget().then(|| Cold::new(body.bytes(), press));
        let packed = if cold.is_some() { packed.hollow() } else { packed };
        Self::lying(Form::Packed(PackedForm {
            packed,
            cold,
            managed_fields,
            verdict: OnceLock::new(),
            decoded: OnceLock::new(),
            before: Mutex::new(None),
            was_told: AtomicBool::new(false),
            weight,
        }))
    }

    pub(crate) fn plain(object: K) -> Self {
        Self::lying(Form::Plain(Arc::new(object)))
    }

    fn lying(form: Form<K>) -> Self {
        Self(Arc::new(Lying { form, values: Mutex::default() }))
    }

    /// Whether it lies compressed, so that getting it decodes it each time while memory is short.
    pub fn is_cold(&self) -> bool {
        matches!(&self.0.form, Form::Packed(PackedForm { cold: Some(cold), .. }) if cold.is_pressed())
    }

    /// What was read of it when it came, if it came packed.
    pub fn head(&self) -> Option<&Head> {
        match &self.0.form {
            Form::Packed(form) => Some(form.packed.head()),
            Form::Plain(_) => None,
        }
    }

    /// Shows what was read of it and its bytes, if it came packed.
    pub(crate) fn show(&self, see: impl FnOnce(&Head, Body<'_>)) {
        if let Form::Packed(form) = &self.0.form {
            see(form.packed.head(), form.whole().body());
        }
    }

    /// The object, decoded now unless it was before.
    ///
    /// # Errors
    /// If it is no `K`; the error names it and does not show it.
    pub fn get(&self) -> Result<Arc<K>, DecodeError> {
        match &self.0.form {
            Form::Plain(object) => Ok(Arc::clone(object)),
            Form::Packed(form) => form.get(),
        }
    }

    /// The object, or the last version of it that did decode; a version that does not is told once.
    pub fn last_readable(&self) -> Option<Arc<K>> {
        let error = match self.get() {
            Ok(object) => return Some(object),
            Err(error) => error,
        };
        let Form::Packed(form) = &self.0.form else { return None };
        let before = locked(&form.before).clone();
        if !form.was_told.swap(true, Ordering::Relaxed) {
            let kept = before.is_some();
            tracing::warn!(%error, kept, "an object in a store cannot be read; the version before it stays if there was one");
        }
        before?.last_readable()
    }

    /// Why this version cannot be read, if that is so.
    pub(crate) fn fault(&self) -> Option<DecodeError> {
        let Form::Packed(form) = &self.0.form else { return None };
        if form.verdict.get().is_none() {
            let _ = form.get();
        }
        form.verdict.get()?.clone().err()
    }

    /// Whether somebody looked at this version and could not read it; looks at nothing itself.
    pub(crate) fn is_found_unreadable(&self) -> bool {
        matches!(&self.0.form, Form::Packed(form) if form.verdict.get().is_some_and(Result::is_err))
    }

    /// Notes whether it decodes, if somebody found out on the way.
    pub(crate) fn judge(&self, verdict: Result<(), DecodeError>) {
        if let Form::Packed(form) = &self.0.form {
            form.judge(verdict);
        }
    }

    /// Makes it the next version of the object `old` is.
    pub(crate) fn succeed(&self, old: &Self) {
        let Form::Packed(form) = &self.0.form else { return };
        if form.verdict.get().is_none_or(Result::is_err) {
            *locked(&form.before) = old.settled();
        }
    }

    /// What a version after it must hold on to: itself, unless it is known not to decode. Versions that nobody has
    /// looked at do not pile up: the second one is looked at here.
    fn settled(&self) -> Option<Self> {
        let Form::Packed(form) = &self.0.form else { return Some(self.clone()) };
        let before = locked(&form.before).clone();
        let is_readable = match form.verdict.get() {
            Some(verdict) => verdict.is_ok(),
            None => before.is_none() || form.get().is_ok(),
        };
        if is_readable { Some(self.clone()) } else { before }
    }

    /// The values under which `index` finds it, if they are known.
    pub(crate) fn values(&self, index: IndexId) -> Option<Values> {
        locked(&self.0.values).iter().find(|(id, _)| *id == index).map(|(_, values)| Arc::clone(values))
    }

    pub(crate) fn note_values(&self, index: IndexId, values: Values) {
        let mut known = locked(&self.0.values);
        known.retain(|(id, _)| *id != index);
        known.push((index, values));
    }
}

impl<K: Lookup> Entry<K> {
    /// Which object.
    pub fn key(&self) -> Key {
        match &self.0.form {
            Form::Packed(form) => packed_key(&form.packed),
            Form::Plain(object) => Key {
                namespace: object.namespace().map(|namespace| namespace.as_ref().into()),
                name: object.name().unwrap_or_default().as_ref().into(),
            },
        }
    }

    /// The version of this state of the object.
    pub fn resource_version(&self) -> Option<String> {
        match &self.0.form {
            Form::Packed(form) => form.packed.head().resource_version().map(ToString::to_string),
            Form::Plain(object) => object.resource_version().map(Into::into),
        }
    }

    /// The object's identity.
    pub fn uid(&self) -> Option<String> {
        match &self.0.form {
            Form::Packed(form) => form.packed.head().uid().map(Into::into),
            Form::Plain(object) => object.uid().map(Into::into),
        }
    }

    /// Whether both are states of one object, not of two that had one name after the other.
    pub(crate) fn is_same_object(&self, other: &Self) -> bool {
        match (self.head(), other.head()) {
            (Some(one), Some(other)) => one.is_same_object(other),
            _ => self.uid() == other.uid(),
        }
    }
}

impl<K: pintle_core::Resource> Entry<K> {
    /// Whether the object's labels match; decodes nothing.
    pub fn matches(&self, selector: &Selector) -> bool {
        match &self.0.form {
            Form::Packed(form) => selector.matches_by(|key| form.packed.head().label(key)),
            Form::Plain(object) => {
                let labels = object.meta().labels.as_ref();
                selector.matches_by(|key| labels.and_then(|labels| labels.get(key)).map(String::as_str))
            }
        }
    }

    /// The identities of its owners; decodes nothing.
    pub(crate) fn owner_uids(&self) -> Vec<Arc<str>> {
        match &self.0.form {
            Form::Packed(form) => form.packed.head().owners().iter().filter_map(|it| Some(it.uid()?.into())).collect(),
            Form::Plain(object) => {
                object.meta().owner_references.iter().flatten().map(|owner| owner.uid.as_str().into()).collect()
            }
        }
    }
}

/// The key of a packed object.
pub(crate) fn packed_key<K>(packed: &Packed<K>) -> Key {
    let head = packed.head();
    Key { namespace: head.namespace_shared().cloned(), name: head.name().into() }
}

impl<K> PackedForm<K> {
    fn get(&self) -> Result<Arc<K>, DecodeError> {
        if let Some(decoded) = self.decoded.get() {
            return Ok(Arc::clone(decoded));
        }
        if let Some(Err(error)) = self.verdict.get() {
            return Err(error.clone());
        }
        let packed = self.whole();
        let decoded = match self.managed_fields {
            ManagedFields::Skipped => packed.decode_without_managed_fields(),
            ManagedFields::Kept => packed.decode(),
        };
        self.judge(decoded.as_ref().map(drop).map_err(Clone::clone));
        let decoded = Arc::new(decoded?);
        if !is_over_budget() {
            return Ok(Arc::clone(self.decoded.get_or_init(|| decoded)));
        }
        Ok(decoded)
    }

    /// The object with its body. What cannot be restored does not decode.
    fn whole(&self) -> Packed<K> {
        match &self.cold {
            Some(cold) => self.packed.refilled(cold.bytes().unwrap_or_else(|_| NOTHING_THAT_DECODES.into())),
            None => self.packed.clone(),
        }
    }

    /// Whether it was spoilt on its way: it cannot be read, and the same state as it came in `other` can. Bytes tell most
    /// often, so that as good as nothing is decoded for it.
    fn is_mended_by(&self, other: &Self) -> bool {
        let is_readable = matches!(self.verdict.get(), Some(Ok(())));
        let is_mended = || self.whole().body().bytes() != other.whole().body().bytes() && self.get().is_err();
        !is_readable && is_mended() && other.get().is_ok()
    }

    fn judge(&self, verdict: Result<(), DecodeError>) {
        let is_readable = verdict.is_ok();
        if self.verdict.set(verdict).is_ok() && is_readable {
            locked(&self.before).take();
        }
    }
}

impl<K> Drop for PackedForm<K> {
    fn drop(&mut self) {
        DECODED_BYTES.fetch_sub(self.weight, Ordering::Relaxed);
    }
}

// Nothing panics while it holds one of these locks, so a poisoned one still guards a whole state.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<K> Clone for Entry<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K> fmt::Debug for Entry<K> {
    /// Names the object; its content may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.form {
            Form::Packed(form) => form.packed.fmt(f),
            Form::Plain(_) => f.write_str("Plain"),
        }
    }
}

impl<K: Lookup> Shelved for Entry<K> {
    fn is_same_state(&self, other: &Self) -> bool {
        match (&self.0.form, &other.0.form) {
            _ if Arc::ptr_eq(&self.0, &other.0) => true,
            (Form::Packed(one), Form::Packed(other)) => {
                one.packed.head().is_same_state(other.packed.head()) && !one.is_mended_by(other)
            }
            (Form::Plain(one), Form::Plain(other)) => {
                let version = one.resource_version();
                version.is_some() && version == other.resource_version() && one.uid() == other.uid()
            }
            (Form::Packed(_), Form::Plain(_)) | (Form::Plain(_), Form::Packed(_)) => false,
        }
    }
}

#[cfg(test)]
mod tests;
