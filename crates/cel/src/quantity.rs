//! Quantities in the one spelling that Kubernetes stores: `0.5` is `500m`, `1024Mi` is `1Gi`.
//!
//! In: a text. Out: the canonical text, or nothing where it is not a quantity. No fraction is left, the unit is the largest
//! one that allows it, and the family of units (decimal, binary, exponent) is kept; less than a nano is rounded up. A
//! [`Quantity`] is what a text stands for, exact to the nano, to compare and to add.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Sub};

/// An amount, and the family of units in which it is printed.
#[derive(Debug, Clone, Copy)]
pub struct Quantity {
    nanos: i128,
    format: Format,
    whole: Whole,
}

/// Whether Kubernetes takes an amount for a whole number, which depends on how it was said: `1` is one, `1.0` and `1000m` are
/// not.
#[derive(Debug, Clone, Copy)]
enum Whole {
    /// So many digits, and so many zeros behind them; fewer than none are digits behind the point.
    Scaled { digits: i64, zeros: i32 },
    /// It has more digits than Kubernetes counts with in a word, or a fraction of a binary unit.
    Never,
}

impl Whole {
    const ZERO: Whole = Whole::Scaled { digits: 0, zeros: 0 };

    /// How Kubernetes keeps what a text says.
    fn of(Parts { is_negative, mantissa, scale, unit }: &Parts) -> Whole {
        let count = mantissa.checked_ilog10().map_or(1, |power| power + 1);
        let (digits, zeros) = match unit {
            Unit::Decimal(power) | Unit::Exponent(power) if count < DIGITS_END => (*mantissa, power - scale),
            // The units count as those of three digits that are just below them.
            Unit::Binary(power) if *scale == 0 && count + 3 * power < BINARY_DIGITS_END => {
                (mantissa << (10 * power), 0)
            }
            _ => return Whole::Never,
        };
        let digits = i64::try_from(digits).unwrap_or(i64::MAX);
        Whole::Scaled { digits: if *is_negative { -digits } else { digits }, zeros }
    }

    fn plus(self, other: Whole) -> Whole {
        match (self, other) {
            (_, Whole::Scaled { digits: 0, .. }) => self,
            (Whole::Scaled { digits: 0, .. }, _) => other,
            (Whole::Scaled { digits: one, zeros: own }, Whole::Scaled { digits: two, zeros: others }) => {
                let zeros = own.min(others);
                let aligned = |digits: i64, by: i32| digits.checked_mul(10_i64.checked_pow(by.unsigned_abs())?);
                let sum = aligned(one, own - zeros).zip(aligned(two, others - zeros));
                let sum = sum.and_then(|(one, two)| one.checked_add(two));
                sum.map_or(Whole::Never, |digits| Whole::Scaled { digits, zeros })
            }
            _ => Whole::Never,
        }
    }

    fn negated(self) -> Whole {
        match self {
            // As Go negates: the least stays itself.
            Whole::Scaled { digits, zeros } => Whole::Scaled { digits: digits.wrapping_neg(), zeros },
            Whole::Never => Whole::Never,
        }
    }

    fn number(self) -> Option<i64> {
        let Whole::Scaled { digits, zeros } = self else { return None };
        digits.checked_mul(10_i64.checked_pow(u32::try_from(zeros).ok()?)?)
    }
}

/// A family of units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Decimal,
    Exponent,
    Binary,
}

impl Quantity {
    /// Nothing.
    pub const ZERO: Quantity = Quantity { nanos: 0, format: Format::Decimal, whole: Whole::ZERO };

    /// So many.
    #[must_use]
    pub fn count(number: i64) -> Quantity {
        let whole = Whole::Scaled { digits: number, zeros: 0 };
        Quantity { nanos: i128::from(number) * NANOS, format: Format::Decimal, whole }
    }

