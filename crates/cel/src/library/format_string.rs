//! `"%s has %d".format([name, count])`, evaluated, and checked before where the format is a literal.

use crate::functions::Library;
use crate::source::{Issue, Offset};
use crate::types::Type;
use crate::value::{Evaluated, EvaluationError, Text, Value, fail, show_double};

use super::strings::quote;
use super::time;

pub(crate) const LIBRARY: Library = Library {
    declarations: "string_format: string::format(list(dyn)) -> string",
    implementations: &[("format", format)],
};

/// How an argument is to be shown.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Clause {
    String,
    Decimal,
    Fixed(usize),
    Scientific(usize),
    Binary,
    Hex { is_upper: bool },
    Octal,
}

enum Piece<'f> {
    Text(&'f str),
    Percent,
    Argument(Clause),
    /// The rest cannot be read.
    Broken(String),
}

/// As many digits as are shown behind the point if nothing else is said.
const PRECISION: usize = 6;

fn format<'v>(arguments: &[Value<'v>]) -> Evaluated<'v> {
    let (Value::String(format), Value::List(list)) = (&arguments[0], &arguments[1]) else {
        return Err(EvaluationError::NoSuchOverload);
    };
    let mut shown = String::new();
    let mut place = 0;
    for piece in pieces(format) {
        match piece {
            Piece::Text(text) => shown.push_str(text),
            Piece::Percent => shown.push('%'),
            Piece::Broken(why) => return fail(why),
            Piece::Argument(clause) => {
                let Some(value) = list.get(place) else { return fail(format!("index {place} out of range")) };
                let value = value?;
                let one = show(clause, &value).map_err(|why| EvaluationError::failed(prefixed(&why)))?;
                shown.push_str(&one);
                place += 1;
            }
        }
    }
    Ok(Value::String(Text::from(shown)))
}

fn prefixed(why: &str) -> String {
    format!("error during formatting: {why}")
}

/// An argument as it is known before it is evaluated.
pub(crate) struct Argument<'a> {
    pub(crate) kind: &'a Type,
    pub(crate) offset: Offset,
    /// The items of a list or map that is written out; what is in any other is not looked at.
    pub(crate) items: Vec<Argument<'a>>,
}

/// What is wrong with a format and the types of its arguments.
pub(crate) fn issue(format: &str, arguments: &[Argument<'_>], list: Offset) -> Option<Issue> {
    let mut place = 0;
    for piece in pieces(format) {
        match piece {
            Piece::Text(_) | Piece::Percent => {}
            Piece::Broken(why) => return Some(Issue::new(list, why)),
            Piece::Argument(clause) => {
                let Some(argument) = arguments.get(place) else {
                    return Some(Issue::new(list, format!("index {place} out of range")));
                };
                if let Some(unfit) = unfit(clause, argument) {
                    let why = prefixed(&refused(clause, &unfit.kind.runtime_name()));
                    return Some(Issue::new(unfit.offset, why));
                }
                place += 1;
            }
        }
    }
    let count = arguments.len();
    (count > place).then(|| {
        let why = format!("too many arguments supplied to string.format (expected {place}, got {count})");
        Issue::new(list, why)
    })
}

/// The argument that cannot be shown so: itself, or the first of the items that are written out.
fn unfit<'a>(clause: Clause, argument: &'a Argument<'a>) -> Option<&'a Argument<'a>> {
    if !takes_type(clause, argument.kind) {
        return Some(argument);
    }
    argument.items.iter().find_map(|item| unfit(clause, item))
}

fn takes_type(clause: Clause, found: &Type) -> bool {
    if found.is_dyn_or_error() {
        return true;
    }
    match clause {
        Clause::String => !matches!(found, Type::Object(_) | Type::Opaque(_) | Type::Optional(_)),
        Clause::Decimal | Clause::Octal => matches!(found, Type::Int | Type::Uint),
        Clause::Fixed(_) | Clause::Scientific(_) => matches!(found, Type::Double | Type::String),
        Clause::Binary => matches!(found, Type::Int | Type::Uint | Type::Bool),
        Clause::Hex { .. } => matches!(found, Type::Int | Type::Uint | Type::String | Type::Bytes),
    }
}

