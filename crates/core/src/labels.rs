//! Label selectors: which objects are meant, by their labels.
//!
//! ```text
//!   "app=web,tier in (a,b),!old"  ──parse──►  Selector  ──matches──►  yes or no
//!                                  ◄──print──
//! ```
//! [`Selector`] is kube's type. [`Requirements`] is the whole grammar, with `>` and `<`, as servers read it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use serde::{Deserialize, Serialize};

mod label_selector;
mod parse;
mod requirements;
mod syntax;

pub use parse::ParseSelectorError;
pub use requirements::{Requirement, Requirements};

/// A condition on one label.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub enum Expression {
    /// The label has one of these values.
    In(String, BTreeSet<String>),
    /// The label has none of these values, or is not there.
    NotIn(String, BTreeSet<String>),
    /// The label has this value.
    Equal(String, String),
    /// The label has another value, or is not there.
    NotEqual(String, String),
    /// The label is there.
    Exists(String),
    /// The label is not there.
    DoesNotExist(String),
}

impl Expression {
    /// The label it is about.
    fn key(&self) -> &str {
        match self {
            Self::In(key, _) | Self::NotIn(key, _) | Self::Equal(key, _) | Self::NotEqual(key, _) => key,
            Self::Exists(key) | Self::DoesNotExist(key) => key,
        }
    }

    /// The values it compares with.
    fn values(&self) -> impl Iterator<Item = &str> {
        let (several, one) = match self {
            Self::In(_, values) | Self::NotIn(_, values) => (Some(values), None),
            Self::Equal(_, value) | Self::NotEqual(_, value) => (None, Some(value)),
            Self::Exists(_) | Self::DoesNotExist(_) => (None, None),
        };
        several.into_iter().flatten().chain(one).map(String::as_str)
    }

    /// Whether an object with these labels is meant; `label` gives the value of a key.
    fn matches_by<'a>(&self, label: &impl Fn(&str) -> Option<&'a str>) -> bool {
        match self {
            Self::In(key, values) => label(key).is_some_and(|value| values.contains(value)),
            Self::NotIn(key, values) => label(key).is_none_or(|value| !values.contains(value)),
            Self::Equal(key, wanted) => label(key) == Some(wanted),
            Self::NotEqual(key, unwanted) => label(key) != Some(unwanted),
            Self::Exists(key) => label(key).is_some(),
            Self::DoesNotExist(key) => label(key).is_none(),
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |values: &BTreeSet<String>| values.iter().map(String::as_str).collect::<Vec<_>>().join(",");
        match self {
            Self::In(key, values) => write!(f, "{key} in ({})", joined(values)),
            Self::NotIn(key, values) => write!(f, "{key} notin ({})", joined(values)),
            Self::Equal(key, value) => write!(f, "{key}={value}"),
            Self::NotEqual(key, value) => write!(f, "{key}!={value}"),
            Self::Exists(key) => f.write_str(key),
            Self::DoesNotExist(key) => write!(f, "!{key}"),
        }
    }
}

/// Conditions on labels, all of which must hold; none at all selects everything.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Selector(Vec<Expression>);

impl Selector {
    /// Whether it selects everything.
    pub fn selects_all(&self) -> bool {
        self.0.is_empty()
    }

    /// With more conditions.
    pub fn extend(&mut self, expressions: impl IntoIterator<Item = Expression>) -> &mut Self {
        self.0.extend(expressions);
        self
    }

    /// Whether an object is meant whose labels `label` looks up.
    pub fn matches_by<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.0.iter().all(|expression| expression.matches_by(&label))
    }
}

/// A condition of a `LabelSelector` that cannot be understood.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("no condition on a label: {0}")]
pub struct ParseExpressionError(pub String);

/// Whether labels match.
pub trait SelectorExt: sealed::Sealed {
    /// What is looked at.
    type Search;

    /// Whether an object with `labels` is meant.
    fn matches(&self, labels: &Self::Search) -> bool;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Selector {}
    impl Sealed for super::Expression {}
    impl Sealed for super::LabelSelector {}
}

