//! `certificates.k8s.io`: certificates that are asked for, and whom to trust.

mod certificate_signing_requests;
mod cluster_trust_bundles;
mod pod_certificate_requests;

use crate::registry::strategy::Strategy;

/// The strategy of a kind of the group, if it has one of its own.
pub(super) fn strategy(plural: &str) -> Option<&'static dyn Strategy> {
    Some(match plural {
        "certificatesigningrequests" => &certificate_signing_requests::CertificateSigningRequests,
        "clustertrustbundles" => &cluster_trust_bundles::ClusterTrustBundles,
        "podcertificaterequests" => &pod_certificate_requests::PodCertificateRequests,
        _ => return None,
    })
}
