//! YAML as kube-apiserver writes it: blocks, keys in their natural order, quotes only where a text would be read as something
//! else, and long lines folded.
//!
//! In: a JSON value. Out: text that every reader of YAML takes for the same value.

use std::cmp::Ordering;

use serde_json::{Map, Value};

/// The value as a document.
pub(crate) fn print(value: &Value) -> String {
    let mut printer = Printer { text: String::new() };
    match value {
        Value::Object(fields) if !fields.is_empty() => printer.fields(fields, 0, false),
        Value::Array(items) if !items.is_empty() => printer.items(items, 0),
        other => {
            printer.scalar(other, 0);
            printer.text.push('\n');
        }
    }
    printer.text
}

struct Printer {
    text: String,
}

impl Printer {
    /// The fields of a map, the first of them in a line that has begun already if so said.
    fn fields(&mut self, fields: &Map<String, Value>, indent: usize, is_begun: bool) {
        let mut names: Vec<&String> = fields.keys().collect();
        names.sort_by(|one, other| natural(one, other));
        for (place, name) in names.into_iter().enumerate() {
            if place > 0 || !is_begun {
                self.indent(indent);
            }
            self.text_scalar(name, indent, Breaks::Never);
            self.text.push(':');
            self.value(&fields[name], indent);
        }
    }

    fn value(&mut self, value: &Value, indent: usize) {
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                self.text.push('\n');
                self.fields(fields, indent + INDENT, false);
            }
            // A list stands as far to the left as the name of its field.
            Value::Array(items) if !items.is_empty() => {
                self.text.push('\n');
                self.items(items, indent);
            }
            other => {
                self.text.push(' ');
                self.scalar(other, indent);
                self.text.push('\n');
            }
        }
    }

    fn items(&mut self, items: &[Value], indent: usize) {
        for item in items {
            self.indent(indent);
            self.item(item, indent);
        }
    }

    fn item(&mut self, item: &Value, indent: usize) {
        self.text.push_str("- ");
        match item {
            Value::Object(fields) if !fields.is_empty() => self.fields(fields, indent + INDENT, true),
            Value::Array(items) if !items.is_empty() => {
                let (first, rest) = (&items[0], &items[1..]);
                self.item(first, indent + INDENT);
                self.items(rest, indent + INDENT);
            }
            other => {
                self.scalar(other, indent);
                self.text.push('\n');
            }
        }
    }

    fn scalar(&mut self, value: &Value, indent: usize) {
        match value {
            Value::String(text) => self.text_scalar(text, indent, Breaks::Allowed),
            other => self.text.push_str(&other.to_string()),
        }
    }

    fn text_scalar(&mut self, text: &str, indent: usize, breaks: Breaks) {
        let shape = Shape::of(text);
        if text.contains('\n') && shape.fits_block && breaks == Breaks::Allowed {
            self.literal(text, indent + INDENT);
        } else if text.contains('\n') || is_something_else(text) || !(shape.fits_plain || shape.fits_quotes) {
            self.folded(&double_quoted(text), indent, breaks);
        } else if shape.fits_plain {
            self.folded(text, indent, breaks);
        } else {
            self.folded(&format!("'{}'", text.replace('\'', "''")), indent, breaks);
        }
    }

    /// Lines as they are, with an indicator of what is at their end.
    fn literal(&mut self, text: &str, indent: usize) {
        self.text.push('|');
        if text.starts_with([' ', '\n']) {
            self.text.push_str(&INDENT.to_string());
        }
        if !text.ends_with('\n') {
            self.text.push('-');
        } else if text.ends_with("\n\n") || text == "\n" {
            self.text.push('+');
        }
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            self.text.push('\n');
            if !line.is_empty() {
                self.indent(indent);
                self.text.push_str(line);
            }
        }
    }

    /// A scalar in one line, or in more where one would be too long: a single space may be a new line.
    fn folded(&mut self, scalar: &str, indent: usize, breaks: Breaks) {
        let signs: Vec<char> = scalar.chars().collect();
        let mut column = self.column();
        for (at, sign) in signs.iter().enumerate() {
            let is_single =
                *sign == ' ' && signs.get(at + 1).is_some_and(|next| *next != ' ') && at > 0 && signs[at - 1] != ' ';
            let is_inside = !scalar.starts_with(['\'', '"']) || (at > 1 && at + 2 < signs.len());
            if breaks == Breaks::Allowed && is_single && is_inside && column > WIDTH {
                self.text.push('\n');
                self.indent(indent + INDENT);
                column = indent + INDENT;
            } else {
                self.text.push(*sign);
                column += 1;
            }
        }
    }

    fn column(&self) -> usize {
        self.text.rsplit('\n').next().map_or(0, |line| line.chars().count())
    }

    fn indent(&mut self, indent: usize) {
        self.text.extend(std::iter::repeat_n(' ', indent));
    }
}

