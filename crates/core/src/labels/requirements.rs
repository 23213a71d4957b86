//! The whole grammar of label selectors, as servers read it.
//!
//! ```text
//!   "app=web,tier in (a,b),!old,cores>4"  ──parse──►  Requirements  ──matches──►  yes or no
//!                                          ◄──print──
//! ```
//! [`Selector`] is kube's type and has no `>` and `<`; this one has, and it refuses keys and values that no label can
//! have, as servers do. The invariant: what is printed parses back to the same requirements.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::parse::{self, ParseSelectorError};
use super::{Expression, ParseExpressionError, Selector, SelectorExt, sealed, syntax};

/// A condition on one label, of any kind that servers know.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Requirement {
    /// One that kube's [`Selector`] knows too.
    Expression(Expression),
    /// The label is a whole number above this one.
    GreaterThan(String, i64),
    /// The label is a whole number below this one.
    LessThan(String, i64),
}

impl Requirement {
    /// The label it is about.
    pub fn key(&self) -> &str {
        match self {
            Self::Expression(expression) => expression.key(),
            Self::GreaterThan(key, _) | Self::LessThan(key, _) => key,
        }
    }

    fn matches_by<'a>(&self, label: &impl Fn(&str) -> Option<&'a str>) -> bool {
        let number = |key: &str| label(key).and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::Expression(expression) => expression.matches_by(label),
            Self::GreaterThan(key, bound) => number(key).is_some_and(|value| value > *bound),
            Self::LessThan(key, bound) => number(key).is_some_and(|value| value < *bound),
        }
    }

    /// Why no label could ever be meant.
    pub(super) fn problem(&self) -> Option<String> {
        let of_key =
            || syntax::key_problem(self.key()).map(|why| format!("{:?} is not a label key: {why}", self.key()));
        let of_value =
            |value: &str| syntax::value_problem(value).map(|why| format!("{value:?} is not a label value: {why}"));
        of_key().or_else(|| match self {
            Self::Expression(expression) => expression.values().find_map(of_value),
            Self::GreaterThan(_, bound) | Self::LessThan(_, bound) => of_value(&bound.to_string()),
        })
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expression(expression) => expression.fmt(f),
            Self::GreaterThan(key, bound) => write!(f, "{key}>{bound}"),
            Self::LessThan(key, bound) => write!(f, "{key}<{bound}"),
        }
    }
}

impl From<Expression> for Requirement {
    fn from(expression: Expression) -> Self {
        Self::Expression(expression)
    }
}

/// Conditions on labels in the whole grammar, all of which must hold; none at all selects everything.
///
/// ```
/// use pintle_core::labels::Requirements;
/// let large: Requirements = "cores>4,!old".parse().unwrap();
/// assert!(large.matches_by(|key| (key == "cores").then_some("8")));
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Requirements(Vec<Requirement>);

impl Requirements {
    /// Whether everything is meant.
    pub fn selects_all(&self) -> bool {
        self.0.is_empty()
    }

    /// The conditions, in the order they were written.
    pub fn iter(&self) -> std::slice::Iter<'_, Requirement> {
        self.0.iter()
    }

    /// Whether an object is meant whose labels `label` looks up.
    pub fn matches_by<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.0.iter().all(|requirement| requirement.matches_by(&label))
    }
}

impl FromStr for Requirements {
    type Err = ParseSelectorError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let requirements = parse::requirements(text)?;
        match requirements.iter().find_map(Requirement::problem) {
            Some(problem) => Err(ParseSelectorError::new(text, problem)),
            None => Ok(Self(requirements)),
        }
    }
}

impl fmt::Display for Requirements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, requirement) in self.0.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(f, "{comma}{requirement}")?;
        }
        Ok(())
    }
}

impl sealed::Sealed for Requirements {}

impl SelectorExt for Requirements {
    type Search = BTreeMap<String, String>;

    fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.matches_by(|key| labels.get(key).map(String::as_str))
    }
}

impl FromIterator<Requirement> for Requirements {
    fn from_iter<T: IntoIterator<Item = Requirement>>(requirements: T) -> Self {
        Self(requirements.into_iter().collect())
    }
}

impl IntoIterator for Requirements {
    type Item = Requirement;
    type IntoIter = std::vec::IntoIter<Requirement>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Requirements {
    type Item = &'a Requirement;
    type IntoIter = std::slice::Iter<'a, Requirement>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Selector> for Requirements {
    fn from(selector: Selector) -> Self {
        selector.into_iter().map(Requirement::Expression).collect()
    }
}

/// Possible as long as there is neither `>` nor `<`.
impl TryFrom<Requirements> for Selector {
    type Error = ParseExpressionError;

    fn try_from(requirements: Requirements) -> Result<Self, Self::Error> {
        let expression = |requirement| match requirement {
            Requirement::Expression(expression) => Ok(expression),
            other => Err(ParseExpressionError(format!("a Selector cannot say {other}"))),
        };
        requirements.into_iter().map(expression).collect()
    }
}

#[cfg(test)]
mod tests;
