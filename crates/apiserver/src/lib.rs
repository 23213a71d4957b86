//! A Kubernetes API server as a [`tower::Service`], in your process, for development and tests.
//!
//! ```text
//!  socket ─► serve ──┐ (user)
//!  http::Request ────┴─► server ─► request: router, faults, access, resolve ◄── catalog: kinds, discovery, OpenAPI
//!                                     │
//!                    write ◄──────────┴─► read ─► storage: list, watch, view ─► response ─► client
//!                      │                                        ▲
//!     ┌ attempt, without the lock, from a snapshot ──────┐      │
//!     │ registry: verbs ─► admission ─► the kind's       │      │
//!     │           strategy, validation ─► admission      │      │
//!     │ codec: bytes to Object; managed_fields: owners   │      │
//!     └──────────────────┬───────────────────────────────┘      │
//!            lost ▲      ▼                                      │
//!                 └─ cluster: commit (one lock) ─► store ─► publish
//!                        │ after the answer
//!                        └─► controllers ─► intents: writes of their own
//! ```
//!
//! Objects are stored as encoded bytes plus their [`Head`](pintle_wire::Head): a list concatenates them, a watch sends the
//! bytes that the write made. A write is worked out from a snapshot and committed if nothing it was made from has changed.
//! What follows from it comes after its answer ([`Server::settle`]); the same requests give the same answers.
//!
//! Reading order: [`server`](Server) (what a user holds), `request` (the way through the folders), `authorization`, `catalog`
//! (what exists), `codec`, `registry` (writes; what is special about a kind is one file in it, `registry/core/pods.rs`),
//! `admission` and `webhook` (what else decides about a write), `managed_fields`, `cluster` and `storage` (state and reads),
//! `data` (the directory that outlives the process), `controllers` (what follows from a write), `response`, `faults`, `serve` (sockets, TLS, users). Each folder's own file opens
//! with its picture.
//!
//! What can go wrong between a client and a server can be made to go wrong: [`Server::fault`] takes a rule ([`Requests`]
//! and a [`Fault`]), [`Server::trace`] returns what happened.
//!
//! What kube-apiserver does and this server does not do yet is refused by name: 501 or 415 with a Status that names the
//! missing feature.

mod admission;
mod authorization;
mod catalog;
mod clock;
mod cluster;
mod codec;
mod controllers;
mod data;
mod faults;
mod managed_fields;
mod observation;
mod registry;
mod request;
mod response;
#[cfg(feature = "serve")]
pub mod serve;
mod server;
mod storage;
mod webhook;

pub use admission::plugins::{AdmissionPlugin, UnknownAdmissionPlugin};
pub use authorization::AuthorizationMode;
pub use authorization::least_privilege::LeastPrivilege;
pub use clock::{ClockMove, OutOfRange};
pub use cluster::service_network::{InvalidServiceRange, ServiceRange};
pub use controllers::simulated::{Controllers, InvalidStages, Stages, UnknownController};
pub use data::DataDirectory;
pub use data::error::DataError;
pub use data::snapshot::RestoreError;
pub use faults::trace::{Trace, TraceEvent};
pub use faults::{Fault, Requests, Rule};
pub use response::body::{Body, Interrupted};
#[cfg(feature = "serve")]
pub use serve::{Credential, ServeError, ServeOptions, Serving, WrittenKubeconfig};
pub use server::{Builder, HistoryLost, LoadError, Server};
