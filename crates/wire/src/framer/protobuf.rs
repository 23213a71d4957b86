//! Cuts a watch that is protobuf: four bytes of length, most significant first, and a message of the event's type and
//! its object, which stands in an envelope of its own.

use super::{End, Frame, FrameError, FrameKind};
use crate::body::Body;
use crate::protobuf::read::{Wire, last_of};
use crate::protobuf::write::{put_bytes, put_length_delimited};
use crate::{Limits, ProtobufError};

const LENGTH_BYTES: usize = 4;

/// Cuts one watch.
#[derive(Debug)]
pub(super) struct ProtobufFramer {
    limits: Limits,
    /// What has come of a length and its event, if a chunk border split them.
    carry: Vec<u8>,
}

impl ProtobufFramer {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, carry: Vec::new() }
    }

    /// Takes the next chunk and gives every event that it completes to `on_frame`.
    pub(super) fn push<E: From<FrameError>>(
        &mut self,
        chunk: &[u8],
        on_frame: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = self.complete_carried(chunk, on_frame)?;
        while let Some(length) = self.length(rest)? {
            let Some((event, after)) = rest[LENGTH_BYTES..].split_at_checked(length) else { break };
            on_frame(event)?;
            rest = after;
        }
        self.carry.extend_from_slice(rest);
        Ok(())
    }

    /// Completes the event that an earlier chunk began; what of `chunk` follows it.
    fn complete_carried<'a, E: From<FrameError>>(
        &mut self,
        chunk: &'a [u8],
        on_frame: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<&'a [u8], E> {
        if self.carry.is_empty() {
            return Ok(chunk);
        }
        let rest = self.carry_up_to(LENGTH_BYTES, chunk);
        let Some(length) = self.length(&self.carry)? else { return Ok(rest) };
        let rest = self.carry_up_to(LENGTH_BYTES + length, rest);
        if self.carry.len() == LENGTH_BYTES + length {
            on_frame(&self.carry[LENGTH_BYTES..])?;
            self.carry.clear();
        }
        Ok(rest)
    }

    /// Moves bytes of `chunk` into the carry until it holds `length`; what is left of them.
    fn carry_up_to<'a>(&mut self, length: usize, chunk: &'a [u8]) -> &'a [u8] {
        let (taken, rest) = chunk.split_at(length.saturating_sub(self.carry.len()).min(chunk.len()));
        self.carry.extend_from_slice(taken);
        rest
    }

    /// The length that `bytes` begin with, if it is complete.
    fn length(&self, bytes: &[u8]) -> Result<Option<usize>, FrameError> {
        let Some(length) = bytes.first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
        let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
        if length > self.limits.object_bytes {
            return Err(FrameError::TooLarge { limit: self.limits.object_bytes });
        }
        Ok(Some(length))
    }

    pub(super) fn finish(&self) -> End {
        if self.carry.is_empty() { End::Clean } else { End::Cut }
    }
}

/// Reads what one event is about, without decoding its object.
pub(super) fn parse(event: &[u8]) -> Result<Frame<'_>, FrameError> {
    let field =
        |message, number| -> Result<_, ProtobufError> { Ok(last_of(message, number)?.map_or(&[][..], Wire::bytes)) };
    let read = || -> Result<Frame<'_>, ProtobufError> {
        let kind = match field(event, 1)? {
            b"ADDED" => FrameKind::Added,
            b"MODIFIED" => FrameKind::Modified,
            b"DELETED" => FrameKind::Deleted,
            b"BOOKMARK" => FrameKind::Bookmark,
            b"ERROR" => FrameKind::Error,
            _ => return Err(ProtobufError::expected("a watch event's type")),
        };
        Ok(Frame { kind, object: Body::in_envelope(field(field(event, 2)?, 1)?)? })
    };
    read().map_err(FrameError::Protobuf)
}

/// The frame of one event, as a server sends it: `kind` is `ADDED` and so on, `object` stands in its envelope.
pub fn frame(kind: &str, object: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(object.len() + kind.len() + 32);
    frame.extend_from_slice(&[0; LENGTH_BYTES]);
    put_bytes(&mut frame, 1, kind.as_bytes());
    put_length_delimited(&mut frame, 2, |raw| put_bytes(raw, 1, object));
    let length = u32::try_from(frame.len() - LENGTH_BYTES).unwrap_or(u32::MAX);
    frame[..LENGTH_BYTES].copy_from_slice(&length.to_be_bytes());
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protobuf;

    fn watch() -> (Vec<u8>, Vec<String>) {
        let object = |name: &str| {
            let json = format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}"}}}}"#);
            protobuf::from_json(json.as_bytes()).unwrap()
        };
        let long = "n".repeat(300);
        let frames = [frame("ADDED", &object("a")), frame("MODIFIED", &object(&long)), frame("DELETED", &object("b"))];
        (frames.concat(), vec!["Added a".to_owned(), format!("Modified {long}"), "Deleted b".to_owned()])
    }

    fn events(chunks: &[&[u8]]) -> (Vec<String>, End) {
        let mut framer = ProtobufFramer::new(Limits::default());
        let mut events = Vec::new();
        for chunk in chunks {
            let mut on_frame = |event: &[u8]| {
                let frame = parse(event)?;
                let object: serde_json::Value = frame.object.decode().unwrap();
                events.push(format!("{:?} {}", frame.kind, object["metadata"]["name"].as_str().unwrap()));
                Ok::<_, FrameError>(())
            };
            framer.push(chunk, &mut on_frame).unwrap();
        }
        (events, framer.finish())
    }

    #[test]
    fn every_split_point_gives_the_same_events() {
        let (body, expected) = watch();
        for at in 0..=body.len() {
            assert_eq!(events(&[&body[..at], &body[at..]]), (expected.clone(), End::Clean), "split at {at}");
        }
        for size in [1, 2, 3, 7] {
            assert_eq!(events(&body.chunks(size).collect::<Vec<_>>()), (expected.clone(), End::Clean));
        }
    }

    #[test]
    fn a_watch_that_stops_inside_an_event_was_cut() {
        let (body, expected) = watch();
        let last = body.len() - frame("DELETED", &[]).len() - 1;
        for at in last..body.len() {
            assert_eq!(events(&[&body[..at]]), (expected[..2].to_vec(), End::Cut), "cut at {at}");
        }
    }

    #[test]
    fn a_frame_that_is_not_an_event_is_an_error_without_its_content() {
        let object = protobuf::from_json(br#"{"apiVersion":"v1","kind":"ConfigMap"}"#).unwrap();
        let custom = protobuf::Envelope { api_version: "example.com/v1", kind: "Widget", raw: b"" }.seal();
        for (wrong, said) in [
            (frame("hunter2", &object), "a watch event's type"),
            (frame("ADDED", b"{hunter2}"), "does not begin as"),
            (frame("ADDED", &custom), "no protobuf form"),
            ([0, 0, 0, 2, 0x0a, 9].to_vec(), "beyond the end"),
        ] {
            let error = parse(&wrong[4..]).unwrap_err().to_string();
            assert!(error.contains(said) && !error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn an_event_beyond_the_limit_is_refused_by_its_length_alone() {
        let mut small = ProtobufFramer::new(Limits { object_bytes: 8, depth: 3 });
        let error = small.push(&[0, 0, 0, 9], &mut |_: &[u8]| Ok::<_, FrameError>(())).unwrap_err();
        assert_eq!(error.to_string(), "a watch event is larger than 8 bytes");
    }
}
