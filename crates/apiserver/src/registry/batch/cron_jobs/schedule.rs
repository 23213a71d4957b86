//! Schedules of cron jobs: five fields or a word, and what is said of those that are none.

use pintle_core::Duration;

/// Why this is not a schedule.
pub(super) fn problem(schedule: &str) -> Option<String> {
    if let Some(word) = schedule.strip_prefix('@') {
        return unknown_word(schedule, word);
    }
    let fields: Vec<&str> = schedule.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return Some(format!(
            "expected exactly {} fields, found {}: [{}]",
            FIELDS.len(),
            fields.len(),
            fields.join(" ")
        ));
    }
    fields.iter().zip(FIELDS).find_map(|(field, bounds)| {
        let mut ranges = field.split(',').filter(|range| !range.is_empty());
        ranges.find_map(|range| bounds.problem(range))
    })
}

fn unknown_word(schedule: &str, word: &str) -> Option<String> {
    if WORDS.contains(&word) {
        return None;
    }
    match word.strip_prefix("every ") {
        Some(duration) if duration.is_empty() || duration.parse::<Duration>().is_err() => {
            Some(format!("failed to parse duration {schedule}: time: invalid duration {duration:?}"))
        }
        Some(_) => None,
        None => Some(format!("unrecognized descriptor: {schedule}")),
    }
}

/// What a field can hold.
struct Bounds {
    least: u32,
    most: u32,
    names: &'static [&'static str],
}

impl Bounds {
    /// Why this is not a range such as `1-5/2`.
    fn problem(&self, range: &str) -> Option<String> {
        let mut parts = range.split('/');
        let (bounds, step, more) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
        let ends: Vec<&str> = bounds.split('-').collect();
        let is_any = matches!(ends[0], "*" | "?");
        let (first, last) = if is_any {
            (self.least, self.most)
        } else {
            let first = match self.number(ends[0]) {
                Ok(first) => first,
                Err(why) => return Some(why),
            };
            match ends.get(1).map(|end| self.number(end)) {
                _ if ends.len() > 2 => return Some(format!("too many hyphens: {range}")),
                Some(Err(why)) => return Some(why),
                Some(Ok(last)) => (first, last),
                None => (first, if step.is_some() { self.most } else { first }),
            }
        };
        if more.is_some() {
            return Some(format!("too many slashes: {range}"));
        }
        let step = match step.map(plain_number) {
            Some(Err(why)) => return Some(why),
            Some(Ok(step)) => step,
            None => 1,
        };
        if first < self.least {
            Some(format!("beginning of range ({first}) below minimum ({}): {range}", self.least))
        } else if last > self.most {
            Some(format!("end of range ({last}) above maximum ({}): {range}", self.most))
        } else if first > last {
            Some(format!("beginning of range ({first}) beyond end of range ({last}): {range}"))
        } else if step == 0 {
            Some(format!("step of range should be a positive number: {range}"))
        } else {
            None
        }
    }

    /// A number, or the name of a month or day.
    fn number(&self, text: &str) -> Result<u32, String> {
        let named = self.names.iter().position(|name| *name == text.to_lowercase());
        match named.and_then(|place| u32::try_from(place).ok()) {
            Some(place) => Ok(place + self.least),
            None => plain_number(text),
        }
    }
}

fn plain_number(text: &str) -> Result<u32, String> {
    match text.parse::<i64>() {
        Ok(number) => u32::try_from(number).map_err(|_| format!("negative number ({number}) not allowed: {text}")),
        Err(_) => Err(format!("failed to parse int from {text}: strconv.Atoi: parsing {text:?}: invalid syntax")),
    }
}

/// Minutes, hours, days of the month, months, days of the week.
const FIELDS: &[Bounds] = &[
    Bounds { least: 0, most: 59, names: &[] },
    Bounds { least: 0, most: 23, names: &[] },
    Bounds { least: 1, most: 31, names: &[] },
    Bounds {
        least: 1,
        most: 12,
        names: &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
    },
    Bounds { least: 0, most: 6, names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

/// Schedules that have names.
const WORDS: &[&str] = &["yearly", "annually", "monthly", "weekly", "daily", "midnight", "hourly"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_read_as_cron_does() {
        for good in ["* * * * *", "*/5 0-23/2 1,15 jan-MAR mon", "@daily", "@every 1h30m", "0 0 ? * 0", "1,,2 * * * *"]
        {
            assert_eq!(problem(good), None, "{good}");
        }
        let table = [
            ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
            ("61 * * * *", "end of range (61) above maximum (59): 61"),
            ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
            ("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
            ("x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"),
            ("*/0 * * * *", "step of range should be a positive number: */0"),
            ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
            ("@every bush", "failed to parse duration @every bush: time: invalid duration \"bush\""),
            ("@sometimes", "unrecognized descriptor: @sometimes"),
        ];
        for (bad, why) in table {
            assert_eq!(problem(bad).as_deref(), Some(why), "{bad}");
        }
    }
}
