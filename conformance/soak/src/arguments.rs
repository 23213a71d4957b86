//! What was typed.

use std::time::Duration;

use clap::Parser;

/// Send events through one manager, and see whether anything is lost or left behind.
#[derive(Clone, Debug, Parser)]
#[command(name = "cargo xtask soak", bin_name = "cargo xtask soak")]
pub(crate) struct Arguments {
    /// How many changes are made to the objects that are watched.
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) events: u64,
    /// How often every watch loses its history and lists again.
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) relists: u64,
    /// What the traffic and its faults follow from.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Stop after this time, however many events there were: `90s`, `20m`, `8h`.
    #[arg(long = "for", value_name = "DURATION", value_parser = duration)]
    pub(crate) time_max: Option<Duration>,
}

impl Arguments {
    /// After how many events the watches lose their history.
    pub(crate) fn events_per_round(&self) -> u64 {
        (self.events / self.relists).max(1)
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let problem = || format!("`{text}` is not a duration such as 90s, 20m or 8h");
    let unit = text.chars().last().ok_or_else(problem)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        _ => return Err(problem()),
    };
    let number: u64 = text[..text.len() - unit.len_utf8()].parse().map_err(|_| problem())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_others_are_refused() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("20m"), Ok(Duration::from_secs(1200)));
        assert_eq!(duration("8h"), Ok(Duration::from_secs(28_800)));
        for text in ["", "s", "5", "5d", "-1s", "5µ", "99999999999999999999h"] {
            assert_eq!(duration(text), Err(format!("`{text}` is not a duration such as 90s, 20m or 8h")));
        }
    }
}
