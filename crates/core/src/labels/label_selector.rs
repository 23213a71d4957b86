//! Selectors as objects carry them (`matchLabels` and `matchExpressions`), to and from [`Selector`].

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

use super::{Expression, ParseExpressionError, Selector, SelectorExt};

impl SelectorExt for LabelSelector {
    type Search = BTreeMap<String, String>;

    fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        Selector::try_from(self.clone()).is_ok_and(|selector| selector.matches(labels))
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
