//! What is decided about a request before it is sent, and what is remembered of it.
//!
//! ```text
//!   field_manager.rs  who writes          negotiation.rs  protobuf or JSON          limit.rs  how long it may take
//!   class.rs          how its answer comes                raw_watch.rs, unrepeated.rs   whether it is tried again
//!   writes.rs         which objects a task has written    applied.rs   what was applied last
//! ```

pub(super) mod applied;
pub(super) mod class;
mod field_manager;
pub(super) mod limit;
pub(super) mod negotiation;
pub(super) mod raw_watch;
pub mod unrepeated;
pub mod writes;
