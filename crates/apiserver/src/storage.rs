//! Where objects live, and how they are read.
//!
//! ```text
//!  Object ─► store ─► entry (bytes and head) ─┬─► list: a page of one snapshot ───────────┐
//!              │                              └─► one object ─────────────────────────────┼─► view: at the reader's version
//!              └─► publication ─► watch_cache ─► broadcaster ─► waiters ─► watch: frames ─┘
//! ```
//! In: objects that passed the registry, one write at a time; and reads. Out: entries, pages, watch frames. Reading
//! order: `entry`, `store`, `publication`, `watch_cache`, `broadcaster`, `waiters`, `view`, `selection`, `list`, `watch`. Around them:
//! `selectable_fields` (what field selectors compare), `requested_version` (which version a read asks for), `event_ttl` (Events
//! expire), `alarm` (a wait for a moment that is kept).
//! It does not know what is valid, who may do what, or HTTP.

mod alarm;
pub(crate) mod broadcaster;
pub(crate) mod entry;
pub(crate) mod event_ttl;
pub(crate) mod list;
mod publication;
pub(crate) mod requested_version;
pub(crate) mod selectable_fields;
pub(crate) mod selection;
pub(crate) mod store;
pub(crate) mod view;
pub(crate) mod waiters;
pub(crate) mod watch;
pub(crate) mod watch_cache;
