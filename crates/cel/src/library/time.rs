//! Moments and lengths of time: how they are read and printed, and the parts of them that can be asked for.

use std::cmp::Ordering;
use std::fmt;

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};

use super::time_zones;
use crate::functions::Library;
use crate::value::{Evaluated, EvaluationError, Value, fail};

pub(crate) const LIBRARY: Library = Library {
    declarations: "
        timestamp_to_year: timestamp::getFullYear() -> int
        timestamp_to_year_with_tz: timestamp::getFullYear(string) -> int
        timestamp_to_month: timestamp::getMonth() -> int
        timestamp_to_month_with_tz: timestamp::getMonth(string) -> int
        timestamp_to_day_of_year: timestamp::getDayOfYear() -> int
        timestamp_to_day_of_year_with_tz: timestamp::getDayOfYear(string) -> int
        timestamp_to_day_of_month: timestamp::getDayOfMonth() -> int
        timestamp_to_day_of_month_with_tz: timestamp::getDayOfMonth(string) -> int
        timestamp_to_day_of_month_1_based: timestamp::getDate() -> int
        timestamp_to_day_of_month_1_based_with_tz: timestamp::getDate(string) -> int
        timestamp_to_day_of_week: timestamp::getDayOfWeek() -> int
        timestamp_to_day_of_week_with_tz: timestamp::getDayOfWeek(string) -> int
        timestamp_to_hours: timestamp::getHours() -> int
        timestamp_to_hours_with_tz: timestamp::getHours(string) -> int
        duration_to_hours: duration::getHours() -> int
        timestamp_to_minutes: timestamp::getMinutes() -> int
        timestamp_to_minutes_with_tz: timestamp::getMinutes(string) -> int
        duration_to_minutes: duration::getMinutes() -> int
        timestamp_to_seconds: timestamp::getSeconds() -> int
        timestamp_to_seconds_tz: timestamp::getSeconds(string) -> int
        duration_to_seconds: duration::getSeconds() -> int
        timestamp_to_milliseconds: timestamp::getMilliseconds() -> int
        timestamp_to_milliseconds_with_tz: timestamp::getMilliseconds(string) -> int
        duration_to_milliseconds: duration::getMilliseconds() -> int
    ",
    implementations: &[
        ("getFullYear", |arguments| part(arguments, |moment| i64::from(moment.year()))),
        ("getMonth", |arguments| part(arguments, |moment| i64::from(moment.month()) - 1)),
        ("getDayOfYear", |arguments| part(arguments, |moment| i64::from(moment.day_of_year()) - 1)),
        ("getDayOfMonth", |arguments| part(arguments, |moment| i64::from(moment.day()) - 1)),
        ("getDate", |arguments| part(arguments, |moment| i64::from(moment.day()))),
        ("getDayOfWeek", |arguments| part(arguments, |moment| i64::from(moment.weekday().to_sunday_zero_offset()))),
        ("getHours", |arguments| part_or_whole(arguments, 3600 * SECOND, |moment| i64::from(moment.hour()))),
        ("getMinutes", |arguments| part_or_whole(arguments, 60 * SECOND, |moment| i64::from(moment.minute()))),
        ("getSeconds", |arguments| part_or_whole(arguments, SECOND, |moment| i64::from(moment.second()))),
        ("getMilliseconds", |arguments| {
            part_or_whole(arguments, SECOND / 1000, |moment| i64::from(moment.millisecond()))
        }),
    ],
};

const SECOND: i64 = 1_000_000_000;

/// A moment between the years 1 and 9999, which is more than [`jiff::Timestamp`] can say.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// Since 1970.
    nanoseconds: i128,
    /// How many seconds east of UTC it was said to be; it is printed so, and that is all.
    offset: i32,
}

impl PartialEq for Moment {
    fn eq(&self, other: &Moment) -> bool {
        self.nanoseconds == other.nanoseconds
    }
}

impl Eq for Moment {}

