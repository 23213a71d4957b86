//! What is special about a kind: one [`Strategy`] each, as in kube-apiserver.
//!
//! ```text
//!   Kind ──► Strategy      found once, when the kind is made: `of`, or `custom_resource`
//!              ├ complete_body                    what a body means beyond the defaults of its type
//!              ├ prepare_for_create, _update, …   what the server completes, keeps and resets
//!              ├ validate, _update, …             what is refused, by field
//!              ├ warnings                         what the writer should know
//!              ├ grace_period, begin_deletion, …  how an object ends
//!              └ columns, selectable_field        what `kubectl get` prints and selects
//! ```
//! What a kind does not say is what most kinds do: the methods' defaults. The verbs (`create`, `update`, `delete`) call them
//! and know no kind. Not here: what only data tells apart (the flags of `catalog/kinds/table.rs`, which are made from
//! Kubernetes'), the defaults of types (`codec/typed/defaults`, a package of its own in Kubernetes, too) and what is not
//! the kind's own business: admission plugins and controllers each name the kinds they are about.

use std::fmt;

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::conversion::Shapes;
use crate::codec::object::Object;
use crate::managed_fields::{self, ResetFields};
use crate::registry::delete::{Deleted, Propagation};
use crate::registry::validation::immutable::{self, ImmutableFields};
use crate::registry::validation::metadata::FinalizerRule;
use crate::registry::validation::names::NameRule;
use crate::registry::{
    admissionregistration, apiextensions, apiregistration, apps, autoscaling, batch, certificates, coordination, core,
    discovery, events, networking, node, policy, rbac, resource, scheduling, storage, update,
};
use crate::request::user::User;
use crate::response::status::{Answer, FieldError, not_implemented};
use crate::response::table::columns::Column;
use crate::storage::selectable_fields;

/// The rules of one kind.
pub(crate) trait Strategy: fmt::Debug + Sync {
    /// What the names of its objects have to be.
    fn name_rule(&self) -> NameRule {
        NameRule::Subdomain
    }

    /// What the finalizers of its objects have to be.
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Qualified
    }

    /// How its versions differ.
    fn shapes(&self) -> Shapes {
        Shapes::Same
    }

    /// Gives an object that was sent what it means without saying it.
    fn complete_body(&self, _target: &ResolvedTarget, _object: &mut Object) {}

    /// Notes who makes a new object, where it says so.
    fn note_creator(&self, _user: &User, _object: &mut Object) {}

    /// Completes a new object with what only the server knows.
    fn prepare_for_create(
        &self,
        _snapshot: &ClusterSnapshot,
        _target: &ResolvedTarget,
        _object: &mut Object,
    ) -> Answer<()> {
        Ok(())
    }

    /// Completes the new state of an object, whose system metadata and status are those it had.
    fn prepare_for_update(
        &self,
        _snapshot: &ClusterSnapshot,
        _target: &ResolvedTarget,
        _before: &Object,
        _object: &mut Object,
    ) -> Answer<()> {
        Ok(())
    }

    /// The fields that the path of the status does not write, and that nobody owns through it.
    fn status_reset_fields(&self) -> ResetFields {
        &[&["spec"]]
    }

    /// The state that was sent to the path of the status, with what that path does not write put back.
    fn prepare_for_status_update(&self, _snapshot: &ClusterSnapshot, before: &Object, mut new: Object) -> Object {
        update::keep_system_metadata(before, &mut new);
        managed_fields::restore(self.status_reset_fields(), before, &mut new);
        new
    }

    /// What a write to another subresource makes of its object.
    fn prepare_for_subresource_update(
        &self,
        _snapshot: &ClusterSnapshot,
        target: &ResolvedTarget,
        _before: &Object,
        _new: Object,
    ) -> Answer<Object> {
        let subresource = target.subresource.as_deref().unwrap_or_default();
        Err(not_implemented(&format!("subresource {}/{subresource}", target.kind.plural)))
    }

    /// Whether a change outside the content counts in `metadata.generation`.
    fn is_new_generation(&self, _before: &Object, _object: &Object) -> bool {
        false
    }

    /// What is wrong with a new object, beyond its metadata and the types of its fields.
    fn validate(&self, _kind: &Kind, _object: &Object) -> Vec<FieldError> {
        Vec::new()
    }

    /// What is wrong with a new state, and with the step there from the one before.
    fn validate_update(&self, kind: &Kind, before: &Object, object: &Object) -> Vec<FieldError> {
        let mut errors = self.validate(kind, object);
        errors.extend(immutable::errors(before, object, self.immutable_fields()));
        errors
    }

    /// The fields that stay as they are, where that is all there is to say about a change.
    fn immutable_fields(&self) -> ImmutableFields {
        &[]
    }

    /// What is wrong with a status that was written by its own path.
    fn validate_status_update(&self, _kind: &Kind, _before: &Object, _object: &Object) -> Vec<FieldError> {
        Vec::new()
    }

    /// What is wrong with an object that was written by the path of another subresource.
    fn validate_subresource_update(&self, _kind: &Kind, _before: &Object, _object: &Object) -> Vec<FieldError> {
        Vec::new()
    }

    /// What a client that writes this object should know.
    fn warnings(&self, _before: Option<&Object>, _object: &Object) -> Vec<String> {
        Vec::new()
    }

    /// How long a deleted object still stands there, in seconds, given what was asked for; `None` where the kind knows no
    /// such time.
    fn grace_period(&self, _object: &Object, _asked: Option<i64>) -> Option<i64> {
        None
    }

    /// How a deletion goes that does not go the usual way.
    fn begin_deletion(
        &self,
        _snapshot: &ClusterSnapshot,
        _object: &Object,
        _propagation: Propagation,
    ) -> Option<Deleted> {
        None
    }

    /// Whether something beyond its finalizers holds an object back that is being deleted.
    fn is_held(&self, _object: &Object) -> bool {
        false
    }

    /// Whether its objects can be the owners of others.
    fn supports_garbage_collection(&self) -> bool {
        true
    }

    /// Whether its objects have addresses and ports of the service network, which must still be free at the commit.
    fn has_service_addresses(&self) -> bool {
        false
    }

    /// The columns that `kubectl get` prints.
    fn columns(&self, _kind: &Kind) -> Vec<Column> {
        vec![Column::name(), Column::created_at()]
    }

    /// The text of a field by which objects are selected, empty where there is none.
    fn selectable_field(&self, object: &Value, field: &str) -> String {
        selectable_fields::text_at(object, field).unwrap_or_default()
    }
}

