//! The bytes of one object for which there is no room decoded: first as they came, and compressed later.
//!
//! They can be read all the time. What they were is known by length and hash, so that the same bytes coming again are
//! recognized without restoring anything.

use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::fast::FixedState;

use super::budget::DecodedBudget;
use super::compress_queue::Counted;
use super::dictionary::{Compressed, Dictionary, Unrestorable};

/// The dictionary of one store, for the thread that compresses.
pub(crate) type SharedDictionary = Arc<Mutex<Dictionary>>;

/// One body.
pub(crate) struct CompressibleBody {
    fingerprint: Fingerprint,
    state: Mutex<State>,
}

struct State {
    stored: Stored,
    /// Counts it among what waits to be compressed.
    counted: Option<Counted>,
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
    /// Keeps `bytes`, which are compressed when their turn in the queue of `budget` comes.
    pub(crate) fn new(bytes: Box<[u8]>, budget: &DecodedBudget, dictionary: &SharedDictionary) -> Arc<Self> {
        let queue = budget.queue();
        let fingerprint = Fingerprint::new(&bytes);
        let counted = Some(queue.count(bytes.len()));
        let state = Mutex::new(State { stored: Stored::AsItCame(Arc::new(bytes)), counted });
        let body = Arc::new(Self { fingerprint, state });
        queue.push(&body, dictionary, budget.recent_bytes_max());
        body
    }

    /// Whether it is compressed.
    pub(crate) fn is_compressed(&self) -> bool {
        matches!(self.state().stored, Stored::Compressed(_))
    }

    /// How many bytes it takes, and whether it is compressed.
    pub(crate) fn size(&self) -> (usize, bool) {
        match &self.state().stored {
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
        match self.stored() {
            Stored::AsItCame(bytes) => Ok(bytes.to_vec()),
            Stored::Compressed(compressed) => compressed.restore(),
        }
    }

    /// Shows the bytes as they came; those that are not compressed are not copied for it.
    pub(crate) fn with_bytes<T>(&self, show: impl FnOnce(Result<&[u8], Unrestorable>) -> T) -> T {
        match self.stored() {
            Stored::AsItCame(bytes) => show(Ok(&bytes)),
            Stored::Compressed(compressed) => match compressed.restore() {
                Ok(bytes) => show(Ok(&bytes)),
                Err(error) => show(Err(error)),
            },
        }
    }

    pub(super) fn compress(&self, dictionary: &mut Dictionary) {
        let Stored::AsItCame(bytes) = self.stored() else { return };
        let compressed = dictionary.compress(&bytes);
        let mut state = self.state();
        // It has had its turn, even if it stays as it is.
        state.counted = None;
        if let Some(compressed) = compressed {
            state.stored = Stored::Compressed(Arc::new(compressed));
        }
    }

    fn stored(&self) -> Stored {
        self.state().stored.clone()
    }

    // Nothing panics while it is locked.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
