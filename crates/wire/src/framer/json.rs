//! Cuts a watch that is JSON. Events may be separated by newlines, by nothing or by any white space.

use super::{End, Frame, FrameError, FrameKind};
use crate::Limits;
use crate::body::Body;
use crate::scan::{Fields, Malformed, Scanned, Scanner, TooDeep};

/// Cuts one watch.
#[derive(Debug)]
pub(super) struct JsonFramer {
    limits: Limits,
    scanner: Scanner,
    carry: Vec<u8>,
}

impl JsonFramer {
    /// A framer at the start of a watch.
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, scanner: Scanner::new(limits), carry: Vec::new() }
    }

    /// Takes the next chunk and gives every event that it completes to `on_frame`.
    pub(super) fn push<E: From<FrameError>>(
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
            // No further than the limit, so that which limit is reported does not depend on how the body is cut.
            let within = &rest[..rest.len().min(self.limits.object_bytes.saturating_sub(self.carry.len()))];
            let scanned =
                self.scanner.scan(within).map_err(|TooDeep| FrameError::TooDeep { limit: self.limits.depth })?;
            let end = match scanned {
                Scanned::Complete(end) => end,
                Scanned::Partial if within.len() < rest.len() => {
                    return Err(FrameError::TooLarge { limit: self.limits.object_bytes }.into());
                }
                Scanned::Partial => {
                    self.carry.extend_from_slice(rest);
                    return Ok(());
                }
            };
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
    pub(super) fn finish(&self) -> End {
        if self.carry.is_empty() { End::Clean } else { End::Cut }
    }
}

/// Reads what one event is about, without a look into its object.
pub(super) fn parse(event: &[u8]) -> Result<Frame<'_>, FrameError> {
    let malformed = |Malformed { at }| FrameError::Malformed { column: at + 1 };
    let (mut kind, mut object) = (None, None);
    let mut fields = Fields::of(event).map_err(malformed)?;
    while let Some(field) = fields.next_field().map_err(malformed)? {
        match &*field.name {
            b"type" => kind = Some(field.decode().map_err(malformed)?),
            b"object" => object = Some(field.value),
            _ => {}
        }
    }
    match (kind, object) {
        (Some(kind), Some(object)) => Ok(Frame { kind, object: Body::json(object) }),
        _ => Err(malformed(Malformed { at: event.len() })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(chunks: &[&[u8]]) -> (Vec<String>, End) {
        let mut framer = JsonFramer::new(Limits::default());
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
        let frame = parse(br#"{"object": {"a": 1} , "type":"MODIFIED"}"#).unwrap();
        assert_eq!((frame.kind, frame.object.bytes()), (FrameKind::Modified, &br#"{"a": 1}"#[..]));
    }

    #[test]
    fn a_frame_that_is_not_an_event_is_an_error_without_its_content() {
        for wrong in [r#"{"type":"SECRET","object":{}}"#, r#"{"type":"ADDED"}"#, "[]", "hunter2"] {
            let error = parse(wrong.as_bytes()).unwrap_err().to_string();
            assert!(!error.contains("SECRET") && !error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn limits_are_reached_with_their_names() {
        let ignore = &mut |_: &[u8]| Ok::<_, FrameError>(());
        let mut small = JsonFramer::new(Limits { object_bytes: 8, depth: 3 });
        assert_eq!(
            small.push(b"{\"a\":\"0123", ignore).unwrap_err().to_string(),
            "a watch event is larger than 8 bytes"
        );
        let mut shallow = JsonFramer::new(Limits { object_bytes: 99, depth: 3 });
        let error = shallow.push(b"[[[[", ignore).unwrap_err().to_string();
        assert_eq!(error, "a watch event is nested deeper than 3 levels");
    }
}
