//! Names of properties as names in CEL, which may have no `-`, `.` or `/` and must not be words of the language.

use std::borrow::Cow;

use crate::parser::RESERVED;

/// What is written instead of what a name may not have.
const ESCAPES: [(&str, &str); 4] = [("__", "underscores"), (".", "dot"), ("-", "dash"), ("/", "slash")];

/// The name that a property has in expressions; `None` if it can have none.
#[must_use]
pub fn escape(name: &str) -> Option<Cow<'_, str>> {
    let first = name.bytes().next()?;
    if first.is_ascii_digit() {
        return None;
    }
    if RESERVED.contains(&name) {
        return Some(Cow::Owned(format!("__{name}__")));
    }
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/');
    if !name.bytes().all(is_allowed) {
        return None;
    }
    if !name.contains("__") && !name.contains(['-', '.', '/']) {
        return Some(Cow::Borrowed(name));
    }
    let mut escaped = String::with_capacity(name.len() + 12);
    let mut rest = name;
    while let Some(character) = rest.chars().next() {
        if let Some((sign, word)) = ESCAPES.into_iter().find(|(sign, _)| rest.starts_with(sign)) {
            escaped.push_str("__");
            escaped.push_str(word);
            escaped.push_str("__");
            rest = &rest[sign.len()..];
        } else {
            escaped.push(character);
            rest = &rest[character.len_utf8()..];
        }
    }
    Some(Cow::Owned(escaped))
}

/// The property that a name in an expression means; `None` if it can mean none.
pub(crate) fn unescape(name: &str) -> Option<Cow<'_, str>> {
    if !name.contains("__") {
        return Some(Cow::Borrowed(name));
    }
    if let Some(word) = name.strip_prefix("__").and_then(|name| name.strip_suffix("__"))
        && RESERVED.contains(&word)
    {
        return Some(Cow::Owned(word.to_owned()));
    }
    let mut plain = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find("__") {
        plain.push_str(&rest[..at]);
        let after = &rest[at + 2..];
        let (sign, word) = ESCAPES
            .into_iter()
            .find(|(_, word)| after.strip_prefix(word).is_some_and(|after| after.starts_with("__")))?;
        plain.push_str(sign);
        rest = &after[word.len() + 2..];
    }
    plain.push_str(rest);
    Some(Cow::Owned(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_as_they_went() {
        let table = [
            ("a", "a"),
            ("my-name", "my__dash__name"),
            ("a.b/c", "a__dot__b__slash__c"),
            ("a__b", "a__underscores__b"),
            ("namespace", "__namespace__"),
            ("int", "int"),
        ];
        for (name, escaped) in table {
            assert_eq!(escape(name).as_deref(), Some(escaped));
            assert_eq!(unescape(escaped).as_deref(), Some(name));
        }
        for name in ["", "1a", "a b", "é"] {
            assert_eq!(escape(name), None, "{name}");
        }
        assert_eq!(unescape("a__b"), None);
    }
}
