//! What a backslash means in Go's patterns.

use regex::bytes::Regex;

use super::Error;

/// A letter that stands for itself.
pub(super) fn literal(letter: char) -> String {
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
        Some('p' | 'P') => unicode_class(text),
        Some(letter) => match perl_class(letter) {
            Some((members, false)) => Ok((format!("[{members}]"), rest)),
            Some((members, true)) => Ok((format!("[^{members}]"), rest)),
            None => character(text).map(|(character, rest)| (literal(character), rest)),
        },
        None => Err(Error::new("trailing backslash at end of expression", "")),
    }
}

/// A class of Unicode such as `\pL` or `\p{Greek}`, and what follows it.
pub(super) fn unicode_class(text: &str) -> Result<(String, &str), Error> {
    let wrong = |place: &str| Err(Error::new("invalid character class range", place));
    let Some(first) = text[2..].chars().next() else { return wrong(text) };
    let length = if first == '{' {
        match text.find('}') {
            Some(end) => end + 1,
            None => return wrong(text),
        }
    } else {
        2 + first.len_utf8()
    };
    let (class, rest) = text.split_at(length);
    let name = class[2..].trim_start_matches('{').trim_end_matches('}');
    let (name, is_turned) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
    if name.is_empty() || !name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
        return wrong(class);
    }
    let is_negated = class.starts_with(r"\P") != is_turned;
    let translated = format!("\\{}{{{name}}}", if is_negated { 'P' } else { 'p' });
    // Which names there are the engine knows.
    if Regex::new(&translated).is_err() {
        return wrong(class);
    }
    Ok((translated, rest))
}

/// One character that begins with a backslash, and what follows it.
pub(super) fn character(text: &str) -> Result<(char, &str), Error> {
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
        (Some(simple), _) => Ok((simple, rest)),
        (None, '0'..='7') => octal(text),
        (None, 'x') => hexadecimal(text),
        _ => Err(invalid(text, rest)),
    }
}

/// `\0` and up to two digits more; `\1` to `\7` only with another digit, or it would refer to a group.
fn octal(text: &str) -> Result<(char, &str), Error> {
    let is_octal = |byte: &u8| (b'0'..=b'7').contains(byte);
    let digits = text[1..].bytes().take(3).take_while(is_octal).count();
    let rest = &text[1 + digits..];
    if digits == 1 && !text.starts_with(r"\0") {
        return Err(invalid(text, rest));
    }
    let code = u32::from_str_radix(&text[1..=digits], 8).ok().and_then(char::from_u32);
    code.map(|code| (code, rest)).ok_or_else(|| invalid(text, rest))
}

/// `\x7F` or `\x{10FFFF}`.
fn hexadecimal(text: &str) -> Result<(char, &str), Error> {
    let inside = text[2..].strip_prefix('{');
    let digits = inside.unwrap_or(&text[2..]);
    let count = digits.bytes().take_while(u8::is_ascii_hexdigit).count();
    let (length, after) = match inside {
        Some(_) => (count, digits[count..].strip_prefix('}')),
        None => (2, digits.get(2..).filter(|_| count >= 2)),
    };
    // In braces what is wrong reaches up to the first character that is not a digit, else it is the next two.
    let wrong = || {
        let (from, characters) = if inside.is_some() { (count, 1) } else { (0, 2) };
        let mut wrong = digits[from..].chars();
        wrong.by_ref().take(characters).for_each(drop);
        invalid(text, wrong.as_str())
    };
    let code = after.and_then(|_| u32::from_str_radix(&digits[..length], 16).ok()).and_then(char::from_u32);
    code.zip(after).ok_or_else(wrong)
}

fn invalid(text: &str, rest: &str) -> Error {
    Error::new("invalid escape sequence", &text[..text.len() - rest.len()])
}
