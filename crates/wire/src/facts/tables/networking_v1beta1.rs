//! The types of `networking_v1beta1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, core_v1};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static HTTPIngressPath: Type = fields("io.k8s.api.networking.v1beta1.HTTPIngressPath", &[
    one(2, "backend", &IngressBackend, REQUIRED),
    one(1, "path", &STRING, OMITEMPTY),
    one(3, "pathType", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static HTTPIngressRuleValue: Type = fields("io.k8s.api.networking.v1beta1.HTTPIngressRuleValue", &[
    list(1, "paths", &HTTPIngressPath, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static IPAddress: Type = fields("io.k8s.api.networking.v1beta1.IPAddress", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &IPAddressSpec, OMITEMPTY | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static IPAddressList: Type = fields("io.k8s.api.networking.v1beta1.IPAddressList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &IPAddress, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IPAddressSpec: Type = fields("io.k8s.api.networking.v1beta1.IPAddressSpec", &[
    one(1, "parentRef", &ParentReference, POINTER | OMITEMPTY | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static Ingress: Type = fields("io.k8s.api.networking.v1beta1.Ingress", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &IngressSpec, OMITEMPTY),
    one(3, "status", &IngressStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressBackend: Type = fields("io.k8s.api.networking.v1beta1.IngressBackend", &[
    one(3, "resource", &core_v1::TypedLocalObjectReference, POINTER | OMITEMPTY),
    one(1, "serviceName", &STRING, OMITEMPTY),
    one(2, "servicePort", &apimachinery::IntOrString, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressClass: Type = fields("io.k8s.api.networking.v1beta1.IngressClass", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &IngressClassSpec, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressClassList: Type = fields("io.k8s.api.networking.v1beta1.IngressClassList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &IngressClass, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressClassParametersReference: Type = fields("io.k8s.api.networking.v1beta1.IngressClassParametersReference", &[
    one(1, "apiGroup", &STRING, POINTER | OMITEMPTY),
    one(2, "kind", &STRING, REQUIRED),
    one(3, "name", &STRING, REQUIRED),
    one(5, "namespace", &STRING, POINTER | OMITEMPTY),
    one(4, "scope", &STRING, POINTER | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static IngressClassSpec: Type = fields("io.k8s.api.networking.v1beta1.IngressClassSpec", &[
    one(1, "controller", &STRING, OMITEMPTY),
    one(2, "parameters", &IngressClassParametersReference, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressList: Type = fields("io.k8s.api.networking.v1beta1.IngressList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Ingress, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressLoadBalancerIngress: Type = fields("io.k8s.api.networking.v1beta1.IngressLoadBalancerIngress", &[
    one(2, "hostname", &STRING, OMITEMPTY),
    one(1, "ip", &STRING, OMITEMPTY),
    list(4, "ports", &IngressPortStatus, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static IngressLoadBalancerStatus: Type = fields("io.k8s.api.networking.v1beta1.IngressLoadBalancerStatus", &[
    list(1, "ingress", &IngressLoadBalancerIngress, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static IngressPortStatus: Type = fields("io.k8s.api.networking.v1beta1.IngressPortStatus", &[
    one(3, "error", &STRING, POINTER | OMITEMPTY),
    one(1, "port", &INT32, REQUIRED),
    one(2, "protocol", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static IngressRule: Type = fields("io.k8s.api.networking.v1beta1.IngressRule", &[
    one(2, "", &IngressRuleValue, INLINE),
    one(1, "host", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressRuleValue: Type = fields("io.k8s.api.networking.v1beta1.IngressRuleValue", &[
    one(1, "http", &HTTPIngressRuleValue, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressSpec: Type = fields("io.k8s.api.networking.v1beta1.IngressSpec", &[
    one(1, "backend", &IngressBackend, POINTER | OMITEMPTY),
    one(4, "ingressClassName", &STRING, POINTER | OMITEMPTY),
    list(3, "rules", &IngressRule, OMITEMPTY).with(&[ListAtomic]),
    list(2, "tls", &IngressTLS, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static IngressStatus: Type = fields("io.k8s.api.networking.v1beta1.IngressStatus", &[
    one(1, "loadBalancer", &IngressLoadBalancerStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressTLS: Type = fields("io.k8s.api.networking.v1beta1.IngressTLS", &[
    list(1, "hosts", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(2, "secretName", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ParentReference: Type = fields("io.k8s.api.networking.v1beta1.ParentReference", &[
    one(1, "group", &STRING, OMITEMPTY),
    one(4, "name", &STRING, OMITEMPTY | REQUIRED),
    one(3, "namespace", &STRING, OMITEMPTY),
    one(2, "resource", &STRING, OMITEMPTY | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ServiceCIDR: Type = fields("io.k8s.api.networking.v1beta1.ServiceCIDR", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ServiceCIDRSpec, OMITEMPTY),
    one(3, "status", &ServiceCIDRStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ServiceCIDRList: Type = fields("io.k8s.api.networking.v1beta1.ServiceCIDRList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ServiceCIDR, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ServiceCIDRSpec: Type = fields("io.k8s.api.networking.v1beta1.ServiceCIDRSpec", &[
    list(1, "cidrs", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static ServiceCIDRStatus: Type = fields("io.k8s.api.networking.v1beta1.ServiceCIDRStatus", &[
    list(1, "conditions", &apimachinery::Condition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
]);
