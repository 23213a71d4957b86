//! The types of `networking_v1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, core_v1};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static HTTPIngressPath: Type = fields("io.k8s.api.networking.v1.HTTPIngressPath", &[
    one(2, "backend", &IngressBackend, REQUIRED),
    one(1, "path", &STRING, OMITEMPTY),
    one(3, "pathType", &STRING, POINTER | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static HTTPIngressRuleValue: Type = fields("io.k8s.api.networking.v1.HTTPIngressRuleValue", &[
    list(1, "paths", &HTTPIngressPath, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static IPAddress: Type = fields("io.k8s.api.networking.v1.IPAddress", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &IPAddressSpec, OMITEMPTY | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static IPAddressList: Type = fields("io.k8s.api.networking.v1.IPAddressList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &IPAddress, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IPAddressSpec: Type = fields("io.k8s.api.networking.v1.IPAddressSpec", &[
    one(1, "parentRef", &ParentReference, POINTER | OMITEMPTY | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static IPBlock: Type = fields("io.k8s.api.networking.v1.IPBlock", &[
    one(1, "cidr", &STRING, REQUIRED),
    list(2, "except", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static Ingress: Type = fields("io.k8s.api.networking.v1.Ingress", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &IngressSpec, OMITEMPTY),
    one(3, "status", &IngressStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressBackend: Type = fields("io.k8s.api.networking.v1.IngressBackend", &[
    one(3, "resource", &core_v1::TypedLocalObjectReference, POINTER | OMITEMPTY),
    one(4, "service", &IngressServiceBackend, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressClass: Type = fields("io.k8s.api.networking.v1.IngressClass", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &IngressClassSpec, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressClassList: Type = fields("io.k8s.api.networking.v1.IngressClassList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &IngressClass, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressClassParametersReference: Type = fields("io.k8s.api.networking.v1.IngressClassParametersReference", &[
    one(1, "apiGroup", &STRING, POINTER | OMITEMPTY),
    one(2, "kind", &STRING, REQUIRED),
    one(3, "name", &STRING, REQUIRED),
    one(5, "namespace", &STRING, POINTER | OMITEMPTY),
    one(4, "scope", &STRING, POINTER),
]);

#[rustfmt::skip]
pub(super) static IngressClassSpec: Type = fields("io.k8s.api.networking.v1.IngressClassSpec", &[
    one(1, "controller", &STRING, OMITEMPTY),
    one(2, "parameters", &IngressClassParametersReference, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressList: Type = fields("io.k8s.api.networking.v1.IngressList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Ingress, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressLoadBalancerIngress: Type = fields("io.k8s.api.networking.v1.IngressLoadBalancerIngress", &[
    one(2, "hostname", &STRING, OMITEMPTY),
    one(1, "ip", &STRING, OMITEMPTY),
    list(4, "ports", &IngressPortStatus, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static IngressLoadBalancerStatus: Type = fields("io.k8s.api.networking.v1.IngressLoadBalancerStatus", &[
    list(1, "ingress", &IngressLoadBalancerIngress, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static IngressPortStatus: Type = fields("io.k8s.api.networking.v1.IngressPortStatus", &[
    one(3, "error", &STRING, POINTER | OMITEMPTY),
    one(1, "port", &INT32, REQUIRED),
    one(2, "protocol", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static IngressRule: Type = fields("io.k8s.api.networking.v1.IngressRule", &[
    one(2, "", &IngressRuleValue, INLINE),
    one(1, "host", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressRuleValue: Type = fields("io.k8s.api.networking.v1.IngressRuleValue", &[
    one(1, "http", &HTTPIngressRuleValue, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressServiceBackend: Type = fields("io.k8s.api.networking.v1.IngressServiceBackend", &[
    one(1, "name", &STRING, REQUIRED),
    one(2, "port", &ServiceBackendPort, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressSpec: Type = fields("io.k8s.api.networking.v1.IngressSpec", &[
    one(1, "defaultBackend", &IngressBackend, POINTER | OMITEMPTY),
    one(4, "ingressClassName", &STRING, POINTER | OMITEMPTY),
    list(3, "rules", &IngressRule, OMITEMPTY).with(&[ListAtomic]),
    list(2, "tls", &IngressTLS, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static IngressStatus: Type = fields("io.k8s.api.networking.v1.IngressStatus", &[
    one(1, "loadBalancer", &IngressLoadBalancerStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressTLS: Type = fields("io.k8s.api.networking.v1.IngressTLS", &[
    list(1, "hosts", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(2, "secretName", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NetworkPolicy: Type = fields("io.k8s.api.networking.v1.NetworkPolicy", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &NetworkPolicySpec, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NetworkPolicyEgressRule: Type = fields("io.k8s.api.networking.v1.NetworkPolicyEgressRule", &[
    list(1, "ports", &NetworkPolicyPort, OMITEMPTY).with(&[ListAtomic]),
    list(2, "to", &NetworkPolicyPeer, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static NetworkPolicyIngressRule: Type = fields("io.k8s.api.networking.v1.NetworkPolicyIngressRule", &[
    list(2, "from", &NetworkPolicyPeer, OMITEMPTY).with(&[ListAtomic]),
    list(1, "ports", &NetworkPolicyPort, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static NetworkPolicyList: Type = fields("io.k8s.api.networking.v1.NetworkPolicyList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &NetworkPolicy, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NetworkPolicyPeer: Type = fields("io.k8s.api.networking.v1.NetworkPolicyPeer", &[
    one(3, "ipBlock", &IPBlock, POINTER | OMITEMPTY),
    one(2, "namespaceSelector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    one(1, "podSelector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NetworkPolicyPort: Type = fields("io.k8s.api.networking.v1.NetworkPolicyPort", &[
    one(3, "endPort", &INT32, POINTER | OMITEMPTY),
    one(2, "port", &apimachinery::IntOrString, POINTER | OMITEMPTY),
    one(1, "protocol", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NetworkPolicySpec: Type = fields("io.k8s.api.networking.v1.NetworkPolicySpec", &[
    list(3, "egress", &NetworkPolicyEgressRule, OMITEMPTY).with(&[ListAtomic]),
    list(2, "ingress", &NetworkPolicyIngressRule, OMITEMPTY).with(&[ListAtomic]),
    one(1, "podSelector", &apimachinery::LabelSelector, 0),
    list(4, "policyTypes", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static ParentReference: Type = fields("io.k8s.api.networking.v1.ParentReference", &[
    one(1, "group", &STRING, OMITEMPTY),
    one(4, "name", &STRING, OMITEMPTY | REQUIRED),
    one(3, "namespace", &STRING, OMITEMPTY),
    one(2, "resource", &STRING, OMITEMPTY | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ServiceBackendPort: Type = atomic("io.k8s.api.networking.v1.ServiceBackendPort", &[
    one(1, "name", &STRING, OMITEMPTY),
    one(2, "number", &INT32, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ServiceCIDR: Type = fields("io.k8s.api.networking.v1.ServiceCIDR", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ServiceCIDRSpec, OMITEMPTY),
    one(3, "status", &ServiceCIDRStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ServiceCIDRList: Type = fields("io.k8s.api.networking.v1.ServiceCIDRList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ServiceCIDR, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ServiceCIDRSpec: Type = fields("io.k8s.api.networking.v1.ServiceCIDRSpec", &[
    list(1, "cidrs", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static ServiceCIDRStatus: Type = fields("io.k8s.api.networking.v1.ServiceCIDRStatus", &[
    list(1, "conditions", &apimachinery::Condition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
]);