    /// What a text stands for.
    #[must_use]
    pub fn parse(text: &str) -> Option<Quantity> {
        let parts = Parts::read(text)?;
        let whole = Whole::of(&parts);
        let Parts { is_negative, mantissa, scale, unit } = parts;
        let (nanos, format) = match unit {
            Unit::Decimal(power) => (scaled(mantissa, power - scale - NANO)?, Format::Decimal),
            Unit::Exponent(power) => (scaled(mantissa, power - scale - NANO)?, Format::Exponent),
            Unit::Binary(power) => {
                let bytes = mantissa.checked_mul(1_i128.checked_shl(10 * power)?)?;
                (scaled(bytes, -scale - NANO)?, Format::Binary)
            }
        };
        Some(Quantity { nanos: if is_negative { -nanos } else { nanos }, format, whole })
    }

    /// Whether it is nothing.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.nanos == 0
    }

    /// Whether it is less than nothing.
    #[must_use]
    pub fn is_negative(self) -> bool {
        self.nanos < 0
    }

    /// How many times another goes into it.
    #[expect(clippy::cast_precision_loss, reason = "a ratio is shown with six digits")]
    #[must_use]
    pub fn ratio(self, other: Quantity) -> f64 {
        self.nanos as f64 / other.nanos as f64
    }

    /// The number, if it is a whole one that fits.
    #[must_use]
    pub fn to_i64(self) -> Option<i64> {
        if self.nanos % NANOS == 0 { i64::try_from(self.nanos / NANOS).ok() } else { None }
    }

    /// The number, if Kubernetes' CEL takes it for a whole one: `1.0` is not, nor is the sum of `0.5` and `0.5`.
    #[must_use]
    pub(crate) fn to_whole(self) -> Option<i64> {
        self.whole.number()
    }

    /// The number, as near as a double comes to it.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "it is asked for as approximate")]
    pub fn to_f64(self) -> f64 {
        self.nanos as f64 / NANOS as f64
    }
}

/// `mantissa` times ten to the `power`; what is left behind the point counts as one more.
fn scaled(mantissa: i128, power: i32) -> Option<i128> {
    let factor = 10_i128.checked_pow(power.unsigned_abs())?;
    if power >= 0 {
        return mantissa.checked_mul(factor);
    }
    Some(mantissa / factor + i128::from(mantissa % factor != 0))
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Quantity) -> bool {
        self.nanos == other.nanos
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Quantity) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Quantity) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }
}

impl Add for Quantity {
    type Output = Quantity;

    /// The sum, in the units of the first, or of the second where the first is nothing.
    fn add(self, other: Quantity) -> Quantity {
        let format = if self.is_zero() { other.format } else { self.format };
        Quantity { nanos: self.nanos.saturating_add(other.nanos), format, whole: self.whole.plus(other.whole) }
    }
}

impl Sub for Quantity {
    type Output = Quantity;

    fn sub(self, other: Quantity) -> Quantity {
        self + Quantity { nanos: -other.nanos, whole: other.whole.negated(), ..other }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let amount = self.nanos.abs();
        let printed = match self.format {
            Format::Decimal => decimal(amount, NANO, false),
            Format::Exponent => decimal(amount, NANO, true),
            Format::Binary => binary(amount, 0, -NANO),
        };
        let sign = if self.nanos < 0 { "-" } else { "" };
        write!(f, "{sign}{}", printed.unwrap_or_else(|| (amount / NANOS).to_string()))
    }
}

/// A quantity taken apart.
struct Parts {
    is_negative: bool,
    mantissa: i128,
    /// How many digits of the mantissa stand behind the point.
    scale: i32,
    unit: Unit,
}

