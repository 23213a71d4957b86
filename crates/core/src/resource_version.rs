//! Which of two resource versions is the newer one.
//!
//! In: two `resourceVersion`s as servers write them. Out: their order, or that they cannot be compared. Since KEP-5504
//! a `resourceVersion` is a decimal number of any length without leading zeros; the longer one is larger, and of two
//! that are equally long the one that sorts later. Nothing is converted to a number, so nothing overflows.
//!
//! Versions of different collections, or of servers that do not keep the promise, cannot be compared.

use std::cmp::Ordering;

/// A `resourceVersion` that cannot be compared with others.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("resourceVersion {0:?} cannot be compared: expected a decimal number above zero without leading zeros")]
pub struct IncomparableVersion(pub String);

/// The order of two versions of objects in the same collection.
///
/// # Errors
/// When one of them is no decimal number as servers write it: empty, `0`, with a leading zero or another sign.
///
/// ```
/// use pintle_core::resource_version::compare;
/// assert!(compare("9", "10").unwrap().is_lt());
/// assert!(compare("5", "05").is_err());
/// ```
pub fn compare(one: &str, other: &str) -> Result<Ordering, IncomparableVersion> {
    for version in [one, other] {
        if !is_comparable(version) {
            return Err(IncomparableVersion(version.to_owned()));
        }
    }
    Ok(one.len().cmp(&other.len()).then_with(|| one.cmp(other)))
}

/// Whether `version` is one that a server may give an object and that can be compared.
pub fn is_comparable(version: &str) -> bool {
    !version.is_empty() && !version.starts_with('0') && version.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_numbers_of_any_length() {
        let ascending = ["1", "2", "9", "10", "99", "100", "18446744073709551615", "18446744073709551616"];
        for (at, one) in ascending.iter().enumerate() {
            for (other_at, other) in ascending.iter().enumerate() {
                assert_eq!(compare(one, other).unwrap(), at.cmp(&other_at), "{one} and {other}");
            }
        }
    }

    #[test]
    fn what_is_no_such_number_is_refused_by_value() {
        for wrong in ["", "0", "01", "-1", "+1", "1 ", "1.0", "a", "١"] {
            assert_eq!(compare(wrong, "1"), Err(IncomparableVersion(wrong.into())));
            assert_eq!(compare("1", wrong), Err(IncomparableVersion(wrong.into())));
        }
    }
}
