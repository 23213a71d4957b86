//! The wire against the real Kubernetes.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a helper that fails is a test that fails; a run tells what it compared"
)]

#[path = "wire/golden.rs"]
mod golden;
