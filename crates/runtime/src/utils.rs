//! Streams of watch events, turned into what is needed of them: one re-export file with kube's names.

mod cancelable_join_handle;
mod event_modify;
mod predicate;
mod reset_timer_backoff;
mod stream_backoff;
mod watch_ext;

pub use crate::reflector::reflect::Reflect;
pub use crate::watcher::backoff::Backoff;
pub use cancelable_join_handle::CancelableJoinHandle;
pub use event_modify::EventModify;
pub use predicate::{Combine, Config as PredicateConfig, Fallback, Predicate, PredicateFilter, predicates};
pub use reset_timer_backoff::ResetTimerBackoff;
pub use stream_backoff::StreamBackoff;
pub use watch_ext::{EventDecode, WatchStreamExt};
