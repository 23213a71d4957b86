//! One object in a store: packed as it came, or plain because it came decoded.
//!
//! A packed object is decoded when it is read, and what that yields is kept while the store's [budget](super::memory::budget)
//! lasts, beyond it for what is [read often](super::memory::hot_objects). Until it is known to decode it holds on to the last version that was read, so that an object which does not
//! decode any more is not absent for readers that saw it before.

mod packed_form;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use pintle_core::Selector;
use pintle_core::reference::Lookup;
use pintle_wire::{Body, DecodeError, Head, Packed};

use super::index::{IndexId, Values};
use super::memory::compress_queue::Turn;
use super::memory::hot_objects::{Hot, HotObjects, Reference};
use super::memory::storage::Storage;
use super::shelf::{Key, Named, Shelved};
use super::usage::StoreUsage;
use packed_form::PackedForm;
pub(crate) use packed_form::Verdict;

/// An object as it lies in a store; cloning shares it.
pub struct Entry<K>(Arc<Contents<K>>);

/// Refers to an entry that may be gone.
pub(crate) struct WeakEntry<K>(Weak<Contents<K>>);

struct Contents<K> {
    form: Form<K>,
    values: Mutex<KnownValues>,
}

/// Under which values an object is found, for each index that asked. Most stores have no index: then it takes little room.
type KnownValues = Option<Box<Vec<(IndexId, Values)>>>;

enum Form<K> {
    Packed(PackedForm<K>),
    Plain(Key, Arc<K>),
}

impl<K> Entry<K> {
    /// The version of an object after `before`, if that is one of it; `verdict` says whether it decodes, if a reader
    /// has tried, and `turn` when it is compressed if there is no room for it decoded.
    pub(crate) fn packed(
        packed: Packed<K>,
        verdict: Option<Verdict>,
        before: Option<&Self>,
        turn: Turn,
        storage: &Arc<Storage>,
    ) -> Self {
        Self::new(Form::Packed(PackedForm::new(packed, verdict, before.and_then(Self::last_read), turn, storage)))
    }

    /// The same version of the object, no longer kept decoded; `None` if it is not kept so. To be called when the
    /// [budget](super::memory::budget) is exceeded.
    pub(crate) fn without_decoded(&self) -> Option<Self> {
        let form = self.packed_form()?.without_decoded()?;
        Some(Self::new(Form::Packed(form)))
    }

    /// What indexes know of `other`, the same version of the object, holds for this one.
    pub(crate) fn take_over_values(&self, other: &Self) {
        let known = locked(&other.0.values).clone();
        *locked(&self.0.values) = known;
    }

    pub(crate) fn plain(key: Key, object: K) -> Self {
        Self::new(Form::Plain(key, Arc::new(object)))
    }

    fn new(form: Form<K>) -> Self {
        Self(Arc::new(Contents { form, values: Mutex::default() }))
    }

    fn packed_form(&self) -> Option<&PackedForm<K>> {
        match &self.0.form {
            Form::Packed(form) => Some(form),
            Form::Plain(..) => None,
        }
    }

    /// Whether its bytes are compressed. Getting it then restores and decodes them, unless readers came back to it lately.
    pub fn is_compressed(&self) -> bool {
        self.packed_form().is_some_and(PackedForm::is_compressed)
    }

    /// Whether it came when there was no room to keep it decoded.
    pub(crate) fn is_beyond_budget(&self) -> bool {
        self.packed_form().is_some_and(PackedForm::is_beyond_budget)
    }

    /// Whether it came packed, when there was room to keep it decoded.
    pub(crate) fn is_within_budget(&self) -> bool {
        self.packed_form().is_some_and(|form| !form.is_beyond_budget())
    }

    /// A list has another version, which will take its place: it no longer counts in the [budget](super::memory::budget).
    pub(crate) fn supersede(&self) {
        if let Some(form) = self.packed_form() {
            form.supersede();
        }
    }

    /// The other version did not come to take its place.
    pub(crate) fn reinstate(&self) {
        if let Some(form) = self.packed_form() {
            form.reinstate();
        }
    }

    /// What it would weigh decoded, by an estimate from its bytes; nothing if it came decoded.
    pub(crate) fn weight(&self) -> usize {
        self.packed_form().map_or(0, PackedForm::weight)
    }

    /// Adds what it takes to `usage`.
    pub(crate) fn count_into(&self, usage: &mut StoreUsage) {
        usage.objects += 1;
        match &self.0.form {
            Form::Packed(form) => form.count_into(usage),
            Form::Plain(..) => usage.decoded_objects += 1,
        }
    }

    /// What was read of it when it came, if it came packed.
    pub fn head(&self) -> Option<&Head> {
        self.packed_form().map(PackedForm::head)
    }

