//! Cuts a watch into its events while it arrives, and says what each one is.
//!
//! In: the body of a watch in chunks of any size. Out: each event as the bytes it is made of. Events may be separated
//! by newlines, by nothing or by any white space. A watch that stops inside an event was cut; that is no error, the
//! event will come again.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::Limits;
use crate::scan::{Scanned, Scanner, TooDeep};

/// Cuts one watch.
#[derive(Debug)]
pub struct Framer {
    limits: Limits,
    scanner: Scanner,
    carry: Vec<u8>,
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
    pub object: &'a [u8],
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

/// Why bytes are no watch event.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// They have another shape.
    #[error("the watch sent something that is no watch event (at column {column})")]
    Malformed {
        /// Where in the event it went wrong.
        column: usize,
    },
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
        Self::new(Limits::default())
    }
}

impl Framer {
    /// A framer at the start of a watch.
    pub fn new(limits: Limits) -> Self {
        Self { limits, scanner: Scanner::new(limits), carry: Vec::new() }
    }

    /// Takes the next chunk and gives every event that it completes to `on_frame`.
    pub fn push<E: From<FrameError>>(
        &mut self,
        chunk: &[u8],
        on_frame: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = chunk;
        loop {
            if self.carry.is_empty() {
                rest = rest.trim_ascii_start();
            }
            if rest.is_empty() {
                return Ok(());
            }
            let scanned =
                self.scanner.scan(rest).map_err(|TooDeep| FrameError::TooDeep { limit: self.limits.depth })?;
            let end = match scanned {
                Scanned::Complete(end) => end,
                Scanned::Partial => rest.len(),
            };
            if self.carry.len() + end > self.limits.object_bytes {
                return Err(FrameError::TooLarge { limit: self.limits.object_bytes }.into());
            }
            if scanned == Scanned::Partial {
                self.carry.extend_from_slice(rest);
                return Ok(());
            }
            if self.carry.is_empty() {
                on_frame(&rest[..end])?;
            } else {
                self.carry.extend_from_slice(&rest[..end]);
                on_frame(&self.carry)?;
                self.carry.clear();
            }
            rest = &rest[end..];
        }
    }

    /// How the watch ended, if it ends now.
    pub fn finish(&self) -> End {
        if self.carry.is_empty() { End::Clean } else { End::Cut }
    }
}

impl<'a> Frame<'a> {
    /// Reads what one event is about, without decoding its object.
    pub fn parse(event: &'a [u8]) -> Result<Self, FrameError> {
        #[derive(Deserialize)]
        struct Event<'a> {
            r#type: FrameKind,
            #[serde(borrow)]
            object: &'a RawValue,
        }
        let event: Event<'a> =
            serde_json::from_slice(event).map_err(|error| FrameError::Malformed { column: error.column() })?;
        Ok(Self { kind: event.r#type, object: event.object.get().as_bytes() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(chunks: &[&[u8]]) -> (Vec<String>, End) {
        let mut framer = Framer::default();
        let mut frames = Vec::new();
        for chunk in chunks {
            framer
                .push(chunk, &mut |frame: &[u8]| {
                    frames.push(String::from_utf8(frame.to_vec()).unwrap());
                    Ok::<_, FrameError>(())
                })
                .unwrap();
        }
        (frames, framer.finish())
    }

    #[test]
    fn every_split_point_gives_the_same_events() {
        let events = [r#"{"type":"ADDED","object":{"a":"}\n{"}}"#, r#"{"type":"DELETED","object":{}}"#];
        for separator in ["\n", "", "\r\n\n "] {
            let body = events.join(separator) + separator;
            let bytes = body.as_bytes();
            for at in 0..=bytes.len() {
                assert_eq!(frames(&[&bytes[..at], &bytes[at..]]), (events.map(String::from).to_vec(), End::Clean));
            }
            assert_eq!(frames(&bytes.chunks(1).collect::<Vec<_>>()).0, events);
        }
    }

    #[test]
    fn a_watch_that_stops_inside_an_event_was_cut() {
        let event = r#"{"type":"ADDED","object":{}}"#;
        for at in 1..event.len() {
            assert_eq!(frames(&[event.as_bytes(), &event.as_bytes()[..at]]), (vec![event.into()], End::Cut));
        }
    }

    #[test]
    fn a_frame_knows_what_happened_to_which_bytes() {
        let frame = Frame::parse(br#"{"object": {"a": 1} , "type":"MODIFIED"}"#).unwrap();
        assert_eq!((frame.kind, frame.object), (FrameKind::Modified, &br#"{"a": 1}"#[..]));
    }

    #[test]
    fn what_is_no_event_is_an_error_without_its_content() {
        for wrong in [r#"{"type":"SECRET","object":{}}"#, r#"{"type":"ADDED"}"#, "[]", "hunter2"] {
            let error = Frame::parse(wrong.as_bytes()).unwrap_err().to_string();
            assert!(!error.contains("SECRET") && !error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn limits_are_reached_with_their_names() {
        let ignore = &mut |_: &[u8]| Ok::<_, FrameError>(());
        let mut small = Framer::new(Limits { object_bytes: 8, depth: 3 });
        assert_eq!(
            small.push(b"{\"a\":\"0123", ignore).unwrap_err().to_string(),
            "a watch event is larger than 8 bytes"
        );
        let mut shallow = Framer::new(Limits { object_bytes: 99, depth: 3 });
        let error = shallow.push(b"[[[[", ignore).unwrap_err().to_string();
        assert_eq!(error, "a watch event is nested deeper than 3 levels");
    }
}
