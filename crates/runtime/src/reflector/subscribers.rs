//! Those that follow a store: each has a backlog of its own, and a slow one holds up no other.
//!
//! ```text
//!   Change ──► Mailbox ──► Backlog ──► Inbox ──► Changes, ReflectHandle, Handler
//! ```

mod backlog;
pub(super) mod handler;
pub(crate) mod mailbox;
pub(super) mod subscribe;
