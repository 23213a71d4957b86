//! Cuts a list that is JSON: each element of `items`, however the body is printed and wherever its metadata stands.

use pintle_core::ListMeta;

use super::CutError;
use crate::Limits;
use crate::scan::{Scanned, Scanner, TooDeep};

/// Cuts one list.
#[derive(Debug)]
pub(super) struct JsonCutter {
    limits: Limits,
    scanner: Scanner,
    place: Place,
    /// What has come of the value being read, if a chunk border split it.
    carry: Vec<u8>,
    metadata: Option<ListMeta>,
    items: usize,
}

/// What is expected next.
#[derive(Debug, Eq, PartialEq)]
enum Place {
    /// `{` of the list.
    Start,
    /// A key of the list, or its `}`.
    Key,
    /// `:` behind a key.
    Colon(Field),
    /// The value of a key.
    Value(Field),
    /// `,` behind a value, or the list's `}`.
    Comma,
    /// `[` of the items, or `null`.
    Items,
    /// `null` in place of items, so far.
    ItemsNull,
    /// The first item, or `]`.
    FirstItem,
    /// An item.
    Item,
    /// `,` behind an item, or `]`.
    ItemComma,
    /// Nothing but white space.
    End,
}

/// A key of the list.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Field {
    Metadata,
    Items,
    Other,
}

