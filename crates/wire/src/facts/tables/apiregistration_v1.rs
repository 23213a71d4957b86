//! The types of `apiregistration_v1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static APIService: Type = fields("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &APIServiceSpec, OMITEMPTY),
    one(3, "status", &APIServiceStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static APIServiceCondition: Type = fields("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition", &[
    one(3, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(5, "message", &STRING, OMITEMPTY),
    one(4, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static APIServiceList: Type = fields("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &APIService, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static APIServiceSpec: Type = fields("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec", &[
    one(5, "caBundle", &BYTES, OMITEMPTY).with(&[ListAtomic]),
    one(2, "group", &STRING, OMITEMPTY),
    one(7, "groupPriorityMinimum", &INT32, REQUIRED),
    one(4, "insecureSkipTLSVerify", &BOOL, OMITEMPTY),
    one(1, "service", &ServiceReference, POINTER | OMITEMPTY),
    one(3, "version", &STRING, OMITEMPTY),
    one(8, "versionPriority", &INT32, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static APIServiceStatus: Type = fields("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus", &[
    list(1, "conditions", &APIServiceCondition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
]);

#[rustfmt::skip]
pub(super) static ServiceReference: Type = fields("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference", &[
    one(2, "name", &STRING, OMITEMPTY),
    one(1, "namespace", &STRING, OMITEMPTY),
    one(3, "port", &INT32, POINTER | OMITEMPTY),
]);