    /// Shows what was read of it and its bytes, if it came packed.
    pub(crate) fn show(&self, see: impl FnOnce(&Head, Body<'_>)) {
        if let Some(form) = self.packed_form() {
            see(form.head(), form.whole().body());
        }
    }

    /// The object as it came, if it came packed.
    pub(crate) fn whole(&self) -> Option<Packed<K>> {
        self.packed_form().map(PackedForm::whole)
    }

    /// The object, decoded now unless it was before.
    ///
    /// # Errors
    /// If it is not a `K`; the error names it and does not show it.
    pub fn get(&self) -> Result<Arc<K>, DecodeError> {
        match &self.0.form {
            Form::Plain(_, object) => Ok(Arc::clone(object)),
            Form::Packed(form) => form.get(),
        }
    }

    /// As [`get`](Self::get), for a reconcile by a controller of the store whose hot objects these are. Most versions are reconciled
    /// once: unless the controller `comes_back` to them, only one that was read before is kept. `spare` gives an object that nobody
    /// needs any more, whose memory is used again, if it has to be decoded.
    pub(crate) fn read_to_reconcile(
        &self,
        hot: &HotObjects<WeakEntry<K>>,
        comes_back: bool,
        spare: impl FnOnce() -> Option<Arc<K>>,
    ) -> Result<Arc<K>, DecodeError> {
        let form = match &self.0.form {
            Form::Plain(_, object) => return Ok(Arc::clone(object)),
            Form::Packed(form) => form,
        };
        if let Some(known) = form.known() {
            return known;
        }
        let is_kept = comes_back || form.verdict().is_some();
        let object = form.decode_over(spare)?;
        if is_kept {
            return Ok(form.keep(object, hot, || WeakEntry(Arc::downgrade(&self.0))));
        }
        Ok(object)
    }

    /// The object, or the last version of it that was read; a version that does not decode is logged once.
    pub fn last_readable(&self) -> Option<Arc<K>> {
        match self.get() {
            Ok(object) => Some(object),
            Err(error) => self.shown_instead(&error),
        }
    }

    /// As [`last_readable`](Self::last_readable), for a reader of the store whose hot objects these are.
    pub(crate) fn read(&self, hot: &HotObjects<WeakEntry<K>>) -> Option<Arc<K>> {
        let Some(form) = self.packed_form() else { return self.last_readable() };
        match form.known() {
            Some(Ok(kept)) => return Some(kept),
            Some(Err(error)) => return self.shown_instead(&error),
            None => {}
        }
        match form.decode_over(|| None) {
            Ok(object) => Some(form.keep(object, hot, || WeakEntry(Arc::downgrade(&self.0)))),
            Err(error) => self.shown_instead(&error),
        }
    }

    /// What readers are shown although this version does not decode.
    fn shown_instead(&self, error: &DecodeError) -> Option<Arc<K>> {
        let form = self.packed_form()?;
        let before = form.before();
        form.log_once(error, before.is_some());
        before?.last_readable()
    }

    /// Why this version cannot be read, if that is so.
    pub(crate) fn fault(&self) -> Option<DecodeError> {
        self.packed_form()?.fault()
    }

    /// Whether this version was found to be unreadable; does not look itself.
    pub(crate) fn is_found_unreadable(&self) -> bool {
        self.packed_form().is_some_and(|form| form.verdict().is_some_and(Result::is_err))
    }

    /// Notes whether it decodes, where that was found out on the way.
    pub(crate) fn judge(&self, verdict: Verdict) {
        if let Some(form) = self.packed_form() {
            form.judge(verdict);
        }
    }

    /// Whether `packed` is the very state that it holds, so that it may stay in its place: not if it cannot be read and
    /// `packed` can.
    pub(crate) fn is_state(&self, packed: &Packed<K>) -> bool {
        self.packed_form().is_some_and(|form| form.is_state(packed))
    }

    /// What a version after it holds on to: the last one that could be read, or else this one. Versions that are not
    /// read do not pile up, and none is decoded for it.
    fn last_read(&self) -> Option<Self> {
        let Some(form) = self.packed_form() else { return Some(self.clone()) };
        match form.verdict() {
            Some(Ok(())) => Some(self.clone()),
            Some(Err(_)) => form.before(),
            None => match form.take_before() {
                Some(before) if before.packed_form().is_none_or(|it| matches!(it.verdict(), Some(Ok(())))) => {
                    form.set_before(before.clone());
                    Some(before)
                }
                _ => Some(self.clone()),
            },
        }
    }

    /// The values under which `index` finds it, if they are known.
    pub(crate) fn values(&self, index: IndexId) -> Option<Values> {
        locked(&self.0.values).as_ref()?.iter().find(|(id, _)| *id == index).map(|(_, values)| Arc::clone(values))
    }

    pub(crate) fn note_values(&self, index: IndexId, values: Values) {
        let mut known = locked(&self.0.values);
        let known = known.get_or_insert_default();
        known.retain(|(id, _)| *id != index);
        known.push((index, values));
    }
}

impl<K: Lookup> Entry<K> {
    /// Which object.
    pub fn key(&self) -> Key {
        match &self.0.form {
            Form::Packed(form) => key_of_head(form.head()),
            Form::Plain(key, _) => key.clone(),
        }
    }

