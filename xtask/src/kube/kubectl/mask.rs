//! What does not count when two servers are compared: how old things are, when they were made, and who they are.
//!
//! In: a line that kubectl printed. Out: its words, single-spaced, each that no two servers share replaced by its kind.

/// A line without what no two servers share.
pub(super) fn mask(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let words: Vec<String> = line.split_whitespace().map(word).collect();
    // A version stands behind its name, and looks like any number.
    let masked = words.join(" ");
    let masked = match masked.split_once("resourceVersion: ") {
        Some((before, _)) => format!("{before}resourceVersion: VERSION"),
        None => masked,
    };
    format!("{}{masked}", " ".repeat(indent))
}

fn word(word: &str) -> String {
    let core = word.trim_matches(|sign: char| "\"',()[]{}".contains(sign));
    let kind = if is_age(core) {
        "AGE"
    } else if is_time(core) {
        "TIME"
    } else if is_uid(core) {
        "UID"
    } else if core.starts_with("10.0.") && core.parse::<std::net::Ipv4Addr>().is_ok() {
        "ADDRESS"
    } else if core.starts_with("/tmp/LIVE-") || core.starts_with("/tmp/MERGED-") || core.contains("-LIVE-") {
        "FILE"
    } else {
        return word.to_owned();
    };
    word.replace(core, kind)
}

/// `5s`, `2m10s`, `3h`, or what kubectl prints for no time at all.
fn is_age(word: &str) -> bool {
    let is_counted = word.ends_with(['s', 'm', 'h', 'd']) && word.starts_with(|sign: char| sign.is_ascii_digit());
    is_counted && word.chars().all(|sign| sign.is_ascii_digit() || "smhd".contains(sign))
}

/// `2026-11-16T04:59:35Z`, or the parts of what `diff` and `describe` print.
fn is_time(word: &str) -> bool {
    let shape: String = word.chars().map(|sign| if sign.is_ascii_digit() { '0' } else { sign }).collect();
    ["0000-00-00T00:00:00Z", "0000-00-00", "00:00:00", "+0000"].contains(&shape.as_str())
        || shape.starts_with("00:00:00.0")
        || shape.starts_with("+0000")
}

fn is_uid(word: &str) -> bool {
    let lengths: Vec<usize> = word.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && word.chars().all(|sign| sign.is_ascii_hexdigit() || sign == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_two_servers_share_is_masked_and_nothing_else() {
        let table = [
            ("web    0/2     0    12s", "web 0/2 0 AGE"),
            ("  uid: 2f283eb7-0b8f-4428-a89b-9da8084588e4", "  uid: UID"),
            ("  resourceVersion: \"123\"", "  resourceVersion: VERSION"),
            ("  creationTimestamp: \"2026-11-16T04:59:35Z\"", "  creationTimestamp: \"TIME\""),
            ("  replicas: 5", "  replicas: 5"),
            ("kubernetes ClusterIP 10.0.0.1 <none> 443/TCP 2m10s", "kubernetes ClusterIP ADDRESS <none> 443/TCP AGE"),
            ("web ClusterIP 10.0.1.1 <none> 80/TCP 5s", "web ClusterIP ADDRESS <none> 80/TCP AGE"),
            ("days: 5d and so", "days: AGE and so"),
            ("shards", "shards"),
        ];
        for (line, masked) in table {
            assert_eq!(mask(line), masked);
        }
    }
}
