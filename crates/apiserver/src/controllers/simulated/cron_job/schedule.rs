//! When a schedule of cron comes next, in a time zone.
//!
//! In: five fields or a word such as `@daily`, and the name of a zone; UTC unless given. Out: times. Zones are those of the
//! system's database. As in cron, a day counts if it is one of the month's or one of the week's, where both are restricted.

use std::path::Path;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

pub(super) enum Schedule {
    /// By the calendar.
    Fields { fields: Box<Fields>, zone: TimeZone },
    /// So long after the time before.
    Every(SignedDuration),
}

/// For each field, which numbers are meant, as bits.
pub(super) struct Fields {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Whether days are restricted by the month, and by the week.
    by_month: bool,
    by_week: bool,
}

impl Schedule {
    pub(super) fn parse(text: &str, zone: &str) -> Result<Schedule, String> {
        let text = match text.strip_prefix('@') {
            Some(word) => match word.strip_prefix("every ") {
                Some(every) => return every_so_often(every),
                None => named(word).ok_or_else(|| format!("unrecognized descriptor: {text}"))?,
            },
            None => text,
        };
        let parts: Vec<&str> = text.split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = parts[..] else {
            return Err(format!("expected exactly 5 fields, found {}: {text}", parts.len()));
        };
        let field = |text: &str, least, most, names: &[&str]| {
            bits(text, least, most, names).ok_or_else(|| format!("cannot read {text:?} in the schedule"))
        };
        let fields = Fields {
            minutes: field(minutes, 0, 59, &[])?,
            hours: field(hours, 0, 23, &[])?,
            days: field(days, 1, 31, &[])?,
            months: field(months, 1, 12, MONTHS)?,
            weekdays: field(weekdays, 0, 6, WEEKDAYS)?,
            by_month: !days.starts_with(['*', '?']),
            by_week: !weekdays.starts_with(['*', '?']),
        };
        Ok(Schedule::Fields { fields: Box::new(fields), zone: time_zone(zone)? })
    }

    /// The first time after a moment; none where there is no such day.
    pub(super) fn next_after(&self, moment: Timestamp) -> Option<Timestamp> {
        match self {
            Schedule::Every(every) => Timestamp::from_second(moment.as_second()).ok()?.checked_add(*every).ok(),
            Schedule::Fields { fields, zone } => fields.next_after(zone, moment),
        }
    }

    /// The last time after one moment and up to another.
    pub(super) fn latest(&self, after: Timestamp, until: Timestamp) -> Option<Timestamp> {
        if let Schedule::Every(every) = self {
            let gone = until.duration_since(after).as_secs();
            let steps = gone.checked_div(every.as_secs().max(1))?;
            let latest = after.checked_add(SignedDuration::from_secs(steps * every.as_secs().max(1))).ok()?;
            return (latest > after).then_some(latest);
        }
        // A window from the end that grows until there is something in it: so a year of minutes is not counted through.
        let mut window = SignedDuration::from_mins(2);
        let mut found = loop {
            let from = until.checked_sub(window).map_or(after, |from| from.max(after));
            match self.next_after(from).filter(|next| *next <= until) {
                Some(next) => break next,
                None if from <= after => return None,
                None => window = window.saturating_add(window),
            }
        };
        while let Some(next) = self.next_after(found).filter(|next| *next <= until) {
            found = next;
        }
        Some(found)
    }
}

impl Fields {
    fn next_after(&self, zone: &TimeZone, moment: Timestamp) -> Option<Timestamp> {
        let start = moment.to_zoned(zone.clone()).datetime();
        let mut time = start.with().second(0).subsec_nanosecond(0).build().ok()?.checked_add(1.minute()).ok()?;
        let end = start.checked_add(YEARS_MAX.years()).ok()?;
        while time < end {
            if !has(self.months, time.month()) {
                time = first_of_next_month(time)?;
            } else if !self.has_day(time) {
                time = time.date().tomorrow().ok()?.at(0, 0, 0, 0);
            } else if !has(self.hours, time.hour()) {
                time = time.with().minute(0).build().ok()?.checked_add(1.hour()).ok()?;
            } else if !has(self.minutes, time.minute()) {
                time = time.checked_add(1.minute()).ok()?;
            } else {
                let next = zone.to_timestamp(time).ok()?;
                // A time that the change of the clocks skips or repeats is not taken twice.
                if next > moment {
                    return Some(next);
                }
                time = time.checked_add(1.minute()).ok()?;
            }
        }
        None
    }

    fn has_day(&self, time: DateTime) -> bool {
        let weekday = time.date().weekday().to_sunday_zero_offset();
        let (month, week) = (has(self.days, time.day()), has(self.weekdays, weekday));
        if self.by_month && self.by_week { month || week } else { month && week }
    }
}

fn first_of_next_month(time: DateTime) -> Option<DateTime> {
    let first = time.date().first_of_month().checked_add(1.month()).ok()?;
    Some(first.at(0, 0, 0, 0))
}

