//! Streams of watch events, turned into what is needed of them: one re-export file with kube's names.

mod stream_backoff;
mod watch_ext;

pub use crate::reflector::reflect::ReflectPacked;
pub use crate::watcher::backoff::Backoff;
pub use stream_backoff::StreamBackoff;
pub use watch_ext::{EventDecode, Reflect, WatchStreamExt};
