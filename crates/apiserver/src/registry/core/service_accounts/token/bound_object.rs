//! The object that a token lives as long as: a pod, a secret or a node.
//!
//! In: the reference of a TokenRequest, later the claims of its token. Out: name and uid of the object that is there, or
//! kube-apiserver's refusal; whether it is still that one.

use serde_json::Value;

use crate::cluster::{Cluster, ResolvedTarget};
use crate::response::status::{Answer, bad_request, missing, object_replaced};
use crate::storage::store::{Resource, key};

/// An object that a token is bound to.
pub(super) struct BoundObject {
    /// As claims name it.
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) uid: String,
}

impl Cluster {
    /// The object that a token for a service account is to be bound to, if to any.
    pub(super) fn bound_object(&self, account: &ResolvedTarget, reference: &Value) -> Answer<Option<BoundObject>> {
        let text = |field: &str| reference.get(field).and_then(Value::as_str).unwrap_or_default();
        if !reference.is_object() {
            return Ok(None);
        }
        let (kind, name) = (text("kind"), text("name"));
        let known = KINDS.iter().find(|known| known.kind == kind && matches!(text("apiVersion"), "" | "v1"));
        let Some(known) = known else {
            let group_version = if text("apiVersion").contains('/') { "" } else { "/" };
            let found = format!("{group_version}{}, Kind={kind}", text("apiVersion"));
            return Err(bad_request(format!("cannot bind token to object of type {found}")));
        };
        let namespace = account.namespace.as_deref().filter(|_| known.is_namespaced);
        let Some(entry) = self.store.get(&Resource::new("", known.plural), &key(namespace, name)) else {
            return Err(missing(known.plural, "", name));
        };
        let uid = entry.head.uid().unwrap_or_default().to_string();
        if !matches!(text("uid"), "") && text("uid") != uid {
            return Err(object_replaced(kind, name, text("uid")));
        }
        let runs_as = entry.object().get("spec").and_then(|spec| spec.get("serviceAccountName")).cloned();
        let runs_as = runs_as.as_ref().and_then(Value::as_str).unwrap_or_default();
        if kind == "Pod" && runs_as != account.name() {
            let account = account.name();
            let why = "to pod running with different serviceaccount name.";
            return Err(bad_request(format!("cannot bind token for serviceaccount {account:?} {why}")));
        }
        Ok(Some(BoundObject { kind: known.claim, name: name.to_owned(), uid }))
    }

    /// Whether the object that a token's claims are bound to, if to any, is still the one it was.
    pub(super) fn is_bound_object_there(&self, namespace: &str, claims: &Value) -> bool {
        KINDS.iter().all(|known| {
            let Some(bound) = claims.get(known.claim) else {
                return true;
            };
            let (name, uid) = (bound["name"].as_str().unwrap_or_default(), bound["uid"].as_str().unwrap_or_default());
            let namespace = known.is_namespaced.then_some(namespace);
            let entry = self.store.get(&Resource::new("", known.plural), &key(namespace, name));
            entry.is_some_and(|entry| entry.head.uid().is_some_and(|there| there == uid))
        })
    }
}

struct BoundKind {
    kind: &'static str,
    claim: &'static str,
    plural: &'static str,
    is_namespaced: bool,
}

/// What a token can be bound to.
const KINDS: &[BoundKind] = &[
    BoundKind { kind: "Pod", claim: "pod", plural: "pods", is_namespaced: true },
    BoundKind { kind: "Secret", claim: "secret", plural: "secrets", is_namespaced: true },
    BoundKind { kind: "Node", claim: "node", plural: "nodes", is_namespaced: false },
];
