//! The bytes of one object for which there is no room decoded: first as they came, and compressed soon after.
//!
//! They can be read all the time. What they were is known by length and hash, so that the same bytes coming again are
//! recognized without restoring anything.

use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::fast::FixedState;

use super::compress_queue::CompressQueue;
use super::dictionary::{Compressed, Dictionary, Unrestorable};

/// The dictionary of one store, for the thread that compresses.
pub(crate) type SharedDictionary = Arc<Mutex<Dictionary>>;

/// One body.
pub(crate) struct CompressibleBody {
    fingerprint: Fingerprint,
    stored: Mutex<Stored>,
}

/// Which bytes they are.
#[derive(Clone, Copy, Eq, PartialEq)]
struct Fingerprint {
    length: usize,
    hash: u64,
}

impl Fingerprint {
    fn new(bytes: &[u8]) -> Self {
        let mut hasher = FixedState::default().build_hasher();
        hasher.write(bytes);
        Self { length: bytes.len(), hash: hasher.finish() }
    }
}

#[derive(Clone)]
enum Stored {
    /// In its own box, as it was cut: taking it over copies nothing.
    AsItCame(Arc<Box<[u8]>>),
    Compressed(Arc<Compressed>),
}

impl CompressibleBody {
    /// Keeps `bytes`, which are compressed when their turn in `queue` comes.
    pub(crate) fn new(bytes: Box<[u8]>, queue: &CompressQueue, dictionary: &SharedDictionary) -> Arc<Self> {
        let fingerprint = Fingerprint::new(&bytes);
        let stored = Mutex::new(Stored::AsItCame(Arc::new(bytes)));
        let body = Arc::new(Self { fingerprint, stored });
        queue.push(&body, dictionary);
        body
    }

    /// Whether it is compressed.
    pub(crate) fn is_compressed(&self) -> bool {
        matches!(*self.stored(), Stored::Compressed(_))
    }

    /// How many bytes it takes, and whether it is compressed.
    pub(crate) fn size(&self) -> (usize, bool) {
        match &*self.stored() {
            Stored::AsItCame(bytes) => (bytes.len(), false),
            Stored::Compressed(compressed) => (compressed.len(), true),
        }
    }

    /// Whether `bytes` are those it was made of; restores nothing.
    pub(crate) fn is_same(&self, bytes: &[u8]) -> bool {
        self.fingerprint == Fingerprint::new(bytes)
    }

    /// The bytes as they came.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, Unrestorable> {
        let stored = self.stored().clone();
        match stored {
            Stored::AsItCame(bytes) => Ok(bytes.to_vec()),
            Stored::Compressed(compressed) => compressed.restore(),
        }
    }

    pub(super) fn compress(&self, dictionary: &mut Dictionary) {
        let Stored::AsItCame(bytes) = self.stored().clone() else { return };
        if let Some(compressed) = dictionary.compress(&bytes) {
            *self.stored() = Stored::Compressed(Arc::new(compressed));
        }
    }

    // Nothing panics while it is locked.
    fn stored(&self) -> MutexGuard<'_, Stored> {
        self.stored.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
