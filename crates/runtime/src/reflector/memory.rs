//! How much memory the objects of stores take: a budget of what may stay decoded, and compression beyond it.
//!
//! ```text
//!   Entry, WatchedObject ──► CompressibleObject ──► DecodedBudget ── exceeded ──► CompressibleBody ──► CompressQueue ──► Dictionary
//!                                                     └─ what is read often stays decoded ──► HotObjects ◄── DecodePressure
//! ```

pub(crate) mod budget;
pub(crate) mod compress_queue;
pub(crate) mod compressible_body;
pub(crate) mod compressible_object;
mod decode_pressure;
pub(crate) mod dictionary;
pub(crate) mod hot_objects;
mod process_memory;
pub(crate) mod storage;
