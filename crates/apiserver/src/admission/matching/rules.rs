//! Rules: which operations on which resources are meant.
//!
//! In: a rule, and what a request does to what. Out: whether it is meant, as the request's own kind or as another one that
//! is stored as the same. Pure.

use std::sync::Arc;

use serde_json::Value;

use crate::admission::Operation;
use crate::catalog::Catalog;
use crate::catalog::kinds::{self, Kind};
use crate::cluster::ResolvedTarget;

/// One rule of a webhook or a policy.
#[derive(Debug)]
pub(super) struct Rule {
    groups: Vec<String>,
    versions: Vec<String>,
    /// `pods`, `pods/status`, `pods/*`, `*`, `*/scale` or `*/*`.
    resources: Vec<String>,
    operations: Vec<String>,
    scope: RuleScope,
    /// The objects that are meant, all if empty; only rules of policies say.
    names: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RuleScope {
    All,
    Cluster,
    Namespaced,
}

impl Rule {
    pub(super) fn read(rule: &Value) -> Rule {
        let list = |field: &str| {
            let items = rule.get(field).and_then(Value::as_array).into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Rule {
            groups: list("apiGroups"),
            versions: list("apiVersions"),
            resources: list("resources"),
            operations: list("operations"),
            names: list("resourceNames"),
            scope: match rule.get("scope").and_then(Value::as_str) {
                Some("Cluster") => RuleScope::Cluster,
                Some("Namespaced") => RuleScope::Namespaced,
                _ => RuleScope::All,
            },
        }
    }

    pub(super) fn matches(&self, operation: Operation, target: &ResolvedTarget, kind: &Kind) -> bool {
        has(&self.operations, operation.as_str())
            && has(&self.groups, &kind.group)
            && has(&self.versions, &kind.version)
            && self.matches_scope(target)
            && self.resources.iter().any(|resource| {
                let (plural, subresource) = resource.split_once('/').unwrap_or((resource, ""));
                let found = target.subresource.as_deref().unwrap_or_default();
                is_meant(plural, &kind.plural) && (subresource == found || subresource == "*")
            })
    }

    /// Whether an object of this name is meant.
    pub(super) fn names(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|known| known == name)
    }

    /// A namespace counts as cluster-wide, although it is asked about as being in itself.
    fn matches_scope(&self, target: &ResolvedTarget) -> bool {
        match self.scope {
            RuleScope::All => true,
            RuleScope::Cluster => target.namespace.is_none(),
            RuleScope::Namespaced => target.namespace.is_some(),
        }
    }
}

impl Catalog {
    /// The other kinds as which the objects of a kind can be read and written.
    pub(super) fn equivalents(&self, kind: &Kind) -> Vec<Arc<Kind>> {
        let resource = kind.resource();
        let is_other = |other: &&Arc<Kind>| other.version != kind.version || other.group != kind.group;
        if let Some(definition) = self.definition(kind) {
            return definition.kinds.iter().filter(is_other).cloned().collect();
        }
        kinds::built_in_all().filter(|other| other.resource() == resource).filter(is_other).cloned().collect()
    }
}

/// What webhooks and policies are never asked about: their own configurations, with which one repairs what a broken one
/// blocks; and questions that are answered and not stored.
pub(super) fn is_exempt(kind: &Kind) -> bool {
    match kind.group.as_str() {
        "admissionregistration.k8s.io" => true,
        "authentication.k8s.io" | "authorization.k8s.io" => !kind.is_custom() && !kind.is_stored(),
        _ => false,
    }
}

fn has(list: &[String], wanted: &str) -> bool {
    list.iter().any(|item| is_meant(item, wanted))
}

fn is_meant(item: &str, wanted: &str) -> bool {
    item == "*" || item == wanted
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn target(group: &str, version: &str, plural: &str, subresource: Option<&str>) -> ResolvedTarget {
        let kind = kinds::built_in(group, version, plural).unwrap();
        ResolvedTarget {
            namespace: kind.namespaced.then(|| "default".to_owned()),
            kind,
            name: Some("x".to_owned()),
            subresource: subresource.map(str::to_owned),
            manager: String::new(),
        }
    }

    fn is_asked(rule: &Value, target: &ResolvedTarget, operation: Operation) -> bool {
        Rule::read(rule).matches(operation, target, &target.kind)
    }

    fn rule(resources: &[&str]) -> Value {
        json!({"apiGroups": ["", "apps"], "apiVersions": ["v1"], "resources": resources, "operations": ["CREATE"]})
    }

    #[test]
    fn resources_and_subresources_are_named_or_starred() {
        let (pod, status) = (target("", "v1", "pods", None), target("", "v1", "pods", Some("status")));
        let table: [(&[&str], bool, bool); 7] = [
            (&["pods"], true, false),
            (&["*"], true, false),
            (&["pods/status"], false, true),
            (&["pods/*"], true, true),
            (&["*/status"], false, true),
            (&["*/*"], true, true),
            (&["services", "pods"], true, false),
        ];
        for (resources, of_pod, of_status) in table {
            assert_eq!(is_asked(&rule(resources), &pod, Operation::Create), of_pod, "{resources:?}");
            assert_eq!(is_asked(&rule(resources), &status, Operation::Create), of_status, "{resources:?}/status");
        }
    }

    #[test]
    fn groups_versions_operations_and_scopes_must_fit() {
        let (pod, node) = (target("", "v1", "pods", None), target("", "v1", "nodes", None));
        let with = |field: &str, value: Value| {
            let mut rule = rule(&["*"]);
            rule[field] = value;
            rule
        };
        let create = Operation::Create;
        assert!(!is_asked(&with("apiGroups", json!(["apps"])), &pod, create));
        assert!(is_asked(&with("apiGroups", json!(["*"])), &pod, create));
        assert!(!is_asked(&with("apiVersions", json!(["v2"])), &pod, create));
        assert!(!is_asked(&rule(&["*"]), &pod, Operation::Delete));
        assert!(is_asked(&with("operations", json!(["*"])), &pod, Operation::Delete));
        assert!(!is_asked(&with("scope", json!("Cluster")), &pod, create));
        assert!(is_asked(&with("scope", json!("Cluster")), &node, create));
        assert!(!is_asked(&with("scope", json!("Namespaced")), &node, create));
    }

    #[test]
    fn a_kind_that_is_stored_as_the_same_is_equivalent() {
        let catalog = Catalog::default();
        let of = |target: ResolvedTarget| {
            let found = catalog.equivalents(&target.kind);
            found.iter().map(|kind| kind.api_version()).collect::<Vec<_>>()
        };
        assert_eq!(of(target("", "v1", "events", None)), ["events.k8s.io/v1"]);
        assert_eq!(of(target("autoscaling", "v2", "horizontalpodautoscalers", None)), ["autoscaling/v1"]);
        assert!(of(target("", "v1", "pods", None)).is_empty());
    }

    #[test]
    fn configurations_and_reviews_are_exempt() {
        let is = |group: &str, plural: &str| is_exempt(&kinds::built_in(group, "v1", plural).unwrap());
        assert!(is("admissionregistration.k8s.io", "validatingwebhookconfigurations"));
        assert!(is("admissionregistration.k8s.io", "validatingadmissionpolicies"));
        assert!(is("authorization.k8s.io", "selfsubjectaccessreviews"));
        assert!(!is("", "pods"));
    }
}
