//! The model, shared by everything that reports to it and the loop that draws it.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;

use super::model::Model;

/// A shared [`Model`]; clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct SharedModel(Arc<Mutex<Model>>);

impl SharedModel {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Model::new(Instant::now()))))
    }

    /// Reads or changes the model. Nothing waits in `with`, so the lock is held for microseconds.
    pub(crate) fn with<T>(&self, with: impl FnOnce(&mut Model) -> T) -> T {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
