//! Which policies are asked about a write, as which kind, and with which parameters.
//!
//! In: the policies in force, and what a request does to an object. Out: one [`Invocation`] for each parameter of each
//! binding of each policy that is about the write, or why there is none.

use std::sync::Arc;

use serde_json::Value;

use super::configuration::PolicySet;
use super::policy::{Binding, Chosen, ParamKind, ParamRef, Policy, WhenMissing};
use crate::admission::Attributes;
use crate::admission::asked::Asked;
use crate::catalog::Catalog;
use crate::catalog::kinds::{self, Kind};
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::response::status::Answer;
use crate::storage::store::{StorageKey, key};

/// A policy that is asked, once.
pub(super) struct Invocation<'a, R> {
    pub(super) policy: &'a Policy<R>,
    pub(super) binding: &'a Binding,
    /// As which kind the policy sees the object.
    pub(super) kind: Arc<Kind>,
    pub(super) params: Option<Value>,
}

/// A policy that is about a write and cannot be asked.
pub(super) struct Misconfigured<'a, R> {
    pub(super) policy: &'a Policy<R>,
    /// The binding whose fault it is, if not the policy's own.
    pub(super) binding: Option<&'a Binding>,
    pub(super) why: String,
}

pub(super) type Selected<'a, R> = Result<Invocation<'a, R>, Misconfigured<'a, R>>;

/// What is asked about a write, in the order of the names of policies and bindings.
pub(super) async fn select<'a, R>(
    policies: &'a PolicySet<R>,
    snapshot: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    object: Option<&Object>,
) -> Vec<Selected<'a, R>> {
    let mut selected = Vec::new();
    for (policy, bindings) in policies.in_force() {
        let Some(kind) = policy.criteria.kind_matched(snapshot, attributes, object) else { continue };
        let param_kind = match policy.param_kind.as_ref().map(|kind| snapshot.catalog.param_kind(kind)).transpose() {
            Ok(kind) => kind,
            Err(why) => {
                let why = format!("failed to configure policy: {why}");
                selected.push(Err(Misconfigured { policy, binding: None, why }));
                continue;
            }
        };
        for binding in bindings {
            let criteria = binding.criteria.as_ref();
            if criteria.is_some_and(|criteria| criteria.kind_matched(snapshot, attributes, object).is_none()) {
                continue;
            }
            let params = match (&param_kind, &binding.param_ref) {
                (Some(kind), Some(reference)) => {
                    params(snapshot, kind, reference, own_namespace(attributes, object)).await
                }
                _ => Ok(vec![None]),
            };
            match params {
                Ok(params) => selected.extend(
                    params
                        .into_iter()
                        .map(|params| Ok(Invocation { policy, binding, kind: Arc::clone(&kind), params })),
                ),
                Err(why) => {
                    let why = format!("failed to configure binding: {why}");
                    selected.push(Err(Misconfigured { policy, binding: Some(binding), why }));
                }
            }
        }
    }
    selected
}

/// The namespace of the request; a namespace is in itself.
fn own_namespace<'a>(attributes: &'a Attributes<'_>, object: Option<&'a Object>) -> Option<&'a str> {
    let target = attributes.target;
    match target.kind.is("", "namespaces") {
        true => target.name.as_deref().or(object.map(Object::name)),
        false => target.namespace.as_deref(),
    }
}

/// The parameters of a binding.
async fn params(
    snapshot: &ClusterSnapshot,
    kind: &Arc<Kind>,
    reference: &ParamRef,
    own_namespace: Option<&str>,
) -> Result<Vec<Option<Value>>, String> {
    let namespace = match (kind.namespaced, reference.namespace.as_str()) {
        (true, "") => Some(
            own_namespace
                .ok_or("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")?,
        ),
        (true, stated) => Some(stated),
        (false, "") => None,
        (false, _) => return Err("paramRef.namespace must not be provided for a cluster-scoped `paramKind`".to_owned()),
    };
    let found = match &reference.chosen {
        Chosen::Name(name) => {
            let place = StorageKey { resource: kind.resource(), key: key(namespace, name) };
            snapshot.get(&place).map(|entry| entry.object()).into_iter().collect()
        }
        Chosen::Labels(selector) => {
            let mut objects = snapshot.decoded(&kind.resource(), namespace);
            objects.retain(|object| selector.matches(object.metadata().get("labels")));
            objects
        }
    };
    if found.is_empty() && reference.when_missing == WhenMissing::Deny {
        return Err("no params found for policy binding with `Deny` parameterNotFoundAction".to_owned());
    }
    let mut params = Vec::with_capacity(found.len());
    for object in found {
        params.push(Some(shown(snapshot, kind, &object).await.map_err(|refusal| refusal.message)?));
    }
    Ok(params)
}

/// A parameter at the version that the policy names.
async fn shown(snapshot: &ClusterSnapshot, kind: &Arc<Kind>, object: &Object) -> Answer<Value> {
    let target = ResolvedTarget {
        kind: Arc::clone(kind),
        namespace: None,
        name: Some(object.name().to_owned()),
        subresource: None,
        manager: String::new(),
    };
    Asked { snapshot, target: &target, kind: Arc::clone(kind) }.shown(object).await
}

impl Catalog {
    /// The kind of parameters, or that it is not served.
    pub(crate) fn param_kind(&self, wanted: &ParamKind) -> Result<Arc<Kind>, String> {
        let is_it = |kind: &&Arc<Kind>| {
            kind.group == wanted.group && kind.version == wanted.version && kind.kind == wanted.kind
        };
        let found = kinds::built_in_all().find(is_it).or_else(|| self.custom_kinds().find(is_it));
        found.cloned().ok_or_else(|| format!("failed to find resource referenced by paramKind: '{wanted}'"))
    }
}
