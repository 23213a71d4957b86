//! Text: the functions of CEL and of its strings extension. Places count characters, not bytes.

use crate::functions::Library;
use crate::go_regexp;
use crate::value::{Evaluated, EvaluationError, Text, Value, fail};

pub(crate) const LIBRARY: Library = Library {
    declarations: "
        contains_string: string::contains(string) -> bool
        ends_with_string: string::endsWith(string) -> bool
        starts_with_string: string::startsWith(string) -> bool
        matches: matches(string, string) -> bool
        matches_string: string::matches(string) -> bool
        string_char_at_int: string::charAt(int) -> string
        string_index_of_string: string::indexOf(string) -> int
        string_index_of_string_int: string::indexOf(string, int) -> int
        string_last_index_of_string: string::lastIndexOf(string) -> int
        string_last_index_of_string_int: string::lastIndexOf(string, int) -> int
        string_lower_ascii: string::lowerAscii() -> string
        string_replace_string_string: string::replace(string, string) -> string
        string_replace_string_string_int: string::replace(string, string, int) -> string
        string_split_string: string::split(string) -> list(string)
        string_split_string_int: string::split(string, int) -> list(string)
        string_substring_int: string::substring(int) -> string
        string_substring_int_int: string::substring(int, int) -> string
        string_trim: string::trim() -> string
        string_upper_ascii: string::upperAscii() -> string
        strings_quote: strings.quote(string) -> string
        list_join: list(string)::join() -> string
        list_join_string: list(string)::join(string) -> string
    ",
    implementations: &[
        ("contains", |arguments| tested(arguments, |text, part| text.contains(part))),
        ("endsWith", |arguments| tested(arguments, |text, part| text.ends_with(part))),
        ("startsWith", |arguments| tested(arguments, |text, part| text.starts_with(part))),
        ("matches", matches),
        ("charAt", char_at),
        ("indexOf", index_of),
        ("lastIndexOf", last_index_of),
        ("lowerAscii", |arguments| mapped(arguments, str::to_ascii_lowercase)),
        ("upperAscii", |arguments| mapped(arguments, str::to_ascii_uppercase)),
        ("trim", |arguments| mapped(arguments, |text| text.trim().to_owned())),
        ("replace", replace),
        ("split", split),
        ("substring", substring),
        ("strings.quote", |arguments| mapped(arguments, quote)),
        ("join", join),
    ],
};

fn text<'t>(value: &'t Value<'_>) -> Result<&'t str, EvaluationError> {
    value.as_str().ok_or(EvaluationError::NoSuchOverload)
}

fn number(value: &Value<'_>) -> Result<i64, EvaluationError> {
    match value {
        Value::Int(number) => Ok(*number),
        _ => Err(EvaluationError::NoSuchOverload),
    }
}

fn made<'v>(text: String) -> Evaluated<'v> {
    Ok(Value::String(Text::from(text)))
}

fn tested<'v>(arguments: &[Value<'v>], test: fn(&str, &str) -> bool) -> Evaluated<'v> {
    Ok(Value::Bool(test(text(&arguments[0])?, text(&arguments[1])?)))
}

fn mapped<'v>(arguments: &[Value<'v>], map: fn(&str) -> String) -> Evaluated<'v> {
    made(map(text(&arguments[0])?))
}

fn matches<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let (text, pattern) = (text(&arguments[0])?, text(&arguments[1])?);
    match go_regexp::compile(pattern) {
        Ok(pattern) => Ok(Value::Bool(pattern.is_match(text.as_bytes()))),
        Err(why) => fail(why),
    }
}

fn out_of_range<'v>(place: i64) -> Evaluated<'v> {
    fail(format!("index out of range: {place}"))
}

/// Where a character begins; the end for the place after the last one.
fn byte_at(text: &str, place: i64) -> Option<usize> {
    let place = usize::try_from(place).ok()?;
    let begins = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    begins.into_iter().nth(place)
}

fn length(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX)
}

fn char_at<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let (text, place) = (text(&arguments[0])?, number(&arguments[1])?);
    match byte_at(text, place) {
        Some(at) => made(text[at..].chars().take(1).collect()),
        None => out_of_range(place),
    }
}

fn index_of<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let (text, part) = (text(&arguments[0])?, text(&arguments[1])?);
    let from = arguments.get(2).map_or(Ok(0), number)?;
    if from < 0 {
        return out_of_range(from);
    }
    if part.is_empty() {
        return Ok(Value::Int(from.min(length(text))));
    }
    let found = byte_at(text, from).and_then(|at| text[at..].find(part).map(|found| &text[..at + found]));
    Ok(Value::Int(found.map_or(-1, length)))
}

fn last_index_of<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let (text, part) = (text(&arguments[0])?, text(&arguments[1])?);
    let count = length(text);
    let from = arguments.get(2).map_or(Ok(count), number)?;
    if from < 0 {
        return out_of_range(from);
    }
    if part.is_empty() {
        return Ok(Value::Int(from.min(count)));
    }
    if arguments.len() == 3 && from >= count {
        return Ok(Value::Int(-1));
    }
    // The part may begin at `from` at the latest.
    let last = byte_at(text, from).unwrap_or(text.len());
    let end = (last + part.len()).min(text.len());
    let end = (end..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let found = text[..end].rfind(part).filter(|found| *found <= last);
    Ok(Value::Int(found.map_or(-1, |found| length(&text[..found]))))
}

fn replace<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let (text, old, new) = (text(&arguments[0])?, text(&arguments[1])?, text(&arguments[2])?);
    let limit = arguments.get(3).map_or(Ok(-1), number)?;
    made(match usize::try_from(limit) {
        Ok(limit) => text.replacen(old, new, limit),
        Err(_) => text.replace(old, new),
    })
}

fn split<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let (text, separator) = (text(&arguments[0])?, text(&arguments[1])?);
    let limit = arguments.get(2).map_or(Ok(-1), number)?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let item = |part: &str| Value::string(part);
    if limit == 0 {
        return Ok(Value::list(Vec::new()));
    }
    if !separator.is_empty() {
        return Ok(Value::list(text.splitn(limit, separator).map(item).collect()));
    }
    // Between characters, and not before the first or after the last.
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let end = if parts.len() + 1 >= limit { rest.len() } else { character.len_utf8() };
        parts.push(item(&rest[..end]));
        rest = &rest[end..];
    }
    Ok(Value::list(parts))
}

fn substring<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let (text, begin) = (text(&arguments[0])?, number(&arguments[1])?);
    let end = arguments.get(2).map_or_else(|| Ok(length(text)), number)?;
    if arguments.len() == 3 && begin > end {
        return fail(format!("invalid substring range. start: {begin}, end: {end}"));
    }
    match (byte_at(text, begin), byte_at(text, end)) {
        (Some(begin), Some(end)) => made(text[begin..end].to_owned()),
        (None, _) => out_of_range(begin),
        (_, None) => out_of_range(end),
    }
}

pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

fn join<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let Value::List(list) = &arguments[0] else { return Err(EvaluationError::NoSuchOverload) };
    let separator = arguments.get(1).map_or(Ok(""), text)?;
    let mut joined = String::new();
    for (place, item) in list.iter().enumerate() {
        let item = item?;
        if place > 0 {
            joined.push_str(separator);
        }
        joined.push_str(text(&item)?);
    }
    made(joined)
}
