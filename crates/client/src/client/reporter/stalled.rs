//! The error of a call that took too long: which stage of it, and how long it may take.
//!
//! ```text
//!   its turn ─► connect (TCP) ─► TLS ─► headers ─► body, piece by piece ─► the end
//! ```
//! It is made where a stage is limited: the connectors, the timeouts layer, and a client that was given a time limit.

use std::time::Duration;

use thiserror::Error;

/// A stage took longer than it may.
#[derive(Clone, Copy, Debug, Error)]
#[error("{stage} took longer than {limit:?}")]
pub(crate) struct Stalled {
    stage: Stage,
    limit: Duration,
}

impl Stalled {
    pub(in crate::client) fn new(stage: Stage, limit: Duration) -> Self {
        Self { stage, limit }
    }

    #[cfg(test)]
    pub(in crate::client) fn connecting(limit: Duration) -> Self {
        Self { stage: Stage::Connect, limit }
    }

    /// Whether there was not even a connection.
    pub(in crate::client) fn is_dialing(&self) -> bool {
        matches!(self.stage, Stage::Connect)
    }

    /// Whether nothing was sent yet.
    pub(crate) fn is_connect(&self) -> bool {
        matches!(self.stage, Stage::Before | Stage::Turn | Stage::Connect | Stage::Tls)
    }
}

/// What was waited for.
#[derive(Clone, Copy, Debug)]
pub(in crate::client) enum Stage {
    Before,
    Turn,
    Connect,
    Tls,
    Headers,
    Body,
    Whole,
    Watch,
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Before => "what came before the call",
            Self::Turn => "waiting for other calls of this client to end",
            Self::Connect => "connecting to the API server",
            Self::Tls => "the TLS handshake with the API server",
            Self::Headers => "the API server's answer",
            Self::Body => "the next piece of the API server's answer",
            Self::Whole => "the whole call",
            Self::Watch => "the watch",
        })
    }
}