fn has(bits: u64, number: i8) -> bool {
    u32::try_from(number).is_ok_and(|number| bits & (1 << number) != 0)
}

fn named(word: &str) -> Option<&'static str> {
    Some(match word {
        "yearly" | "annually" => "0 0 1 1 *",
        "monthly" => "0 0 1 * *",
        "weekly" => "0 0 * * 0",
        "daily" | "midnight" => "0 0 * * *",
        "hourly" => "0 * * * *",
        _ => return None,
    })
}

fn every_so_often(text: &str) -> Result<Schedule, String> {
    let every: pintle_core::Duration =
        text.parse().map_err(|error| format!("failed to parse duration {text}: {error}"))?;
    let every = SignedDuration::try_from(std::time::Duration::from(every)).unwrap_or(SignedDuration::MAX);
    Ok(Schedule::Every(every.max(SignedDuration::from_secs(1))))
}

/// The numbers that a field means.
fn bits(text: &str, least: u32, most: u32, names: &[&str]) -> Option<u64> {
    let number = |text: &str| {
        let named = names.iter().position(|name| *name == text.to_lowercase()).and_then(|at| u32::try_from(at).ok());
        named.map(|at| at + least).or_else(|| text.parse().ok())
    };
    let mut bits = 0;
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (range, step) = part.split_once('/').unwrap_or((part, "1"));
        let (first, last) = match range.split_once('-') {
            _ if matches!(range, "*" | "?") => (least, most),
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(range)?, if part.contains('/') { most } else { number(range)? }),
        };
        let step: usize = step.parse().ok().filter(|step| *step > 0)?;
        if first < least || last > most {
            return None;
        }
        (first..=last).step_by(step).for_each(|number| bits |= 1 << number);
    }
    Some(bits)
}

fn time_zone(name: &str) -> Result<TimeZone, String> {
    if matches!(name, "" | "UTC" | "Etc/UTC") {
        return Ok(TimeZone::UTC);
    }
    let is_plain = name.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
    let path = Path::new(ZONES).join(name);
    let data = is_plain.then(|| std::fs::read(&path)).and_then(Result::ok);
    let data = data.ok_or_else(|| format!("unknown time zone {name}: {ZONES} has no such file"))?;
    TimeZone::tzif(name, &data).map_err(|error| format!("unknown time zone {name}: {error}"))
}

/// Where systems keep their time zones.
const ZONES: &str = "/usr/share/zoneinfo";

/// A day that has not come within so many years does not come: 29 February is in eight at the latest.
const YEARS_MAX: i64 = 9;

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: &[&str] = &["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn the_next_time_is_cron_s() {
        let table = [
            ("*/15 * * * *", "2026-01-01T00:07:30Z", "2026-01-01T00:15:00Z"),
            ("0 3 * * *", "2026-01-01T03:00:00Z", "2026-01-02T03:00:00Z"),
            ("30 1 29 feb *", "2026-01-01T00:00:00Z", "2028-02-29T01:30:00Z"),
            ("0 0 13 * fri", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
            ("@monthly", "2026-01-31T23:59:00Z", "2026-02-01T00:00:00Z"),
            ("@every 90s", "2026-01-01T00:00:00.5Z", "2026-01-01T00:01:30Z"),
        ];
        for (schedule, after, next) in table {
            let parsed = Schedule::parse(schedule, "").unwrap();
            assert_eq!(parsed.next_after(time(after)), Some(time(next)), "{schedule}");
        }
        assert_eq!(Schedule::parse("0 0 31 2 *", "").unwrap().next_after(time("2026-01-01T00:00:00Z")), None);
        assert!(Schedule::parse("0 0 * *", "").is_err());
        assert!(Schedule::parse("0 0 * * *", "../passwd").is_err());
    }

    #[test]
    fn of_the_times_that_were_missed_the_latest_counts() {
        let schedule = Schedule::parse("* * * * *", "").unwrap();
        let (after, until) = (time("2025-01-01T00:00:00Z"), time("2026-01-01T00:00:30Z"));
        assert_eq!(schedule.latest(after, until), Some(time("2026-01-01T00:00:00Z")));
        assert_eq!(schedule.latest(until, until), None);
        let yearly = Schedule::parse("@yearly", "").unwrap();
        assert_eq!(yearly.latest(time("2020-06-01T00:00:00Z"), until), Some(time("2026-01-01T00:00:00Z")));
    }

    #[test]
    fn a_zone_moves_the_time() {
        // Systems without a database of zones have none to show it with.
        if !Path::new(ZONES).join("Europe/Berlin").exists() {
            return;
        }
        let schedule = Schedule::parse("0 9 * * *", "Europe/Berlin").unwrap();
        assert_eq!(schedule.next_after(time("2026-01-01T00:00:00Z")), Some(time("2026-01-01T08:00:00Z")));
        assert_eq!(schedule.next_after(time("2026-07-01T00:00:00Z")), Some(time("2026-07-01T07:00:00Z")));
    }
}
