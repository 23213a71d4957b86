//! Times: seconds and nanoseconds since 1970 in protobuf, text in JSON.
//!
//! A `Time` has whole seconds in both, a `MicroTime` microseconds: what is finer is cut off, as a server does. The time
//! that was never set (the first second of year 1) is an empty message and `null`.

use jiff::Timestamp;

use super::error::ProtobufError;
use super::read::take_field;
use super::write::put_number;
use crate::facts::Shape;

/// The time that Go's zero value is.
const NEVER: i64 = -62_135_596_800;

/// The text of a time; `None` for one that was never set.
pub(super) fn text_of(shape: Shape, message: &[u8]) -> Result<Option<String>, ProtobufError> {
    if message.is_empty() {
        return Ok(None);
    }
    let (mut seconds, mut nanoseconds) = (0, 0);
    let mut rest = message;
    while let Some((number, wire)) = take_field(&mut rest)? {
        match number {
            1 => seconds = wire.varint().cast_signed(),
            2 => nanoseconds = wire.varint().cast_signed(),
            _ => {}
        }
    }
    let microseconds = i32::try_from(nanoseconds / 1000).unwrap_or_default();
    if seconds == NEVER && (shape == Shape::Time || microseconds == 0) {
        return Ok(None);
    }
    let time = |nanoseconds| Timestamp::new(seconds, nanoseconds).map_err(|_| ProtobufError::expected("a time"));
    if shape == Shape::Time {
        return Ok(Some(time(0)?.to_string()));
    }
    Ok(Some(format!("{:.6}", time(microseconds * 1000)?)))
}

/// Writes the message of a time.
pub(super) fn put(out: &mut Vec<u8>, shape: Shape, text: &str) -> Result<(), ProtobufError> {
    let time: Timestamp = text.parse().map_err(|_| ProtobufError::expected("a time as RFC 3339 writes it"))?;
    let (seconds, nanoseconds) = match (time.as_second(), time.subsec_nanosecond()) {
        // Before 1970 both count down; protobuf's nanoseconds always count up.
        (seconds, below @ ..0) => (seconds - 1, below + 1_000_000_000),
        counting_up => counting_up,
    };
    let nanoseconds = if shape == Shape::Time { 0 } else { nanoseconds / 1000 * 1000 };
    if seconds == NEVER && nanoseconds == 0 {
        return Ok(());
    }
    put_number(out, 1, seconds);
    put_number(out, 2, nanoseconds.into());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(shape: Shape, text: &str) -> Option<String> {
        let mut message = Vec::new();
        put(&mut message, shape, text).unwrap();
        text_of(shape, &message).unwrap()
    }

    #[test]
    fn seconds_and_microseconds_come_back() {
        let time = "2026-11-16T00:35:45Z";
        assert_eq!(there_and_back(Shape::Time, time).as_deref(), Some(time));
        assert_eq!(there_and_back(Shape::MicroTime, time).as_deref(), Some("2026-11-16T00:35:45.000000Z"));
        let fine = "2026-11-16T00:35:45.123456789Z";
        assert_eq!(there_and_back(Shape::Time, fine).as_deref(), Some(time));
        assert_eq!(there_and_back(Shape::MicroTime, fine).as_deref(), Some("2026-11-16T00:35:45.123456Z"));
        let offset = "2026-11-16T02:35:45.5+02:00";
        assert_eq!(there_and_back(Shape::MicroTime, offset).as_deref(), Some("2026-11-16T00:35:45.500000Z"));
    }

    #[test]
    fn times_before_1970_count_up_too() {
        let early = "1969-12-31T23:59:58.250000Z";
        assert_eq!(there_and_back(Shape::MicroTime, early).as_deref(), Some(early));
        assert_eq!(there_and_back(Shape::Time, early).as_deref(), Some("1969-12-31T23:59:58Z"));
    }

    #[test]
    fn a_time_that_was_never_set_is_empty_and_1970_is_not() {
        assert_eq!(there_and_back(Shape::Time, "0001-01-01T00:00:00Z"), None);
        assert_eq!(text_of(Shape::Time, &[]).unwrap(), None);
        assert_eq!(text_of(Shape::Time, &[0x08, 0]).unwrap().as_deref(), Some("1970-01-01T00:00:00Z"));
    }

    #[test]
    fn text_that_is_not_a_time_is_an_error_that_does_not_quote_it() {
        let error = put(&mut Vec::new(), Shape::Time, "hunter2").unwrap_err().to_string();
        assert!(error.contains("RFC 3339") && !error.contains("hunter2"), "{error}");
        let mut far = Vec::new();
        put_number(&mut far, 1, i64::MAX);
        text_of(Shape::Time, &far).unwrap_err();
    }
}
