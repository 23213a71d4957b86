//! pintle.
