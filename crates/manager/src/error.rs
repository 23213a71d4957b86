//! Why a manager ended other than by being asked to.

use std::time::Duration;

/// Any error of a runnable.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a manager ended other than by being asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A runnable failed, and everything else was stopped because of it.
    #[error("{name} failed, so the manager stopped: {source}")]
    #[non_exhaustive]
    Failed {
        /// The runnable.
        name: String,
        /// What it returned.
        source: BoxError,
    },
    /// A runnable panicked, and everything else was stopped because of it.
    #[error("{name} panicked, so the manager stopped: {message}")]
    #[non_exhaustive]
    Panicked {
        /// The runnable.
        name: String,
        /// What it said.
        message: String,
    },
    /// Something did not stop in time and was dropped.
    #[error("{} did not stop within {} s and {} dropped", names.join(", "), .timeout.as_secs_f64(), if names.len() == 1 { "was" } else { "were" })]
    #[non_exhaustive]
    NotStopped {
        /// Its names.
        names: Vec<String>,
        /// How long there was.
        timeout: Duration,
    },
    /// The manager was run before.
    #[error("this manager runs or has run already; a manager is run once: build another one")]
    AlreadyRun,
}
