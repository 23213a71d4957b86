//! What Kubernetes does, as named behaviours that any server can be asked for.
//!
//! ```text
//!   behaviours/*.rs ── Behaviour { name, fact, test } ─┐
//!                                                      ▼
//!   a kubeconfig, or the embedded server ── Client ─► run ─► Verdict per behaviour ─► report
//!                                                      │
//!                                                    Place: a namespace and a group of its own, removed afterwards
//! ```
//! A behaviour is tested through our own client, asserts content and not only codes, and touches nothing but its
//! `Place`: it may be asked for on a cluster that others use. Reading order: `behaviour`, `place`, `answer`, `watch`,
//! then any file of `behaviours`.

#![expect(
    clippy::needless_pass_by_value,
    reason = "bodies are written in place, as `json!(…)`; references would be noise"
)]

mod answer;
mod behaviour;
mod behaviours;
mod controllers;
mod embedded;
mod place;
mod run;
mod sections;
mod watch;

pub use behaviour::Behaviour;
pub use behaviours::all;
pub use controllers::of_controllers;
pub use embedded::{embedded, embedded_with_controllers};
pub use run::{LIMIT, Verdict, run};
pub use sections::{Gap, gaps};
