//! How long ago something was, as `kubectl` says it: precise while it is recent, round when it is not.

use jiff::Timestamp;
use serde_json::Value;

/// The time since a timestamp, in words.
pub(crate) fn since(timestamp: &Value, now: i64) -> String {
    match timestamp.as_str().and_then(|text| text.parse::<Timestamp>().ok()) {
        Some(moment) => in_words(now - moment.as_second()),
        None => "<unknown>".to_owned(),
    }
}

/// A span of seconds, in words.
pub(crate) fn in_words(seconds: i64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86400);
    let years = days / 365;
    let pair = |large: i64, unit: char, small: i64, small_unit: char| match small {
        0 => format!("{large}{unit}"),
        small => format!("{large}{unit}{small}{small_unit}"),
    };
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        120..600 => pair(minutes, 'm', seconds % 60, 's'),
        600..10800 => format!("{minutes}m"),
        10800..28800 => pair(hours, 'h', minutes % 60, 'm'),
        28800..172_800 => format!("{hours}h"),
        172_800..691_200 => pair(days, 'd', hours % 24, 'h'),
        _ if years < 2 => format!("{days}d"),
        _ if years < 8 => pair(years, 'y', days % 365, 'd'),
        _ => format!("{years}y"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_is_precise_and_long_ago_is_round() {
        let table = [
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (125, "2m5s"),
            (600, "10m"),
            (10799, "179m"),
            (10800, "3h"),
            (11000, "3h3m"),
            (28800, "8h"),
            (172_799, "47h"),
            (172_800, "2d"),
            (180_000, "2d2h"),
            (700_000, "8d"),
            (86400 * 800, "2y70d"),
            (86400 * 365 * 9, "9y"),
            (-5, "<invalid>"),
        ];
        for (seconds, expected) in table {
            assert_eq!(in_words(seconds), expected, "{seconds}");
        }
    }
}
