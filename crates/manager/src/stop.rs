//! The word to stop, as a runnable hears it.

use std::future::Future;

use tokio::sync::watch;

/// Says when a runnable should stop; clones say the same.
#[derive(Clone, Debug)]
pub struct Stop(watch::Receiver<bool>);

/// Where that is said; whoever listens hears it also when this is dropped.
#[derive(Debug)]
pub(crate) struct StopSender(watch::Sender<bool>);

impl StopSender {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    pub(crate) fn subscribe(&self) -> Stop {
        Stop(self.0.subscribe())
    }

    pub(crate) fn send(&self) {
        self.0.send_replace(true);
    }
}

impl Stop {
    /// Ends when it is time to stop: finish what was begun, and return.
    pub fn requested(&self) -> impl Future<Output = ()> + Send + Sync + 'static {
        let mut receiver = self.0.clone();
        async move {
            // A manager that is gone wants everything stopped as well.
            drop(receiver.wait_for(|is_requested| *is_requested).await);
        }
    }

    /// Whether it is time to stop.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        *self.0.borrow() || self.0.has_changed().is_err()
    }
}
