//! Cuts a list that is protobuf: an envelope that says its kind and holds one message, in which the list's metadata and
//! its objects are fields, each behind its length.

use pintle_core::ListMeta;

use super::CutError;
use crate::Limits;
use crate::body::Body;
use crate::facts::{Field, Holds, Type};
use crate::protobuf::envelope::{Envelope, MAGIC, RAW, TYPE_META};
use crate::protobuf::read::{Head, Wire, take_head};
use crate::protobuf::{self, ProtobufError};

/// Cuts one list.
#[derive(Debug)]
pub(super) struct ProtobufCutter {
    limits: Limits,
    place: Place,
    /// What has come of a field, if a chunk border split it.
    carry: Vec<u8>,
    /// The type of the list, once the envelope has said it.
    list: Option<List>,
    metadata: Option<ListMeta>,
    items: usize,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Place {
    /// What every envelope begins with.
    Magic,
    /// A field of the envelope.
    Envelope,
    /// A field of the list, of which so many bytes are to come.
    List(usize),
    /// A field of the envelope behind the list, or the end.
    Behind,
}

#[derive(Clone, Copy, Debug)]
struct List {
    items: &'static Field,
    metadata: &'static Field,
}

impl List {
    fn of(kind: &'static Type) -> Option<Self> {
        let (items, metadata) = (kind.field("items")?, kind.field("metadata")?);
        (items.holds() == Holds::List && items.kind().has_protobuf()).then_some(Self { items, metadata })
    }
}

impl ProtobufCutter {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, place: Place::Magic, carry: Vec::new(), list: None, metadata: None, items: 0 }
    }

    pub(super) fn items(&self) -> usize {
        self.items
    }

    /// Takes the next chunk and gives every object that it completes to `on_item`.
    pub(super) fn push<E: From<CutError>>(
        &mut self,
        chunk: &[u8],
        on_item: &mut impl FnMut(Body<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = chunk;
        while !rest.is_empty() {
            rest = if self.carry.is_empty() {
                match self.needed(rest)? {
                    needed if needed <= rest.len() => {
                        let (piece, after) = rest.split_at(needed);
                        self.take(piece, on_item)?;
                        after
                    }
                    _ => self.carry_up_to(rest.len(), rest),
                }
            } else {
                self.complete_carried(rest, on_item)?
            };
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<ListMeta, CutError> {
        if self.place != Place::Behind || !self.carry.is_empty() {
            return Err(CutError::Incomplete { items: self.items });
        }
        Ok(self.metadata.unwrap_or_default())
    }

    /// Adds to the carry what its piece still needs, and takes the piece if that is all.
    fn complete_carried<'a, E: From<CutError>>(
        &mut self,
        rest: &'a [u8],
        on_item: &mut impl FnMut(Body<'_>) -> Result<(), E>,
    ) -> Result<&'a [u8], E> {
        let needed = self.needed(&self.carry)?;
        let rest = self.carry_up_to(needed, rest);
        if self.carry.len() < needed || self.needed(&self.carry)? > self.carry.len() {
            return Ok(rest);
        }
        let mut piece = std::mem::take(&mut self.carry);
        self.take(&piece, on_item)?;
        piece.clear();
        self.carry = piece;
        Ok(rest)
    }

    /// Moves bytes of `chunk` into the carry until it holds `length`; what is left of them.
    fn carry_up_to<'a>(&mut self, length: usize, chunk: &'a [u8]) -> &'a [u8] {
        let (taken, rest) = chunk.split_at(length.saturating_sub(self.carry.len()).min(chunk.len()));
        self.carry.extend_from_slice(taken);
        rest
    }

    /// How many bytes the piece has that `bytes` begin with; one more than there are if that is not known yet.
    fn needed(&self, bytes: &[u8]) -> Result<usize, CutError> {
        if self.place == Place::Magic {
            return Ok(MAGIC.len());
        }
        let Some(head) = take_head(bytes).map_err(|why| self.malformed(why))? else {
            return Ok(bytes.len() + 1);
        };
        if self.is_list(head) {
            return Ok(head.bytes);
        }
        if head.content > self.limits.object_bytes {
            return Err(CutError::TooLarge { items: self.items, limit: self.limits.object_bytes });
        }
        Ok(head.bytes + head.content)
    }

    /// Whether it is the envelope's field that holds the list, which is gone into.
    fn is_list(&self, head: Head) -> bool {
        self.place == Place::Envelope && head.number == RAW
    }

    /// Takes one complete piece.
    fn take<E: From<CutError>>(
        &mut self,
        piece: &[u8],
        on_item: &mut impl FnMut(Body<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.place == Place::Magic {
            return Ok(self.take_magic(piece)?);
        }
        let Some(head) = take_head(piece).map_err(|why| self.malformed(why))? else {
            return Err(self.expected("a field").into());
        };
        let content = &piece[head.bytes..];
        match self.place {
            Place::Envelope if head.number == RAW => self.enter(head.content)?,
            Place::Envelope | Place::Behind | Place::Magic => self.take_of_envelope(head, content)?,
            Place::List(left) => {
                let Some(left) = left.checked_sub(piece.len()) else {
                    return Err(self.expected("fields that end with the list").into());
                };
                self.take_of_list(head, content, on_item)?;
                self.go_on(left);
            }
        }
        Ok(())
    }

    fn take_magic(&mut self, piece: &[u8]) -> Result<(), CutError> {
        if piece != MAGIC {
            return Err(self.expected("what Kubernetes' protobuf begins with"));
        }
        self.place = Place::Envelope;
        Ok(())
    }

    fn take_of_envelope(&mut self, head: Head, content: &[u8]) -> Result<(), CutError> {
        if head.number == TYPE_META {
            let mut envelope = Envelope::default();
            let kind = envelope.read_type_meta(Wire::Bytes(content)).and_then(|()| envelope.type_of());
            let kind = kind.map_err(|why| self.malformed(why))?;
            self.list = Some(List::of(kind).ok_or_else(|| self.expected("a list"))?);
        }
        Ok(())
    }

    fn enter(&mut self, bytes: usize) -> Result<(), CutError> {
        if self.list.is_none() {
            return Err(self.expected("the list's kind before the list"));
        }
        self.go_on(bytes);
        Ok(())
    }

    fn go_on(&mut self, left: usize) {
        self.place = if left == 0 { Place::Behind } else { Place::List(left) };
    }

    fn take_of_list<E: From<CutError>>(
        &mut self,
        head: Head,
        content: &[u8],
        on_item: &mut impl FnMut(Body<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(List { items, metadata }) = self.list else { return Ok(()) };
        if !head.is_bytes {
            return Ok(());
        }
        if head.number == u32::from(items.number()) {
            on_item(Body::protobuf(items.kind(), content))?;
            self.items += 1;
        } else if head.number == u32::from(metadata.number()) {
            let read = protobuf::decode_message(metadata.kind(), content);
            self.metadata = Some(read.map_err(|why| self.malformed(why))?);
        }
        Ok(())
    }

    fn expected(&self, expected: &'static str) -> CutError {
        CutError::Malformed { expected, items: self.items }
    }

    fn malformed(&self, why: ProtobufError) -> CutError {
        CutError::Protobuf { items: self.items, why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts;

    fn list() -> Vec<u8> {
        let long = "x".repeat(300);
        let json = format!(
            r#"{{"apiVersion":"v1","kind":"ConfigMapList","metadata":{{"resourceVersion":"7"}},"items":[
               {{"metadata":{{"name":"a"}}}},{{"metadata":{{"name":"b"}},"data":{{"k":"{long}"}}}},{{"metadata":{{"name":"c"}}}}]}}"#
        );
        protobuf::from_json(json.as_bytes()).unwrap()
    }

    fn cut(chunks: &[&[u8]], limits: Limits) -> Result<(Vec<String>, ListMeta), CutError> {
        let mut names = Vec::new();
        let mut cutter = ProtobufCutter::new(limits);
        for chunk in chunks {
            cutter.push(chunk, &mut |item: Body<'_>| {
                let object: serde_json::Value = item.decode().unwrap();
                names.push(object["metadata"]["name"].as_str().unwrap().to_owned());
                Ok::<_, CutError>(())
            })?;
        }
        Ok((names, cutter.finish()?))
    }

    #[test]
    fn every_split_point_gives_the_same_objects() {
        let body = list();
        let splits = (0..=body.len()).map(|at| vec![&body[..at], &body[at..]]);
        let small = [1, 2, 3, 7, 64].map(|size| body.chunks(size).collect::<Vec<_>>());
        for chunks in splits.chain(small) {
            let (names, metadata) = cut(&chunks, Limits::default()).unwrap();
            assert_eq!((names.concat().as_str(), metadata.resource_version.as_deref()), ("abc", Some("7")));
        }
    }

    #[test]
    fn every_prefix_that_lacks_something_of_the_list_is_incomplete() {
        let body = list();
        // The two empty fields behind the list say nothing.
        for end in 0..body.len() - 4 {
            let error = cut(&[&body[..end]], Limits::default()).unwrap_err();
            assert!(matches!(error, CutError::Incomplete { .. }), "{end}: {error}");
        }
    }

    #[test]
    fn an_empty_list_is_a_list() {
        let body = protobuf::from_json(br#"{"apiVersion":"v1","kind":"PodList","items":null}"#).unwrap();
        assert_eq!(cut(&[&body], Limits::default()).unwrap().0, [""; 0]);
        let nothing = Envelope { api_version: "v1", kind: "PodList", raw: b"" }.seal();
        assert_eq!(cut(&[&nothing], Limits::default()).unwrap().0, [""; 0]);
    }

    #[test]
    fn nonsense_is_named() {
        let pod = protobuf::from_json(br#"{"apiVersion":"v1","kind":"Pod"}"#).unwrap();
        let custom = Envelope { api_version: "example.com/v1", kind: "WidgetList", raw: b"" }.seal();
        for (body, said) in [
            (&b"{\"kind\":\"PodList\"}"[..], "what Kubernetes' protobuf begins with"),
            (&pod, "expected a list"),
            (&custom, "\"WidgetList\" of \"example.com/v1\" has no protobuf form"),
            (b"k8s\0\x12\x02\x0a\x00", "kind before the list"),
            (b"k8s\0\x0b", "unknown wire type"),
            (b"k8s\0\x0a\x0d\x0a\x02v1\x12\x07PodList\x12\x03\x12\x05\x0a\x00\x00\x00\x00", "end with the list"),
        ] {
            let error = cut(&[body], Limits::default()).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn an_object_beyond_the_limit_is_refused_by_its_length_alone() {
        let error = cut(&[&list()[..90]], Limits { object_bytes: 100, depth: 9 }).unwrap_err();
        assert_eq!(error.to_string(), "item 1 of the list is larger than 100 bytes");
    }

    #[test]
    fn every_list_of_the_tables_can_be_cut() {
        let lists =
            facts::kinds().filter(|(_, _, kind, found)| kind.ends_with("List") && found.field("items").is_some());
        let uncut: Vec<_> = lists.filter(|(.., kind)| List::of(kind).is_none()).map(|(_, _, name, _)| name).collect();
        assert!(uncut.is_empty(), "{uncut:?}");
    }
}
