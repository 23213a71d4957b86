//! Which writes a webhook, a policy or a binding is about.
//!
//! ```text
//!   operation, resource, name ─► rules ─────┐
//!   labels of the namespace ───► selector ──┼─► the kind as which it is asked, if it is
//!   labels of the object ──────► selector ──┘
//! ```
//! In: the criteria of a configuration, and what a request does to what. Out: the request's own kind, or one that the rules
//! name and that is stored as the same (`matchPolicy: Equivalent`). Pure.

mod rules;

use std::sync::Arc;

use pintle_core::labels::Requirements;
use serde_json::Value;

use rules::{Rule, is_exempt};

use super::{Attributes, Operation};
use crate::catalog::Catalog;
use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::controllers::namespace::NAMESPACES;
use crate::registry::subresources::selector;
use crate::storage::store::{StorageKey, key};

/// What something is about.
#[derive(Debug)]
pub(super) struct Criteria {
    rules: Vec<Rule>,
    excluded: Vec<Rule>,
    without_rules: WithoutRules,
    match_policy: MatchPolicy,
    namespace_selector: LabelSelector,
    object_selector: LabelSelector,
}

/// What is meant where no rule stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WithoutRules {
    Nothing,
    Everything,
}

/// Whether a rule means its versions alone, or everything that is stored as the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MatchPolicy {
    Exact,
    Equivalent,
}

/// Which labels are meant.
#[derive(Debug)]
pub(super) enum LabelSelector {
    Everything,
    Of(Requirements),
    Nothing,
}

impl Criteria {
    /// The criteria of a webhook: without a rule it is asked about nothing.
    pub(super) fn of_webhook(hook: &Value) -> Criteria {
        Criteria::read(hook, "rules", WithoutRules::Nothing)
    }

    /// The `matchConstraints` of a policy, or the `matchResources` of a binding: without a rule, everything is meant.
    pub(super) fn of_policy(resources: &Value) -> Criteria {
        Criteria::read(resources, "resourceRules", WithoutRules::Everything)
    }

    fn read(value: &Value, rules_field: &str, without_rules: WithoutRules) -> Criteria {
        let rules = |field: &str| {
            let rules = value.get(field).and_then(Value::as_array).into_iter().flatten();
            rules.map(Rule::read).collect::<Vec<_>>()
        };
        let is_exact = value.get("matchPolicy").and_then(Value::as_str) == Some("Exact");
        Criteria {
            rules: rules(rules_field),
            excluded: rules("excludeResourceRules"),
            without_rules,
            match_policy: if is_exact { MatchPolicy::Exact } else { MatchPolicy::Equivalent },
            namespace_selector: LabelSelector::read(value.get("namespaceSelector")),
            object_selector: LabelSelector::read(value.get("objectSelector")),
        }
    }

    /// As which kind a write is meant, if it is.
    pub(super) fn kind_matched(
        &self,
        snapshot: &ClusterSnapshot,
        attributes: &Attributes<'_>,
        object: Option<&Object>,
    ) -> Option<Arc<Kind>> {
        let (operation, target) = (attributes.operation, attributes.target);
        let name = target.name.as_deref().or(object.map(Object::name)).unwrap_or_default();
        let kind = self.kind_asked(&snapshot.catalog, operation, target, name);
        let is_meant = kind.is_some()
            && self.means_namespace(snapshot, target, object)
            && self.selects_object([object, attributes.old]);
        kind.filter(|_| is_meant)
    }

    /// Whether a write may be meant; which labels and which name its object will have is not known yet.
    pub(super) fn may_match(&self, snapshot: &ClusterSnapshot, operation: Operation, target: &ResolvedTarget) -> bool {
        let is_namespace = target.kind.is("", "namespaces");
        self.kind_asked(&snapshot.catalog, operation, target, target.name()).is_some()
            && (is_namespace || self.means_namespace(snapshot, target, None))
    }

    /// As which kind a write is meant by the rules.
    fn kind_asked(
        &self,
        catalog: &Catalog,
        operation: Operation,
        target: &ResolvedTarget,
        name: &str,
    ) -> Option<Arc<Kind>> {
        let is_excluded = || self.kind_ruled(&self.excluded, catalog, operation, target, name).is_some();
        if is_exempt(&target.kind) || is_excluded() {
            return None;
        }
        if self.rules.is_empty() && self.without_rules == WithoutRules::Everything {
            return Some(Arc::clone(&target.kind));
        }
        self.kind_ruled(&self.rules, catalog, operation, target, name)
    }

    fn kind_ruled(
        &self,
        rules: &[Rule],
        catalog: &Catalog,
        operation: Operation,
        target: &ResolvedTarget,
        name: &str,
    ) -> Option<Arc<Kind>> {
        let matches = |rule: &Rule, kind: &Kind| rule.matches(operation, target, kind) && rule.names(name);
        if rules.iter().any(|rule| matches(rule, &target.kind)) {
            return Some(Arc::clone(&target.kind));
        }
        if rules.is_empty() || self.match_policy == MatchPolicy::Exact {
            return None;
        }
        let equivalents = catalog.equivalents(&target.kind);
        rules.iter().find_map(|rule| equivalents.iter().find(|kind| matches(rule, kind)).cloned())
    }

    /// Whether the namespace of a write is meant. A namespace is in itself: by its new labels, if there are any.
    fn means_namespace(&self, snapshot: &ClusterSnapshot, target: &ResolvedTarget, object: Option<&Object>) -> bool {
        if matches!(self.namespace_selector, LabelSelector::Everything) {
            return true;
        }
        let is_namespace = target.kind.is("", "namespaces");
        if let Some(object) = object.filter(|_| is_namespace) {
            return self.namespace_selector.matches(object.metadata().get("labels"));
        }
        let name = if is_namespace { target.name.as_deref() } else { target.namespace.as_deref() };
        let Some(name) = name else { return true };
        let namespace = snapshot.get(&StorageKey { resource: NAMESPACES.clone(), key: key(None, name) });
        let labels = namespace.map(|entry| entry.object().metadata().get("labels").cloned().unwrap_or_default());
        self.namespace_selector.matches(labels.as_ref())
    }

    /// Whether one of the states of an object is meant.
    fn selects_object(&self, states: [Option<&Object>; 2]) -> bool {
        if matches!(self.object_selector, LabelSelector::Everything) {
            return true;
        }
        states.into_iter().flatten().any(|object| self.object_selector.matches(object.metadata().get("labels")))
    }
}

impl LabelSelector {
    pub(super) fn read(value: Option<&Value>) -> LabelSelector {
        let Some(value) = value.filter(|value| !value.is_null()) else { return LabelSelector::Everything };
        match selector::text(value).map(|text| (text.is_empty(), text.parse::<Requirements>())) {
            Some((true, _)) => LabelSelector::Everything,
            Some((false, Ok(requirements))) => LabelSelector::Of(requirements),
            _ => LabelSelector::Nothing,
        }
    }

    pub(super) fn matches(&self, labels: Option<&Value>) -> bool {
        match self {
            LabelSelector::Everything => true,
            LabelSelector::Nothing => false,
            LabelSelector::Of(requirements) => {
                requirements.matches_by(|key| labels.and_then(|labels| labels.get(key)).and_then(Value::as_str))
            }
        }
    }
}
