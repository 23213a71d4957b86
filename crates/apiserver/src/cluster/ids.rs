//! Where uids, generated names and other random choices of a server come from: one seed, where a test gives it.
//!
//! In: calls, from requests that do not hold the cluster. Out: the next number of one sequence, so that the same requests
//! in the same order get the same names. Copies of an [`Ids`] draw from the same sequence.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The source of random choices.
#[derive(Clone)]
pub(crate) struct Ids(Arc<Mutex<Source>>);

struct Source {
    random: fastrand::Rng,
    /// Where uids come from, if not from the randomness.
    uids: Option<Uids>,
}

/// A source of uids that a user brought.
pub(crate) struct Uids(Box<dyn FnMut() -> uuid::Uuid + Send>);

impl Uids {
    pub(crate) fn new(next: impl FnMut() -> uuid::Uuid + Send + 'static) -> Uids {
        Uids(Box::new(next))
    }
}

impl fmt::Debug for Uids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Uids")
    }
}

impl Ids {
    pub(crate) fn new(random: fastrand::Rng, uids: Option<Uids>) -> Ids {
        Ids(Arc::new(Mutex::new(Source { random, uids })))
    }

    /// A source of its own, which begins at the next draw of this one.
    pub(crate) fn fork(&self) -> Ids {
        Ids::new(self.fork_random(), None)
    }

    /// Randomness of its own.
    pub(crate) fn fork_random(&self) -> fastrand::Rng {
        self.source().random.fork()
    }

    /// A uid for a new object.
    pub(crate) fn uid(&self) -> String {
        let mut source = self.source();
        let uid = match &mut source.uids {
            Some(Uids(next)) => next(),
            None => uuid::Builder::from_random_bytes(source.random.u128(..).to_be_bytes()).into_uuid(),
        };
        uid.to_string()
    }

    /// A number within a range.
    pub(crate) fn number(&self, range: Range<u64>) -> u64 {
        self.source().random.u64(range)
    }

    /// What a function makes of the next draws.
    pub(crate) fn draw<T>(&self, make: impl FnOnce(&mut fastrand::Rng) -> T) -> T {
        make(&mut self.source().random)
    }

    fn source(&self) -> MutexGuard<'_, Source> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
