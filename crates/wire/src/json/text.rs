//! Where a JSON string ends.

use wide::u8x16;

use super::reader::Declined;

/// A string within a text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct StringEnd {
    /// Where its closing quote is.
    pub(super) quote: usize,
    /// Whether something in it is escaped.
    pub(super) is_escaped: bool,
}

/// The largest control character; JSON allows none within a string.
const CONTROL_MAX: u8 = 0x1f;

/// The end of the string whose first character is at `start`.
#[inline]
pub(super) fn string_end(bytes: &[u8], start: usize) -> Result<StringEnd, Declined> {
    let mut end = StringEnd { quote: next_special(bytes, start)?, is_escaped: false };
    loop {
        match bytes[end.quote] {
            b'"' => return Ok(end),
            // What stands behind it cannot end the string.
            b'\\' => end = StringEnd { quote: next_special(bytes, end.quote + 2)?, is_escaped: true },
            _ => return Err(Declined),
        }
    }
}

/// The first byte from `at` on that is not simply part of a string.
#[inline]
fn next_special(bytes: &[u8], mut at: usize) -> Result<usize, Declined> {
    loop {
        let rest = bytes.get(at..).ok_or(Declined)?;
        let Some(sixteen) = rest.first_chunk() else {
            return rest.iter().position(|&byte| is_special(byte)).map(|found| at + found).ok_or(Declined);
        };
        let special = special_in(*sixteen);
        if special != 0 {
            return Ok(at + special.trailing_zeros() as usize);
        }
        at += sixteen.len();
    }
}

/// By bit: which of these bytes are not simply part of a string.
#[inline]
pub(super) fn special_in(sixteen: [u8; 16]) -> u32 {
    let bytes = u8x16::new(sixteen);
    let quotes = bytes.simd_eq(u8x16::splat(b'"'));
    let backslashes = bytes.simd_eq(u8x16::splat(b'\\'));
    let controls = bytes.min(u8x16::splat(CONTROL_MAX)).simd_eq(bytes);
    (quotes | backslashes | controls).to_bitmask()
}

/// What stands between two quotes, its escapes resolved, in one allocation: the keys of managed fields are full of quotes. `None`
/// for escapes by number, and for those that do not exist.
pub(super) fn unescaped(text: &str) -> Option<String> {
    let mut unescaped = String::with_capacity(text.len());
    let mut parts = text.split('\\');
    unescaped.push_str(parts.next()?);
    while let Some(part) = parts.next() {
        let mut rest = part.chars();
        unescaped.push(match rest.next() {
            Some(same @ ('"' | '/')) => same,
            Some('b') => '\x08',
            Some('f') => '\x0c',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(_) => return None,
            // Two of them stand for one, and what is behind them is as it stands.
            None => {
                rest = parts.next()?.chars();
                '\\'
            }
        });
        unescaped.push_str(rest.as_str());
    }
    Some(unescaped)
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | ..=CONTROL_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte at every place of strings that are shorter and longer than what is compared at once.
    #[test]
    fn a_string_ends_at_its_quote_wherever_that_is() {
        for byte in 0..=u8::MAX {
            for length in [1, 15, 16, 17, 40] {
                for place in 0..length {
                    let mut text = vec![b'a'; length];
                    text[place] = byte;
                    text.extend_from_slice(b"\"\"");
                    let expected = match byte {
                        b'"' => Ok(StringEnd { quote: place, is_escaped: false }),
                        // The last one escapes the first quote.
                        b'\\' => Ok(StringEnd { quote: length + usize::from(place + 1 == length), is_escaped: true }),
                        ..=CONTROL_MAX => Err(Declined),
                        _ => Ok(StringEnd { quote: length, is_escaped: false }),
                    };
                    assert_eq!(string_end(&text, 0), expected, "{byte} at {place} of {length}");
                }
            }
        }
    }

    /// Every text of up to five of these.
    #[test]
    fn what_is_unescaped_is_what_serde_json_reads() {
        let letters = ["\\", "\"", "/", "b", "n", "u0041", "ü", ""];
        let mut read = 0;
        for nth in 0..letters.len().pow(5) {
            let text: String = (0..5).map(|place| letters[nth / letters.len().pow(place) % letters.len()]).collect();
            let quoted = format!("\"{text}\"");
            let is_string = string_end(quoted.as_bytes(), 1).is_ok_and(|end| end.quote == quoted.len() - 1);
            if let Some(unescaped) = unescaped(&text).filter(|_| is_string) {
                assert_eq!(serde_json::from_str::<String>(&quoted).ok(), Some(unescaped), "{quoted}");
                read += 1;
            }
        }
        assert!(read > 1000, "{read}");
    }

    #[test]
    fn a_string_that_does_not_end_is_declined() {
        for text in ["", "a", "a\\", "a\\\"", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"] {
            assert_eq!(string_end(text.as_bytes(), 0), Err(Declined), "{text}");
        }
    }
}