impl PartialOrd for Moment {
    fn partial_cmp(&self, other: &Moment) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Moment {
    fn cmp(&self, other: &Moment) -> Ordering {
        self.nanoseconds.cmp(&other.nanoseconds)
    }
}

impl Moment {
    /// A moment so many nanoseconds after 1970 began, if it can be said.
    #[must_use]
    pub fn from_nanoseconds(nanoseconds: i128) -> Option<Moment> {
        let seconds = nanoseconds.div_euclid(i128::from(SECOND));
        (FIRST_SECOND..=LAST_SECOND).contains(&seconds).then_some(Moment { nanoseconds, offset: 0 })
    }

    /// The same, as it is said in UTC.
    pub(crate) fn in_utc(self) -> Moment {
        Moment { offset: 0, ..self }
    }

    pub(crate) fn as_nanoseconds(self) -> i128 {
        self.nanoseconds
    }

    pub(crate) fn as_seconds(self) -> i64 {
        self.nanoseconds.div_euclid(i128::from(SECOND)) as i64
    }

    /// What calendars and clocks show so many seconds east of UTC, and the nearest they can where that is beyond them.
    fn civil(self, offset: i32) -> DateTime {
        let nanoseconds = self.nanoseconds + i128::from(offset) * i128::from(SECOND);
        let since = SignedDuration::new(
            nanoseconds.div_euclid(i128::from(SECOND)) as i64,
            nanoseconds.rem_euclid(i128::from(SECOND)) as i32,
        );
        EPOCH.saturating_add(since)
    }

    fn of_civil(shown: DateTime, offset: i32) -> Option<Moment> {
        let since = shown.duration_since(EPOCH).as_nanos() - i128::from(offset) * i128::from(SECOND);
        Some(Moment { offset, ..Moment::from_nanoseconds(since)? })
    }
}

const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.civil(self.offset);
        let (date, time) = (shown.date(), shown.time());
        write!(f, "{date}T{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second())?;
        let fraction = format!("{:09}", time.subsec_nanosecond());
        match fraction.trim_end_matches('0') {
            "" => {}
            fraction => write!(f, ".{fraction}")?,
        }
        let (sign, minutes) = (if self.offset < 0 { '-' } else { '+' }, self.offset.unsigned_abs() / 60);
        match self.offset {
            0 => f.write_str("Z"),
            _ => write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60),
        }
    }
}

/// That of a text which is no duration or timestamp.
pub(crate) struct Unreadable;

fn part<'v>(arguments: &[Value<'v>], of: fn(DateTime) -> i64) -> Evaluated<'v> {
    let Value::Timestamp(moment) = &arguments[0] else { return Err(EvaluationError::NoSuchOverload) };
    let offset = match arguments.get(1) {
        None => 0,
        Some(Value::String(name)) => offset(name, *moment)?,
        Some(_) => return Err(EvaluationError::NoSuchOverload),
    };
    Ok(Value::Int(of(moment.civil(offset))))
}

fn part_or_whole<'v>(arguments: &[Value<'v>], unit: i64, of: fn(DateTime) -> i64) -> Evaluated<'v> {
    match arguments {
        [Value::Duration(length)] => Ok(Value::Int(length / unit)),
        _ => part(arguments, of),
    }
}

/// How many seconds a time zone is east of UTC at a moment, by its offset or its name.
fn offset(name: &str, moment: Moment) -> Result<i32, EvaluationError> {
    let Some((hours, minutes)) = name.split_once(':') else {
        let zone = time_zones::find(name).map_err(EvaluationError::failed)?;
        // jiff's last moment is a day before the last that can be said here.
        let moment = jiff::Timestamp::from_nanosecond(moment.nanoseconds).unwrap_or(jiff::Timestamp::MAX);
        return Ok(zone.to_offset(moment).seconds());
    };
    let unreadable = |part: &str| EvaluationError::failed(format!("strconv.Atoi: parsing {part:?}: invalid syntax"));
    let hour: i32 = hours.parse().map_err(|_| unreadable(hours))?;
    let minute: i32 = minutes.parse().map_err(|_| unreadable(minutes))?;
    if !(0..60).contains(&minute) {
        return fail(format!("timezone offset minutes out of range [0, 59]: {name}"));
    }
    let seconds = hour.saturating_abs().saturating_mul(3600).saturating_add(minute * 60);
    Ok(if hours.starts_with('-') { -seconds } else { seconds })
}

