//! No user grants what they do not have: the checks on writes of roles and bindings.
//!
//! In: a user and the role or binding they are about to store. Out: nothing, or kube-apiserver's refusal. A user
//! who may `escalate` a role can write any rules into it, and one who may `bind` a role can bind it to any user.

use super::GROUP;
use super::attributes::{Attributes, ResourceAttributes};
use super::decision::{MASTERS, Missing};
use super::policy_rule::{PolicyRule, quoted};
use super::roles::{RoleRef, Roles};
use crate::cluster::ResolvedTarget;
use crate::codec::object::Object;
use crate::request::user::User;
use crate::response::status::{Answer, forbidden, not_found};

/// A role or binding that is about to be stored.
pub(crate) struct RoleWrite<'a> {
    pub(crate) user: &'a User,
    pub(crate) target: &'a ResolvedTarget,
    pub(crate) old: Option<&'a Object>,
    pub(crate) new: &'a Object,
}

impl RoleWrite<'_> {
    /// Refuses to store what gives more than its writer has.
    pub(crate) fn check(&self, roles: &Roles) -> Answer<()> {
        if self.user.is_in(MASTERS) || self.changes_only_references() {
            return Ok(());
        }
        match self.target.kind.plural.as_str() {
            "roles" | "clusterroles" => self.check_role(roles),
            "rolebindings" | "clusterrolebindings" => self.check_binding(roles),
            _ => Ok(()),
        }
    }

    fn check_role(&self, roles: &Roles) -> Answer<()> {
        if self.may(roles, "escalate", &self.target.kind.plural, self.target.name()) {
            return Ok(());
        }
        self.check_covered(roles, &PolicyRule::list(self.new.get("rules")))?;
        let aggregates = |object: &Object| object.get("aggregationRule").is_some_and(|rule| !rule.is_null());
        let gathers_anything = aggregates(self.new) || self.old.is_some_and(aggregates);
        if gathers_anything && self.check_covered(roles, &PolicyRule::everything()).is_err() {
            let why = "must have cluster-admin privileges to use the aggregationRule";
            return Err(forbidden(&self.target.kind, self.new.name(), why));
        }
        Ok(())
    }

    fn check_binding(&self, roles: &Roles) -> Answer<()> {
        let role = RoleRef::of(self.new);
        let plural = if role.kind == "ClusterRole" { "clusterroles" } else { "roles" };
        if self.may(roles, "bind", plural, &role.name) {
            return Ok(());
        }
        // The role that is missing is named as if it were a binding.
        let rules = roles.rules(&role, self.namespace()).map_err(|_| not_found(&self.target.kind, &role.name))?;
        self.check_covered(roles, &rules)
    }

    fn may(&self, roles: &Roles, verb: &str, plural: &str, name: &str) -> bool {
        let requested = ResourceAttributes {
            group: GROUP.to_owned(),
            resource: plural.to_owned(),
            namespace: self.namespace().to_owned(),
            name: name.to_owned(),
            ..ResourceAttributes::default()
        };
        roles.authorize(self.user, &Attributes::new(verb, requested)).is_allowed
    }

    fn check_covered(&self, roles: &Roles, rules: &[PolicyRule]) -> Answer<()> {
        let held = roles.rules_of(self.user, self.namespace());
        let missing = uncovered(&held.rules, rules);
        if missing.is_empty() {
            return Ok(());
        }
        let mut lines: Vec<String> = missing.iter().map(ToString::to_string).collect();
        lines.sort();
        let mut why = format!(
            "user {:?} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
            self.user.name,
            quoted(self.user.groups()),
            lines.join("\n")
        );
        if !held.not_found.is_empty() {
            why.push_str(&format!("; resolution errors: {}", Missing(&held.not_found)));
        }
        Err(forbidden(&self.target.kind, self.new.name(), &why))
    }

    fn namespace(&self) -> &str {
        self.target.namespace.as_deref().unwrap_or_default()
    }

    /// Whether only fields change that the garbage collector changes; they grant nothing.
    fn changes_only_references(&self) -> bool {
        let without = |object: &Object| {
            let mut object = object.clone();
            for field in ["ownerReferences", "finalizers", "resourceVersion", "managedFields"] {
                object.put_meta(field, None);
            }
            object
        };
        self.old.is_some_and(|old| without(old) == without(self.new))
    }
}

