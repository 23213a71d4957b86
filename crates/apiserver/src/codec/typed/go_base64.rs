//! Bytes in base64 as Go reads them: line breaks may stand anywhere, and bits that stand for nothing are not looked at.
//!
//! In: a text. Out: the one spelling in which such bytes are stored, or the place where Go gives up.

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// The stored spelling of a text, or where it is wrong.
pub(super) fn canonical(text: &str) -> Result<String, usize> {
    check(text.as_bytes())?;
    let spelled: Vec<u8> = text.bytes().filter(|byte| !is_break(*byte)).collect();
    // What `check` lets pass can be decoded.
    let bytes = LENIENT.decode(spelled).map_err(|_| text.len())?;
    Ok(base64::engine::general_purpose::STANDARD.encode(bytes))
}

/// Looks at four characters at a time, of which the last may be padded.
fn check(text: &[u8]) -> Result<(), usize> {
    let mut characters = text.iter().enumerate().filter(|(_, byte)| !is_break(**byte));
    let mut in_group = 0;
    while let Some((at, byte)) = characters.next() {
        match byte {
            b'=' if in_group < 2 => return Err(at),
            b'=' => {
                if in_group == 2 {
                    match characters.next() {
                        Some((_, b'=')) => {}
                        Some((at, _)) => return Err(at),
                        None => return Err(text.len()),
                    }
                }
                return characters.next().map_or(Ok(()), |(at, _)| Err(at));
            }
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => in_group = (in_group + 1) % 4,
            _ => return Err(at),
        }
    }
    if in_group == 0 { Ok(()) } else { Err(text.len() - in_group) }
}

fn is_break(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_gives_up_where_real_kubernetes_was_seen_to() {
        let table = [
            ("shhhh! x", 5),
            ("your-bitbucket-uuid", 4),
            ("[{\"id", 0),
            ("YWJj!", 4),
            ("YQ!", 2),
            ("ab", 0),
            ("YQ==YQ==", 4),
            ("YWJ", 0),
            ("YQ=", 3),
            ("YWJjYQ=", 7),
        ];
        for (text, at) in table {
            assert_eq!(canonical(text), Err(at), "{text}");
        }
        assert_eq!(canonical("YQ\n==\n").as_deref(), Ok("YQ=="));
        assert_eq!(canonical("YR==").as_deref(), Ok("YQ=="));
        assert_eq!(canonical("").as_deref(), Ok(""));
    }
}
