//! CertificateSubjectRestriction: no user may ask the API server's own signer to make them an administrator.
//!
//! In: new requests for certificates. Out: a refusal of one for `kubernetes.io/kube-apiserver-client` in the name of the group
//! `system:masters`, which every check lets pass.

use pintle_core::certificate::CertificateRequest;

use crate::admission::{Attributes, Notes};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::registry::certificates::request_der;
use crate::response::status::Answer;

/// Refuses requests to be an administrator.
pub(super) fn validate(
    _: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    object: Option<&Object>,
    _: &mut Notes,
) -> Answer<()> {
    let is_new = attributes.creates("certificates.k8s.io", "certificatesigningrequests");
    let Some(request) = object.filter(|_| is_new) else { return Ok(()) };
    if request.text_at("/spec/signerName") != SIGNER {
        return Ok(());
    }
    let der = request_der(request.text_at("/spec/request")).unwrap_or_default();
    // What is malformed has no organizations, and validation refuses it.
    let organizations = CertificateRequest::read(&der).map(|request| request.organizations()).unwrap_or_default();
    if organizations.iter().any(|group| group == MASTERS) {
        let why = format!("use of {SIGNER} signer with {MASTERS} group is not allowed");
        return Err(attributes.forbidden(Some(request), &why));
    }
    Ok(())
}

const SIGNER: &str = "kubernetes.io/kube-apiserver-client";
const MASTERS: &str = "system:masters";
