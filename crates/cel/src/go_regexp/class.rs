//! Brackets in Go's patterns: which characters are meant.

use super::{Error, escape, unicode_class};

/// The names that can stand between `[:` and `:]`.
const NAMES: &[&str] = &[
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word",
    "xdigit",
];

/// Brackets in Rust's syntax, and what follows them.
pub(super) fn translate(whole: &str) -> Result<(String, &str), Error> {
    let mut rest = &whole[1..];
    let mut text = "[".to_owned();
    if let Some(after) = rest.strip_prefix('^') {
        rest = after;
        text.push('^');
    }
    let mut is_first = true;
    // The first one is a member, even if it is the closing one.
    while is_first || !rest.starts_with(']') {
        is_first = false;
        let (member, after) = member(whole, rest)?;
        text.push_str(&member);
        rest = after;
    }
    text.push(']');
    Ok((text, &rest[1..]))
}

/// The next class, range or character, and what follows it.
fn member<'a>(whole: &str, text: &'a str) -> Result<(String, &'a str), Error> {
    if text.starts_with("[:")
        && let Some(end) = text[2..].find(":]")
    {
        return named(&text[..end + 4]).map(|class| (class, &text[end + 4..]));
    }
    if text.starts_with(r"\p") || text.starts_with(r"\P") {
        return unicode_class::translate(text);
    }
    if let Some((members, is_negated)) = text.strip_prefix('\\').and_then(|it| escape::perl_class(it.chars().next()?)) {
        let class = if is_negated { format!("[^{members}]") } else { members.to_owned() };
        return Ok((class, &text[2..]));
    }
    let (low, after) = character(whole, text)?;
    let Some(high) = after.strip_prefix('-').filter(|high| !high.is_empty() && !high.starts_with(']')) else {
        return Ok((escape::literal(low), after));
    };
    let (high, rest) = character(whole, high)?;
    if high < low {
        return Err(Error::new("invalid character class range", &text[..text.len() - rest.len()]));
    }
    Ok((range(low, high), rest))
}

/// Rust's engine knows no surrogates; a range that begins or ends among them has what is beside them.
fn range(low: u32, high: u32) -> String {
    let low = char::from_u32(low).unwrap_or(AFTER_SURROGATES);
    let high = char::from_u32(high).unwrap_or(BEFORE_SURROGATES);
    if low > high {
        return unicode_class::NOTHING.to_owned();
    }
    format!("{}-{}", escape::literal(low.into()), escape::literal(high.into()))
}

const BEFORE_SURROGATES: char = '\u{d7ff}';
const AFTER_SURROGATES: char = '\u{e000}';

fn named(class: &str) -> Result<String, Error> {
    let name = class[2..class.len() - 2].trim_start_matches('^');
    let has_one_mark = class.matches('^').count() <= 1;
    if has_one_mark && NAMES.contains(&name) {
        Ok(class.to_owned())
    } else {
        Err(Error::new("invalid character class range", class))
    }
}

fn character<'a>(whole: &str, text: &'a str) -> Result<(u32, &'a str), Error> {
    match text.chars().next() {
        None => Err(Error::new("missing closing ]", whole)),
        Some('\\') => escape::character(text),
        Some(letter) => Ok((letter.into(), &text[letter.len_utf8()..])),
    }
}