impl JsonCutter {
    /// A cutter at the start of a list.
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, scanner: Scanner::new(limits), place: Place::Start, carry: Vec::new(), metadata: None, items: 0 }
    }

    /// How many items have been cut.
    pub(super) fn items(&self) -> usize {
        self.items
    }

    /// Takes the next chunk and gives every object that it completes to `on_item`.
    pub(super) fn push<E: From<CutError>>(
        &mut self,
        chunk: &[u8],
        on_item: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = chunk;
        loop {
            if self.is_between_values() {
                rest = rest.trim_ascii_start();
            }
            let Some(&byte) = rest.first() else { return Ok(()) };
            rest = match self.place {
                Place::Key if byte == b'}' && self.is_between_values() => self.end_with(Place::End, rest),
                Place::FirstItem if byte == b']' => self.end_with(Place::Comma, rest),
                Place::FirstItem => self.begin_items(rest),
                Place::Key | Place::Value(_) | Place::Item => match self.scan_value(rest)? {
                    None => return Ok(()),
                    Some(end) => self.take_value(rest, end, on_item)?,
                },
                Place::ItemsNull => self.null(rest)?,
                _ => self.sign(rest, byte)?,
            };
        }
    }

    /// Ends the list; an error if it is not complete.
    pub(super) fn finish(self) -> Result<ListMeta, CutError> {
        if self.place != Place::End {
            return Err(CutError::Incomplete { items: self.items });
        }
        Ok(self.metadata.unwrap_or_default())
    }

    fn is_between_values(&self) -> bool {
        self.carry.is_empty()
    }

    /// Where in `rest` the value ends that begins or goes on there; `None` if it does not, and `rest` is kept.
    fn scan_value(&mut self, rest: &[u8]) -> Result<Option<usize>, CutError> {
        // No further than the limit, so that which limit is reported does not depend on how the body is cut.
        let within = &rest[..rest.len().min(self.limits.object_bytes.saturating_sub(self.carry.len()))];
        let scanned = self
            .scanner
            .scan(within)
            .map_err(|TooDeep| CutError::TooDeep { items: self.items, limit: self.limits.depth })?;
        match scanned {
            Scanned::Complete(end) => Ok(Some(end)),
            Scanned::Partial if within.len() < rest.len() => {
                Err(CutError::TooLarge { items: self.items, limit: self.limits.object_bytes })
            }
            Scanned::Partial => {
                self.carry.extend_from_slice(rest);
                Ok(None)
            }
        }
    }

    /// Takes a complete value, which ends at `end`, from the chunk or from the carry if it began in an earlier one.
    fn take_value<'a, E: From<CutError>>(
        &mut self,
        rest: &'a [u8],
        end: usize,
        on_item: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<&'a [u8], E> {
        let mut carry = std::mem::take(&mut self.carry);
        if carry.is_empty() {
            self.file(&rest[..end], on_item)?;
        } else {
            carry.extend_from_slice(&rest[..end]);
            self.file(&carry, on_item)?;
            carry.clear();
            self.carry = carry;
        }
        Ok(&rest[end..])
    }

    /// Puts a complete value where it belongs.
    fn file<E: From<CutError>>(
        &mut self,
        bytes: &[u8],
        on_item: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.place {
            Place::Key if bytes.first() != Some(&b'"') => return Err(self.malformed("a key").into()),
            Place::Key => self.place = Place::Colon(Field::of(bytes)),
            Place::Item if bytes.first() != Some(&b'{') => return Err(self.malformed("an object as item").into()),
            Place::Item => {
                on_item(bytes)?;
                self.items += 1;
                self.place = Place::ItemComma;
            }
            _ => {
                if self.place == Place::Value(Field::Metadata) {
                    self.metadata = serde_json::from_slice(bytes).map_err(CutError::Metadata)?;
                }
                self.place = Place::Comma;
            }
        }
        Ok(())
    }

    /// One sign of the list's own.
    fn sign<'a>(&mut self, rest: &'a [u8], byte: u8) -> Result<&'a [u8], CutError> {
        self.place = match (&self.place, byte) {
            (Place::Start, b'{') | (Place::Comma, b',') => Place::Key,
            (Place::Colon(Field::Items), b':') => Place::Items,
            (Place::Colon(field), b':') => Place::Value(*field),
            (Place::Comma, b'}') => Place::End,
            (Place::Items, b'[') => Place::FirstItem,
            (Place::Items, b'n') => {
                self.place = Place::ItemsNull;
                return Ok(rest);
            }
            (Place::ItemComma, b',') => Place::Item,
            (Place::ItemComma, b']') => Place::Comma,
            (place, _) => {
                let expected = match place {
                    Place::Start => "'{'",
                    Place::Colon(_) => "':'",
                    Place::Comma => "',' or '}'",
                    Place::Items => "'[' or null behind \"items\"",
                    Place::ItemComma => "',' or ']'",
                    _ => "nothing more",
                };
                return Err(self.malformed(expected));
            }
        };
        Ok(&rest[1..])
    }

    /// The word `null`, which a chunk border may split like everything else.
    fn null<'a>(&mut self, rest: &'a [u8]) -> Result<&'a [u8], CutError> {
        const NULL: &[u8] = b"null";
        let seen = self.carry.len();
        let take = rest.len().min(NULL.len() - seen);
        if rest[..take] != NULL[seen..seen + take] {
            return Err(self.malformed("'[' or null behind \"items\""));
        }
        self.carry.extend_from_slice(&rest[..take]);
        if self.carry.len() == NULL.len() {
            self.carry.clear();
            self.place = Place::Comma;
        }
        Ok(&rest[take..])
    }

    fn begin_items<'a>(&mut self, rest: &'a [u8]) -> &'a [u8] {
        self.place = Place::Item;
        rest
    }

    fn end_with<'a>(&mut self, place: Place, rest: &'a [u8]) -> &'a [u8] {
        self.place = place;
        &rest[1..]
    }

    fn malformed(&self, expected: &'static str) -> CutError {
        CutError::Malformed { expected, items: self.items }
    }
}

impl Field {
    fn of(key: &[u8]) -> Self {
        match key {
            b"\"metadata\"" => Self::Metadata,
            b"\"items\"" => Self::Items,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(chunks: &[&[u8]]) -> Result<(Vec<String>, ListMeta), CutError> {
        let mut items = Vec::new();
        let mut cutter = JsonCutter::new(Limits::default());
        for chunk in chunks {
            cutter.push(chunk, &mut |item: &[u8]| {
                items.push(String::from_utf8(item.to_vec()).unwrap());
                Ok::<_, CutError>(())
            })?;
        }
        Ok((items, cutter.finish()?))
    }

    /// Cuts `body` whole, at every split into two and into single bytes.
    fn check(body: &str, expected: &[&str], version: Option<&str>) {
        let bytes = body.as_bytes();
        let splits = (0..=bytes.len()).map(|at| vec![&bytes[..at], &bytes[at..]]);
        let single = std::iter::once(bytes.chunks(1).collect::<Vec<_>>());
        for chunks in splits.chain(single) {
            let (items, metadata) = cut(&chunks).unwrap_or_else(|error| panic!("{body}: {error}"));
            assert_eq!(items, expected, "{body} as {} chunks", chunks.len());
            assert_eq!(metadata.resource_version.as_deref(), version);
        }
    }

    #[test]
    fn every_split_point_gives_the_same_objects() {
        check(
            r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"a":1},{"b":"]}\"{"}]}"#,
            &[r#"{"a":1}"#, r#"{"b":"]}\"{"}"#],
            Some("7"),
        );
    }