impl Parts {
    fn read(text: &str) -> Option<Parts> {
        let (is_negative, digits) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let end = digits.find(|sign: char| !sign.is_ascii_digit() && sign != '.').unwrap_or(digits.len());
        let (number, suffix) = digits.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
            return None;
        }
        let unit = Unit::parse(suffix)?;
        // Beyond any cluster, as is what fits no longer into 128 bits.
        let mantissa = format!("{whole}{fraction}").parse().unwrap_or(i128::MAX);
        Some(Parts { is_negative, mantissa, scale: i32::try_from(fraction.len()).ok()?, unit })
    }
}

/// The canonical spelling of a quantity.
#[must_use]
pub fn canonical(text: &str) -> Option<String> {
    let Parts { is_negative, mantissa, scale, unit } = Parts::read(text)?;
    if mantissa >= MANTISSA_END {
        // Beyond any cluster; what cannot be computed is kept as it was said.
        return Some(text.to_owned());
    }
    let printed = match unit {
        Unit::Decimal(power) => decimal(mantissa, power - scale, false)?,
        Unit::Exponent(power) => decimal(mantissa, power - scale, true)?,
        Unit::Binary(power) => binary(mantissa, power, scale)?,
    };
    Some(if is_negative && printed != "0" { format!("-{printed}") } else { printed })
}

enum Unit {
    /// Powers of ten, as a suffix.
    Decimal(i32),
    /// Powers of ten, as a number.
    Exponent(i32),
    /// Powers of 1024.
    Binary(u32),
}

impl Unit {
    fn parse(suffix: &str) -> Option<Unit> {
        if let Some(at) = DECIMAL.iter().position(|known| *known == suffix) {
            return Some(Unit::Decimal(i32::try_from(at).ok()? * 3 - 9));
        }
        if let Some(at) = BINARY.iter().position(|known| *known == suffix) {
            return Some(Unit::Binary(u32::try_from(at).ok()? + 1));
        }
        let power = suffix.strip_prefix(['e', 'E'])?;
        power.parse().ok().map(Unit::Exponent)
    }
}

/// `mantissa` times ten to the `power`.
fn decimal(mut mantissa: i128, mut power: i32, as_exponent: bool) -> Option<String> {
    if mantissa == 0 {
        return Some("0".to_owned());
    }
    while power < NANO {
        mantissa = mantissa / 10 + i128::from(mantissa % 10 != 0);
        power += 1;
    }
    while power.rem_euclid(3) != 0 {
        mantissa = mantissa.checked_mul(10)?;
        power -= 1;
    }
    while mantissa % 1000 == 0 && (as_exponent || power < EXA) {
        mantissa /= 1000;
        power += 3;
    }
    while !as_exponent && power > EXA {
        mantissa = mantissa.checked_mul(1000)?;
        power -= 3;
    }
    if as_exponent {
        return Some(if power == 0 { mantissa.to_string() } else { format!("{mantissa}e{power}") });
    }
    let unit = DECIMAL.get(usize::try_from((power - NANO) / 3).ok()?)?;
    Some(format!("{mantissa}{unit}"))
}

/// `mantissa` with `scale` digits behind its point, times 1024 to the `power`.
fn binary(mantissa: i128, power: u32, scale: i32) -> Option<String> {
    let bytes = mantissa.checked_mul(1_i128.checked_shl(10 * power)?)?;
    let divisor = 10_i128.checked_pow(u32::try_from(scale).ok()?)?;
    if bytes < 1024 * divisor {
        return decimal(bytes, -scale, false);
    }
    let mut whole = bytes / divisor + i128::from(bytes % divisor != 0);
    let mut power = 0;
    while whole % 1024 == 0 && power < BINARY.len() {
        whole /= 1024;
        power += 1;
    }
    let unit = power.checked_sub(1).map_or("", |at| BINARY[at]);
    Some(format!("{whole}{unit}"))
}

/// Decimal units, from nano on.
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const NANO: i32 = -9;
const EXA: i32 = 18;

/// Binary units, from 1024 on.
const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// How many nanos are one.
const NANOS: i128 = 1_000_000_000;

