//! The types of `admissionregistration_v1beta1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{admissionregistration_v1, apimachinery};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static ApplyConfiguration: Type = fields("io.k8s.api.admissionregistration.v1beta1.ApplyConfiguration", &[
    one(1, "expression", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static AuditAnnotation: Type = fields("io.k8s.api.admissionregistration.v1beta1.AuditAnnotation", &[
    one(1, "key", &STRING, REQUIRED),
    one(2, "valueExpression", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ExpressionWarning: Type = fields("io.k8s.api.admissionregistration.v1beta1.ExpressionWarning", &[
    one(2, "fieldRef", &STRING, REQUIRED),
    one(3, "warning", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static JSONPatch: Type = fields("io.k8s.api.admissionregistration.v1beta1.JSONPatch", &[
    one(1, "expression", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static MatchCondition: Type = fields("io.k8s.api.admissionregistration.v1beta1.MatchCondition", &[
    one(2, "expression", &STRING, REQUIRED),
    one(1, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static MatchResources: Type = atomic("io.k8s.api.admissionregistration.v1beta1.MatchResources", &[
    list(4, "excludeResourceRules", &NamedRuleWithOperations, OMITEMPTY).with(&[ListAtomic]),
    one(7, "matchPolicy", &STRING, POINTER | OMITEMPTY),
    one(1, "namespaceSelector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    one(2, "objectSelector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    list(3, "resourceRules", &NamedRuleWithOperations, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static MutatingAdmissionPolicy: Type = fields("io.k8s.api.admissionregistration.v1beta1.MutatingAdmissionPolicy", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &MutatingAdmissionPolicySpec, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static MutatingAdmissionPolicyBinding: Type = fields("io.k8s.api.admissionregistration.v1beta1.MutatingAdmissionPolicyBinding", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &MutatingAdmissionPolicyBindingSpec, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static MutatingAdmissionPolicyBindingList: Type = fields("io.k8s.api.admissionregistration.v1beta1.MutatingAdmissionPolicyBindingList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &MutatingAdmissionPolicyBinding, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static MutatingAdmissionPolicyBindingSpec: Type = fields("io.k8s.api.admissionregistration.v1beta1.MutatingAdmissionPolicyBindingSpec", &[
    one(3, "matchResources", &MatchResources, POINTER | OMITEMPTY),
    one(2, "paramRef", &ParamRef, POINTER | OMITEMPTY),
    one(1, "policyName", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static MutatingAdmissionPolicyList: Type = fields("io.k8s.api.admissionregistration.v1beta1.MutatingAdmissionPolicyList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &MutatingAdmissionPolicy, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static MutatingAdmissionPolicySpec: Type = fields("io.k8s.api.admissionregistration.v1beta1.MutatingAdmissionPolicySpec", &[
    one(5, "failurePolicy", &STRING, POINTER | OMITEMPTY),
    list(6, "matchConditions", &MatchCondition, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    one(2, "matchConstraints", &MatchResources, POINTER | OMITEMPTY),
    list(4, "mutations", &Mutation, OMITEMPTY).with(&[ListAtomic]),
    one(1, "paramKind", &ParamKind, POINTER | OMITEMPTY),
    one(7, "reinvocationPolicy", &STRING, OMITEMPTY),
    list(3, "variables", &Variable, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static MutatingWebhook: Type = fields("io.k8s.api.admissionregistration.v1beta1.MutatingWebhook", &[
    list(8, "admissionReviewVersions", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(2, "clientConfig", &WebhookClientConfig, REQUIRED),
    one(4, "failurePolicy", &STRING, POINTER | OMITEMPTY),
    list(12, "matchConditions", &MatchCondition, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    one(9, "matchPolicy", &STRING, POINTER | OMITEMPTY),
    one(1, "name", &STRING, REQUIRED),
    one(5, "namespaceSelector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    one(11, "objectSelector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    one(10, "reinvocationPolicy", &STRING, POINTER | OMITEMPTY),
    list(3, "rules", &admissionregistration_v1::RuleWithOperations, OMITEMPTY).with(&[ListAtomic]),
    one(6, "sideEffects", &STRING, POINTER | OMITEMPTY),
    one(7, "timeoutSeconds", &INT32, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static MutatingWebhookConfiguration: Type = fields("io.k8s.api.admissionregistration.v1beta1.MutatingWebhookConfiguration", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    list(2, "webhooks", &MutatingWebhook, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
]);

#[rustfmt::skip]
pub(super) static MutatingWebhookConfigurationList: Type = fields("io.k8s.api.admissionregistration.v1beta1.MutatingWebhookConfigurationList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &MutatingWebhookConfiguration, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Mutation: Type = fields("io.k8s.api.admissionregistration.v1beta1.Mutation", &[
    one(3, "applyConfiguration", &ApplyConfiguration, POINTER | OMITEMPTY),
    one(4, "jsonPatch", &JSONPatch, POINTER | OMITEMPTY),
    one(2, "patchType", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static NamedRuleWithOperations: Type = atomic("io.k8s.api.admissionregistration.v1beta1.NamedRuleWithOperations", &[
    one(2, "", &admissionregistration_v1::RuleWithOperations, INLINE),
    list(1, "resourceNames", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static ParamKind: Type = atomic("io.k8s.api.admissionregistration.v1beta1.ParamKind", &[
    one(1, "apiVersion", &STRING, OMITEMPTY),
    one(2, "kind", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ParamRef: Type = atomic("io.k8s.api.admissionregistration.v1beta1.ParamRef", &[
    one(1, "name", &STRING, OMITEMPTY),
    one(2, "namespace", &STRING, OMITEMPTY),
    one(4, "parameterNotFoundAction", &STRING, POINTER | OMITEMPTY),
    one(3, "selector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ServiceReference: Type = fields("io.k8s.api.admissionregistration.v1beta1.ServiceReference", &[
    one(2, "name", &STRING, REQUIRED),
    one(1, "namespace", &STRING, REQUIRED),
    one(3, "path", &STRING, POINTER | OMITEMPTY),
    one(4, "port", &INT32, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static TypeChecking: Type = fields("io.k8s.api.admissionregistration.v1beta1.TypeChecking", &[
    list(1, "expressionWarnings", &ExpressionWarning, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static ValidatingAdmissionPolicy: Type = fields("io.k8s.api.admissionregistration.v1beta1.ValidatingAdmissionPolicy", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ValidatingAdmissionPolicySpec, OMITEMPTY),
    one(3, "status", &ValidatingAdmissionPolicyStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ValidatingAdmissionPolicyBinding: Type = fields("io.k8s.api.admissionregistration.v1beta1.ValidatingAdmissionPolicyBinding", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ValidatingAdmissionPolicyBindingSpec, OMITEMPTY | REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ValidatingAdmissionPolicyBindingList: Type = fields("io.k8s.api.admissionregistration.v1beta1.ValidatingAdmissionPolicyBindingList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ValidatingAdmissionPolicyBinding, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ValidatingAdmissionPolicyBindingSpec: Type = fields("io.k8s.api.admissionregistration.v1beta1.ValidatingAdmissionPolicyBindingSpec", &[
    one(3, "matchResources", &MatchResources, POINTER | OMITEMPTY),
    one(2, "paramRef", &ParamRef, POINTER | OMITEMPTY),
    one(1, "policyName", &STRING, OMITEMPTY | REQUIRED),
    list(4, "validationActions", &STRING, OMITEMPTY | REQUIRED).with(&[ListSet]),
]);

#[rustfmt::skip]
pub(super) static ValidatingAdmissionPolicyList: Type = fields("io.k8s.api.admissionregistration.v1beta1.ValidatingAdmissionPolicyList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ValidatingAdmissionPolicy, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ValidatingAdmissionPolicySpec: Type = fields("io.k8s.api.admissionregistration.v1beta1.ValidatingAdmissionPolicySpec", &[
    list(5, "auditAnnotations", &AuditAnnotation, OMITEMPTY).with(&[ListAtomic]),
    one(4, "failurePolicy", &STRING, POINTER | OMITEMPTY),
    list(6, "matchConditions", &MatchCondition, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    one(2, "matchConstraints", &MatchResources, POINTER | OMITEMPTY),
    one(1, "paramKind", &ParamKind, POINTER | OMITEMPTY),
    list(3, "validations", &Validation, OMITEMPTY).with(&[ListAtomic]),
    list(7, "variables", &Variable, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
]);

#[rustfmt::skip]
pub(super) static ValidatingAdmissionPolicyStatus: Type = fields("io.k8s.api.admissionregistration.v1beta1.ValidatingAdmissionPolicyStatus", &[
    list(3, "conditions", &apimachinery::Condition, OMITEMPTY).with(&[ListMap(&["type"])]),
    one(1, "observedGeneration", &INT64, OMITEMPTY),
    one(2, "typeChecking", &TypeChecking, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ValidatingWebhook: Type = fields("io.k8s.api.admissionregistration.v1beta1.ValidatingWebhook", &[
    list(8, "admissionReviewVersions", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(2, "clientConfig", &WebhookClientConfig, REQUIRED),
    one(4, "failurePolicy", &STRING, POINTER | OMITEMPTY),
    list(11, "matchConditions", &MatchCondition, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    one(9, "matchPolicy", &STRING, POINTER | OMITEMPTY),
    one(1, "name", &STRING, REQUIRED),
    one(5, "namespaceSelector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    one(10, "objectSelector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    list(3, "rules", &admissionregistration_v1::RuleWithOperations, OMITEMPTY).with(&[ListAtomic]),
    one(6, "sideEffects", &STRING, POINTER | OMITEMPTY).with(&[ListAtomic]),
    one(7, "timeoutSeconds", &INT32, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ValidatingWebhookConfiguration: Type = fields("io.k8s.api.admissionregistration.v1beta1.ValidatingWebhookConfiguration", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    list(2, "webhooks", &ValidatingWebhook, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
]);

#[rustfmt::skip]
pub(super) static ValidatingWebhookConfigurationList: Type = fields("io.k8s.api.admissionregistration.v1beta1.ValidatingWebhookConfigurationList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ValidatingWebhookConfiguration, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Validation: Type = fields("io.k8s.api.admissionregistration.v1beta1.Validation", &[
    one(1, "expression", &STRING, REQUIRED),
    one(2, "message", &STRING, OMITEMPTY),
    one(4, "messageExpression", &STRING, OMITEMPTY),
    one(3, "reason", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Variable: Type = atomic("io.k8s.api.admissionregistration.v1beta1.Variable", &[
    one(2, "expression", &STRING, REQUIRED),
    one(1, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static WebhookClientConfig: Type = fields("io.k8s.api.admissionregistration.v1beta1.WebhookClientConfig", &[
    one(2, "caBundle", &BYTES, OMITEMPTY),
    one(1, "service", &ServiceReference, POINTER | OMITEMPTY),
    one(3, "url", &STRING, POINTER | OMITEMPTY),
]);
