//! The fields of a JSON object, one after the other, without a look into their values.
//!
//! In: the bytes of an object. Out: each field's name and the bytes of its value. What is not asked for is not decoded,
//! and of what is skipped only the brackets are seen.

use std::borrow::Cow;

use serde::Deserialize;

use super::{Scanned, Scanner};
use crate::{Limits, json};

/// Goes over the fields of one object.
pub(crate) struct Fields<'a> {
    json: &'a [u8],
    /// Where the next field, or the end, is looked for.
    at: usize,
    is_first: bool,
}

/// One field.
pub(crate) struct Field<'a> {
    /// Its name, without quotes and escapes.
    pub(crate) name: Cow<'a, [u8]>,
    /// Its value, as it is written.
    pub(crate) value: &'a [u8],
    /// Where the value begins.
    pub(crate) start: usize,
}

/// Something else stands where a sign, a name or a value should.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Malformed {
    /// Where.
    pub(crate) at: usize,
}

impl<'a> Field<'a> {
    /// Its value.
    pub(crate) fn decode<T: Deserialize<'a>>(&self) -> Result<T, Malformed> {
        let decoded = match std::str::from_utf8(self.value) {
            Ok(text) => json::decode(text),
            Err(_) => serde_json::from_slice(self.value),
        };
        decoded.map_err(|_| Malformed { at: self.start })
    }
}

impl<'a> Fields<'a> {
    /// The fields of the object that `json` begins with.
    pub(crate) fn of(json: &'a [u8]) -> Result<Self, Malformed> {
        Self::from(json, 0)
    }

    /// The fields of the object that begins at `at`; what they say of places is counted from the start of `json`.
    fn from(json: &'a [u8], at: usize) -> Result<Self, Malformed> {
        let mut fields = Self { json, at, is_first: true };
        if fields.sign() != Some(b'{') {
            return Err(fields.malformed());
        }
        fields.at += 1;
        Ok(fields)
    }

    /// The fields of the object that the field `name` holds; `None` if there is no such field. That object is not gone over
    /// for it: reading its fields shows whether it ends.
    pub(crate) fn enter(mut self, name: &[u8]) -> Result<Option<Self>, Malformed> {
        while let Some(next) = self.next_name()? {
            if *next == *name {
                return Self::from(self.json, self.at).map(Some);
            }
            self.value()?;
        }
        Ok(None)
    }

    /// The next field; `None` at the end of the object. What is behind that is not looked at.
    pub(crate) fn next_field(&mut self) -> Result<Option<Field<'a>>, Malformed> {
        let Some(name) = self.next_name()? else { return Ok(None) };
        let start = self.at;
        Ok(Some(Field { name, value: self.value()?, start }))
    }

    /// The name of the next field, whose value comes then; `None` at the end of the object.
    fn next_name(&mut self) -> Result<Option<Cow<'a, [u8]>>, Malformed> {
        match self.sign() {
            Some(b'}') => return Ok(None),
            Some(b',') if !self.is_first => self.at += 1,
            Some(_) if self.is_first => {}
            _ => return Err(self.malformed()),
        }
        self.is_first = false;
        let name = self.name()?;
        if self.sign() != Some(b':') {
            return Err(self.malformed());
        }
        self.at += 1;
        self.sign();
        Ok(Some(name))
    }

    fn name(&mut self) -> Result<Cow<'a, [u8]>, Malformed> {
        if self.sign() != Some(b'"') {
            return Err(self.malformed());
        }
        let start = self.at;
        let quoted = self.value()?;
        if !quoted.contains(&b'\\') {
            return Ok(Cow::Borrowed(&quoted[1..quoted.len() - 1]));
        }
        let name: String = serde_json::from_slice(quoted).map_err(|_| Malformed { at: start })?;
        Ok(Cow::Owned(name.into_bytes()))
    }

    /// The value that begins here.
    fn value(&mut self) -> Result<&'a [u8], Malformed> {
        let rest = &self.json[self.at..];
        // Nothing here recurses, so depth is not a danger.
        match Scanner::new(Limits { depth: usize::MAX, ..Limits::default() }).scan(rest) {
            Ok(Scanned::Complete(end)) => {
                self.at += end;
                Ok(&rest[..end])
            }
            Ok(Scanned::Partial) | Err(_) => Err(Malformed { at: self.json.len() }),
        }
    }

    /// The next byte that is not white space.
    fn sign(&mut self) -> Option<u8> {
        let rest = &self.json[self.at..];
        let trimmed = rest.trim_ascii_start();
        self.at += rest.len() - trimmed.len();
        trimmed.first().copied()
    }

    fn malformed(&self) -> Malformed {
        Malformed { at: self.at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(json: &str) -> Result<Vec<(String, String)>, Malformed> {
        let mut fields = Fields::of(json.as_bytes())?;
        let mut found = Vec::new();
        while let Some(field) = fields.next_field()? {
            assert_eq!(&json.as_bytes()[field.start..][..field.value.len()], field.value);
            found.push((field.name.into_owned(), field.value.to_vec()));
        }
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ok(found.into_iter().map(|(name, value)| (text(name), text(value))).collect())
    }

    fn check(json: &str, expected: &[(&str, &str)]) {
        let expected = expected.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        assert_eq!(fields(json), Ok(expected), "{json}");
    }

    #[test]
    fn names_and_values_are_found_however_they_are_printed() {
        check("{}", &[]);
        check(" { } tail", &[]);
        check(r#"{"a":1,"b":{"c":[1,2]},"d":"}"}"#, &[("a", "1"), ("b", r#"{"c":[1,2]}"#), ("d", r#""}""#)]);
        check("{ \"a\" : null ,\n\t\"b\"\n:\n[ ] }", &[("a", "null"), ("b", "[ ]")]);
        check(r#"{"\u0061\"":true}"#, &[("a\"", "true")]);
    }

    #[test]
    fn text_that_is_not_an_object_is_malformed_at_a_place() {
        for (json, at) in
            [("[]", 0), ("", 0), (r#"{"a"}"#, 4), (r#"{"a":1 "b":2}"#, 7), ("{,}", 1), ("{a:1}", 1), (r#"{"a":{"#, 6)]
        {
            assert_eq!(fields(json), Err(Malformed { at }), "{json}");
        }
    }

    #[test]
    fn an_object_within_is_entered_by_the_name_of_its_field() {
        let enter = |json: &'static str| Fields::of(json.as_bytes()).unwrap().enter(b"b");
        let mut fields = enter(r#"{"a":{"b":1}, "b": {"c":[2]} , "d":3}"#).unwrap().unwrap();
        let field = fields.next_field().unwrap().unwrap();
        assert_eq!((&*field.name, field.value, field.start), (&b"c"[..], &b"[2]"[..], 24));
        assert!(fields.next_field().unwrap().is_none());
        assert!(enter(r#"{"a":{"b":{}}}"#).unwrap().is_none());
        assert_eq!(enter(r#"{"b":null}"#).err(), Some(Malformed { at: 5 }));
    }

    #[test]
    fn every_cut_of_an_object_is_malformed() {
        let json = r#"{"a": [1, {"b\\": "\"}"}], "c": null, "d": "e"}"#;
        for end in 0..json.len() {
            assert!(fields(&json[..end]).is_err(), "{end}");
        }
    }
}
