//! The wire against the real Kubernetes.

#![expect(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

#[path = "wire/allocations.rs"]
mod allocations;

#[path = "wire/golden.rs"]
mod golden;

#[path = "wire/specials.rs"]
mod specials;
