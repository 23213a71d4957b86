//! The types of `extensions_v1beta1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, core_v1};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static DaemonSet: Type = fields("io.k8s.api.extensions.v1beta1.DaemonSet", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &DaemonSetSpec, OMITEMPTY),
    one(3, "status", &DaemonSetStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DaemonSetCondition: Type = fields("io.k8s.api.extensions.v1beta1.DaemonSetCondition", &[
    one(3, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(5, "message", &STRING, OMITEMPTY),
    one(4, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static DaemonSetList: Type = fields("io.k8s.api.extensions.v1beta1.DaemonSetList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &DaemonSet, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DaemonSetSpec: Type = fields("io.k8s.api.extensions.v1beta1.DaemonSetSpec", &[
    one(4, "minReadySeconds", &INT32, OMITEMPTY),
    one(6, "revisionHistoryLimit", &INT32, POINTER | OMITEMPTY),
    one(1, "selector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    one(2, "template", &core_v1::PodTemplateSpec, REQUIRED),
    one(5, "templateGeneration", &INT64, OMITEMPTY),
    one(3, "updateStrategy", &DaemonSetUpdateStrategy, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DaemonSetStatus: Type = fields("io.k8s.api.extensions.v1beta1.DaemonSetStatus", &[
    one(9, "collisionCount", &INT32, POINTER | OMITEMPTY),
    list(10, "conditions", &DaemonSetCondition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(1, "currentNumberScheduled", &INT32, REQUIRED),
    one(3, "desiredNumberScheduled", &INT32, REQUIRED),
    one(7, "numberAvailable", &INT32, OMITEMPTY),
    one(2, "numberMisscheduled", &INT32, REQUIRED),
    one(4, "numberReady", &INT32, REQUIRED),
    one(8, "numberUnavailable", &INT32, OMITEMPTY),
    one(5, "observedGeneration", &INT64, OMITEMPTY),
    one(6, "updatedNumberScheduled", &INT32, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DaemonSetUpdateStrategy: Type = fields("io.k8s.api.extensions.v1beta1.DaemonSetUpdateStrategy", &[
    one(2, "rollingUpdate", &RollingUpdateDaemonSet, POINTER | OMITEMPTY),
    one(1, "type", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Deployment: Type = fields("io.k8s.api.extensions.v1beta1.Deployment", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &DeploymentSpec, OMITEMPTY),
    one(3, "status", &DeploymentStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DeploymentCondition: Type = fields("io.k8s.api.extensions.v1beta1.DeploymentCondition", &[
    one(7, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(6, "lastUpdateTime", &apimachinery::Time, OMITEMPTY),
    one(5, "message", &STRING, OMITEMPTY),
    one(4, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static DeploymentList: Type = fields("io.k8s.api.extensions.v1beta1.DeploymentList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Deployment, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DeploymentRollback: Type = fields("io.k8s.api.extensions.v1beta1.DeploymentRollback", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "name", &STRING, REQUIRED),
    one(3, "rollbackTo", &RollbackConfig, REQUIRED),
    map(2, "updatedAnnotations", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DeploymentSpec: Type = fields("io.k8s.api.extensions.v1beta1.DeploymentSpec", &[
    one(5, "minReadySeconds", &INT32, OMITEMPTY),
    one(7, "paused", &BOOL, OMITEMPTY),
    one(9, "progressDeadlineSeconds", &INT32, POINTER | OMITEMPTY),
    one(1, "replicas", &INT32, POINTER | OMITEMPTY),
    one(6, "revisionHistoryLimit", &INT32, POINTER | OMITEMPTY),
    one(8, "rollbackTo", &RollbackConfig, POINTER | OMITEMPTY),
    one(2, "selector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    one(4, "strategy", &DeploymentStrategy, OMITEMPTY).with(&[Patch("retainKeys", "")]),
    one(3, "template", &core_v1::PodTemplateSpec, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static DeploymentStatus: Type = fields("io.k8s.api.extensions.v1beta1.DeploymentStatus", &[
    one(4, "availableReplicas", &INT32, OMITEMPTY),
    one(8, "collisionCount", &INT32, POINTER | OMITEMPTY),
    list(6, "conditions", &DeploymentCondition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(1, "observedGeneration", &INT64, OMITEMPTY),
    one(7, "readyReplicas", &INT32, OMITEMPTY),
    one(2, "replicas", &INT32, OMITEMPTY),
    one(9, "terminatingReplicas", &INT32, POINTER | OMITEMPTY),
    one(5, "unavailableReplicas", &INT32, OMITEMPTY),
    one(3, "updatedReplicas", &INT32, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DeploymentStrategy: Type = fields("io.k8s.api.extensions.v1beta1.DeploymentStrategy", &[
    one(2, "rollingUpdate", &RollingUpdateDeployment, POINTER | OMITEMPTY),
    one(1, "type", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static HTTPIngressPath: Type = fields("io.k8s.api.extensions.v1beta1.HTTPIngressPath", &[
    one(2, "backend", &IngressBackend, REQUIRED),
    one(1, "path", &STRING, OMITEMPTY),
    one(3, "pathType", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static HTTPIngressRuleValue: Type = fields("io.k8s.api.extensions.v1beta1.HTTPIngressRuleValue", &[
    list(1, "paths", &HTTPIngressPath, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static IPBlock: Type = fields("io.k8s.api.extensions.v1beta1.IPBlock", &[
    one(1, "cidr", &STRING, REQUIRED),
    list(2, "except", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static Ingress: Type = fields("io.k8s.api.extensions.v1beta1.Ingress", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &IngressSpec, OMITEMPTY),
    one(3, "status", &IngressStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressBackend: Type = fields("io.k8s.api.extensions.v1beta1.IngressBackend", &[
    one(3, "resource", &core_v1::TypedLocalObjectReference, POINTER | OMITEMPTY),
    one(1, "serviceName", &STRING, OMITEMPTY),
    one(2, "servicePort", &apimachinery::IntOrString, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressList: Type = fields("io.k8s.api.extensions.v1beta1.IngressList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Ingress, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressLoadBalancerIngress: Type = fields("io.k8s.api.extensions.v1beta1.IngressLoadBalancerIngress", &[
    one(2, "hostname", &STRING, OMITEMPTY),
    one(1, "ip", &STRING, OMITEMPTY),
    list(4, "ports", &IngressPortStatus, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static IngressLoadBalancerStatus: Type = fields("io.k8s.api.extensions.v1beta1.IngressLoadBalancerStatus", &[
    list(1, "ingress", &IngressLoadBalancerIngress, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static IngressPortStatus: Type = fields("io.k8s.api.extensions.v1beta1.IngressPortStatus", &[
    one(3, "error", &STRING, POINTER | OMITEMPTY),
    one(1, "port", &INT32, REQUIRED),
    one(2, "protocol", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static IngressRule: Type = fields("io.k8s.api.extensions.v1beta1.IngressRule", &[
    one(2, "", &IngressRuleValue, INLINE),
    one(1, "host", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressRuleValue: Type = fields("io.k8s.api.extensions.v1beta1.IngressRuleValue", &[
    one(1, "http", &HTTPIngressRuleValue, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressSpec: Type = fields("io.k8s.api.extensions.v1beta1.IngressSpec", &[
    one(1, "backend", &IngressBackend, POINTER | OMITEMPTY),
    one(4, "ingressClassName", &STRING, POINTER | OMITEMPTY),
    list(3, "rules", &IngressRule, OMITEMPTY).with(&[ListAtomic]),
    list(2, "tls", &IngressTLS, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static IngressStatus: Type = fields("io.k8s.api.extensions.v1beta1.IngressStatus", &[
    one(1, "loadBalancer", &IngressLoadBalancerStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static IngressTLS: Type = fields("io.k8s.api.extensions.v1beta1.IngressTLS", &[
    list(1, "hosts", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(2, "secretName", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NetworkPolicy: Type = fields("io.k8s.api.extensions.v1beta1.NetworkPolicy", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &NetworkPolicySpec, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NetworkPolicyEgressRule: Type = fields("io.k8s.api.extensions.v1beta1.NetworkPolicyEgressRule", &[
    list(1, "ports", &NetworkPolicyPort, OMITEMPTY).with(&[ListAtomic]),
    list(2, "to", &NetworkPolicyPeer, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static NetworkPolicyIngressRule: Type = fields("io.k8s.api.extensions.v1beta1.NetworkPolicyIngressRule", &[
    list(2, "from", &NetworkPolicyPeer, OMITEMPTY).with(&[ListAtomic]),
    list(1, "ports", &NetworkPolicyPort, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static NetworkPolicyList: Type = fields("io.k8s.api.extensions.v1beta1.NetworkPolicyList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &NetworkPolicy, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NetworkPolicyPeer: Type = fields("io.k8s.api.extensions.v1beta1.NetworkPolicyPeer", &[
    one(3, "ipBlock", &IPBlock, POINTER | OMITEMPTY),
    one(2, "namespaceSelector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    one(1, "podSelector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NetworkPolicyPort: Type = fields("io.k8s.api.extensions.v1beta1.NetworkPolicyPort", &[
    one(3, "endPort", &INT32, POINTER | OMITEMPTY),
    one(2, "port", &apimachinery::IntOrString, POINTER | OMITEMPTY),
    one(1, "protocol", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static NetworkPolicySpec: Type = fields("io.k8s.api.extensions.v1beta1.NetworkPolicySpec", &[
    list(3, "egress", &NetworkPolicyEgressRule, OMITEMPTY).with(&[ListAtomic]),
    list(2, "ingress", &NetworkPolicyIngressRule, OMITEMPTY).with(&[ListAtomic]),
    one(1, "podSelector", &apimachinery::LabelSelector, REQUIRED),
    list(4, "policyTypes", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static ReplicaSet: Type = fields("io.k8s.api.extensions.v1beta1.ReplicaSet", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ReplicaSetSpec, OMITEMPTY),
    one(3, "status", &ReplicaSetStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ReplicaSetCondition: Type = fields("io.k8s.api.extensions.v1beta1.ReplicaSetCondition", &[
    one(3, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(5, "message", &STRING, OMITEMPTY),
    one(4, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ReplicaSetList: Type = fields("io.k8s.api.extensions.v1beta1.ReplicaSetList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ReplicaSet, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ReplicaSetSpec: Type = fields("io.k8s.api.extensions.v1beta1.ReplicaSetSpec", &[
    one(4, "minReadySeconds", &INT32, OMITEMPTY),
    one(1, "replicas", &INT32, POINTER | OMITEMPTY),
    one(2, "selector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    one(3, "template", &core_v1::PodTemplateSpec, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ReplicaSetStatus: Type = fields("io.k8s.api.extensions.v1beta1.ReplicaSetStatus", &[
    one(5, "availableReplicas", &INT32, OMITEMPTY),
    list(6, "conditions", &ReplicaSetCondition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(2, "fullyLabeledReplicas", &INT32, OMITEMPTY),
    one(3, "observedGeneration", &INT64, OMITEMPTY),
    one(4, "readyReplicas", &INT32, OMITEMPTY),
    one(1, "replicas", &INT32, REQUIRED),
    one(7, "terminatingReplicas", &INT32, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static RollbackConfig: Type = fields("io.k8s.api.extensions.v1beta1.RollbackConfig", &[
    one(1, "revision", &INT64, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static RollingUpdateDaemonSet: Type = fields("io.k8s.api.extensions.v1beta1.RollingUpdateDaemonSet", &[
    one(2, "maxSurge", &apimachinery::IntOrString, POINTER | OMITEMPTY),
    one(1, "maxUnavailable", &apimachinery::IntOrString, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static RollingUpdateDeployment: Type = fields("io.k8s.api.extensions.v1beta1.RollingUpdateDeployment", &[
    one(2, "maxSurge", &apimachinery::IntOrString, POINTER | OMITEMPTY),
    one(1, "maxUnavailable", &apimachinery::IntOrString, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Scale: Type = fields("io.k8s.api.extensions.v1beta1.Scale", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ScaleSpec, OMITEMPTY),
    one(3, "status", &ScaleStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ScaleSpec: Type = fields("io.k8s.api.extensions.v1beta1.ScaleSpec", &[
    one(1, "replicas", &INT32, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ScaleStatus: Type = fields("io.k8s.api.extensions.v1beta1.ScaleStatus", &[
    one(1, "replicas", &INT32, REQUIRED),
    map(2, "selector", &STRING, OMITEMPTY).with(&[MapAtomic]),
    one(3, "targetSelector", &STRING, OMITEMPTY),
]);
