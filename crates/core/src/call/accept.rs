//! The `Accept` header: which media types a client takes, and which it would rather have.
//!
//! In: the header's text. Out: its ranges, the best first, as a server written in Go sorts them.

/// The ranges of an `Accept` header by preference: a greater `q` first, wildcards behind what is named.
pub fn by_preference(accept: &str) -> Vec<&str> {
    let mut ranges: Vec<&str> = accept.split(',').map(str::trim).filter(|range| !range.is_empty()).collect();
    // The order of Go's comparison is none (a wildcard can be both before and behind a lesser `q`), so that what is sorted
    // by it depends on how: by insertion.
    for end in 1..ranges.len() {
        let mut at = end;
        while at > 0 && comes_before(ranges[at], ranges[at - 1]) {
            ranges.swap(at, at - 1);
            at -= 1;
        }
    }
    ranges
}

fn comes_before(one: &str, other: &str) -> bool {
    let (kind, of) = names(one);
    let (other_kind, other_of) = names(other);
    quality(one) > quality(other) || (kind != "*" && other_kind == "*") || (of != "*" && other_of == "*")
}

fn names(range: &str) -> (&str, &str) {
    let media_type = range.split(';').next().unwrap_or_default().trim();
    media_type.split_once('/').unwrap_or((media_type, "*"))
}

fn quality(range: &str) -> f64 {
    let said = range.split(';').skip(1).find_map(|parameter| parameter.trim().strip_prefix("q="));
    // What is no number is the least of all, as Go has it.
    said.map_or(1.0, |said| said.parse().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_better_range_comes_first_and_equals_stay_in_order() {
        let table: [(&str, &[&str]); 5] = [
            ("a/b;q=0.5, c/d", &["c/d", "a/b;q=0.5"]),
            ("a/b, c/d", &["a/b", "c/d"]),
            ("*/*, a/b", &["a/b", "*/*"]),
            ("a/*;q=0.9, a/b;q=0.9", &["a/b;q=0.9", "a/*;q=0.9"]),
            (" ,, ", &[]),
        ];
        for (accept, expected) in table {
            assert_eq!(by_preference(accept), expected, "{accept}");
        }
    }
}
