//! Formats of texts that kube-apiserver checks; every other format is only a hint.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use regex::Regex;

/// Whether a text is of a format.
pub(super) fn fits(format: &str, text: &str) -> bool {
    match format {
        "date-time" | "datetime" => matches(&DATE_TIME, text),
        "date" => text.parse::<jiff::civil::Date>().is_ok() && text.len() == 10,
        "duration" => matches(&DURATION, text) || matches(&GO_DURATION, text),
        "byte" => !text.is_empty() && STANDARD.decode(text).is_ok(),
        "email" => matches(&EMAIL, text),
        "hostname" => is_hostname(text),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "cidr" => is_cidr(text),
        "mac" => matches(&MAC, text),
        "uri" => text.parse::<http::Uri>().is_ok_and(|uri| uri.scheme().is_some()) || text.starts_with('/'),
        "uuid" | "uuid3" | "uuid4" | "uuid5" => matches(&UUID, text) && has_version(format, text),
        "k8s-short-name" => matches(&LABEL, text) && text.len() <= 63,
        "k8s-long-name" => text.len() <= 253 && text.split('.').all(|label| matches(&LABEL, label)),
        "hexcolor" => matches(&HEX_COLOUR, text),
        "creditcard" | "isbn" | "isbn10" | "isbn13" | "ssn" => text.chars().any(|sign| sign.is_ascii_digit()),
        _ => true,
    }
}

fn is_hostname(text: &str) -> bool {
    let is_label = |label: &str| {
        let inner = |sign: char| sign.is_alphanumeric() || sign == '-';
        (1..=63).contains(&label.len()) && label.chars().all(inner) && !label.starts_with('-') && !label.ends_with('-')
    };
    text.len() <= 255 && text.trim_end_matches('.').split('.').all(is_label)
}

fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    let most = match (address.parse::<Ipv4Addr>(), address.parse::<Ipv6Addr>()) {
        (Ok(_), _) => 32,
        (_, Ok(_)) => 128,
        _ => return false,
    };
    bits.parse::<u8>().is_ok_and(|bits| bits <= most)
}

/// `uuid4` is version 4, and so on; `uuid` is any.
fn has_version(format: &str, text: &str) -> bool {
    let digits: String = text.chars().filter(|sign| *sign != '-').collect();
    format.strip_prefix("uuid").is_none_or(|version| version.is_empty() || digits[12..].starts_with(version))
}

fn matches(pattern: &LazyLock<Regex>, text: &str) -> bool {
    pattern.is_match(text)
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the patterns of this file are valid")
}

static DATE_TIME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])[Tt ]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]\d{2}:\d{2})?$",
    )
});
static DURATION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^P(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)$"));
static GO_DURATION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^([-+]?\d+(\.\d+)?\s*(ns|us|µs|ms|s|m|h|d|w|nano\w*|micro\w*|milli\w*|sec\w*|min\w*|hours?|days?|weeks?)\s*)+$|^0$",
    )
});
static EMAIL: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[^@\s]+@[^@\s]+$"));
static MAC: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^([0-9a-fA-F]{2}[:-]){5}([0-9a-fA-F]{2}[:-]){0,2}[0-9a-fA-F]{2}$"));
static UUID: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$"));
static LABEL: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"));
static HEX_COLOUR: LazyLock<Regex> = LazyLock::new(|| pattern(r"^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_takes_what_it_is_and_nothing_else() {
        let table = [
            ("date-time", "2026-01-02T03:04:05Z", "x"),
            ("date", "2026-01-02", "2026-13-02"),
            ("duration", "1h30m", "x"),
            ("byte", "AA==", "%"),
            ("email", "a@b.c", "x"),
            ("hostname", "a.b-c", "_"),
            ("ipv4", "1.2.3.4", "::1"),
            ("ipv6", "::1", "1.2.3.4"),
            ("cidr", "10.0.0.0/8", "10.0.0.0/33"),
            ("uri", "http://x/y", ""),
            ("uuid", "d9607e19-f88f-11e6-a518-42010a800195", "x"),
            ("uuid4", "d9607e19-f88f-41e6-a518-42010a800195", "d9607e19-f88f-11e6-a518-42010a800195"),
        ];
        for (format, good, bad) in table {
            assert!(fits(format, good), "{format}: {good}");
            assert!(!fits(format, bad), "{format}: {bad}");
        }
        assert!(fits("whatever", "x"));
    }
}