/// Kubernetes keeps fewer digits than this as a word.
const DIGITS_END: u32 = 19;

/// The same of an amount in binary units.
const BINARY_DIGITS_END: u32 = 15;

/// Eighteen digits can be multiplied by any unit without leaving 128 bits.
const MANTISSA_END: i128 = 1_000_000_000_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_spelling() {
        let table = [
            ("0.5", "500m"),
            ("1", "1"),
            ("1000m", "1"),
            ("1024Mi", "1Gi"),
            ("1.5Gi", "1536Mi"),
            ("100k", "100k"),
            ("1000k", "1M"),
            ("0", "0"),
            ("-0.1", "-100m"),
            ("1e3", "1e3"),
            ("12e2", "1200"),
            ("0.5Ki", "512"),
            ("1Ki", "1Ki"),
            ("1023", "1023"),
            ("1.0001n", "2n"),
            ("+3", "3"),
            ("1500m", "1500m"),
            ("0Gi", "0"),
            ("2E", "2E"),
            ("5000E", "5000E"),
            (".5", "500m"),
            ("1.", "1"),
        ];
        for (said, expected) in table {
            assert_eq!(canonical(said).as_deref(), Some(expected), "{said}");
            assert_eq!(canonical(expected).as_deref(), Some(expected), "{expected}");
        }
    }

    #[test]
    fn quantities_add_up_in_the_units_of_the_first() {
        let table = [
            ("1Gi", "512Mi", "1536Mi", "512Mi"),
            ("500m", "1", "1500m", "-500m"),
            ("0", "1Gi", "1Gi", "-1Gi"),
            ("1", "1Ki", "1025", "-1023"),
            ("1Ki", "24", "1048", "1k"),
            ("1e3", "1", "1001", "999"),
        ];
        for (first, second, sum, difference) in table {
            let (a, b) = (Quantity::parse(first).unwrap(), Quantity::parse(second).unwrap());
            assert_eq!(
                ((a + b).to_string(), (a - b).to_string()),
                (sum.to_owned(), difference.to_owned()),
                "{first} {second}"
            );
        }
        assert!(
            Quantity::parse("1000m") == Quantity::parse("1") && Quantity::parse("1.5Gi") > Quantity::parse("1500Mi")
        );
        assert_eq!(Quantity::parse("1").unwrap().ratio(Quantity::parse("250m").unwrap()), 4.0);
    }

    #[test]
    fn what_is_whole_depends_on_how_it_was_said() {
        let is_whole = |text: &str| Quantity::parse(text).unwrap().to_whole().is_some();
        for text in ["0", "1", "1k", "1.5k", "0.1e1", "000000000000000000001", "0Ki", "2Ki", "10Ti", "9E", "-1"] {
            assert!(is_whole(text), "{text}");
        }
        for text in ["1.0", "0.0", "0m", "1000m", "1.0Ki", "1Pi", "999Ti", "0Ei", "10E", "1000000000000000000"] {
            assert!(!is_whole(text), "{text}");
        }
        let sum = |one: &str, two: &str| (Quantity::parse(one).unwrap() + Quantity::parse(two).unwrap()).to_whole();
        assert_eq!((sum("1.5", "1.5"), sum("0.0", "1"), sum("0.0", "0")), (None, Some(1), None));
        assert_eq!((sum("9E", "1k"), sum("9E", "1E")), (Some(9_000_000_000_000_001_000), None));
        let [nine, one] = ["9E", "1E"].map(|text| Quantity::parse(text).unwrap());
        assert_eq!((nine + one - one).to_whole(), Some(9_000_000_000_000_000_000));
        assert_eq!((Quantity::count(1) - Quantity::count(i64::MIN)).to_whole(), Some(i64::MIN + 1));
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in ["", "x", "1x", "1.2.3", "-", "1Kib", "e3", "1 Gi"] {
            assert_eq!(canonical(text), None, "{text}");
        }
    }
}
