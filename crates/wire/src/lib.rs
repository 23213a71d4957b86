//! Bytes to objects and back, without I/O.
//!
//! ```text
//!   list body   ══chunks══► Cutter ──Body──┐
//!                                          ├──► HeadReader ──► Head ──► Packed<K> ──decode, when asked──► K
//!   watch body  ══chunks══► Framer ─Frame──┘
//! ```
//!
//! A list is cut into its objects as it arrives; no more than one object is ever held back as text. Of each object a
//! small [`Head`] is read once, enough to know which object it is, who owns it and what it is labelled. The rest stays
//! bytes in a [`Packed`] until it is decoded.
//!
//! Both roads take JSON and protobuf; the response's Content-Type says which.
//!
//! Reading order: [`body`], `scan` (where a JSON value ends), [`cutter`], [`framer`], [`head`], [`packed`], then
//! `json`, [`protobuf`] and `decoders`. Beside them [`facts`]: what Kubernetes' own types say about every field of every built-in kind.

pub mod body;
pub mod cutter;
mod decoders;
pub mod facts;
pub mod framer;
pub mod head;
mod json;
pub mod packed;
pub mod protobuf;
mod scan;

pub use body::{Body, BodyError, Encoding, MediaType};
pub use cutter::{CutError, Cutter};
pub use framer::{End, Frame, FrameError, FrameKind, Framer};
pub use head::{Head, HeadError, HeadReader, Owner};
pub use packed::{DecodeError, Packed};
pub use protobuf::ProtobufError;

/// How much of what is read is believed.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of one object.
    pub object_bytes: usize,
    /// Levels of nesting in one object.
    pub depth: usize,
}

impl Default for Limits {
    /// 16 MiB: ten times the largest object a server takes (1.5 MiB in etcd), so only nonsense is refused.
    /// 256 levels: twice what JSON decoders and API servers accept.
    fn default() -> Self {
        Self { object_bytes: 16 << 20, depth: 256 }
    }
}
