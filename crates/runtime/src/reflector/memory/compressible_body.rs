//! The bytes of one object for which there is no room decoded: first as they came, and compressed later.
//!
//! They can be read all the time. What they were is known by length and hash, so that the same bytes coming again are
//! recognized without restoring anything.

use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::fast::FixedState;

use super::budget::DecodedBudget;
use super::compress_queue::{Counted, Turn};
use super::dictionary::{Busy, Compressed, Dictionary, Patience, Unrestorable};

/// The dictionary of one store, for those who compress.
pub(crate) type SharedDictionary = Arc<Dictionary>;

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

/// Every object of a large store has one: it is as small as it can be.
enum Stored {
    /// In its own box, as it was cut: taking it over copies nothing. It counts among what waits to be compressed until it has had its turn.
    AsItCame {
        bytes: Arc<Box<[u8]>>,
        _counted: Option<Counted>,
    },
    Compressed(Compressed),
}

impl CompressibleBody {
    /// Keeps `bytes`, which are compressed when their turn in the queue of `budget` comes.
    pub(crate) fn new(
        bytes: Box<[u8]>,
        turn: Turn,
        budget: &DecodedBudget,
        dictionary: &SharedDictionary,
    ) -> Arc<Self> {
        let queue = budget.queue();
        let fingerprint = Fingerprint::new(&bytes);
        let counted = queue.count(bytes.len());
        let stored = Mutex::new(Stored::AsItCame { bytes: Arc::new(bytes), _counted: Some(counted) });
        let body = Arc::new(Self { fingerprint, stored });
        queue.push(&body, dictionary, turn, budget.recent_bytes_max());
        body
    }

    /// Whether it is compressed.
    pub(crate) fn is_compressed(&self) -> bool {
        matches!(*self.stored(), Stored::Compressed(_))
    }

    /// How many bytes it takes, and whether it is compressed.
    pub(crate) fn size(&self) -> (usize, bool) {
        match &*self.stored() {
            Stored::AsItCame { bytes, .. } => (bytes.len(), false),
            Stored::Compressed(compressed) => (compressed.len(), true),
        }
    }

    /// Whether `bytes` are those it was made of; restores nothing.
    pub(crate) fn is_same(&self, bytes: &[u8]) -> bool {
        self.fingerprint == Fingerprint::new(bytes)
    }

    /// The bytes as they came.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, Unrestorable> {
        match self.readable() {
            Readable::AsItCame(bytes) => Ok(bytes.to_vec()),
            Readable::Compressed(compressed) => compressed.restore(self.fingerprint.length),
        }
    }

    /// Shows the bytes as they came; those that are not compressed are not copied for it.
    pub(crate) fn with_bytes<T>(&self, show: impl FnOnce(Result<&[u8], Unrestorable>) -> T) -> T {
        match self.readable() {
            Readable::AsItCame(bytes) => show(Ok(&bytes)),
            Readable::Compressed(compressed) => match compressed.restore(self.fingerprint.length) {
                Ok(bytes) => show(Ok(&bytes)),
                Err(error) => show(Err(error)),
            },
        }
    }

    pub(super) fn compress(&self, dictionary: &Dictionary, patience: Patience) -> Result<(), Busy> {
        let Readable::AsItCame(bytes) = self.readable() else { return Ok(()) };
        // It has had its turn, even if it stays as it is.
        let stored = match dictionary.compress(&bytes, patience)? {
            Some(compressed) => Stored::Compressed(compressed),
            None => Stored::AsItCame { bytes, _counted: None },
        };
        *self.stored() = stored;
        Ok(())
    }

    /// What is stored, for a reader that holds no lock.
    fn readable(&self) -> Readable {
        match &*self.stored() {
            Stored::AsItCame { bytes, .. } => Readable::AsItCame(Arc::clone(bytes)),
            Stored::Compressed(compressed) => Readable::Compressed(compressed.clone()),
        }
    }

    // Nothing panics while it is locked.
    fn stored(&self) -> MutexGuard<'_, Stored> {
        self.stored.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Readable {
    AsItCame(Arc<Box<[u8]>>),
    Compressed(Compressed),
}
