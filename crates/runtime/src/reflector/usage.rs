//! How much a store holds, for metrics.

use pintle_core::reference::Lookup;

use super::store::Store;

/// How much a store holds; from [`Store::usage`]. Decodes and copies nothing.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct StoreUsage {
    /// How many objects there are.
    pub objects: usize,
    /// The bytes of those that lie as they came.
    pub packed_bytes: usize,
    /// The bytes of those that are compressed.
    pub compressed_bytes: usize,
    /// How many objects are also kept decoded.
    pub decoded_objects: usize,
    /// What those take, by estimate: only objects that came packed count, of others the size is not known.
    pub decoded_bytes: usize,
}

impl<K: Lookup> Store<K> {
    /// How much it holds now. Looks at every object; for metrics that are scraped a few times a minute.
    pub fn usage(&self) -> StoreUsage {
        let mut usage = StoreUsage::default();
        self.for_each_entry(|entry| entry.count_into(&mut usage));
        usage
    }
}
