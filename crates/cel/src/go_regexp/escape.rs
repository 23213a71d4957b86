//! What a backslash means in Go's patterns.

use super::{Error, unicode_class};

/// A code that stands for itself. Go knows those of surrogates, which are in no text.
pub(super) fn literal(code: u32) -> String {
    let Some(letter) = char::from_u32(code) else { return unicode_class::NOTHING.to_owned() };
    if letter.is_ascii_alphanumeric() || !letter.is_ascii() {
        letter.to_string()
    } else {
        format!("\\x{{{:x}}}", u32::from(letter))
    }
}

/// What `\d` and its likes stand for, without brackets, and whether they mean everything else.
pub(super) fn perl_class(letter: char) -> Option<(&'static str, bool)> {
    let members = match letter.to_ascii_lowercase() {
        'd' => "0-9",
        's' => r"\t\n\x0C\r\x20",
        'w' => "0-9A-Za-z_",
        _ => return None,
    };
    Some((members, letter.is_ascii_uppercase()))
}

/// What begins with a backslash outside of brackets, and what follows it.
pub(super) fn outside(text: &str) -> Result<(String, &str), Error> {
    let letter = text[1..].chars().next();
    let rest = &text[1 + letter.map_or(0, char::len_utf8)..];
    match letter {
        Some('A') => Ok((r"\A".to_owned(), rest)),
        Some('z') => Ok((r"\z".to_owned(), rest)),
        // Words are of ASCII.
        Some('b') => Ok((r"(?-u:\b)".to_owned(), rest)),
        Some('B') => Ok((r"(?-u:\B)".to_owned(), rest)),
        Some('p' | 'P') => unicode_class::translate(text),
        Some(letter) => match perl_class(letter) {
            Some((members, false)) => Ok((format!("[{members}]"), rest)),
            Some((members, true)) => Ok((format!("[^{members}]"), rest)),
            None => character(text).map(|(character, rest)| (literal(character), rest)),
        },
        None => Err(Error::new("trailing backslash at end of expression", "")),
    }
}

/// One character that begins with a backslash, and what follows it.
pub(super) fn character(text: &str) -> Result<(u32, &str), Error> {
    let Some(letter) = text[1..].chars().next() else {
        return Err(Error::new("trailing backslash at end of expression", ""));
    };
    let rest = &text[1 + letter.len_utf8()..];
    let simple = match letter {
        'a' => Some('\x07'),
        'f' => Some('\x0C'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'v' => Some('\x0B'),
        mark if mark.is_ascii() && !mark.is_ascii_alphanumeric() => Some(mark),
        _ => None,
    };
    match (simple, letter) {
        (Some(simple), _) => Ok((simple.into(), rest)),
        (None, '0'..='7') => octal(text),
        (None, 'x') => hexadecimal(text),
        _ => Err(invalid(text, rest)),
    }
}

/// `\0` and up to two digits more; `\1` to `\7` only with another digit, or it would refer to a group.
fn octal(text: &str) -> Result<(u32, &str), Error> {
    let is_octal = |byte: &u8| (b'0'..=b'7').contains(byte);
    let digits = text[1..].bytes().take(3).take_while(is_octal).count();
    let rest = &text[1 + digits..];
    if digits == 1 && !text.starts_with(r"\0") {
        return Err(invalid(text, rest));
    }
    let code = u32::from_str_radix(&text[1..=digits], 8).expect("three octal digits are a number");
    Ok((code, rest))
}

/// `\x7F` or `\x{10FFFF}`.
fn hexadecimal(text: &str) -> Result<(u32, &str), Error> {
    let Some(inside) = text[2..].strip_prefix('{') else {
        // What is wrong is the next two characters, digits or not.
        let rest = text[2..].char_indices().nth(2).map_or("", |(at, _)| &text[2 + at..]);
        let digits = &text[2..text.len() - rest.len()];
        let is_number = digits.len() == 2 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_number);
        return code.map(|code| (code, rest)).ok_or_else(|| invalid(text, rest));
    };
    let mut code = None;
    for (at, letter) in inside.char_indices() {
        let rest = &inside[at + letter.len_utf8()..];
        match (letter, letter.to_digit(16), code) {
            ('}', _, Some(code)) => return Ok((code, rest)),
            (_, Some(digit), before) => code = Some(before.unwrap_or(0) * 16 + digit),
            _ => return Err(invalid(text, rest)),
        }
        // What is wrong reaches up to the digit that makes it too large.
        if code > Some(u32::from(char::MAX)) {
            return Err(invalid(text, rest));
        }
    }
    Err(invalid(text, ""))
}

fn invalid(text: &str, rest: &str) -> Error {
    Error::new("invalid escape sequence", &text[..text.len() - rest.len()])
}