/// Whether a scalar may go over several lines; a key may not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Breaks {
    Allowed,
    Never,
}

/// In which ways a text can be written.
struct Shape {
    fits_plain: bool,
    fits_quotes: bool,
    fits_block: bool,
}

impl Shape {
    fn of(text: &str) -> Shape {
        let signs: Vec<char> = text.chars().collect();
        let is_blank = |sign: Option<&char>| sign.is_none_or(|sign| matches!(sign, ' ' | '\t' | '\n' | '\r'));
        let mut has_indicator = text.starts_with("---") || text.starts_with("...");
        for (at, sign) in signs.iter().enumerate() {
            let next_is_blank = is_blank(signs.get(at + 1));
            has_indicator |= match sign {
                '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`'
                    if at == 0 =>
                {
                    true
                }
                '?' | '-' if at == 0 => next_is_blank,
                ':' => next_is_blank,
                '#' => is_blank(signs.get(at - 1)),
                _ => false,
            };
        }
        let is_special = |sign: &char| sign.is_control() && *sign != '\n';
        let (first, last) = (signs.first(), signs.last());
        let is_edged = matches!(first, Some(' ' | '\n')) || matches!(last, Some(' ' | '\n'));
        let has_special = signs.iter().any(is_special);
        let has_space_before_break = text.contains(" \n");
        Shape {
            fits_plain: !text.is_empty() && !has_indicator && !is_edged && !has_special && !text.contains('\n'),
            fits_quotes: !has_special && !text.contains("\n ") && !has_space_before_break,
            fits_block: !has_special && !has_space_before_break && last != Some(&' '),
        }
    }
}

