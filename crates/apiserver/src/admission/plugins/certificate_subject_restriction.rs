//! CertificateSubjectRestriction: no user may ask the API server's own signer to make them an administrator.
//!
//! In: new requests for certificates. Out: a refusal of one for `kubernetes.io/kube-apiserver-client` in the name of the group
//! `system:masters`, which every check lets pass.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::certificate_request::organizations;
use crate::admission::{Attributes, Notes};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
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
    let pem = STANDARD.decode(request.text_at("/spec/request")).unwrap_or_default();
    if organizations(&String::from_utf8_lossy(&pem)).iter().any(|group| group == MASTERS) {
        let why = format!("use of {SIGNER} signer with {MASTERS} group is not allowed");
        return Err(attributes.forbidden(Some(request), &why));
    }
    Ok(())
}

const SIGNER: &str = "kubernetes.io/kube-apiserver-client";
const MASTERS: &str = "system:masters";
