//! The version of an object or a list, and which of two is the newer one.
//!
//! In: a `resourceVersion` as servers write it. Out: its number, its order, its text again. Since KEP-5504 it is a decimal
//! number of any length without leading zeros. [`ResourceVersion`] keeps one that fits into 64 bits as a number, which is
//! every one that a server has written so far, and everything else as the text it came as: longer numbers still compare,
//! other text does not.
//!
//! Versions of different collections, or of servers that do not keep the promise, cannot be compared.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// A version that is set. "Not set" is `None` of an `Option`, never an empty text.
///
/// ```
/// use pintle_core::resource_version::ResourceVersion;
/// let version = ResourceVersion::parse("9").unwrap();
/// assert!(version.compare(&ResourceVersion::from(10)).unwrap().is_lt());
/// assert_eq!((version.number(), version.to_string()), (Some(9), "9".to_owned()));
/// assert_eq!(ResourceVersion::parse(""), None);
/// ```
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct ResourceVersion(Spelling);

/// One version has one spelling, so that equal text is equal here.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
enum Spelling {
    Number(u64),
    Text(Box<str>),
}

impl ResourceVersion {
    /// Reads a version; `None` if the text is empty, which is how JSON and protobuf write a version that is not set.
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let is_canonical = text == "0" || !text.starts_with(['0', '+']);
        let number = text.parse().ok().filter(|_| is_canonical);
        Some(Self(number.map_or_else(|| Spelling::Text(text.into()), Spelling::Number)))
    }

    /// The version as a number, if it is a decimal one of at most 64 bits.
    pub fn number(&self) -> Option<u64> {
        match self.0 {
            Spelling::Number(number) => Some(number),
            Spelling::Text(_) => None,
        }
    }

    /// The version as a request and an object spell it.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.0 {
            Spelling::Number(number) => Cow::Owned(number.to_string()),
            Spelling::Text(text) => Cow::Borrowed(text),
        }
    }

    /// The order of two versions of objects in the same collection; `None` if one of them cannot be compared.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (&self.0, &other.0) {
            (Spelling::Number(one), Spelling::Number(other)) if *one > 0 && *other > 0 => Some(one.cmp(other)),
            _ => compare(&self.text(), &other.text()).ok(),
        }
    }

    /// Whether this version is newer than `other`, as far as that can be known.
    pub fn is_newer_than(&self, other: &Self) -> bool {
        self.compare(other).is_some_and(Ordering::is_gt)
    }
}

impl From<u64> for ResourceVersion {
    fn from(number: u64) -> Self {
        Self(Spelling::Number(number))
    }
}

impl fmt::Display for ResourceVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Spelling::Number(number) => write!(f, "{number}"),
            Spelling::Text(text) => f.write_str(text),
        }
    }
}

/// A `resourceVersion` that cannot be compared with others.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("resourceVersion {0:?} cannot be compared: expected a decimal number above zero without leading zeros")]
pub struct IncomparableVersion(pub String);

/// The order of two versions of objects in the same collection, as text.
///
/// # Errors
/// When one of them is not a decimal number as servers write it: empty, `0`, with a leading zero or another character.
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
    // Nothing is converted to a number, so nothing overflows: the longer one is larger.
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
                let [one, other] = [one, other].map(|text| ResourceVersion::parse(text).unwrap());
                assert_eq!(one.compare(&other), Some(at.cmp(&other_at)), "{one} and {other}");
                assert_eq!(one.is_newer_than(&other), at > other_at);
                assert_eq!(one == other, at == other_at);
            }
        }
    }

    #[test]
    fn what_is_not_such_a_number_is_refused_by_value() {
        for wrong in ["", "0", "01", "-1", "+1", "1 ", "1.0", "a", "١"] {
            assert_eq!(compare(wrong, "1"), Err(IncomparableVersion(wrong.into())));
            assert_eq!(compare("1", wrong), Err(IncomparableVersion(wrong.into())));
        }
    }

    #[test]
    fn a_version_keeps_its_spelling_and_only_a_canonical_number_is_one() {
        for (text, number) in [
            ("0", Some(0)),
            ("42", Some(42)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("007", None),
            ("+7", None),
            ("etcd-7", None),
        ] {
            let version = ResourceVersion::parse(text).unwrap();
            assert_eq!((version.to_string().as_str(), version.text().as_ref()), (text, text));
            assert_eq!(version.number(), number, "{text}");
        }
        assert_eq!(ResourceVersion::parse(""), None);
    }

    #[test]
    fn versions_that_cannot_be_compared_are_never_newer() {
        let one = ResourceVersion::from(1);
        for other in ["0", "01", "a"].map(|text| ResourceVersion::parse(text).unwrap()) {
            assert_eq!((one.compare(&other), other.compare(&one)), (None, None));
            assert!(!one.is_newer_than(&other) && !other.is_newer_than(&one));
        }
    }
}
