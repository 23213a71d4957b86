//! CertificateApproval and CertificateSigning: who decides about a request for a certificate, and who signs it, may do so for
//! its signer.
//!
//! In: changes of requests by their parts `approval` and `status`. Out: a refusal, unless the roles let the user `approve` or
//! `sign` for that signer, or for all signers of its domain.

use crate::admission::{Attributes, Notes, Operation};
use crate::authorization::attributes::{self, Requested, ResourceAttributes};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::response::status::Answer;

/// Refuses a decision about a request of a signer that the user may not approve for.
pub(super) fn validate_approval(
    snapshot: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    object: Option<&Object>,
    _: &mut Notes,
) -> Answer<()> {
    let Some(old) = changed(attributes, "approval") else { return Ok(()) };
    check(snapshot, attributes, "approve", old, object)
}

/// Refuses a certificate, or a failure, of a signer that the user may not sign for.
pub(super) fn validate_signing(
    snapshot: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    object: Option<&Object>,
    _: &mut Notes,
) -> Answer<()> {
    let Some(old) = changed(attributes, "status") else { return Ok(()) };
    let is_same = |field: &str| object.and_then(|new| new.at(field)) == old.at(field);
    if is_same("/status/certificate") && is_same("/status/conditions") {
        return Ok(());
    }
    check(snapshot, attributes, "sign", old, object)
}

/// The request as it was, if this part of it is changed.
fn changed<'a>(attributes: &Attributes<'a>, subresource: &str) -> Option<&'a Object> {
    let target = attributes.target;
    let is_it = attributes.operation == Operation::Update
        && target.kind.is("certificates.k8s.io", "certificatesigningrequests")
        && target.subresource.as_deref() == Some(subresource);
    attributes.old.filter(|_| is_it)
}

fn check(
    snapshot: &ClusterSnapshot,
    attributes: &Attributes<'_>,
    verb: &str,
    old: &Object,
    object: Option<&Object>,
) -> Answer<()> {
    let signer = old.text_at("/spec/signerName");
    let all_of_domain = signer.split_once('/').map(|(domain, _)| format!("{domain}/*"));
    let is_allowed = |name: &str| {
        let requested = ResourceAttributes {
            group: "certificates.k8s.io".to_owned(),
            resource: "signers".to_owned(),
            name: name.to_owned(),
            ..ResourceAttributes::default()
        };
        let wanted = attributes::Attributes { verb: verb.to_owned(), requested: Requested::Resource(requested) };
        snapshot.authorizer.authorize(attributes.user, &wanted).is_allowed
    };
    if is_allowed(signer) || all_of_domain.is_some_and(|all| is_allowed(&all)) {
        return Ok(());
    }
    let why = format!("user not permitted to {verb} requests with signerName \"{signer}\"");
    Err(attributes.forbidden(object, &why))
}
