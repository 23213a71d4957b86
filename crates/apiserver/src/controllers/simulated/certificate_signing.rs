//! Requests for certificates that were approved: they get one of the server's own authority, or the reason why not.
//!
//! In: a CertificateSigningRequest for one of Kubernetes' signers. Out: the same with `status.certificate`, or with the
//! condition `Failed`; texts and rules are those of kube-controller-manager. What is for other signers is left alone, and so is
//! everything while the server is on no socket: then it has no authority. A certificate is good by the machine's clock, as TLS
//! reads it.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pintle_core::certificate::CertificateRequest;
use serde_json::{Value, json};

use super::conditions::is_true;
use super::plan::{Built, Identity, Plan};
use super::view::{View, integer};
use crate::cluster::Cluster;
use crate::codec::object::Object;
use crate::registry::certificates::request_der;
use crate::storage::store::StorageKey;

/// Signs certificates.
pub(crate) trait CertificateAuthority: Send + Sync {
    /// A certificate as PEM, or why there is none.
    fn sign(&self, wanted: &Wanted<'_>) -> Result<String, String>;
}

/// A certificate that somebody wants and may have.
#[cfg_attr(not(feature = "serve"), expect(dead_code, reason = "only a served server has an authority that reads it"))]
pub(crate) struct Wanted<'a> {
    pub(crate) request: CertificateRequest<'a>,
    /// What it is for, in Kubernetes' words.
    pub(crate) usages: Vec<&'a str>,
    /// How long it is good, if that was said.
    pub(crate) seconds: Option<i64>,
}

impl Cluster {
    /// Signs from now on, also what was approved before.
    #[cfg(feature = "serve")]
    pub(crate) fn set_certificate_authority(&mut self, authority: std::sync::Arc<dyn CertificateAuthority>) {
        self.certificate_authority = Some(authority);
        let requests = REQUESTS.resource();
        let keys: Vec<_> = self.store.snapshot(&requests).keys().cloned().collect();
        for key in keys {
            self.wake_controllers(&StorageKey { resource: requests.clone(), key }, None);
        }
    }
}

pub(super) fn reconcile(view: &View<'_>, _: &StorageKey, request: &Object) -> Plan {
    let mut plan = Plan::new(CONTROLLER);
    let is_over = is_true(request, "Failed") || !request.text_at("/status/certificate").is_empty();
    let signer = SIGNERS.iter().find(|(name, _)| *name == request.text_at("/spec/signerName"));
    let authority = view.cluster.certificate_authority.as_deref();
    if let (Some((_, check)), Some(authority)) = (signer, authority)
        && is_true(request, "Approved")
        && !is_over
    {
        let mut status = request.get("status").cloned().unwrap_or_else(|| json!({}));
        match signed(request, *check, authority) {
            Ok(certificate) => status["certificate"] = STANDARD.encode(certificate).into(),
            Err(why) => {
                let failed = failure(&why, &view.timestamp());
                status["conditions"].as_array_mut().map(|all| all.push(failed)).unwrap_or_default();
            }
        }
        plan.status(REQUESTS, request, status);
    }
    plan
}

fn signed(object: &Object, check: Check, authority: &dyn CertificateAuthority) -> Result<String, String> {
    let unreadable = || "unable to parse spec.request: it is not a request of PKCS #10 in PEM".to_owned();
    let der = request_der(object.text_at("/spec/request")).ok_or_else(unreadable)?;
    let request = CertificateRequest::read(&der).ok_or_else(unreadable)?;
    let usages: Vec<&str> = object.items_at("/spec/usages").filter_map(Value::as_str).collect();
    check(&request, &usages)?;
    authority.sign(&Wanted { request, usages, seconds: integer(object, "/spec/expirationSeconds") })
}

fn failure(why: &str, now: &str) -> Value {
    json!({
        "type": "Failed",
        "status": "True",
        "reason": "SignerValidationFailure",
        "message": why,
        "lastUpdateTime": now,
        "lastTransitionTime": now,
    })
}

/// What a signer looks at before it signs.
type Check = fn(&CertificateRequest<'_>, &[&str]) -> Result<(), String>;

/// The signers of kube-controller-manager; `kubernetes.io/legacy-unknown` cannot be asked for any more.
const SIGNERS: [(&str, Check); 3] = [
    ("kubernetes.io/kube-apiserver-client", check_client),
    ("kubernetes.io/kube-apiserver-client-kubelet", check_kubelet_client),
    ("kubernetes.io/kubelet-serving", check_kubelet_serving),
];

fn check_client(_: &CertificateRequest<'_>, usages: &[&str]) -> Result<(), String> {
    let known = ["digital signature", "key encipherment", "client auth"];
    if let Some(other) = usages.iter().find(|usage| !known.contains(usage)) {
        return Err(format!("invalid usage for client certificate: {other}"));
    }
    if usages.contains(&"client auth") {
        return Ok(());
    }
    Err("missing required usage for client certificate: client auth".to_owned())
}

/// Whether a request is one of a kubelet for a client certificate.
pub(super) fn check_kubelet_client(request: &CertificateRequest<'_>, usages: &[&str]) -> Result<(), String> {
    check_organization(request)?;
    let names = request.alternative_names();
    refuse_names(&[
        ("DNS", names.dns.len()),
        ("Email", names.email.len()),
        ("IP", names.ip.len()),
        ("URI", names.uri.len()),
    ])?;
    check_common_name(request)?;
    check_usages(usages, "client auth")
}

fn check_kubelet_serving(request: &CertificateRequest<'_>, usages: &[&str]) -> Result<(), String> {
    check_organization(request)?;
    let names = request.alternative_names();
    if names.dns.is_empty() && names.ip.is_empty() {
        return Err("DNS or IP subjectAltName is required".to_owned());
    }
    refuse_names(&[("Email", names.email.len()), ("URI", names.uri.len())])?;
    check_usages(usages, "server auth")?;
    check_common_name(request)
}

fn check_organization(request: &CertificateRequest<'_>) -> Result<(), String> {
    if request.organizations() == ["system:nodes"] {
        return Ok(());
    }
    Err("subject organization is not system:nodes".to_owned())
}

fn check_common_name(request: &CertificateRequest<'_>) -> Result<(), String> {
    if request.common_name().starts_with("system:node:") {
        return Ok(());
    }
    Err("subject common name does not begin with system:node:".to_owned())
}

fn refuse_names(counts: &[(&str, usize)]) -> Result<(), String> {
    match counts.iter().find(|(_, count)| *count > 0) {
        Some((kind, _)) => Err(format!("{kind} subjectAltNames are not allowed")),
        None => Ok(()),
    }
}

/// A kubelet's usages are these, whatever their order; with some keys nothing is enciphered.
fn check_usages(usages: &[&str], purpose: &str) -> Result<(), String> {
    let found: BTreeSet<&str> = usages.iter().copied().collect();
    let least = BTreeSet::from(["digital signature", purpose]);
    let most = BTreeSet::from(["digital signature", "key encipherment", purpose]);
    if found == least || found == most {
        return Ok(());
    }
    let most: Vec<&str> = most.into_iter().collect();
    Err(format!("usages did not match [{}]", most.join(" ")))
}

pub(super) const REQUESTS: Built = Built::new("certificates.k8s.io", "v1", "certificatesigningrequests");

pub(super) const CONTROLLER: Identity = Identity::controller("certificate-controller", "certificate-controller");
