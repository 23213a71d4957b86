//! A span of time as Go writes it, for fields like `interval: 1m30s`.
//!
//! In: `1h2m3.5s`, any units, a sign if wanted. Out: one unit (`3723.5s`), which Go reads back as the same time. Unlike
//! [`std::time::Duration`] it may be negative. What does not fit is the longest time that does.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::time;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// A span of time, written as Go writes it.
#[derive(Clone, Copy, Eq, PartialEq)]
pub struct Duration {
    duration: time::Duration,
    // Never true of zero, which has no sign.
    is_negative: bool,
}

/// Why a text is not a [`Duration`].
#[derive(Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// A unit that is none.
    #[error("this is not a unit of time; use one of {UNITS}")]
    InvalidUnit,
    /// A number without a unit.
    #[error("a number stands without a unit of time; add one of {UNITS}")]
    NoUnit,
    /// A unit without a number, or a number that is none.
    #[error("a unit of time stands without a number that can be read ({0})")]
    NotANumber(#[from] std::num::ParseFloatError),
}

const UNITS: &str = "ns, us, µs, ms, s, m, h";

impl Duration {
    /// Whether it is below zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.is_negative
    }

    fn signed(duration: time::Duration, is_negative: bool) -> Self {
        Self { duration, is_negative: is_negative && !duration.is_zero() }
    }
}

impl From<time::Duration> for Duration {
    fn from(duration: time::Duration) -> Self {
        Self { duration, is_negative: false }
    }
}

/// Its length: the sign is lost.
impl From<Duration> for time::Duration {
    fn from(duration: Duration) -> Self {
        duration.duration
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_negative { "-" } else { "" };
        // The standard library writes one unit and a fraction, which Go reads.
        write!(f, "{sign}{:?}", self.duration)
    }
}

impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Duration {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_negative = text.starts_with('-');
        let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
        if rest == "0" {
            return Ok(time::Duration::ZERO.into());
        }
        let mut sum = 0_u128;
        while !rest.is_empty() {
            let (number, behind) = split(rest, |c| !is_of_number(c));
            let (unit, behind) = split(behind, is_of_number);
            sum = sum.saturating_add(nanoseconds(number, unit)?);
            rest = behind;
        }
        Ok(Self::signed(length(sum), is_negative))
    }
}

fn is_of_number(c: char) -> bool {
    c.is_ascii_digit() || c == '.'
}

fn split(text: &str, at: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(at).unwrap_or(text.len()))
}

/// So many of `unit`, exactly, as long as it fits. What is less than a nanosecond is dropped, as in Go.
fn nanoseconds(number: &str, unit: &str) -> Result<u128, ParseError> {
    // Says what is wrong with a number; its value is taken from the digits, which are exact.
    number.parse::<f64>()?;
    let unit = match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => NANOSECONDS_PER_SECOND,
        "m" => 60 * NANOSECONDS_PER_SECOND,
        "h" => 3600 * NANOSECONDS_PER_SECOND,
        "" => return Err(ParseError::NoUnit),
        _ => return Err(ParseError::InvalidUnit),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| match text {
        "" => 0,
        _ => text.parse::<u128>().unwrap_or(u128::MAX),
    };
    let fraction = &fraction[..fraction.len().min(FRACTION_DIGITS_MAX)];
    let part = digits(fraction) * unit / 10_u128.pow(u32::try_from(fraction.len()).unwrap_or_default());
    Ok(digits(whole).saturating_mul(unit).saturating_add(part))
}

const NANOSECONDS_PER_SECOND: u128 = 1_000_000_000;

/// The smallest fraction of an hour that is a nanosecond has 13 digits; more change nothing.
const FRACTION_DIGITS_MAX: usize = 18;

fn length(nanoseconds: u128) -> time::Duration {
    let below_one_second = u32::try_from(nanoseconds % NANOSECONDS_PER_SECOND).unwrap_or_default();
    u64::try_from(nanoseconds / NANOSECONDS_PER_SECOND)
        .map_or(time::Duration::MAX, |seconds| time::Duration::new(seconds, below_one_second))
}

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, into: S) -> Result<S::Ok, S::Error> {
        into.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_str(AsText)
    }
}

struct AsText;

impl Visitor<'_> for AsText {
    type Value = Duration;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a span of time as Go writes it, such as 1h30m")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Duration, E> {
        text.parse().map_err(E::custom)
    }
}

impl Ord for Duration {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is_negative, other.is_negative) {
            (false, false) => self.duration.cmp(&other.duration),
            (true, true) => other.duration.cmp(&self.duration),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Duration {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialOrd<time::Duration> for Duration {
    fn partial_cmp(&self, other: &time::Duration) -> Option<Ordering> {
        self.partial_cmp(&Self::from(*other))
    }
}

impl PartialEq<time::Duration> for Duration {
    fn eq(&self, other: &time::Duration) -> bool {
        *self == Self::from(*other)
    }
}

impl PartialEq<time::Duration> for &'_ Duration {
    fn eq(&self, other: &time::Duration) -> bool {
        **self == *other
    }
}

impl PartialEq<Duration> for time::Duration {
    fn eq(&self, other: &Duration) -> bool {
        other == self
    }
}

impl PartialEq<Duration> for &'_ time::Duration {
    fn eq(&self, other: &Duration) -> bool {
        *other == **self
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Duration {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Duration".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests;
