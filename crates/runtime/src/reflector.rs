//! A store of what exists, kept by a watch.
//!
//! ```text
//!   Event ──► Writer ──► Shelf ──► Change        one writer
//!                          ▲          └──► ReflectHandle, Changes    many listeners
//!                        Store ──► Arc<K>        many readers
//! ```
//!
//! Readers see the old state until a new list is complete, then the new one at once: a relist never shows an empty
//! moment. Objects lie in the store as they came, packed, and are decoded when they are read.
//!
//! Reading order: `shelf` (pure), `entry`, `writer`, `shared_cache`, `store`; then `subscribers` and `memory`.

mod by_name;
mod consistency;
pub(crate) mod early_reads;
pub(crate) mod entry;
mod index;
pub(crate) mod memory;
mod query;
pub(crate) mod reflect;
mod shared_cache;
pub(crate) mod shelf;
pub mod store;
mod subscribers;
mod usage;
mod writer;

use futures::stream::Stream;
use std::hash::Hash;

pub use consistency::Inconsistency;
pub use entry::Entry;
pub use index::{IndexExists, NoSuchIndex};
pub use memory::budget::{DecodedBudget, set_decoded_budget};
pub use pintle_core::reference::{Extra as ObjectRefExtra, Lookup, ObjectRef};
pub use query::Query;
pub use shelf::Key;
pub use store::{Store, Undecodable, Writer, WriterDropped, store, store_shared, store_with};
pub use subscribers::handler::{Handler, Registration};
pub(crate) use subscribers::mailbox;
pub use subscribers::subscribe::{Changes, Notice, ReflectHandle};
pub use usage::StoreUsage;

use crate::watcher;

/// Keeps `writer`'s store at what `stream` yields and passes everything on.
///
/// Where `stream` is a [`watcher`](crate::watcher()), the store holds what came, packed, and decodes an object when it is
/// read, `metadata.managedFields` included; `watcher(…).reflect(writer)` leaves those out. Of any other stream, the store holds
/// a copy of each decoded object, which takes about ten times as much.
pub fn reflector<K, W>(writer: Writer<K>, stream: W) -> impl Stream<Item = W::Item>
where
    K: Lookup + Clone,
    K::DynamicType: Eq + Hash + Clone,
    W: Stream<Item = watcher::Result<watcher::Event<K>>>,
{
    reflect::Reflect::new(stream, writer.with_managed_fields())
}
