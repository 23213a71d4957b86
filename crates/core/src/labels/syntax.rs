//! What may be the key and the value of a label.
//!
//! A key is a name of at most 63 characters, perhaps behind a DNS subdomain and a slash; a value is such a name or
//! empty. A name begins and ends with a letter or digit and has `-`, `_` and `.` between.

/// The longest name, and the longest value.
const NAME_LENGTH_MAX: usize = 63;
/// The longest prefix of a key: that of a DNS name.
const PREFIX_LENGTH_MAX: usize = 253;

/// Why `key` is not a label key.
pub(super) fn key_problem(key: &str) -> Option<&'static str> {
    let (prefix, name) = key.rsplit_once('/').map_or((None, key), |(prefix, name)| (Some(prefix), name));
    prefix
        .and_then(prefix_problem)
        .or_else(|| if name.is_empty() { Some("the name is empty") } else { name_problem(name) })
}

/// Why `value` is not a label value.
pub(super) fn value_problem(value: &str) -> Option<&'static str> {
    if value.is_empty() { None } else { name_problem(value) }
}

fn name_problem(name: &str) -> Option<&'static str> {
    let edges = |c: char| c.is_ascii_alphanumeric();
    if name.len() > NAME_LENGTH_MAX {
        return Some("it is longer than 63 characters");
    }
    if !name.chars().all(|c| edges(c) || "-_.".contains(c)) {
        return Some("only letters, digits, '-', '_' and '.' are allowed");
    }
    (!(name.starts_with(edges) && name.ends_with(edges))).then_some("it must begin and end with a letter or digit")
}

fn prefix_problem(prefix: &str) -> Option<&'static str> {
    let edges = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_part =
        |part: &str| part.starts_with(edges) && part.ends_with(edges) && part.chars().all(|c| edges(c) || c == '-');
    if prefix.len() > PREFIX_LENGTH_MAX {
        return Some("its prefix is longer than 253 characters");
    }
    (!prefix.split('.').all(is_part)).then_some("its prefix is not a DNS subdomain")
}