impl SelectorExt for Selector {
    type Search = BTreeMap<String, String>;

    fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.matches_by(|key| labels.get(key).map(String::as_str))
    }
}

impl SelectorExt for Expression {
    type Search = BTreeMap<String, String>;

    fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.matches_by(&|key| labels.get(key).map(String::as_str))
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, expression) in self.0.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(f, "{comma}{expression}")?;
        }
        Ok(())
    }
}

impl FromStr for Selector {
    type Err = ParseSelectorError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse::expressions(text).map(Self)
    }
}

impl IntoIterator for Selector {
    type Item = Expression;
    type IntoIter = std::vec::IntoIter<Expression>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// One condition, so that it can be added to a selector like several.
impl IntoIterator for Expression {
    type Item = Self;
    type IntoIter = std::option::IntoIter<Self>;

    fn into_iter(self) -> Self::IntoIter {
        Some(self).into_iter()
    }
}

impl FromIterator<Expression> for Selector {
    fn from_iter<T: IntoIterator<Item = Expression>>(expressions: T) -> Self {
        Self(expressions.into_iter().collect())
    }
}

impl FromIterator<(String, String)> for Selector {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(labels: T) -> Self {
        labels.into_iter().map(|(key, value)| Expression::Equal(key, value)).collect()
    }
}

impl FromIterator<(&'static str, &'static str)> for Selector {
    fn from_iter<T: IntoIterator<Item = (&'static str, &'static str)>>(labels: T) -> Self {
        labels.into_iter().map(|(key, value)| Expression::Equal(key.into(), value.into())).collect()
    }
}

impl From<Expression> for Selector {
    fn from(expression: Expression) -> Self {
        Self(vec![expression])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(selector: &str, labels: &[(&str, &str)], expected: bool) {
        let selector: Selector = selector.parse().unwrap();
        let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        assert_eq!(selector.matches(&labels), expected, "{selector} on {labels:?}");
        assert_eq!(selector.to_string().parse::<Selector>().unwrap(), selector, "{selector} parses back");
    }

    #[test]
    fn selectors_select() {
        check("", &[], true);
        check("a=b", &[("a", "b")], true);
        check("a==b", &[("a", "c")], false);
        check("a!=b", &[], true);
        check("a != b", &[("a", "b")], false);
        check("a in (b, c)", &[("a", "c")], true);
        check("a in ()", &[("a", "")], true);
        check("a notin (b,c)", &[], true);
        check("a", &[("a", "")], true);
        check("!a", &[("a", "")], false);
        check("a=", &[("a", "")], true);
        check("example.com/a=b,!c,d notin (e)", &[("example.com/a", "b")], true);
        check("x in (y),in=notin", &[("x", "y"), ("in", "notin")], true);
    }

    #[test]
    fn nonsense_is_refused_with_the_place() {
        for (text, said) in [
            ("a in b", "expected '('"),
            ("a in (b", "expected ',' or ')'"),
            (",", "expected a label key"),
            ("a=b,", "expected a label key"),
            ("a b", "expected an operator"),
            ("!", "expected a label key"),
            ("a>1", "a Selector cannot say a>1"),
            ("a=b c", "expected ','"),
        ] {
            let error = text.parse::<Selector>().unwrap_err().to_string();
            assert!(error.contains(said), "{text:?}: {error}");
        }
    }

    #[test]
    fn one_condition_matches_alone_and_joins_a_selector() {
        let condition = Expression::Exists("a".into());
        assert!(condition.matches(&BTreeMap::from([("a".into(), String::new())])));
        assert!(!condition.matches(&BTreeMap::new()));
        let mut selector = Selector::default();
        selector.extend(condition.clone());
        assert_eq!(selector.clone().into_iter().collect::<Vec<_>>(), [condition]);
        let json = serde_json::to_string(&selector).unwrap();
        assert_eq!(json, r#"[{"Exists":"a"}]"#);
        assert_eq!(serde_json::from_str::<Selector>(&json).unwrap(), selector);
    }
}
