//! Times: seconds and nanoseconds since 1970 in protobuf, text in JSON.
//!
//! A `Time` has whole seconds in both, a `MicroTime` microseconds: what is finer is cut off, as a server does. The time
//! that was never set (the first second of year 1) is an empty message and `null`.

use jiff::Timestamp;
use jiff::tz::Offset;

use super::error::ProtobufError;
use super::read::take_field;
use super::write::put_number;
use crate::facts::Shape;

/// The time that Go's zero value is.
const NEVER: i64 = -62_135_596_800;

/// Whether it was never set.
pub(super) fn is_never(shape: Shape, message: &[u8]) -> Result<bool, ProtobufError> {
    read(shape, message).map(|time| time.is_none())
}

/// The text of a time; `None` for one that was never set.
pub(super) fn text_of(shape: Shape, message: &[u8]) -> Result<Option<TimeText>, ProtobufError> {
    let Some((seconds, microseconds)) = read(shape, message)? else { return Ok(None) };
    let time = Timestamp::new(seconds, microseconds * 1000).map_err(|_| ProtobufError::expected("a time"))?;
    Ok(Some(if shape == Shape::Time { TimeText::in_seconds(time) } else { TimeText::Other(format!("{time:.6}")) }))
}

/// Seconds and microseconds, of which a `Time` has none; `None` for a time that was never set.
fn read(shape: Shape, message: &[u8]) -> Result<Option<(i64, i32)>, ProtobufError> {
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
    let microseconds = if shape == Shape::Time { 0 } else { i32::try_from(nanoseconds / 1000).unwrap_or_default() };
    Ok(Some((seconds, microseconds)).filter(|time| *time != (NEVER, 0)))
}

/// A time as RFC 3339 writes it.
pub(super) enum TimeText {
    /// In whole seconds, as nearly every time is; jiff's printer can do more and takes several times as long.
    Seconds([u8; 20]),
    Other(String),
}

impl TimeText {
    fn in_seconds(time: Timestamp) -> Self {
        let date = Offset::UTC.to_datetime(time);
        let Ok(year) = u16::try_from(date.year()) else { return Self::Other(time.to_string()) };
        let mut text = *b"0000-00-00T00:00:00Z";
        let mut put = |at: usize, number: u8| {
            text[at] += number / 10;
            text[at + 1] += number % 10;
        };
        // A year has four digits at most, so each half of it fits.
        put(0, (year / 100) as u8);
        put(2, (year % 100) as u8);
        let parts = [(5, date.month()), (8, date.day()), (11, date.hour()), (14, date.minute()), (17, date.second())];
        parts.into_iter().for_each(|(at, number)| put(at, number.unsigned_abs()));
        Self::Seconds(text)
    }

    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Seconds(text) => std::str::from_utf8(text).expect("it is made of digits and signs"),
            Self::Other(text) => text,
        }
    }
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
        read_back(shape, &message)
    }

    fn read_back(shape: Shape, message: &[u8]) -> Option<String> {
        let text = text_of(shape, message).unwrap();
        assert_eq!(is_never(shape, message).unwrap(), text.is_none());
        text.map(|text| text.as_str().to_owned())
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
    fn whole_seconds_read_as_jiff_prints_them() {
        // From year -9999 to 9999 in steps of some years, which reach every month, weekday and hour.
        let years = (-377_705_023_201..253_402_207_200_i64).step_by(123_456_789);
        let ends = [-62_167_219_201, -62_167_219_200, -1, 0, 951_782_400, 253_402_207_199];
        for seconds in years.chain(ends) {
            let time = Timestamp::new(seconds, 0).unwrap();
            assert_eq!(TimeText::in_seconds(time).as_str(), time.to_string());
        }
    }

    #[test]
    fn a_time_that_was_never_set_is_empty_and_1970_is_not() {
        assert_eq!(there_and_back(Shape::Time, "0001-01-01T00:00:00Z"), None);
        assert_eq!(read_back(Shape::Time, &[]), None);
        assert_eq!(read_back(Shape::Time, &[0x08, 0]).as_deref(), Some("1970-01-01T00:00:00Z"));
    }

    #[test]
    fn text_that_is_not_a_time_is_an_error_that_does_not_quote_it() {
        let error = put(&mut Vec::new(), Shape::Time, "hunter2").unwrap_err().to_string();
        assert!(error.contains("RFC 3339") && !error.contains("hunter2"), "{error}");
        let mut far = Vec::new();
        put_number(&mut far, 1, i64::MAX);
        assert!(text_of(Shape::Time, &far).is_err());
    }
}