/// A moment so much later.
pub(crate) fn moved<'v>(moment: Moment, nanoseconds: i64) -> Evaluated<'v> {
    let offset = moment.offset;
    let moment = Moment::from_nanoseconds(moment.nanoseconds + i128::from(nanoseconds));
    let moment = moment.map(|moment| Moment { offset, ..moment });
    moment.map(Value::Timestamp).map_or_else(|| fail("timestamp overflow"), Ok)
}

/// 0001-01-01T00:00:00Z.
const FIRST_SECOND: i128 = -62_135_596_800;

/// 9999-12-31T23:59:59Z.
const LAST_SECOND: i128 = 253_402_300_799;

pub(crate) fn from_seconds(seconds: i64) -> Result<Moment, Unreadable> {
    Moment::from_nanoseconds(i128::from(seconds) * i128::from(SECOND)).ok_or(Unreadable)
}

/// A timestamp as RFC 3339 wants it, and nothing else.
pub(crate) fn parse_timestamp(text: &str) -> Result<Moment, Unreadable> {
    read_rfc3339(text).ok_or(Unreadable)
}

fn read_rfc3339(text: &str) -> Option<Moment> {
    let number = |text: &str| (text.len() == 2 && is_digits(text)).then(|| text.parse::<i8>().ok()).flatten();
    let bytes = text.as_bytes();
    let is_shaped = text.is_ascii()
        && text.len() >= 20
        && [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')].iter().all(|(at, sign)| bytes[*at] == *sign);
    if !is_shaped || !is_digits(&text[..4]) {
        return None;
    }
    let date = Date::new(text[..4].parse().ok()?, number(&text[5..7])?, number(&text[8..10])?).ok()?;
    let rest = &text[19..];
    let (fraction, offset) = match rest.strip_prefix(['.', ',']) {
        Some(rest) => rest.split_at(rest.find(|sign: char| !sign.is_ascii_digit())?),
        None => ("0", rest),
    };
    if fraction.is_empty() {
        return None;
    }
    let nanoseconds: i32 = format!("{fraction:0<9}")[..9].parse().ok()?;
    let time = Time::new(number(&text[11..13])?, number(&text[14..16])?, number(&text[17..19])?, nanoseconds).ok()?;
    let seconds = match offset {
        "Z" => 0,
        offset => {
            let sign = if offset.starts_with('-') { -1 } else { 1 };
            let (hours, minutes) = offset.strip_prefix(['+', '-'])?.split_once(':')?;
            let (hours, minutes) = (i32::from(number(hours)?), i32::from(number(minutes)?));
            (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))?
        }
    };
    Moment::of_civil(DateTime::from_parts(date, time), seconds)
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A date-time as schemas take it: also with a space, small letters and no zone.
pub(crate) fn parse_date_time(text: &str) -> Option<Moment> {
    let upper = text.to_ascii_uppercase().replacen(' ', "T", 1);
    read_rfc3339(&upper).or_else(|| read_rfc3339(&format!("{upper}Z")))
}

/// The beginning of a day.
pub(crate) fn midnight(date: Date) -> Option<Moment> {
    Moment::of_civil(date.to_datetime(Time::midnight()), 0)
}

/// A duration as Go writes it: `1h30m`, `-1.5s`, `0`.
pub(crate) fn parse_duration(text: &str) -> Result<i64, Unreadable> {
    let is_negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(Unreadable);
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let end = rest.find(|sign: char| !sign.is_ascii_digit() && sign != '.').ok_or(Unreadable)?;
        let (number, after) = rest.split_at(end);
        let unit_end = after.find(|sign: char| sign.is_ascii_digit() || sign == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        total += scaled(number, nanoseconds_of(unit).ok_or(Unreadable)?).ok_or(Unreadable)?;
        rest = after;
    }
    i64::try_from(if is_negative { -total } else { total }).map_err(|_| Unreadable)
}

fn nanoseconds_of(unit: &str) -> Option<i128> {
    Some(match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

/// A decimal number of units, in nanoseconds, what is smaller cut off.
fn scaled(number: &str, unit: i128) -> Option<i128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && fraction.is_empty()) || !is_digits(fraction) || whole.len() > 19 {
        return None;
    }
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let fraction = &fraction[..fraction.len().min(18)];
    let parts: i128 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
    let power = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    Some(whole * unit + parts * unit / power)
}

/// A duration as schemas take it: as Go writes it, or with days, weeks and words.
pub(crate) fn parse_format_duration(text: &str) -> Option<i64> {
    if let Ok(found) = parse_duration(text) {
        return Some(found);
    }
    let mut total: i128 = 0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find(|sign: char| !sign.is_ascii_digit() && sign != '.')?;
        let (number, after) = rest.split_at(end);
        let after = after.trim_start();
        let unit_end = after.find(|sign: char| !sign.is_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        total += scaled(number, nanoseconds_of(unit).or_else(|| nanoseconds_of_word(unit))?)?;
        rest = after.trim_start();
    }
    i64::try_from(total).ok().filter(|_| !text.trim().is_empty())
}

fn nanoseconds_of_word(unit: &str) -> Option<i128> {
    let day = 24 * 3_600_000_000_000;
    Some(match unit {
        "nano" | "nanos" | "nanosecond" | "nanoseconds" => 1,
        "micro" | "micros" | "microsecond" | "microseconds" => 1_000,
        "milli" | "millis" | "millisecond" | "milliseconds" => 1_000_000,
        "sec" | "secs" | "second" | "seconds" => 1_000_000_000,
        "min" | "mins" | "minute" | "minutes" => 60_000_000_000,
        "hr" | "hrs" | "hour" | "hours" => 3_600_000_000_000,
        "d" | "day" | "days" => day,
        "w" | "wk" | "wks" | "week" | "weeks" => 7 * day,
        _ => return None,
    })
}

/// A duration as `string()` says it: seconds.
pub(crate) fn seconds(nanoseconds: i64) -> String {
    let absolute = nanoseconds.unsigned_abs();
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let (whole, parts) = (absolute / SECOND.unsigned_abs(), absolute % SECOND.unsigned_abs());
    if parts == 0 {
        return format!("{sign}{whole}s");
    }
    let parts = format!("{parts:09}");
    format!("{sign}{whole}.{}s", parts.trim_end_matches('0'))
}

/// A duration as Go prints it: `1h0m0.5s`.
pub(crate) fn go_duration(nanoseconds: i64) -> String {
    let absolute = nanoseconds.unsigned_abs();
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let decimal = |unit: u64| {
        let (whole, rest) = (absolute / unit, absolute % unit);
        let width = unit.ilog10() as usize;
        let fraction = format!("{rest:0width$}");
        let fraction = fraction.trim_end_matches('0');
        if rest == 0 { whole.to_string() } else { format!("{whole}.{fraction}") }
    };
    match absolute {
        0 => "0s".to_owned(),
        1..=999 => format!("{sign}{absolute}ns"),
        1_000..=999_999 => format!("{sign}{}µs", decimal(1_000)),
        1_000_000..=999_999_999 => format!("{sign}{}ms", decimal(1_000_000)),
        _ => {
            let minutes = absolute / 60_000_000_000;
            let seconds = seconds(i64::try_from(absolute % 60_000_000_000).unwrap_or_default());
            match (minutes / 60, minutes % 60) {
                (0, 0) => format!("{sign}{seconds}"),
                (0, minutes) => format!("{sign}{minutes}m{seconds}"),
                (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}"),
            }
        }
    }
}