fn pieces(format: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        pieces.push(Piece::Text(&rest[..at]));
        rest = &rest[at + 1..];
        let (piece, after) = clause(rest);
        let is_broken = matches!(piece, Piece::Broken(_));
        pieces.push(piece);
        if is_broken {
            return pieces;
        }
        rest = after;
    }
    pieces.push(Piece::Text(rest));
    pieces
}

fn clause(text: &str) -> (Piece<'_>, &str) {
    let broken = |why: String| (Piece::Broken(why), "");
    let unreadable = |why: &str| format!("could not parse formatting clause: error while parsing precision: {why}");
    let (precision, rest) = match text.strip_prefix('.') {
        None => (PRECISION, text),
        Some(after) => {
            let Some(end) = after.find(|sign: char| !sign.is_ascii_digit()) else {
                return broken(unreadable("could not find end of precision specifier"));
            };
            match after[..end].parse() {
                Ok(precision) => (precision, &after[end..]),
                Err(_) => {
                    let why = format!("strconv.Atoi: parsing {:?}: invalid syntax", &after[..end]);
                    return broken(unreadable(&format!("error while converting precision to integer: {why}")));
                }
            }
        }
    };
    let Some(sign) = rest.chars().next() else { return broken("unexpected end of string".to_owned()) };
    let found = match sign {
        '%' => return (Piece::Percent, &rest[1..]),
        's' => Clause::String,
        'd' => Clause::Decimal,
        'f' => Clause::Fixed(precision),
        'e' => Clause::Scientific(precision),
        'b' => Clause::Binary,
        'x' => Clause::Hex { is_upper: false },
        'X' => Clause::Hex { is_upper: true },
        'o' => Clause::Octal,
        other => {
            return broken(format!("could not parse formatting clause: unrecognized formatting clause \"{other}\""));
        }
    };
    (Piece::Argument(found), &rest[1..])
}

fn refused(clause: Clause, given: &str) -> String {
    let what = match clause {
        Clause::String => {
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and \
             timestamps"
        }
        Clause::Decimal => "decimal clause can only be used on integers",
        Clause::Fixed(_) => "fixed-point clause can only be used on doubles",
        Clause::Scientific(_) => "scientific clause can only be used on doubles",
        Clause::Binary => "only integers and bools can be formatted as binary",
        Clause::Hex { .. } => "only integers, byte buffers, and strings can be formatted as hex",
        Clause::Octal => "octal clause can only be used on integers",
    };
    format!("{what}, was given {given}")
}

fn show(clause: Clause, value: &Value<'_>) -> Result<String, String> {
    let radix = |is_negative: bool, digits: String| if is_negative { format!("-{digits}") } else { digits };
    let magnitude = match value {
        Value::Int(number) => Some((*number < 0, number.unsigned_abs())),
        Value::Uint(number) => Some((false, *number)),
        _ => None,
    };
    match (clause, value, magnitude) {
        (Clause::String, value, _) => string(value),
        (Clause::Decimal, _, Some((is_negative, digits))) => Ok(radix(is_negative, digits.to_string())),
        (Clause::Octal, _, Some((is_negative, digits))) => Ok(radix(is_negative, format!("{digits:o}"))),
        (Clause::Binary, _, Some((is_negative, digits))) => Ok(radix(is_negative, format!("{digits:b}"))),
        (Clause::Binary, Value::Bool(value), _) => Ok(u8::from(*value).to_string()),
        (Clause::Hex { is_upper: true }, _, Some((is_negative, digits))) => {
            Ok(radix(is_negative, format!("{digits:X}")))
        }
        (Clause::Hex { .. }, _, Some((is_negative, digits))) => Ok(radix(is_negative, format!("{digits:x}"))),
        (Clause::Hex { is_upper }, Value::String(text), _) => Ok(hex(text.as_bytes(), is_upper)),
        (Clause::Hex { is_upper }, Value::Bytes(bytes), _) => Ok(hex(bytes, is_upper)),
        (Clause::Fixed(precision), value, _) if number(value).is_some() => {
            Ok(fixed(number(value).unwrap_or_default(), precision))
        }
        (Clause::Scientific(precision), value, _) if number(value).is_some() => {
            Ok(scientific(number(value).unwrap_or_default(), precision))
        }
        (clause, value, _) => Err(refused(clause, value.type_name())),
    }
}

