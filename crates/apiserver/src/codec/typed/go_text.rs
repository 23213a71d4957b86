//! JSON text as Go reads it: what is not UTF-8, and an escaped half of a surrogate pair, each become U+FFFD.
//!
//! In: bytes. Out: the same, borrowed, unless they hold such a thing; then bytes that any JSON reader takes.

use std::borrow::Cow;

/// The bytes with what is not text replaced.
pub(crate) fn readable(json: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(json) {
        Ok(text) if !has_surrogate(text) => Cow::Borrowed(json),
        Ok(text) => Cow::Owned(whole_surrogates(text).into_bytes()),
        Err(_) => Cow::Owned(whole_surrogates(&replaced(json)).into_bytes()),
    }
}

/// Each byte that is not UTF-8 becomes one U+FFFD.
fn replaced(json: &[u8]) -> String {
    let mut text = String::with_capacity(json.len());
    for chunk in json.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}

fn has_surrogate(text: &str) -> bool {
    text.contains("\\ud") || text.contains("\\uD")
}

/// Text in which no escaped surrogate stands alone.
fn whole_surrogates(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        whole.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (surrogate(rest), rest.get(ESCAPE..).and_then(surrogate)) {
            (Some(Half::High), Some(Half::Low)) => 2 * ESCAPE,
            (Some(_), _) => {
                whole.push_str("\\ufffd");
                rest = &rest[ESCAPE..];
                continue;
            }
            // A backslash and the character behind it, which may be a backslash itself.
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        whole.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    whole.push_str(rest);
    whole
}

enum Half {
    High,
    Low,
}

/// The half of a pair that is escaped at the beginning of a text.
fn surrogate(text: &str) -> Option<Half> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(Half::High),
        0xdc00..=0xdfff => Some(Half::Low),
        _ => None,
    }
}

/// Bytes of an escaped character, `\uXXXX`.
const ESCAPE: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn what_cannot_be_read_is_replaced_and_the_rest_stays() {
        let table: [(&[u8], &str); 6] = [
            (b"\"\xff\xfe\"", "\u{fffd}\u{fffd}"),
            (b"\"\\ud800\"", "\u{fffd}"),
            (b"\"\\ud83d\\ude00\"", "\u{1f600}"),
            (b"\"\\ude00\\ud83d\"", "\u{fffd}\u{fffd}"),
            (b"\"\\\\ud800\"", "\\ud800"),
            (b"\"\\ud800x\"", "\u{fffd}x"),
        ];
        for (json, expected) in table {
            let text = readable(json);
            assert_eq!(serde_json::from_slice::<Value>(&text).unwrap(), expected, "{}", String::from_utf8_lossy(json));
        }
        assert!(matches!(readable(b"{\"a\":\"plain \\u00e4\"}"), Cow::Borrowed(_)));
    }
}
