//! Label selectors: which objects are meant, by their labels.
//!
//! ```text
//!   "app=web,tier in (a,b),!old"  ──parse──►  Selector  ──matches──►  yes or no
//!                                  ◄──print──
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};
use serde::{Deserialize, Serialize};

mod parse;

pub use parse::ParseSelectorError;

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

impl SelectorExt for LabelSelector {
    type Search = BTreeMap<String, String>;

    fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        Selector::try_from(self.clone()).is_ok_and(|selector| selector.matches(labels))
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

impl TryFrom<LabelSelector> for Selector {
    type Error = ParseExpressionError;

    fn try_from(selector: LabelSelector) -> Result<Self, Self::Error> {
        let labels = selector.match_labels.unwrap_or_default();
        let equal = labels.into_iter().map(|(key, value)| Ok(Expression::Equal(key, value)));
        let requirements = selector.match_expressions.unwrap_or_default();
        equal.chain(requirements.into_iter().map(Expression::try_from)).collect::<Result<Vec<_>, _>>().map(Self)
    }
}

impl TryFrom<LabelSelectorRequirement> for Expression {
    type Error = ParseExpressionError;

    fn try_from(requirement: LabelSelectorRequirement) -> Result<Self, Self::Error> {
        let LabelSelectorRequirement { key, operator, values } = requirement;
        let values: BTreeSet<String> = values.unwrap_or_default().into_iter().collect();
        match operator.as_str() {
            "In" => Ok(Self::In(key, values)),
            "NotIn" => Ok(Self::NotIn(key, values)),
            "Exists" => Ok(Self::Exists(key)),
            "DoesNotExist" => Ok(Self::DoesNotExist(key)),
            _ => Err(ParseExpressionError(format!(
                "operator {operator:?} on label {key:?} is none of In, NotIn, Exists, DoesNotExist"
            ))),
        }
    }
}

impl From<Selector> for LabelSelector {
    fn from(selector: Selector) -> Self {
        let requirement = |key, operator: &str, values: Option<BTreeSet<String>>| LabelSelectorRequirement {
            key,
            operator: operator.to_owned(),
            values: values.map(|values| values.into_iter().collect()),
        };
        let mut labels = BTreeMap::new();
        let mut requirements = Vec::new();
        for expression in selector.0 {
            match expression {
                Expression::Equal(key, value) => {
                    labels.insert(key, value);
                }
                Expression::NotEqual(key, value) => {
                    requirements.push(requirement(key, "NotIn", Some(BTreeSet::from([value]))));
                }
                Expression::In(key, values) => requirements.push(requirement(key, "In", Some(values))),
                Expression::NotIn(key, values) => requirements.push(requirement(key, "NotIn", Some(values))),
                Expression::Exists(key) => requirements.push(requirement(key, "Exists", None)),
                Expression::DoesNotExist(key) => requirements.push(requirement(key, "DoesNotExist", None)),
            }
        }
        Self {
            match_labels: Some(labels).filter(|it| !it.is_empty()),
            match_expressions: Some(requirements).filter(|it| !it.is_empty()),
        }
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
            ("a>1", "'>' is not supported yet"),
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

    #[test]
    fn an_unknown_operator_of_a_label_selector_is_refused_by_name() {
        let requirement = LabelSelectorRequirement { key: "a".into(), operator: "Near".into(), values: None };
        let error = Expression::try_from(requirement).unwrap_err();
        assert!(error.0.contains("Near"), "{error}");
    }

    #[test]
    fn a_label_selector_round_trips() {
        let selector: Selector = "a=b,c in (d),!e,f".parse().unwrap();
        assert_eq!(Selector::try_from(LabelSelector::from(selector.clone())).unwrap(), selector);
    }
}
