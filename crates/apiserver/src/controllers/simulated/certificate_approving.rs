//! Requests of kubelets for client certificates: they are approved where whoever asks may have them.
//!
//! In: a CertificateSigningRequest for `kubernetes.io/kube-apiserver-client-kubelet` about which nothing is decided. Out: the same
//! approved, where its author may `create` the part `selfnodeclient` (for their own name) or `nodeclient` of such requests, as a
//! SubjectAccessReview would say. All others wait for somebody to decide.

use pintle_core::certificate::CertificateRequest;
use serde_json::{Value, json};

use super::certificate_signing::{CONTROLLER, REQUESTS, check_kubelet_client};
use super::conditions::is_true;
use super::plan::Plan;
use super::view::View;
use crate::authorization::attributes::{Attributes, ResourceAttributes};
use crate::codec::object::Object;
use crate::registry::certificates::request_der;
use crate::request::user::User;
use crate::storage::store::StorageKey;

pub(super) fn reconcile(view: &View<'_>, _: &StorageKey, request: &Object) -> Plan {
    let mut plan = Plan::new(CONTROLLER);
    let is_decided = is_true(request, "Approved") || is_true(request, "Denied");
    if is_decided || !request.text_at("/status/certificate").is_empty() {
        return plan;
    }
    let permission = permissions(request).into_iter().find(|(part, _)| may_have(view, request, part));
    if let Some((_, message)) = permission {
        let approved = json!({"type": "Approved", "status": "True", "reason": "AutoApproved", "message": message});
        let mut all: Vec<Value> = request.items_at("/status/conditions").cloned().collect();
        all.push(approved);
        plan.approval(REQUESTS, request, all);
    }
    plan
}

/// What somebody has to be permitted for a request to be approved, any of these, and how that is reported.
fn permissions(request: &Object) -> Vec<(&'static str, &'static str)> {
    let Some(der) = request_der(request.text_at("/spec/request")) else { return Vec::new() };
    let Some(read) = CertificateRequest::read(&der) else { return Vec::new() };
    let usages: Vec<&str> = request.items_at("/spec/usages").filter_map(Value::as_str).collect();
    let is_kubelet_client = request.text_at("/spec/signerName") == KUBELET_CLIENT;
    if !is_kubelet_client || check_kubelet_client(&read, &usages).is_err() {
        return Vec::new();
    }
    let is_own = request.text_at("/spec/username") == read.common_name();
    let own = is_own.then_some(SELF_NODE_CLIENT);
    own.into_iter().chain([NODE_CLIENT]).collect()
}

/// Whether the author of a request may create this part of requests.
fn may_have(view: &View<'_>, request: &Object, part: &str) -> bool {
    let groups = request.items_at("/spec/groups").filter_map(Value::as_str).map(str::to_owned).collect();
    let user = User::bare(request.text_at("/spec/username"), groups);
    let wanted = ResourceAttributes {
        group: REQUESTS.group.to_owned(),
        resource: REQUESTS.plural.to_owned(),
        subresource: part.to_owned(),
        namespace: String::new(),
        name: String::new(),
    };
    view.cluster.authorizer.authorize(&user, &Attributes::new("create", wanted)).is_allowed
}

const KUBELET_CLIENT: &str = "kubernetes.io/kube-apiserver-client-kubelet";

const SELF_NODE_CLIENT: (&str, &str) =
    ("selfnodeclient", "Auto approving self kubelet client certificate after SubjectAccessReview.");

const NODE_CLIENT: (&str, &str) =
    ("nodeclient", "Auto approving kubelet client certificate after SubjectAccessReview.");
