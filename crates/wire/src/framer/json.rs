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

/// One event, complete.
#[derive(Clone, Copy)]
pub(super) struct Event<'a> {
    json: &'a [u8],
    /// How many objects and arrays stand directly in it.
    nested: usize,
}

impl JsonFramer {
    /// A framer at the start of a watch.
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, scanner: Scanner::new(limits), carry: Vec::new() }
    }

    /// Takes the next chunk and gives every event that it completes to `on_event`.
    pub(super) fn push<E: From<FrameError>>(
        &mut self,
        chunk: &[u8],
        on_event: &mut impl FnMut(Event<'_>) -> Result<(), E>,
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
            let nested = self.scanner.nested();
            if self.carry.is_empty() {
                on_event(Event { json: &rest[..end], nested })?;
            } else {
                self.carry.extend_from_slice(&rest[..end]);
                on_event(Event { json: &self.carry, nested })?;
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
pub(super) fn parse(event: Event<'_>) -> Result<Frame<'_>, FrameError> {
    parse_usual(event).map_or_else(|| parse_any(event.json), Ok)
}

/// An event as servers print it. Its end was found with its last bracket; the one before ends the object, if there is no
/// other beside it, so the object need not be followed once more.
fn parse_usual(Event { json, nested }: Event<'_>) -> Option<Frame<'_>> {
    let (kind, rest) = KINDS.iter().find_map(|(start, kind)| Some((*kind, json.strip_prefix(*start)?)))?;
    let object = rest.strip_prefix(br#"","object":"#)?.strip_suffix(b"}")?;
    let is_object = nested == 1 && object.first() == Some(&b'{') && object.last() == Some(&b'}');
    is_object.then(|| Frame { kind, object: Body::json(object) })
}

/// How an event of each kind begins; those that come most often first.
const KINDS: [(&[u8], FrameKind); 3] = [
    (br#"{"type":"MODIFIED"#, FrameKind::Modified),
    (br#"{"type":"ADDED"#, FrameKind::Added),
    (br#"{"type":"DELETED"#, FrameKind::Deleted),
];

fn parse_any(event: &[u8]) -> Result<Frame<'_>, FrameError> {
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
                .push(chunk, &mut |event: Event<'_>| {
                    frames.push(String::from_utf8(event.json.to_vec()).unwrap());
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

    /// What the first event of a watch is about.
    fn parsed(event: &str) -> Result<(FrameKind, String), FrameError> {
        let mut found = None;
        JsonFramer::new(Limits::default()).push(event.as_bytes(), &mut |event: Event<'_>| {
            let frame = parse(event)?;
            found = Some((frame.kind, String::from_utf8(frame.object.bytes().to_vec()).unwrap()));
            Ok::<_, FrameError>(())
        })?;
        Ok(found.expect("an event"))
    }

    #[test]
    fn a_frame_knows_what_happened_to_which_bytes_however_it_is_printed() {
        for (event, kind, object) in [
            (r#"{"type":"MODIFIED","object":{"a":{"b":[]}}}"#, FrameKind::Modified, r#"{"a":{"b":[]}}"#),
            (r#"{"type":"ADDED","object":{}}"#, FrameKind::Added, "{}"),
            (r#"{"type":"DELETED","object":{"a":"}"}}"#, FrameKind::Deleted, r#"{"a":"}"}"#),
            (r#"{"type":"BOOKMARK","object":{"a":1}}"#, FrameKind::Bookmark, r#"{"a":1}"#),
            (r#"{"type":"ERROR","object":{"a":1}}"#, FrameKind::Error, r#"{"a":1}"#),
            (r#"{"object": {"a": 1} , "type":"MODIFIED"}"#, FrameKind::Modified, r#"{"a": 1}"#),
            (r#"{"type":"ADDED","object":{"a":1} }"#, FrameKind::Added, r#"{"a":1}"#),
            (r#"{"type":"ADDED","object":{"a":1},"more":{}}"#, FrameKind::Added, r#"{"a":1}"#),
            (r#"{"type":"ADDED","object":{"a":1},"more":"{}"}"#, FrameKind::Added, r#"{"a":1}"#),
            (r#"{"type":"ADDED","object":7,"more":{}}"#, FrameKind::Added, "7"),
            (r#"{"type":"ADDED","more":{},"object":{"a":1}}"#, FrameKind::Added, r#"{"a":1}"#),
        ] {
            assert_eq!(parsed(event).unwrap(), (kind, object.to_owned()), "{event}");
        }
    }

    #[test]
    fn a_frame_that_is_not_an_event_is_an_error_without_its_content() {
        for wrong in [
            r#"{"type":"SECRET","object":{}}"#,
            r#"{"type":"ADDED"}"#,
            r#"{"type":"ADDED","object":}"#,
            "[]",
            "hunter2 ",
        ] {
            let error = parsed(wrong).unwrap_err().to_string();
            assert!(!error.contains("SECRET") && !error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn limits_are_reached_with_their_names() {
        let ignore = &mut |_: Event<'_>| Ok::<_, FrameError>(());
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
