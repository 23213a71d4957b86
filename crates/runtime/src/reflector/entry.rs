//! One object in a store: packed as it came, or plain because it came decoded.
//!
//! A packed object is decoded when somebody gets it. The result is kept while all packed stores of the process
//! together fit into one budget; a store too large for that decodes anew each time instead of holding everything twice.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use pintle_core::{Lookup, Selector};
use pintle_wire::{DecodeError, Head, Packed};

use super::shelf::{Key, Shelved};

/// An object as it lies in a store; cloning shares it.
pub struct Entry<K>(Form<K>);

enum Form<K> {
    Packed(Arc<PackedEntry<K>>),
    Plain(Arc<K>),
}

struct PackedEntry<K> {
    packed: Packed<K>,
    decoded: OnceLock<Arc<K>>,
    weight: usize,
}

/// What decoded objects may weigh in one process, by estimate: enough for every small cluster to stay decoded.
const DECODED_BYTES_MAX: usize = 64 << 20;
/// A decoded object takes about six times the bytes of its JSON (measured on pods).
const DECODED_GROWTH: usize = 6;
/// What the objects in all packed stores of the process would weigh if they were decoded.
static DECODED_BYTES: AtomicUsize = AtomicUsize::new(0);

impl<K> Entry<K> {
    pub(crate) fn packed(packed: Packed<K>) -> Self {
        let weight = packed.body().len() * DECODED_GROWTH;
        DECODED_BYTES.fetch_add(weight, Ordering::Relaxed);
        Self(Form::Packed(Arc::new(PackedEntry { packed, decoded: OnceLock::new(), weight })))
    }

    pub(crate) fn plain(object: K) -> Self {
        Self(Form::Plain(Arc::new(object)))
    }

    /// What was read of it when it came, if it came packed.
    pub fn head(&self) -> Option<&Head> {
        match &self.0 {
            Form::Packed(entry) => Some(entry.packed.head()),
            Form::Plain(_) => None,
        }
    }

    /// The object, decoded now unless it was before.
    ///
    /// # Errors
    /// If it is no `K`; the error names it and does not show it.
    pub fn get(&self) -> Result<Arc<K>, DecodeError> {
        match &self.0 {
            Form::Plain(object) => Ok(Arc::clone(object)),
            Form::Packed(entry) => entry.get(),
        }
    }
}

impl<K: Lookup> Entry<K> {
    /// Which object.
    pub fn key(&self) -> Key {
        match &self.0 {
            Form::Packed(entry) => packed_key(&entry.packed),
            Form::Plain(object) => Key {
                namespace: object.namespace().map(|namespace| namespace.as_ref().into()),
                name: object.name().unwrap_or_default().as_ref().into(),
            },
        }
    }
}

impl<K: pintle_core::Resource> Entry<K> {
    /// Whether the object's labels match; decodes nothing.
    pub fn matches(&self, selector: &Selector) -> bool {
        match &self.0 {
            Form::Packed(entry) => selector.matches_by(|key| entry.packed.head().label(key)),
            Form::Plain(object) => {
                let labels = object.meta().labels.as_ref();
                selector.matches_by(|key| labels.and_then(|labels| labels.get(key)).map(String::as_str))
            }
        }
    }
}

/// The key of a packed object.
pub(crate) fn packed_key<K>(packed: &Packed<K>) -> Key {
    let head = packed.head();
    Key { namespace: head.namespace_shared().cloned(), name: head.name().into() }
}

impl<K> PackedEntry<K> {
    fn get(&self) -> Result<Arc<K>, DecodeError> {
        if let Some(decoded) = self.decoded.get() {
            return Ok(Arc::clone(decoded));
        }
        let decoded = Arc::new(self.packed.decode()?);
        if DECODED_BYTES.load(Ordering::Relaxed) <= DECODED_BYTES_MAX {
            return Ok(Arc::clone(self.decoded.get_or_init(|| decoded)));
        }
        Ok(decoded)
    }
}

impl<K> Drop for PackedEntry<K> {
    fn drop(&mut self) {
        DECODED_BYTES.fetch_sub(self.weight, Ordering::Relaxed);
    }
}

impl<K> Clone for Entry<K> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            Form::Packed(entry) => Form::Packed(Arc::clone(entry)),
            Form::Plain(object) => Form::Plain(Arc::clone(object)),
        })
    }
}

impl<K> fmt::Debug for Entry<K> {
    /// Names the object; its content may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Packed(entry) => entry.packed.fmt(f),
            Form::Plain(_) => f.write_str("Plain"),
        }
    }
}

impl<K: Lookup> Shelved for Entry<K> {
    fn is_same_state(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Form::Packed(one), Form::Packed(other)) => one.packed.head().is_same_state(other.packed.head()),
            (Form::Plain(one), Form::Plain(other)) => {
                let version = one.resource_version();
                version.is_some() && version == other.resource_version() && one.uid() == other.uid()
            }
            (Form::Packed(_), Form::Plain(_)) | (Form::Plain(_), Form::Packed(_)) => false,
        }
    }
}