    /// The version of this state of the object.
    pub fn resource_version(&self) -> Option<String> {
        match &self.0.form {
            Form::Packed(form) => form.head().resource_version().map(ToString::to_string),
            Form::Plain(_, object) => object.resource_version().map(Into::into),
        }
    }

    /// The object's identity.
    pub fn uid(&self) -> Option<String> {
        match &self.0.form {
            Form::Packed(form) => form.head().uid().map(Into::into),
            Form::Plain(_, object) => object.uid().map(Into::into),
        }
    }

    /// Whether both are states of one object, not of two that had one name after the other.
    pub(crate) fn is_same_object(&self, other: &Self) -> bool {
        match (self.head(), other.head()) {
            (Some(one), Some(other)) => one.is_same_object(other),
            _ => self.uid() == other.uid(),
        }
    }

    /// Whether `packed` is a state of the same object, not of another that has its name now.
    pub(crate) fn is_object(&self, packed: &Packed<K>) -> bool {
        match self.head() {
            Some(head) => head.is_same_object(packed.head()),
            None => self.uid().as_deref() == packed.head().uid().as_deref(),
        }
    }

    /// Whether `other` is the same version of the same object, however it is kept.
    pub(crate) fn is_same_version(&self, other: &Self) -> bool {
        let version = self.resource_version();
        version.is_some() && version == other.resource_version() && self.is_same_object(other)
    }

    /// Whether `object` is the very state that it holds, both having come decoded.
    pub(crate) fn is_plain_state(&self, object: &K) -> bool {
        let Form::Plain(_, known) = &self.0.form else { return false };
        let version = known.resource_version();
        version.is_some() && version == object.resource_version() && known.uid() == object.uid()
    }
}

impl<K: pintle_core::Resource> Entry<K> {
    /// Whether the object's labels match; decodes nothing.
    pub fn matches(&self, selector: &Selector) -> bool {
        match &self.0.form {
            Form::Packed(form) => selector.matches_by(|key| form.head().label(key)),
            Form::Plain(_, object) => {
                let labels = object.meta().labels.as_ref();
                selector.matches_by(|key| labels.and_then(|labels| labels.get(key)).map(String::as_str))
            }
        }
    }

    /// The identities of its owners; decodes nothing.
    pub(crate) fn owner_uids(&self) -> Vec<Arc<str>> {
        match &self.0.form {
            Form::Packed(form) => form.head().owners().iter().filter_map(|it| Some(it.uid()?.into())).collect(),
            Form::Plain(_, object) => {
                object.meta().owner_references.iter().flatten().map(|owner| owner.uid.as_str().into()).collect()
            }
        }
    }
}

/// The key of a packed object.
pub(crate) fn packed_key<K>(packed: &Packed<K>) -> Key {
    key_of_head(packed.head())
}

fn key_of_head(head: &Head) -> Key {
    Key { namespace: head.namespace_shared().cloned(), name: Arc::clone(head.name_shared()) }
}

/// The key of a decoded object.
pub(crate) fn key_of<K: Lookup>(object: &K) -> Key {
    Key {
        namespace: object.namespace().map(|namespace| namespace.as_ref().into()),
        name: object.name().unwrap_or_default().as_ref().into(),
    }
}

// Nothing panics while it holds one of these locks, so a poisoned one still guards a whole state.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<K> Hot for Entry<K> {
    fn was_read(&self) -> bool {
        self.packed_form().is_some_and(PackedForm::was_read)
    }

    fn cool(&self) {
        if let Some(form) = self.packed_form() {
            form.cool();
        }
    }
}

impl<K> Reference for WeakEntry<K> {
    type Object = Entry<K>;

    fn object(&self) -> Option<Entry<K>> {
        self.0.upgrade().map(Entry)
    }
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
            Form::Packed(form) => form.fmt(f),
            Form::Plain(..) => f.write_str("Plain"),
        }
    }
}

impl<K> Named for Entry<K> {
    fn parts(&self) -> (Option<&str>, &str) {
        match &self.0.form {
            Form::Packed(form) => (form.head().namespace(), form.head().name()),
            Form::Plain(key, _) => key.parts(),
        }
    }
}

impl<K> Shelved for Entry<K> {
    /// The writer has carried it over where it may stay.
    fn is_same_state(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[cfg(test)]
mod tests;