    #[test]
    fn metadata_may_come_last_and_items_may_be_nested() {
        check(
            r#"{"items":[{"items":[{"x":[]}],"metadata":{"resourceVersion":"no"}}],"metadata":{"resourceVersion":"8"}}"#,
            &[r#"{"items":[{"x":[]}],"metadata":{"resourceVersion":"no"}}"#],
            Some("8"),
        );
    }

    #[test]
    fn pretty_printed_lists_are_cut_too() {
        check(
            "{\n  \"kind\": \"List\",\n  \"n\": 12.5e3 ,\n  \"metadata\": {\n \"resourceVersion\": \"9\" },\n  \"items\": [\n    {\n \"a\": [ ] },\n    { }\n  ]\n}\n",
            &["{\n \"a\": [ ] }", "{ }"],
            Some("9"),
        );
    }

    #[test]
    fn an_empty_list_has_no_items_in_all_three_spellings() {
        check(r#"{"items":null,"metadata":{"resourceVersion":"1"}}"#, &[], Some("1"));
        check(r#"{"items":[],"metadata":{"resourceVersion":"1"}}"#, &[], Some("1"));
        check(r#"{"metadata":{"resourceVersion":"1"}}"#, &[], Some("1"));
        check("{}", &[], None);
    }

    #[test]
    fn every_true_prefix_of_a_list_is_incomplete() {
        let body = r#"{"metadata":{"resourceVersion":"7"},"items":[{"a":1},{"b":2}]}"#;
        for end in 0..body.len() {
            let error = cut(&[&body.as_bytes()[..end]]).unwrap_err();
            assert!(matches!(error, CutError::Incomplete { .. }), "{end}: {error}");
        }
    }

    #[test]
    fn nonsense_is_named() {
        for (body, said) in [
            ("[]", "'{'"),
            (r#"{"items":{}}"#, "null behind"),
            (r#"{"items":nul!}"#, "null behind"),
            (r#"{"items":[1]}"#, "an object as item"),
            (r#"{"items":[{} {}]}"#, "',' or ']'"),
            (r"{} {}", "nothing more"),
            (r"{a:1}", "a key"),
        ] {
            let error = cut(&[body.as_bytes()]).unwrap_err().to_string();
            assert!(error.contains(said), "{body}: {error}");
        }
    }

    #[test]
    fn limits_are_reached_with_their_names() {
        let ignore = &mut |_: &[u8]| Ok::<_, CutError>(());
        let mut small = JsonCutter::new(Limits { object_bytes: 20, depth: 5 });
        let error = small.push(br#"{"items":[{"a":"0123456789012345"#, ignore).unwrap_err();
        assert_eq!(error.to_string(), "item 0 of the list is larger than 20 bytes");
        let mut both = JsonCutter::new(Limits { object_bytes: 20, depth: 5 });
        let error = both.push(br#"{"items":[{"a":"0123456789012345","b":[[[[[["#, ignore).unwrap_err();
        assert!(matches!(error, CutError::TooLarge { .. }), "whichever comes first: {error}");
        let mut shallow = JsonCutter::new(Limits { object_bytes: 99, depth: 5 });
        let error = shallow.push(br#"{"items":[{},{"a":[[[[["#, ignore).unwrap_err();
        assert_eq!(error.to_string(), "item 1 of the list is nested deeper than 5 levels");
    }
}
