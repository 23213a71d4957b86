//! apiserver.