/// A double, or one of the words that stand for those that JSON does not have.
fn number(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Double(number) => Some(*number),
        Value::String(text) => match &**text {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

fn special(number: f64) -> Option<&'static str> {
    match number {
        number if number.is_nan() => Some("NaN"),
        f64::INFINITY => Some("∞"),
        f64::NEG_INFINITY => Some("-∞"),
        _ => None,
    }
}

/// As American English writes it, with commas between thousands.
fn fixed(number: f64, precision: usize) -> String {
    if let Some(special) = special(number) {
        return special.to_owned();
    }
    let plain = format!("{number:.precision$}");
    let (sign, digits) = plain.strip_prefix('-').map_or(("", &*plain), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(whole, parts)| (whole, Some(parts)));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    match fraction {
        Some(fraction) => format!("{sign}{grouped}.{fraction}"),
        None => format!("{sign}{grouped}"),
    }
}

/// As American English writes it: `1.500000×10⁰³`, with the digits that Go gives it.
fn scientific(number: f64, precision: usize) -> String {
    if let Some(special) = special(number) {
        return special.to_owned();
    }
    // Go is asked for a width, not for a precision, so that six digits are shown whatever was said.
    let shown = format!("{number:.PRECISION$e}");
    let (digits, exponent) = shown.split_once('e').unwrap_or((&shown, "0"));
    let (sign, power) = exponent.strip_prefix('-').map_or(("", exponent), |power| ("⁻", power));
    let raised: String = format!("{power:0>2}").chars().map(superscript).collect();
    format!("{:>precision$}", format!("{digits}×10{sign}{raised}"))
}

fn superscript(digit: char) -> char {
    match digit {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        other => char::from_u32(0x2070 + other.to_digit(10).unwrap_or_default()).unwrap_or('⁰'),
    }
}

fn hex(bytes: &[u8], is_upper: bool) -> String {
    bytes.iter().map(|byte| if is_upper { format!("{byte:02X}") } else { format!("{byte:02x}") }).collect()
}

fn string(value: &Value<'_>) -> Result<String, String> {
    Ok(match value {
        Value::String(text) => text.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => number.to_string(),
        Value::Double(number) => show_double(*number),
        Value::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::Null => "null".to_owned(),
        Value::Timestamp(moment) => moment.to_string(),
        Value::Duration(length) => time::seconds(*length),
        Value::Type(name) => name.to_string(),
        Value::List(list) => {
            let mut shown = Vec::new();
            for item in list.iter() {
                shown.push(nested(&item.map_err(|_| UNFORMATTED_ERROR)?)?);
            }
            format!("[{}]", shown.join(", "))
        }
        Value::Map(map) => {
            let (mut shown, keys) = (Vec::new(), map.keys());
            if keys.len() < map.len() {
                // Kubernetes panics there, which fails the rule.
                return Err("what a schema only preserves cannot be shown".to_owned());
            }
            for key in keys {
                let value = map.get(&key).ok_or_else(|| format!("could not find key: {}", key.plain()))?;
                let value = value.map_err(|_| UNFORMATTED_ERROR)?;
                shown.push((nested(&key)?, nested(&value)?));
            }
            shown.sort();
            let shown: Vec<String> = shown.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
            format!("{{{}}}", shown.join(", "))
        }
        other => return Err(refused(Clause::String, other.type_name())),
    })
}

/// A value within a list or a map, where text is quoted.
fn nested(value: &Value<'_>) -> Result<String, String> {
    Ok(match value {
        Value::String(text) => quote(text),
        Value::Bytes(bytes) => format!("b{}", quote(&String::from_utf8_lossy(bytes))),
        Value::Double(number) => match special_word(*number) {
            Some(word) => word.to_owned(),
            None => format!("{number:.PRECISION$}"),
        },
        Value::Timestamp(moment) => format!("timestamp(\"{moment}\")"),
        Value::Duration(length) => format!("duration(\"{}\")", time::seconds(*length)),
        Value::List(_) | Value::Map(_) => string(value)?,
        other => string(other).map_err(|_| format!("no formatting function for {}", other.type_name()))?,
    })
}

/// What is said of a list or map in which something cannot be read.
const UNFORMATTED_ERROR: &str = "no formatting function for error";

fn special_word(number: f64) -> Option<&'static str> {
    match number {
        number if number.is_nan() => Some("\"NaN\""),
        f64::INFINITY => Some("\"+Inf\""),
        f64::NEG_INFINITY => Some("\"-Inf\""),
        _ => None,
    }
}
