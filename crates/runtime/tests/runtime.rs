//! What the runtime costs, on answers that are written down beforehand.

#![expect(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

#[path = "runtime/allocations.rs"]
mod allocations;
#[path = "runtime/prepared_cluster.rs"]
mod prepared_cluster;
