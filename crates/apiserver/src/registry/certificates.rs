//! `certificates.k8s.io`: certificates that are asked for, and whom to trust.

mod asn1_errors;
mod certificate_signing_requests;
mod cluster_trust_bundles;
mod pod_certificate_requests;
mod request_pem;
mod request_signature;
mod request_status;
mod signer_names;

use crate::registry::strategy::Strategies;

pub(crate) use request_pem::request_der;
#[cfg(feature = "serve")]
pub(crate) use request_signature::{Verified, verified};

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[
    ("certificatesigningrequests", &certificate_signing_requests::CertificateSigningRequests),
    ("clustertrustbundles", &cluster_trust_bundles::ClusterTrustBundles),
    ("podcertificaterequests", &pod_certificate_requests::PodCertificateRequests),
];
