//! Quantities in the one spelling that Kubernetes stores: `0.5` is `500m`, `1024Mi` is `1Gi`.
//!
//! In: a text. Out: the canonical text, or nothing where it is not a quantity. No fraction is left, the unit is the largest
//! one that allows it, and the family of units (decimal, binary, exponent) is kept; less than a nano is rounded up.

/// The canonical spelling of a quantity.
pub(crate) fn canonical(text: &str) -> Option<String> {
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
    let digits = format!("{whole}{fraction}");
    if digits.len() > DIGITS_MAX {
        // Beyond any cluster; what cannot be computed is kept as it was said.
        return Some(text.to_owned());
    }
    let mantissa: i128 = digits.parse().ok()?;
    let scale = i32::try_from(fraction.len()).ok()?;
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

/// About how much a quantity is, which is enough to compare two; nothing where it is none.
pub(crate) fn number(text: &str) -> f64 {
    let digits =
        text.find(|sign: char| !(sign.is_ascii_digit() || matches!(sign, '.' | '+' | '-'))).unwrap_or(text.len());
    let (mantissa, suffix) = text.split_at(digits);
    let scale = match suffix {
        "n" => 1e-9,
        "u" => 1e-6,
        "m" => 1e-3,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "E" => 1e18,
        "Ki" => 1024_f64,
        "Mi" => 1024_f64.powi(2),
        "Gi" => 1024_f64.powi(3),
        "Ti" => 1024_f64.powi(4),
        "Pi" => 1024_f64.powi(5),
        "Ei" => 1024_f64.powi(6),
        _ => return text.parse().unwrap_or_default(),
    };
    mantissa.parse::<f64>().unwrap_or_default() * scale
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

/// So many digits can be multiplied by any unit without leaving 128 bits.
const DIGITS_MAX: usize = 18;

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
    fn what_is_none_is_refused() {
        for text in ["", "x", "1x", "1.2.3", "-", "1Kib", "e3", "1 Gi"] {
            assert_eq!(canonical(text), None, "{text}");
        }
    }
}
