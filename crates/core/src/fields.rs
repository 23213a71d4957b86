//! Field selectors: which objects are meant, by their fields.
//!
//! `metadata.name=a,status.phase!=Running`: conditions joined by commas; `\` before a comma, an equals sign or itself
//! makes that a plain character. Which fields can be asked for is up to the server.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// Conditions on fields, all of which must hold; none at all selects everything.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FieldSelector(Vec<FieldRequirement>);

/// A condition on one field.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FieldRequirement {
    /// Which field, as in `metadata.name`.
    pub field: String,
    /// How it is compared.
    pub operator: FieldOperator,
    /// What it is compared with.
    pub value: String,
}

/// How a field is compared.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FieldOperator {
    /// It has the value.
    Equal,
    /// It has another.
    NotEqual,
}

impl FieldSelector {
    /// Whether it selects everything.
    pub fn selects_all(&self) -> bool {
        self.0.is_empty()
    }

    /// The conditions.
    pub fn requirements(&self) -> &[FieldRequirement] {
        &self.0
    }

    /// The value `field` must have, if the selector asks for exactly one.
    pub fn exact(&self, field: &str) -> Option<&str> {
        let mut wanted = self.0.iter().filter(|it| it.field == field && it.operator == FieldOperator::Equal);
        wanted.next().map(|requirement| requirement.value.as_str())
    }

    /// Whether an object is meant whose fields `value` looks up; a field that is not there counts as empty.
    pub fn matches_by<'a>(&self, value: impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
        self.0.iter().all(|requirement| {
            let is_equal = value(&requirement.field).unwrap_or_default() == requirement.value.as_str();
            is_equal == (requirement.operator == FieldOperator::Equal)
        })
    }
}

/// A field selector that cannot be understood, and why, in the words of Kubernetes.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct ParseFieldSelectorError(String);

impl FromStr for FieldSelector {
    type Err = ParseFieldSelectorError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let terms = split_unescaped(text, ',').into_iter().filter(|term| !term.is_empty());
        let parse = |term: &str| {
            let unknown = || format!("invalid selector: '{text}'; can't understand '{term}'");
            parse_term(term).unwrap_or_else(|| Err(unknown())).map_err(ParseFieldSelectorError)
        };
        terms.map(parse).collect::<Result<_, _>>().map(Self)
    }
}

/// `None` where there is nothing that compares.
fn parse_term(term: &str) -> Option<Result<FieldRequirement, String>> {
    let at = term.find('=')?;
    let (operator, field_end) =
        if term[..at].ends_with('!') { (FieldOperator::NotEqual, at - 1) } else { (FieldOperator::Equal, at) };
    let value_start = if operator == FieldOperator::Equal && term[at + 1..].starts_with('=') { at + 2 } else { at + 1 };
    let field = term[..field_end].trim();
    let value = unescape(&term[value_start..]);
    (!field.is_empty()).then(|| Ok(FieldRequirement { field: field.to_owned(), operator, value: value? }))
}

/// Splits at every `sign` that no backslash stands before.
fn split_unescaped(text: &str, sign: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == sign => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Fails where a sign that must be escaped is not, or one is that cannot be.
fn unescape(value: &str) -> Result<String, String> {
    let mut plain = String::with_capacity(value.len());
    let mut rest = value.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some(next @ ('\\' | ',' | '=')) => plain.push(next),
                other => {
                    let sequence: String = [Some(c), other].into_iter().flatten().collect();
                    return Err(format!("invalid field selector: invalid escape sequence: {sequence}"));
                }
            },
            ',' | '=' => {
                return Err(format!("invalid field selector: unescaped character in value: {}", u32::from(c)));
            }
            _ => plain.push(c),
        }
    }
    Ok(plain)
}

impl fmt::Display for FieldSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, requirement) in self.0.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let operator = match requirement.operator {
                FieldOperator::Equal => "=",
                FieldOperator::NotEqual => "!=",
            };
            let value = requirement.value.replace('\\', "\\\\").replace(',', "\\,").replace('=', "\\=");
            write!(f, "{comma}{}{operator}{value}", requirement.field)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(selector: &str, name: &str, expected: bool) {
        let selector: FieldSelector = selector.parse().unwrap();
        let found = selector.matches_by(|field| (field == "metadata.name").then(|| name.into()));
        assert_eq!(found, expected, "{selector} on {name:?}");
        assert_eq!(selector.to_string().parse::<FieldSelector>().unwrap(), selector, "{selector} parses back");
    }

    #[test]
    fn selectors_select() {
        check("", "a", true);
        check("metadata.name=a", "a", true);
        check("metadata.name==a", "b", false);
        check("metadata.name!=a", "b", true);
        check("metadata.name=a,spec.x=", "a", true);
        check("metadata.name=a,spec.x=1", "a", false);
        check(r"metadata.name=a\,b\=c\\", r"a,b=c\", true);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["a", "=a", "a=b=c", r"a=\x", "!=a"] {
            assert!(text.parse::<FieldSelector>().is_err(), "{text:?} was understood");
        }
    }

    #[test]
    fn any_selector_reads_back_as_it_was_written() {
        use crate::seeded::Walk;
        for seed in 0..5_000 {
            let mut walk = Walk::new(seed);
            let condition = |walk: &mut Walk| FieldRequirement {
                field: walk.one_of(&["metadata.name", "spec.nodeName"]).into(),
                operator: walk.one_of(&[FieldOperator::Equal, FieldOperator::NotEqual]),
                value: walk.text(6),
            };
            let written = FieldSelector((0..walk.below(4)).map(|_| condition(&mut walk)).collect());
            let read: Result<FieldSelector, _> = written.to_string().parse();
            assert_eq!(read.as_ref(), Ok(&written), "seed {seed}: {written}");
        }
    }
}
