//! Spans of time: nanoseconds in protobuf, Go's text (`1h0m0.5s`) in JSON.

use std::fmt::Write;
use std::time::Duration;

use super::error::ProtobufError;

/// As Go writes it.
pub(super) fn text_of(nanoseconds: i64) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let length = nanoseconds.unsigned_abs();
    let mut text = sign.to_owned();
    // Below a second Go takes the largest unit that leaves something before the point.
    let (unit, name) = match length {
        0 => return "0s".to_owned(),
        1..1_000 => (1, "ns"),
        1_000..1_000_000 => (1_000, "µs"),
        1_000_000..1_000_000_000 => (1_000_000, "ms"),
        _ => (1_000_000_000, "s"),
    };
    let (minutes, below) = if name == "s" { (length / unit / 60, length % (60 * unit)) } else { (0, length) };
    // Writing into a string cannot fail.
    let _ = match (minutes / 60, minutes % 60) {
        (0, 0) => Ok(()),
        (0, minutes) => write!(text, "{minutes}m"),
        (hours, minutes) => write!(text, "{hours}h{minutes}m"),
    };
    let _ = write!(text, "{}", below / unit);
    if below % unit != 0 {
        let width = unit.ilog10() as usize;
        let fraction = format!("{:0width$}", below % unit);
        let _ = write!(text, ".{}", fraction.trim_end_matches('0'));
    }
    text.push_str(name);
    text
}

/// The nanoseconds of a text.
pub(super) fn parse(text: &str) -> Result<i64, ProtobufError> {
    let wrong = || ProtobufError::expected("a span of time like \"1h30m\"");
    let span: pintle_core::Duration = text.parse().map_err(|_| wrong())?;
    let nanoseconds = i64::try_from(Duration::from(span).as_nanos()).map_err(|_| wrong())?;
    Ok(if span.is_negative() { -nanoseconds } else { nanoseconds })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protobuf::{message_from_json, message_to_json};

    #[test]
    fn durations_are_nanoseconds_in_protobuf_and_text_in_json() {
        let kind = &crate::facts::spans::SPANS;
        let message = message_from_json(kind, br#"{"timeout":"1h0m0.5s"}"#).unwrap();
        assert_eq!(message_to_json(kind, &message).unwrap(), br#"{"every":"0s","timeout":"1h0m0.5s"}"#);
        assert_eq!(message[..4], [0x0a, 2, 0x08, 0], "what is not a pointer is written although it is zero");
        message_from_json(kind, br#"{"every":"later"}"#).unwrap_err();
    }

    #[test]
    fn spans_read_as_go_writes_them() {
        for (nanoseconds, text) in [
            (0, "0s"),
            (1, "1ns"),
            (1_100, "1.1µs"),
            (2_200_000, "2.2ms"),
            (3_300_000_000, "3.3s"),
            (60_000_000_000, "1m0s"),
            (245_000_000_000, "4m5s"),
            (245_001_000_000, "4m5.001s"),
            (18_367_001_000_000, "5h6m7.001s"),
            (480_000_000_001, "8m0.000000001s"),
            (-1_500_000_000, "-1.5s"),
        ] {
            assert_eq!(text_of(nanoseconds), text);
            assert_eq!(parse(text).unwrap(), nanoseconds, "{text}");
        }
        assert!(parse("soon").is_err());
    }
}
