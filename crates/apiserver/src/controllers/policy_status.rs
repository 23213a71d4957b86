//! The status of ValidatingAdmissionPolicies: what is wrong with the types of their expressions, as far as it can be known.
//!
//! In: a policy that was stored. Out: its `status.typeChecking`, once for each generation. It is a controller of
//! kube-controller-manager; without those (see [`Builder::garbage_collection`](crate::Builder::garbage_collection)) a policy
//! has no status.

use serde_json::{Value, json};

use crate::admission::policies::{TypeWarning, type_warnings};
use crate::catalog::kinds;
use crate::cluster::{Cluster, GarbageCollection, ResolvedTarget};
use crate::codec::object::Object;
use crate::controllers::intents::{Action, Intent};
use crate::registry::field_validation::FieldValidation;
use crate::registry::patch::Patch;
use crate::response::status::Answer;
use crate::storage::store::StorageKey;

impl Cluster {
    /// Checks the types of a policy that was stored, unless that was done already.
    pub(crate) fn check_policy_types(&mut self, place: &StorageKey) {
        if !place.resource.is(GROUP, PLURAL) || self.garbage == GarbageCollection::Off {
            return;
        }
        let Some(policy) = self.store.get(&place.resource, &place.key).map(|entry| entry.object()) else { return };
        let number = |pointer: &str| policy.at(pointer).and_then(Value::as_i64).unwrap_or_default();
        if number("/status/observedGeneration") >= number("/metadata/generation") {
            return;
        }
        if let Err(refusal) = self.apply_type_checks(place, &policy) {
            tracing::warn!("the status of policy {} was not written: {}", policy.name(), refusal.message);
        }
    }

    fn apply_type_checks(&mut self, place: &StorageKey, policy: &Object) -> Answer<()> {
        let number = u32::try_from(self.clock.now().subsec_nanosecond()).unwrap_or_default();
        let warnings = type_warnings(&self.catalog, policy.get("spec").unwrap_or(&Value::Null), number);
        let mut checked = json!({});
        if !warnings.is_empty() {
            let shown = |warning: &TypeWarning| json!({"fieldRef": warning.field, "warning": warning.warning});
            checked["expressionWarnings"] = warnings.iter().map(shown).collect();
        }
        let target = ResolvedTarget {
            kind: kinds::built_in(GROUP, "v1", PLURAL).expect("the table of kinds has policies"),
            namespace: None,
            name: Some(policy.name().to_owned()),
            subresource: Some("status".to_owned()),
            manager: MANAGER.to_owned(),
        };
        let (api_version, kind) = target.body_type();
        let stated = json!({
            "apiVersion": api_version, "kind": kind, "metadata": {"name": policy.name()},
            "status": {"observedGeneration": policy.at("/metadata/generation"), "typeChecking": checked},
        });
        let patch = Patch::applied(stated, FieldValidation::Ignore);
        self.submit(Intent::new(CONTROLLER, place, Action::Apply { target, patch }))
    }
}

const GROUP: &str = "admissionregistration.k8s.io";

const PLURAL: &str = "validatingadmissionpolicies";

/// The controller's service account.
const CONTROLLER: &str = "validatingadmissionpolicy-status-controller";

/// Under which name it keeps what it has written.
const MANAGER: &str = "validatingadmissionpolicy-status";
