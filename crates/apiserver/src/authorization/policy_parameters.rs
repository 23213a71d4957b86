//! No user has a policy read for them what they cannot read: the checks on writes of admission policies and bindings.
//!
//! In: a policy with a kind of parameters, or a binding that chooses some, and its writer. Out: nothing, or a 422 in
//! kube-apiserver's words. A policy needs `get` on all objects of the kind; a binding `get` on the one that it names, or `list`
//! where it chooses by labels. What cannot be resolved counts as everything that it could be.

use serde_json::Value;

use super::attributes::{Attributes, ResourceAttributes};
use crate::admission::policies::ParamKind;
use crate::catalog::kinds;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::registry::validation::at;
use crate::registry::write::Write;
use crate::response::status::{Answer, FieldError, invalid};
use crate::storage::store::{StorageKey, key};

impl Write<'_> {
    /// Whether the writer of a policy or binding may read the parameters that it makes the server read.
    pub(crate) fn check_parameters_readable(
        &self,
        snapshot: &ClusterSnapshot,
        before: Option<&Object>,
        object: &Object,
    ) -> Answer<()> {
        let kind = &self.target.kind;
        if kind.group != GROUP || self.target.subresource.is_some() {
            return Ok(());
        }
        let changes = |path: &str| before.is_none_or(|before| at(before, path) != at(object, path));
        let (field, refused) = match kind.plural.as_str() {
            "validatingadmissionpolicies" | "mutatingadmissionpolicies" if changes(PARAM_KIND) => {
                (PARAM_KIND, self.unreadable_kind(snapshot, object))
            }
            "validatingadmissionpolicybindings" if changes(PARAM_REF) || changes(POLICY_NAME) => {
                (PARAM_REF, self.unreadable_parameters(snapshot, "ValidatingAdmissionPolicy", object))
            }
            "mutatingadmissionpolicybindings" if changes(PARAM_REF) || changes(POLICY_NAME) => {
                (PARAM_REF, self.unreadable_parameters(snapshot, "MutatingAdmissionPolicy", object))
            }
            _ => return Ok(()),
        };
        match refused {
            None => Ok(()),
            Some(why) => Err(invalid(&kind.kind, GROUP, object.name(), &[FieldError::forbidden(field, &why)])),
        }
    }

    fn unreadable_kind(&self, snapshot: &ClusterSnapshot, policy: &Object) -> Option<String> {
        let stated = at(policy, PARAM_KIND)?;
        let (wanted, _) = resource(snapshot, stated);
        let wanted = ResourceAttributes { namespace: ANY.to_owned(), name: ANY.to_owned(), ..wanted };
        if self.may(snapshot, "get", wanted) {
            return None;
        }
        let text = |field: &str| stated[field].as_str().unwrap_or_default();
        let (kind, version) = (text("kind"), text("apiVersion"));
        let needs = "must have \"get\" permission on all objects of the referenced paramKind";
        Some(format!("user {} {needs} (kind={kind}, apiVersion={version})", self.user.as_go_prints()))
    }

    fn unreadable_parameters(&self, snapshot: &ClusterSnapshot, policies: &str, binding: &Object) -> Option<String> {
        let chosen = at(binding, PARAM_REF)?;
        let text = |field: &str| chosen[field].as_str().filter(|text| !text.is_empty());
        let verb = if text("name").is_some() { "get" } else { "list" };
        let name = at(binding, POLICY_NAME).and_then(Value::as_str).unwrap_or_default();
        let policy = policy(snapshot, policies, name);
        let stated = policy.as_ref().and_then(|policy| at(policy, PARAM_KIND));
        let (wanted, is_served) = stated.map_or((anything(), true), |stated| resource(snapshot, stated));
        let wanted = ResourceAttributes {
            namespace: text("namespace").unwrap_or(ANY).to_owned(),
            name: text("name").unwrap_or(ANY).to_owned(),
            ..wanted
        };
        if self.may(snapshot, verb, wanted) {
            return None;
        }
        let user = self.user.as_go_prints();
        let unknown = match (&policy, stated) {
            (None, _) => format!("unable to get policy {name}"),
            (Some(_), Some(stated)) if !is_served => {
                let text = |field: &str| stated[field].as_str().unwrap_or_default();
                format!("unable to resolve paramKind &{{{} {}}}", text("apiVersion"), text("kind"))
            }
            _ => {
                return Some(format!(
                    "user {user} does not have {verb:?} permission on the object referenced by paramRef"
                ));
            }
        };
        let everything = "permission for all groups, versions and resources";
        Some(format!(
            "{unknown} to determine minimum required permissions and user {user} does not have {verb:?} {everything}"
        ))
    }

    fn may(&self, snapshot: &ClusterSnapshot, verb: &str, requested: ResourceAttributes) -> bool {
        snapshot.authorizer.authorize(self.user, &Attributes::new(verb, requested)).is_allowed
    }
}

/// The policy of a name, if it is there.
fn policy(snapshot: &ClusterSnapshot, kind: &str, name: &str) -> Option<Object> {
    let kind = kinds::built_in_named(GROUP, kind)?;
    let place = StorageKey { resource: kind.resource(), key: key(None, name) };
    snapshot.get(&place).map(|entry| entry.object())
}

/// The resource of a kind of parameters, and whether it is served; if not, it may be any of its group.
fn resource(snapshot: &ClusterSnapshot, stated: &Value) -> (ResourceAttributes, bool) {
    let wanted = ParamKind::read(stated);
    let found = snapshot.catalog.param_kind(&wanted);
    let resource = found.as_ref().map_or(ANY, |kind| kind.plural.as_str()).to_owned();
    (ResourceAttributes { group: wanted.group, resource, ..ResourceAttributes::default() }, found.is_ok())
}

fn anything() -> ResourceAttributes {
    ResourceAttributes { group: ANY.to_owned(), resource: ANY.to_owned(), ..ResourceAttributes::default() }
}

const GROUP: &str = "admissionregistration.k8s.io";
const PARAM_KIND: &str = "spec.paramKind";
const PARAM_REF: &str = "spec.paramRef";
const POLICY_NAME: &str = "spec.policyName";

/// Only who may read everything may read this.
const ANY: &str = "*";