/// What these rules allow beyond those that are held, in as few rules as kube-apiserver names.
fn uncovered(held: &[PolicyRule], rules: &[PolicyRule]) -> Vec<PolicyRule> {
    let mut compact: Vec<PolicyRule> = Vec::new();
    let singles = rules.iter().flat_map(PolicyRule::single_rules);
    for mut single in singles.filter(|single| !held.iter().any(|rule| rule.covers(single))) {
        let is_mergeable = single.non_resource_urls.is_empty();
        let same = |known: &&mut PolicyRule| {
            known.api_groups == single.api_groups
                && known.resources == single.resources
                && known.resource_names == single.resource_names
                && known.non_resource_urls.is_empty()
        };
        match compact.iter_mut().find(same).filter(|_| is_mergeable) {
            Some(known) => known.verbs.append(&mut single.verbs),
            None => compact.push(single),
        }
    }
    compact
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn rules(value: &Value) -> Vec<PolicyRule> {
        PolicyRule::list(Some(value))
    }

    fn missing(wanted: &Value) -> Vec<String> {
        let held = rules(&json!([
            {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]},
            {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
            {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"], "resourceNames": ["a"]},
            {"apiGroups": ["apps"], "resources": ["*/scale"], "verbs": ["get"]},
            {"apiGroups": ["batch"], "resources": ["*"], "verbs": ["*"]},
            {"nonResourceURLs": ["/api", "/apis/*"], "verbs": ["get"]},
        ]));
        let mut lines: Vec<String> =
            uncovered(&held, &rules(&json!([wanted]))).iter().map(ToString::to_string).collect();
        lines.sort();
        lines
    }

    /// Each line was asked of kube-apiserver 1.37.1.
    #[test]
    fn what_is_not_held_is_named_as_kube_apiserver_names_it() {
        let rule = |groups: Value, resources: Value, verbs: Value| json!({"apiGroups": groups, "resources": resources, "verbs": verbs});
        let named = |names: Value| {
            let mut rule = rule(json!([""]), json!(["secrets"]), json!(["get"]));
            rule["resourceNames"] = names;
            rule
        };
        let table = [
            (rule(json!([""]), json!(["pods"]), json!(["get", "list"])), vec![]),
            (
                rule(json!(["", "apps"]), json!(["pods", "deployments"]), json!(["get", "watch"])),
                vec![
                    r#"{APIGroups:[""], Resources:["deployments"], Verbs:["get" "watch"]}"#,
                    r#"{APIGroups:[""], Resources:["pods"], Verbs:["watch"]}"#,
                    r#"{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "watch"]}"#,
                    r#"{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "watch"]}"#,
                ],
            ),
            (named(json!(["a"])), vec![]),
            (
                named(json!(["a", "b"])),
                vec![r#"{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["get"]}"#],
            ),
            (named(json!([])), vec![r#"{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}"#]),
            (rule(json!(["apps"]), json!(["deployments/scale", "*/scale"]), json!(["get"])), vec![]),
            (
                rule(json!(["apps"]), json!(["*"]), json!(["get"])),
                vec![r#"{APIGroups:["apps"], Resources:["*"], Verbs:["get"]}"#],
            ),
            (rule(json!(["batch"]), json!(["jobs", "jobs/status"]), json!(["get", "foo"])), vec![]),
            (
                rule(json!(["*"]), json!(["jobs"]), json!(["get"])),
                vec![r#"{APIGroups:["*"], Resources:["jobs"], Verbs:["get"]}"#],
            ),
            (
                json!({"nonResourceURLs": ["/a", "/api"], "verbs": ["get", "post"]}),
                vec![
                    r#"{NonResourceURLs:["/a"], Verbs:["get"]}"#,
                    r#"{NonResourceURLs:["/a"], Verbs:["post"]}"#,
                    r#"{NonResourceURLs:["/api"], Verbs:["post"]}"#,
                ],
            ),
            (
                json!({"nonResourceURLs": ["/apis/foo", "/apis/*", "*"], "verbs": ["get"]}),
                vec![r#"{NonResourceURLs:["*"], Verbs:["get"]}"#],
            ),
        ];
        for (wanted, expected) in table {
            assert_eq!(missing(&wanted), expected, "{wanted}");
        }
    }
}
