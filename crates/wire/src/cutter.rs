//! Cuts a list into its objects while it arrives.
//!
//! ```text
//!   chunks ══► Cutter ─┬─ json:      { "items": [ │object│, │object│ ], "metadata": … }
//!                      └─ protobuf:  k8s\0 kind ( metadata │object│ │object│ )
//! ```
//! In: the body of a LIST in chunks of any size. Out: each object as the bytes it is made of, and at the end the list's
//! own metadata, wherever in the body that stood. Only an object that a chunk border splits is copied here; the list is
//! never held as a whole.

mod json;
mod protobuf;

use pintle_core::ListMeta;

use crate::body::{Body, MediaType};
use crate::{Limits, ProtobufError};
use json::JsonCutter;
use protobuf::ProtobufCutter;

/// Cuts one list.
#[derive(Debug)]
pub struct Cutter(Form);

#[derive(Debug)]
enum Form {
    Json(JsonCutter),
    Protobuf(ProtobufCutter),
}

/// Why a body is not a list.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CutError {
    /// It has another shape.
    #[error("the list body is malformed behind item {items}: expected {expected}")]
    Malformed {
        /// What should have stood there.
        expected: &'static str,
        /// How many items came before.
        items: usize,
    },
    /// It ended too soon.
    #[error("the list body ended within or behind item {items}")]
    Incomplete {
        /// How many items came before.
        items: usize,
    },
    /// One object is larger than allowed.
    #[error("item {items} of the list is larger than {limit} bytes")]
    TooLarge {
        /// How many items came before.
        items: usize,
        /// The limit.
        limit: usize,
    },
    /// One object is nested more deeply than allowed.
    #[error("item {items} of the list is nested deeper than {limit} levels")]
    TooDeep {
        /// How many items came before.
        items: usize,
        /// The limit.
        limit: usize,
    },
    /// The list's metadata is not what it should be.
    #[error("the metadata of the list is malformed")]
    Metadata(#[source] serde_json::Error),
    /// It is not protobuf, or of an unknown kind.
    #[error("the list body is malformed behind item {items}: {why}")]
    Protobuf {
        /// How many items came before.
        items: usize,
        /// What is wrong.
        why: ProtobufError,
    },
}

impl Default for Cutter {
    fn default() -> Self {
        Self::new(MediaType::Json, Limits::default())
    }
}

impl Cutter {
    /// A cutter at the start of a list.
    pub fn new(media_type: MediaType, limits: Limits) -> Self {
        Self(match media_type {
            MediaType::Json => Form::Json(JsonCutter::new(limits)),
            MediaType::Protobuf => Form::Protobuf(ProtobufCutter::new(limits)),
        })
    }

    /// How many items have been cut.
    pub fn items(&self) -> usize {
        match &self.0 {
            Form::Json(cutter) => cutter.items(),
            Form::Protobuf(cutter) => cutter.items(),
        }
    }

    /// Takes the next chunk and gives every object that it completes to `on_item`.
    ///
    /// # Errors
    /// When the body is not a list, when something in it is beyond the limits, and whatever `on_item` fails with.
    pub fn push<E: From<CutError>>(
        &mut self,
        chunk: &[u8],
        on_item: &mut impl FnMut(Body<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        match &mut self.0 {
            Form::Json(cutter) => cutter.push(chunk, &mut |item: &[u8]| on_item(Body::json(item))),
            Form::Protobuf(cutter) => cutter.push(chunk, on_item),
        }
    }

    /// Ends the list.
    ///
    /// # Errors
    /// When it is not complete.
    pub fn finish(self) -> Result<ListMeta, CutError> {
        match self.0 {
            Form::Json(cutter) => cutter.finish(),
            Form::Protobuf(cutter) => cutter.finish(),
        }
    }
}
