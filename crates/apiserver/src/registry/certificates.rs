//! `certificates.k8s.io`: certificates that are asked for, and whom to trust.

mod certificate_signing_requests;
mod cluster_trust_bundles;
mod pod_certificate_requests;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[
    ("certificatesigningrequests", &certificate_signing_requests::CertificateSigningRequests),
    ("clustertrustbundles", &cluster_trust_bundles::ClusterTrustBundles),
    ("podcertificaterequests", &pod_certificate_requests::PodCertificateRequests),
];
