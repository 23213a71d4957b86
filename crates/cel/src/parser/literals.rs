//! Literals: numbers, strings and bytes, from the text of their tokens.

use std::sync::Arc;

use crate::ast::Literal;

pub(super) fn int(text: &str, is_negative: bool) -> Result<Literal, &'static str> {
    let (digits, radix) = radix(text);
    let signed = if is_negative { format!("-{digits}") } else { digits.to_owned() };
    i64::from_str_radix(&signed, radix).map(Literal::Int).map_err(|_| "invalid int literal")
}

pub(super) fn uint(text: &str) -> Result<Literal, &'static str> {
    let (digits, radix) = radix(text.trim_end_matches(['u', 'U']));
    u64::from_str_radix(digits, radix).map(Literal::Uint).map_err(|_| "invalid uint literal")
}

pub(super) fn double(text: &str, is_negative: bool) -> Result<Literal, &'static str> {
    let value: f64 = text.parse().map_err(|_| "invalid double literal")?;
    if value.is_infinite() {
        return Err("invalid double literal");
    }
    Ok(Literal::Double(if is_negative { -value } else { value }))
}

fn radix(text: &str) -> (&str, u32) {
    text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16))
}

pub(super) fn string(text: &str) -> Result<Literal, &'static str> {
    let bytes = unescape(text, Target::Text)?;
    let text = String::from_utf8(bytes).map_err(|_| UNREADABLE)?;
    Ok(Literal::String(Arc::from(text)))
}

pub(super) fn bytes(text: &str) -> Result<Literal, &'static str> {
    unescape(&text[1..], Target::Bytes).map(|bytes| Literal::Bytes(Arc::from(bytes)))
}

/// What `\xff` means: a character, or a byte.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    Text,
    Bytes,
}

const UNREADABLE: &str = "unable to unescape string";

fn unescape(text: &str, target: Target) -> Result<Vec<u8>, &'static str> {
    let raw = text.strip_prefix(['r', 'R']);
    let quoted = raw.unwrap_or(text);
    let width = if quoted.len() >= 6 && (quoted.starts_with("\"\"\"") || quoted.starts_with("'''")) { 3 } else { 1 };
    let content = &quoted[width..quoted.len() - width];
    // As in Go, a line ends with a line feed alone.
    let content = content.replace("\r\n", "\n").replace('\r', "\n");
    if raw.is_some() || !content.contains('\\') {
        return Ok(content.into_bytes());
    }
    let mut found = Vec::with_capacity(content.len());
    let mut rest = content.chars();
    while let Some(character) = rest.next() {
        if character == '\\' {
            escaped(&mut rest, target, &mut found)?;
        } else {
            push(character, &mut found);
        }
    }
    Ok(found)
}

fn escaped(rest: &mut std::str::Chars<'_>, target: Target, found: &mut Vec<u8>) -> Result<(), &'static str> {
    let simple = |byte: u8, found: &mut Vec<u8>| {
        found.push(byte);
        Ok(())
    };
    match rest.next().ok_or(UNREADABLE)? {
        'a' => simple(7, found),
        'b' => simple(8, found),
        'f' => simple(12, found),
        'n' => simple(b'\n', found),
        'r' => simple(b'\r', found),
        't' => simple(b'\t', found),
        'v' => simple(11, found),
        sign @ ('\\' | '\'' | '"' | '`' | '?') => {
            push(sign, found);
            Ok(())
        }
        'x' | 'X' => code(rest, "", 2, 16, target, found),
        'u' if target == Target::Text => code(rest, "", 4, 16, target, found),
        'U' if target == Target::Text => code(rest, "", 8, 16, target, found),
        digit @ '0'..='3' => code(rest, digit.encode_utf8(&mut [0; 4]), 2, 8, target, found),
        _ => Err(UNREADABLE),
    }
}

fn code(
    rest: &mut std::str::Chars<'_>,
    first: &str,
    count: usize,
    radix: u32,
    target: Target,
    found: &mut Vec<u8>,
) -> Result<(), &'static str> {
    let digits: String = first.chars().chain(rest.take(count)).collect();
    let code = u32::from_str_radix(&digits, radix).map_err(|_| UNREADABLE)?;
    match target {
        Target::Bytes => found.push(u8::try_from(code).map_err(|_| UNREADABLE)?),
        Target::Text => push(char::from_u32(code).ok_or("invalid unicode code point")?, found),
    }
    Ok(())
}

fn push(character: char, found: &mut Vec<u8>) {
    found.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}
