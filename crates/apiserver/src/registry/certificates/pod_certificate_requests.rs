//! PodCertificateRequests: certificates that pods ask for.

use crate::codec::conversion::Shapes;
use crate::registry::strategy::Strategy;

/// The strategy of PodCertificateRequests.
#[derive(Debug)]
pub(super) struct PodCertificateRequests;

impl Strategy for PodCertificateRequests {
    fn shapes(&self) -> Shapes {
        Shapes::Certificates
    }
}