fn double_quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for sign in text.chars() {
        match sign {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            '\0' => quoted.push_str("\\0"),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{b}' => quoted.push_str("\\v"),
            '\u{c}' => quoted.push_str("\\f"),
            '\u{1b}' => quoted.push_str("\\e"),
            '\u{85}' => quoted.push_str("\\N"),
            '\u{a0}' => quoted.push_str("\\_"),
            sign if sign.is_control() => quoted.push_str(&format!("\\x{:02X}", u32::from(sign))),
            sign => quoted.push(sign),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether a text without quotes would be read as a truth, nothing, a number or a time.
fn is_something_else(text: &str) -> bool {
    WORDS.contains(&text) || is_number(text) || is_time(text) || is_base_sixty(text)
}

fn is_number(text: &str) -> bool {
    if !text.starts_with(|sign: char| sign.is_ascii_digit() || matches!(sign, '+' | '-' | '.')) {
        return false;
    }
    let plain = text.replace('_', "");
    let unsigned = plain.trim_start_matches(['+', '-']);
    let in_base = [("0x", 16), ("0b", 2), ("0o", 8)].iter().any(|(prefix, base)| {
        unsigned.strip_prefix(prefix).is_some_and(|digits| i128::from_str_radix(digits, *base).is_ok())
    });
    let is_decimal =
        unsigned.starts_with(|sign: char| sign.is_ascii_digit() || sign == '.') && plain.parse::<f64>().is_ok();
    in_base || is_decimal
}

/// Whether this begins as a date and is one, or a date and a time.
fn is_time(text: &str) -> bool {
    let (date, time) = text.split_at(text.find(['T', 't', ' ']).unwrap_or(text.len()));
    let parts: Vec<&str> = date.split('-').collect();
    let is_digits = |subresource: &str, lengths: &[usize]| {
        lengths.contains(&subresource.len()) && subresource.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_date = matches!(&parts[..], [year, month, day]
        if is_digits(year, &[4]) && is_digits(month, &[1, 2]) && is_digits(day, &[1, 2]));
    let is_clock = time.is_empty() || (time.matches(':').count() >= 2 && time.len() > 5);
    is_date && is_clock
}

/// Numbers of base sixty, which older readers know: `1:30`.
fn is_base_sixty(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = unsigned.split(':');
    let is_first = parts.next().is_some_and(|part| {
        part.starts_with(|sign: char| sign.is_ascii_digit())
            && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
    });
    let rest: Vec<&str> = parts.collect();
    let is_sixtieth = |part: &&str| {
        let whole = part.split('.').next().unwrap_or_default();
        matches!(whole.len(), 1 | 2) && whole.parse::<u8>().is_ok_and(|number| number < 60)
    };
    is_first && !rest.is_empty() && rest.iter().all(is_sixtieth)
}

/// The order of keys: letters behind everything else, numbers by what they count.
fn natural(one: &str, other: &str) -> Ordering {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut after_digit = false;
    for (at, (a, b)) in one.iter().zip(&other).enumerate() {
        if a == b {
            after_digit = a.is_ascii_digit();
            continue;
        }
        return match (a.is_alphabetic(), b.is_alphabetic()) {
            (true, true) => a.cmp(b),
            (is_letter, false) | (false, is_letter) if is_letter || b.is_alphabetic() => {
                let first_is_less = if after_digit { a.is_alphabetic() } else { b.is_alphabetic() };
                if first_is_less { Ordering::Less } else { Ordering::Greater }
            }
            _ => number_at(&one, at).cmp(&number_at(&other, at)).then(a.cmp(b)),
        };
    }
    one.len().cmp(&other.len())
}

/// The number that goes on at a place, and how long it is.
fn number_at(signs: &[char], at: usize) -> (u64, usize) {
    let digits: Vec<u64> = signs[at..].iter().map_while(|sign| sign.to_digit(10)).map(u64::from).collect();
    let number = digits.iter().fold(0u64, |number, digit| number.saturating_mul(10).saturating_add(*digit));
    (number, digits.len())
}

const INDENT: usize = 2;

/// A line that is longer goes on in the next one, at its next space.
const WIDTH: usize = 80;

/// Texts that are words of YAML.
const WORDS: &[&str] = &[
    "", "~", "null", "Null", "NULL", "<<", "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON",
    "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF", ".nan", ".NaN", ".NAN", ".inf", ".Inf",
    ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF",
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(value: &Value, expected: &str) {
        let printed = print(value);
        assert_eq!(printed, expected);
        let read: Value = serde_saphyr::from_str(&printed).unwrap();
        assert_eq!(read, *value, "{printed}");
    }

    #[test]
    fn blocks_lists_and_what_is_empty() {
        check(
            &json!({"b": {"c": [], "d": {}}, "a": [{"x": 1, "y": [2, "z"]}, "t"], "n": null, "f": 1.5, "t": true}),
            "a:\n- x: 1\n  \"y\":\n  - 2\n  - z\n- t\nb:\n  c: []\n  d: {}\nf: 1.5\n\"n\": null\nt: true\n",
        );
    }

    #[test]
    fn a_text_that_would_be_read_as_something_else_is_quoted() {
        for text in ["1", "1e3", "0x1f", "-1.5", "true", "no", "", "~", "2026-11-16", "2026-11-16T08:00:00Z", "1:30"] {
            check(&json!({"a": text}), &format!("a: \"{text}\"\n"));
        }
        for text in ["v1", "a b", "a:b", "f:data", ".", "1a", "x#y", "2026-11-16x"] {
            check(&json!({"a": text}), &format!("a: {text}\n"));
        }
        for text in ["a: b", "a #b", "'a", "[a", "- a", "*", " a", "a:"] {
            check(&json!({"a": text}), &format!("a: '{}'\n", text.replace('\'', "''")));
        }
        check(&json!({"a": "x\u{1}"}), "a: \"x\\x01\"\n");
    }

    #[test]
    fn lines_stay_lines() {
        check(&json!({"a": "x\ny\n", "b": {"c": "x\n\ny"}}), "a: |\n  x\n  y\nb:\n  c: |-\n    x\n\n    y\n");
    }

    #[test]
    fn a_long_line_goes_on_in_the_next_one() {
        let text = format!("{} {} {}", "a".repeat(50), "b".repeat(40), "c".repeat(5));
        let expected = format!("m: {} {}\n  {}\n", "a".repeat(50), "b".repeat(40), "c".repeat(5));
        check(&json!({"m": text}), &expected);
    }

    #[test]
    fn keys_stand_in_their_natural_order() {
        let mut keys = vec!["a10", "a2", "b", "B", "f:x", ".", "a"];
        keys.sort_by(|one, other| natural(one, other));
        assert_eq!(keys, [".", "B", "a", "a2", "a10", "b", "f:x"]);
    }
}