/// Plurals and what is special about them.
pub(super) type Strategies = &'static [(&'static str, &'static dyn Strategy)];

/// The strategy of a built-in kind.
pub(crate) fn of(group: &str, plural: &str) -> &'static dyn Strategy {
    let kinds = GROUPS.iter().find(|(name, _)| *name == group).map_or(&[][..], |(_, kinds)| *kinds);
    kinds.iter().find(|(name, _)| *name == plural).map_or(&Plain, |(_, strategy)| *strategy)
}

/// The groups in which some kinds have rules of their own.
const GROUPS: &[(&str, Strategies)] = &[
    ("", core::STRATEGIES),
    ("admissionregistration.k8s.io", admissionregistration::STRATEGIES),
    ("apiextensions.k8s.io", apiextensions::STRATEGIES),
    ("apiregistration.k8s.io", apiregistration::STRATEGIES),
    ("apps", apps::STRATEGIES),
    ("autoscaling", autoscaling::STRATEGIES),
    ("batch", batch::STRATEGIES),
    ("certificates.k8s.io", certificates::STRATEGIES),
    ("coordination.k8s.io", coordination::STRATEGIES),
    ("discovery.k8s.io", discovery::STRATEGIES),
    ("events.k8s.io", events::STRATEGIES),
    ("networking.k8s.io", networking::STRATEGIES),
    ("node.k8s.io", node::STRATEGIES),
    ("policy", policy::STRATEGIES),
    ("rbac.authorization.k8s.io", rbac::STRATEGIES),
    ("resource.k8s.io", resource::STRATEGIES),
    ("scheduling.k8s.io", scheduling::STRATEGIES),
    ("storage.k8s.io", storage::STRATEGIES),
];

/// The strategy of a kind that has nothing of its own.
#[derive(Debug)]
struct Plain;

impl Strategy for Plain {}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::catalog::kinds;
    use crate::clock::Clock;
    use crate::cluster::ids::Ids;
    use crate::cluster::{Cluster, GarbageCollection};
    use crate::registry::core::service_accounts::token::TokenKey;
    use crate::registry::subresources::SubresourceType;
    use crate::storage::watch_cache::WatchCacheSizes;

    #[test]
    fn every_strategy_is_that_of_a_kind() {
        for (group, strategies) in GROUPS {
            for (plural, _) in *strategies {
                let mut kinds = kinds::built_in_all();
                assert!(kinds.any(|kind| kind.is(group, plural)), "there is no {plural} in {group:?}");
            }
        }
    }

    #[test]
    fn every_subresource_that_writes_its_object_is_prepared_by_a_strategy() {
        let ids = Ids::new(fastrand::Rng::with_seed(1), None);
        let clock = Clock::new(|| jiff::Timestamp::UNIX_EPOCH);
        let garbage = GarbageCollection::Off;
        let cluster = Cluster::new(WatchCacheSizes::default(), clock, ids, TokenKey::of_seed(1), garbage);
        let object = Object::from_value(json!({"metadata": {"name": "x"}, "spec": {"containers": []}})).unwrap();
        for kind in kinds::built_in_all() {
            let written =
                kind.subresources.iter().filter(|it| SubresourceType::of(kind, it) == SubresourceType::Object);
            for subresource in written.filter(|subresource| subresource.name != "status") {
                let target = ResolvedTarget {
                    kind: Arc::clone(kind),
                    namespace: None,
                    name: Some("x".to_owned()),
                    subresource: Some(subresource.name.clone()),
                    manager: String::new(),
                };
                let (snapshot, new) = (cluster.snapshot(), object.clone());
                let prepared = kind.strategy.prepare_for_subresource_update(&snapshot, &target, &object, new);
                assert!(prepared.is_ok(), "{}/{}", kind.plural, subresource.name);
            }
        }
    }
}
