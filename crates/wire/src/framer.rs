//! Cuts a watch into its events while it arrives, and says what each one is.
//!
//! ```text
//!   chunks ══► Framer ─┬─ json:      {"type":"ADDED","object":│object│}\n …
//!                      └─ protobuf:  length ( type │envelope( kind │object│ )│ ) …
//! ```
//! In: the body of a watch in chunks of any size. Out: each event, its object still bytes. A watch that stops inside an
//! event was cut; that is not an error, the event will come again. Something that is not a watch event is one.

mod json;
mod protobuf;

use serde::Deserialize;

use crate::body::{Body, MediaType};
use crate::{Limits, ProtobufError};
use json::JsonFramer;
use protobuf::ProtobufFramer;

pub use protobuf::frame as protobuf_frame;

/// Cuts one watch.
#[derive(Debug)]
pub struct Framer(Form);

#[derive(Debug)]
enum Form {
    Json(JsonFramer),
    Protobuf(ProtobufFramer),
}

/// How a watch ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum End {
    /// Behind an event.
    Clean,
    /// Inside an event, which is lost.
    Cut,
}

/// One event, not yet decoded.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// What happened.
    pub kind: FrameKind,
    /// To which object, or where the watch stands, or what went wrong.
    pub object: Body<'a>,
}

/// What happened.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "UPPERCASE")]
pub enum FrameKind {
    /// An object came to be, or began to match.
    Added,
    /// It changed.
    Modified,
    /// It went, or ceased to match.
    Deleted,
    /// Nothing happened up to a version.
    Bookmark,
    /// The watch failed.
    Error,
}

/// Why bytes are not a watch event.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// They have another shape.
    #[error("the watch sent something that is not a watch event (at column {column})")]
    Malformed {
        /// Where in the event it went wrong.
        column: usize,
    },
    /// They are not protobuf, or of an unknown kind.
    #[error("the watch sent something that is not a watch event ({0})")]
    Protobuf(ProtobufError),
    /// They are more than allowed.
    #[error("a watch event is larger than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// They are nested more deeply than allowed.
    #[error("a watch event is nested deeper than {limit} levels")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
}

impl Default for Framer {
    fn default() -> Self {
        Self::new(MediaType::Json, Limits::default())
    }
}

impl Framer {
    /// A framer at the start of a watch.
    pub fn new(media_type: MediaType, limits: Limits) -> Self {
        Self(match media_type {
            MediaType::Json => Form::Json(JsonFramer::new(limits)),
            MediaType::Protobuf => Form::Protobuf(ProtobufFramer::new(limits)),
        })
    }

    /// Takes the next chunk and gives every event that it completes to `on_frame`.
    ///
    /// # Errors
    /// When something is not a watch event or beyond the limits, and whatever `on_frame` fails with.
    pub fn push<E: From<FrameError>>(
        &mut self,
        chunk: &[u8],
        on_frame: &mut impl FnMut(Frame<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        match &mut self.0 {
            Form::Json(framer) => framer.push(chunk, &mut |event| on_frame(json::parse(event)?)),
            Form::Protobuf(framer) => framer.push(chunk, &mut |event: &[u8]| on_frame(protobuf::parse(event)?)),
        }
    }

    /// How the watch ended, if it ends now.
    pub fn finish(&self) -> End {
        match &self.0 {
            Form::Json(framer) => framer.finish(),
            Form::Protobuf(framer) => framer.finish(),
        }
    }
}
