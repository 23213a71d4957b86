//! The types of `certificates_v1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static CertificateSigningRequest: Type = fields("io.k8s.api.certificates.v1.CertificateSigningRequest", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &CertificateSigningRequestSpec, REQUIRED),
    one(3, "status", &CertificateSigningRequestStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CertificateSigningRequestCondition: Type = fields("io.k8s.api.certificates.v1.CertificateSigningRequestCondition", &[
    one(5, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(4, "lastUpdateTime", &apimachinery::Time, OMITEMPTY),
    one(3, "message", &STRING, OMITEMPTY),
    one(2, "reason", &STRING, OMITEMPTY),
    one(6, "status", &STRING, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static CertificateSigningRequestList: Type = fields("io.k8s.api.certificates.v1.CertificateSigningRequestList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &CertificateSigningRequest, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CertificateSigningRequestSpec: Type = fields("io.k8s.api.certificates.v1.CertificateSigningRequestSpec", &[
    one(8, "expirationSeconds", &INT32, POINTER | OMITEMPTY),
    map(6, "extra", &ExtraValue, OMITEMPTY),
    list(4, "groups", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(1, "request", &BYTES, REQUIRED),
    one(7, "signerName", &STRING, REQUIRED),
    one(3, "uid", &STRING, OMITEMPTY),
    list(5, "usages", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(2, "username", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CertificateSigningRequestStatus: Type = fields("io.k8s.api.certificates.v1.CertificateSigningRequestStatus", &[
    one(2, "certificate", &BYTES, OMITEMPTY),
    list(1, "conditions", &CertificateSigningRequestCondition, OMITEMPTY).with(&[ListMap(&["type"])]),
]);

#[rustfmt::skip]
pub(super) static ClusterTrustBundle: Type = fields("io.k8s.api.certificates.v1.ClusterTrustBundle", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ClusterTrustBundleSpec, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ClusterTrustBundleList: Type = fields("io.k8s.api.certificates.v1.ClusterTrustBundleList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ClusterTrustBundle, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ClusterTrustBundleSpec: Type = fields("io.k8s.api.certificates.v1.ClusterTrustBundleSpec", &[
    one(1, "signerName", &STRING, OMITEMPTY),
    one(2, "trustBundle", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ExtraValue: Type = shaped("io.k8s.api.certificates.v1.ExtraValue", Shape::Items, &[]);

#[rustfmt::skip]
pub(super) static PodCertificateRequest: Type = fields("io.k8s.api.certificates.v1.PodCertificateRequest", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &PodCertificateRequestSpec, REQUIRED),
    one(3, "status", &PodCertificateRequestStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodCertificateRequestList: Type = fields("io.k8s.api.certificates.v1.PodCertificateRequestList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &PodCertificateRequest, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodCertificateRequestSpec: Type = fields("io.k8s.api.certificates.v1.PodCertificateRequestSpec", &[
    one(8, "maxExpirationSeconds", &INT32, POINTER | OMITEMPTY).with(&[Default("86400")]),
    one(6, "nodeName", &STRING, REQUIRED),
    one(7, "nodeUID", &STRING, REQUIRED),
    one(2, "podName", &STRING, REQUIRED),
    one(3, "podUID", &STRING, REQUIRED),
    one(4, "serviceAccountName", &STRING, REQUIRED),
    one(5, "serviceAccountUID", &STRING, REQUIRED),
    one(1, "signerName", &STRING, REQUIRED),
    one(12, "stubPKCS10Request", &BYTES, REQUIRED),
    map(11, "unverifiedUserAnnotations", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodCertificateRequestStatus: Type = fields("io.k8s.api.certificates.v1.PodCertificateRequestStatus", &[
    one(5, "beginRefreshAt", &apimachinery::Time, POINTER | OMITEMPTY),
    one(2, "certificateChain", &STRING, OMITEMPTY),
    list(1, "conditions", &apimachinery::Condition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(6, "notAfter", &apimachinery::Time, POINTER | OMITEMPTY),
    one(4, "notBefore", &apimachinery::Time, POINTER | OMITEMPTY),
]);
