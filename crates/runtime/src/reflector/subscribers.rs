//! Those who follow a store: each has a backlog of its own, and nobody waits for a slow one.
//!
//! ```text
//!   Change ──► Mailbox ──► Backlog ──► Inbox ──► Changes, ReflectHandle, Handler
//! ```

mod backlog;
pub(super) mod handler;
pub(super) mod mailbox;
pub(super) mod subscribe;
