//! A Kubernetes API server as a [`tower::Service`], in your process, for development and tests.
//!
//! ```text
//!  http::Request ─► service ─► Call ─► ResolvedTarget ─┬─► list, watch, get ◄── snapshot, feed ──┐
//!                      │                        │                                          │
//!                      │                        └─► write::{create, update, patch, delete} │
//!                      │                                        │ Object                   │
//!                      ▼                                        ▼                          │
//!           discovery, openapi, health              cluster ─► store (one revision) ───────┘
//!                                                      │  ▲
//!                                                      └──┘ settle: garbage, crd, protection
//! ```
//!
//! Objects are stored as encoded bytes plus their [`Head`](pintle_wire::Head): a list concatenates them, a watch sends
//! the very bytes the write made. A write runs alone, with everything that follows from it, before the next
//! request sees anything; so there is no background task, and the same requests give the same answers.
//!
//! Reading order: [`server`](Server) (what a user holds), `service` (routing), `kinds` (what exists), `cluster` (the
//! state), `store`, `feed`, `waiters`, `ring` and `entry` (where it lives), `list` and `watch`, `write`, `subresources` and `reviews`, `garbage`, `crd`, `fault`.
//!
//! What can go wrong between a client and a server can be made to go wrong: [`Server::fault`] takes a rule ([`Requests`]
//! and a [`Fault`]), [`Server::trace`] tells what happened.
//!
//! What kube-apiserver does and this server does not do yet is refused by name: 501 or 415 with a Status that says
//! which feature is missing.

mod catalog;
mod clock;
mod cluster;
mod codec;
mod controllers;
mod faults;
mod managed;
mod merge;
mod registry;
mod request;
mod response;
#[cfg(feature = "serve")]
pub mod serve;
mod server;
mod storage;

pub use faults::trace::{Trace, TraceEvent};
pub use faults::{Fault, Requests, Rule};
pub use response::body::{Body, Interrupted};
#[cfg(feature = "serve")]
pub use serve::{Credential, ServeError, Serving, WrittenKubeconfig};
pub use server::{Builder, HistoryLost, LoadError, Server};
