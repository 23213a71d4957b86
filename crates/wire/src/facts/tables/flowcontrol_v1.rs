//! The types of `flowcontrol_v1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static ExemptPriorityLevelConfiguration: Type = fields("io.k8s.api.flowcontrol.v1.ExemptPriorityLevelConfiguration", &[
    one(2, "lendablePercent", &INT32, POINTER | OMITEMPTY),
    one(1, "nominalConcurrencyShares", &INT32, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static FlowDistinguisherMethod: Type = fields("io.k8s.api.flowcontrol.v1.FlowDistinguisherMethod", &[
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static FlowSchema: Type = fields("io.k8s.api.flowcontrol.v1.FlowSchema", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &FlowSchemaSpec, OMITEMPTY | REQUIRED),
    one(3, "status", &FlowSchemaStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static FlowSchemaCondition: Type = fields("io.k8s.api.flowcontrol.v1.FlowSchemaCondition", &[
    one(3, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(5, "message", &STRING, OMITEMPTY),
    one(4, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, OMITEMPTY),
    one(1, "type", &STRING, OMITEMPTY | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static FlowSchemaList: Type = fields("io.k8s.api.flowcontrol.v1.FlowSchemaList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &FlowSchema, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static FlowSchemaSpec: Type = fields("io.k8s.api.flowcontrol.v1.FlowSchemaSpec", &[
    one(3, "distinguisherMethod", &FlowDistinguisherMethod, POINTER | OMITEMPTY),
    one(2, "matchingPrecedence", &INT32, 0),
    one(1, "priorityLevelConfiguration", &PriorityLevelConfigurationReference, REQUIRED),
    list(4, "rules", &PolicyRulesWithSubjects, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static FlowSchemaStatus: Type = fields("io.k8s.api.flowcontrol.v1.FlowSchemaStatus", &[
    list(1, "conditions", &FlowSchemaCondition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
]);

#[rustfmt::skip]
pub(super) static GroupSubject: Type = fields("io.k8s.api.flowcontrol.v1.GroupSubject", &[
    one(1, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static LimitResponse: Type = fields("io.k8s.api.flowcontrol.v1.LimitResponse", &[
    one(2, "queuing", &QueuingConfiguration, POINTER | OMITEMPTY),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static LimitedPriorityLevelConfiguration: Type = fields("io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration", &[
    one(4, "borrowingLimitPercent", &INT32, POINTER | OMITEMPTY),
    one(3, "lendablePercent", &INT32, POINTER | OMITEMPTY),
    one(2, "limitResponse", &LimitResponse, OMITEMPTY | REQUIRED),
    one(1, "nominalConcurrencyShares", &INT32, POINTER),
]);

#[rustfmt::skip]
pub(super) static NonResourcePolicyRule: Type = fields("io.k8s.api.flowcontrol.v1.NonResourcePolicyRule", &[
    list(6, "nonResourceURLs", &STRING, REQUIRED).with(&[ListSet]),
    list(1, "verbs", &STRING, REQUIRED).with(&[ListSet]),
]);

#[rustfmt::skip]
pub(super) static PolicyRulesWithSubjects: Type = fields("io.k8s.api.flowcontrol.v1.PolicyRulesWithSubjects", &[
    list(3, "nonResourceRules", &NonResourcePolicyRule, OMITEMPTY).with(&[ListAtomic]),
    list(2, "resourceRules", &ResourcePolicyRule, OMITEMPTY).with(&[ListAtomic]),
    list(1, "subjects", &Subject, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static PriorityLevelConfiguration: Type = fields("io.k8s.api.flowcontrol.v1.PriorityLevelConfiguration", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &PriorityLevelConfigurationSpec, OMITEMPTY | REQUIRED),
    one(3, "status", &PriorityLevelConfigurationStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PriorityLevelConfigurationCondition: Type = fields("io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationCondition", &[
    one(3, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(5, "message", &STRING, OMITEMPTY),
    one(4, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, OMITEMPTY),
    one(1, "type", &STRING, OMITEMPTY | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PriorityLevelConfigurationList: Type = fields("io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &PriorityLevelConfiguration, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PriorityLevelConfigurationReference: Type = fields("io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationReference", &[
    one(1, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PriorityLevelConfigurationSpec: Type = fields("io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec", &[
    one(3, "exempt", &ExemptPriorityLevelConfiguration, POINTER | OMITEMPTY),
    one(2, "limited", &LimitedPriorityLevelConfiguration, POINTER | OMITEMPTY),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PriorityLevelConfigurationStatus: Type = fields("io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationStatus", &[
    list(1, "conditions", &PriorityLevelConfigurationCondition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
]);

#[rustfmt::skip]
pub(super) static QueuingConfiguration: Type = fields("io.k8s.api.flowcontrol.v1.QueuingConfiguration", &[
    one(2, "handSize", &INT32, 0),
    one(3, "queueLengthLimit", &INT32, 0),
    one(1, "queues", &INT32, 0),
]);

#[rustfmt::skip]
pub(super) static ResourcePolicyRule: Type = fields("io.k8s.api.flowcontrol.v1.ResourcePolicyRule", &[
    list(2, "apiGroups", &STRING, REQUIRED).with(&[ListSet]),
    one(4, "clusterScope", &BOOL, OMITEMPTY),
    list(5, "namespaces", &STRING, 0).with(&[ListSet]),
    list(3, "resources", &STRING, REQUIRED).with(&[ListSet]),
    list(1, "verbs", &STRING, REQUIRED).with(&[ListSet]),
]);

#[rustfmt::skip]
pub(super) static ServiceAccountSubject: Type = fields("io.k8s.api.flowcontrol.v1.ServiceAccountSubject", &[
    one(2, "name", &STRING, REQUIRED),
    one(1, "namespace", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static Subject: Type = fields("io.k8s.api.flowcontrol.v1.Subject", &[
    one(3, "group", &GroupSubject, POINTER | OMITEMPTY),
    one(1, "kind", &STRING, REQUIRED),
    one(4, "serviceAccount", &ServiceAccountSubject, POINTER | OMITEMPTY),
    one(2, "user", &UserSubject, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static UserSubject: Type = fields("io.k8s.api.flowcontrol.v1.UserSubject", &[
    one(1, "name", &STRING, REQUIRED),
]);
