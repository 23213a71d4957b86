//! What is decided about a request before it is sent, and what is remembered of it.
//!
//! ```text
//!   field_manager.rs  who writes          negotiation.rs  protobuf or JSON          limit.rs  how long it may take
//!   info.rs, class.rs   what it asks for, and how its answer comes: found out once, carried in its extensions
//!   rate_limit.rs     when it may be sent     trace_context.rs   which trace it belongs to
//!   raw_watch.rs, unrepeated.rs   whether it is tried again
//!   writes.rs         which objects a task has written    applied.rs   what was applied last
//!   write_guard.rs    whether a task may still write
//! ```

pub(super) mod applied;
pub(super) mod class;
mod field_manager;
pub(super) mod info;
pub(super) mod limit;
pub(super) mod negotiation;
pub mod rate_limit;
pub(super) mod raw_watch;
pub(super) mod trace_context;
pub mod unrepeated;
pub mod write_guard;
pub mod writes;
