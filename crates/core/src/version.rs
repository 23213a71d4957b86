//! API versions and which of them to prefer.
//!
//! `v2` is newer than `v1`, and any stable version is preferred to any beta, any beta to any alpha, and those to names
//! that follow no rule. [`Version::priority`] is that order, the one by which Kubernetes chooses a version to speak.
//! [`Version::generation`] puts the number first: `v2beta1` before `v1`.

use std::cmp::Reverse;
use std::convert::Infallible;
use std::str::FromStr;

/// An API version, understood.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Version {
    /// `v1`.
    Stable(u32),
    /// `v1beta2`.
    Beta(u32, Option<u32>),
    /// `v1alpha2`.
    Alpha(u32, Option<u32>),
    /// A name that follows no rule, which custom resources may have.
    Nonconformant(String),
}

impl Version {
    /// Reads a version; every text is one.
    pub fn parse(v: &str) -> Self {
        conformant(v).unwrap_or_else(|| Self::Nonconformant(v.to_owned()))
    }

    /// What to sort by to have the most stable version largest, and of equally stable ones the newest.
    ///
    /// ```
    /// use pintle_core::Version;
    /// assert!(Version::Stable(1).priority() > Version::Beta(2, Some(1)).priority());
    /// ```
    pub fn priority(&self) -> impl Ord + use<> {
        match self {
            Self::Stable(major) => (Stability::Stable, *major, None, None),
            Self::Beta(major, minor) => (Stability::Beta, *major, *minor, None),
            Self::Alpha(major, minor) => (Stability::Alpha, *major, *minor, None),
            // Names go by the alphabet, the first one preferred.
            Self::Nonconformant(name) => (Stability::Nonconformant, 0, None, Some(Reverse(name.clone()))),
        }
    }

    /// What to sort by to have the newest version largest, and of equally new ones the most stable.
    ///
    /// ```
    /// use pintle_core::Version;
    /// assert!(Version::Beta(2, Some(1)).generation() > Version::Stable(1).generation());
    /// ```
    pub fn generation(&self) -> impl Ord + use<> {
        match self {
            Self::Stable(major) => (Some(*major), Stability::Stable, None, None),
            Self::Beta(major, minor) => (Some(*major), Stability::Beta, *minor, None),
            Self::Alpha(major, minor) => (Some(*major), Stability::Alpha, *minor, None),
            Self::Nonconformant(name) => (None, Stability::Nonconformant, None, Some(Reverse(name.clone()))),
        }
    }
}

impl FromStr for Version {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self::parse(text))
    }
}

/// How much is promised of a version, the least first.
#[derive(Eq, Ord, PartialEq, PartialOrd)]
enum Stability {
    Nonconformant,
    Alpha,
    Beta,
    Stable,
}

fn conformant(text: &str) -> Option<Version> {
    let (major, rest) = number(text.strip_prefix('v')?)?;
    if rest.is_empty() {
        return Some(Version::Stable(major));
    }
    let minor = |digits: &str| match digits {
        "" => Some(None),
        _ => number(digits).filter(|(_, rest)| rest.is_empty()).map(|(minor, _)| Some(minor)),
    };
    match (rest.strip_prefix("beta"), rest.strip_prefix("alpha")) {
        (Some(digits), _) => Some(Version::Beta(major, minor(digits)?)),
        (_, Some(digits)) => Some(Version::Alpha(major, minor(digits)?)),
        _ => None,
    }
}

/// The digits at the beginning, and what follows.
fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_kube_reads_them() {
        for (text, version) in [
            ("v1", Version::Stable(1)),
            ("v01", Version::Stable(1)),
            ("v10beta2", Version::Beta(10, Some(2))),
            ("v1beta", Version::Beta(1, None)),
            ("v2alpha01", Version::Alpha(2, Some(1))),
            ("v1alpha", Version::Alpha(1, None)),
        ] {
            assert_eq!(text.parse(), Ok(version));
        }
        for name in ["", "v", "V1", "1", "foo", "v1gamma1", "v99999999999", "v1beta1x", "v-1"] {
            assert_eq!(Version::parse(name), Version::Nonconformant(name.into()));
        }
    }

    fn sorted<K: Ord>(key: impl Fn(&Version) -> K, versions: &[&'static str]) -> Vec<&'static str> {
        let mut versions = versions.to_vec();
        versions.sort_by_cached_key(|version| Reverse(key(&Version::parse(version))));
        versions
    }

    #[test]
    fn versions_sort_as_kube_sorts_them() {
        let versions =
            ["v1", "v2", "v10", "v1beta1", "v2beta1", "v1beta2", "v1beta", "v1alpha1", "v12alpha1", "foo", "bar"];
        assert_eq!(
            sorted(Version::priority, &versions),
            ["v10", "v2", "v1", "v2beta1", "v1beta2", "v1beta1", "v1beta", "v12alpha1", "v1alpha1", "bar", "foo"]
        );
        assert_eq!(
            sorted(Version::generation, &versions),
            ["v12alpha1", "v10", "v2", "v2beta1", "v1", "v1beta2", "v1beta1", "v1beta", "v1alpha1", "bar", "foo"]
        );
    }
}
