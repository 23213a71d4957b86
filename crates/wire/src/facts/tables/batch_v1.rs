//! The types of `batch_v1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, core_v1, scheduling_v1alpha3};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static CronJob: Type = fields("io.k8s.api.batch.v1.CronJob", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &CronJobSpec, OMITEMPTY | REQUIRED),
    one(3, "status", &CronJobStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CronJobList: Type = fields("io.k8s.api.batch.v1.CronJobList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &CronJob, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CronJobSpec: Type = fields("io.k8s.api.batch.v1.CronJobSpec", &[
    one(3, "concurrencyPolicy", &STRING, OMITEMPTY),
    one(7, "failedJobsHistoryLimit", &INT32, POINTER | OMITEMPTY),
    one(5, "jobTemplate", &JobTemplateSpec, REQUIRED),
    one(1, "schedule", &STRING, REQUIRED),
    one(2, "startingDeadlineSeconds", &INT64, POINTER | OMITEMPTY),
    one(6, "successfulJobsHistoryLimit", &INT32, POINTER | OMITEMPTY),
    one(4, "suspend", &BOOL, POINTER | OMITEMPTY),
    one(8, "timeZone", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CronJobStatus: Type = fields("io.k8s.api.batch.v1.CronJobStatus", &[
    list(1, "active", &core_v1::ObjectReference, OMITEMPTY).with(&[ListAtomic]),
    one(4, "lastScheduleTime", &apimachinery::Time, POINTER | OMITEMPTY),
    one(5, "lastSuccessfulTime", &apimachinery::Time, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Job: Type = fields("io.k8s.api.batch.v1.Job", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &JobSpec, OMITEMPTY),
    one(3, "status", &JobStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static JobCondition: Type = fields("io.k8s.api.batch.v1.JobCondition", &[
    one(3, "lastProbeTime", &apimachinery::Time, OMITEMPTY),
    one(4, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(6, "message", &STRING, OMITEMPTY),
    one(5, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static JobList: Type = fields("io.k8s.api.batch.v1.JobList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Job, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static JobSchedulingConfiguration: Type = fields("io.k8s.api.batch.v1.JobSchedulingConfiguration", &[
    one(3, "disruptionMode", &scheduling_v1alpha3::WorkloadPodGroupDisruptionMode, POINTER | OMITEMPTY),
    list(4, "resourceClaims", &scheduling_v1alpha3::WorkloadPodGroupResourceClaim, OMITEMPTY).with(&[ListMap(&["name"]), Patch("merge", "name")]),
    one(2, "schedulingConstraints", &scheduling_v1alpha3::WorkloadPodGroupSchedulingConstraints, POINTER | OMITEMPTY),
    one(1, "schedulingPolicy", &scheduling_v1alpha3::WorkloadPodGroupSchedulingPolicy, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static JobSpec: Type = fields("io.k8s.api.batch.v1.JobSpec", &[
    one(3, "activeDeadlineSeconds", &INT64, POINTER | OMITEMPTY),
    one(7, "backoffLimit", &INT32, POINTER | OMITEMPTY),
    one(12, "backoffLimitPerIndex", &INT32, POINTER | OMITEMPTY),
    one(9, "completionMode", &STRING, POINTER | OMITEMPTY),
    one(2, "completions", &INT32, POINTER | OMITEMPTY),
    one(15, "managedBy", &STRING, POINTER | OMITEMPTY),
    one(5, "manualSelector", &BOOL, POINTER | OMITEMPTY),
    one(13, "maxFailedIndexes", &INT32, POINTER | OMITEMPTY),
    one(1, "parallelism", &INT32, POINTER | OMITEMPTY),
    one(11, "podFailurePolicy", &PodFailurePolicy, POINTER | OMITEMPTY),
    one(14, "podReplacementPolicy", &STRING, POINTER | OMITEMPTY),
    one(17, "scheduling", &JobSchedulingConfiguration, POINTER | OMITEMPTY),
    one(4, "selector", &apimachinery::LabelSelector, POINTER | OMITEMPTY),
    one(16, "successPolicy", &SuccessPolicy, POINTER | OMITEMPTY),
    one(10, "suspend", &BOOL, POINTER | OMITEMPTY),
    one(6, "template", &core_v1::PodTemplateSpec, REQUIRED),
    one(8, "ttlSecondsAfterFinished", &INT32, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static JobStatus: Type = fields("io.k8s.api.batch.v1.JobStatus", &[
    one(4, "active", &INT32, OMITEMPTY),
    one(7, "completedIndexes", &STRING, OMITEMPTY),
    one(3, "completionTime", &apimachinery::Time, POINTER | OMITEMPTY),
    list(1, "conditions", &JobCondition, OMITEMPTY).with(&[ListAtomic, Patch("merge", "type")]),
    one(6, "failed", &INT32, OMITEMPTY),
    one(10, "failedIndexes", &STRING, POINTER | OMITEMPTY),
    one(9, "ready", &INT32, POINTER | OMITEMPTY),
    one(2, "startTime", &apimachinery::Time, POINTER | OMITEMPTY),
    one(5, "succeeded", &INT32, OMITEMPTY),
    one(11, "terminating", &INT32, POINTER | OMITEMPTY),
    one(8, "uncountedTerminatedPods", &UncountedTerminatedPods, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static JobTemplateSpec: Type = fields("io.k8s.api.batch.v1.JobTemplateSpec", &[
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &JobSpec, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PodFailurePolicy: Type = fields("io.k8s.api.batch.v1.PodFailurePolicy", &[
    list(1, "rules", &PodFailurePolicyRule, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static PodFailurePolicyOnExitCodesRequirement: Type = fields("io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement", &[
    one(1, "containerName", &STRING, POINTER | OMITEMPTY),
    one(2, "operator", &STRING, REQUIRED),
    list(3, "values", &INT32, REQUIRED).with(&[ListSet]),
]);

#[rustfmt::skip]
pub(super) static PodFailurePolicyOnPodConditionsPattern: Type = fields("io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern", &[
    one(2, "status", &STRING, 0),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PodFailurePolicyRule: Type = fields("io.k8s.api.batch.v1.PodFailurePolicyRule", &[
    one(1, "action", &STRING, REQUIRED),
    one(2, "onExitCodes", &PodFailurePolicyOnExitCodesRequirement, POINTER | OMITEMPTY),
    list(3, "onPodConditions", &PodFailurePolicyOnPodConditionsPattern, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static SuccessPolicy: Type = fields("io.k8s.api.batch.v1.SuccessPolicy", &[
    list(1, "rules", &SuccessPolicyRule, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static SuccessPolicyRule: Type = fields("io.k8s.api.batch.v1.SuccessPolicyRule", &[
    one(2, "succeededCount", &INT32, POINTER | OMITEMPTY),
    one(1, "succeededIndexes", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static UncountedTerminatedPods: Type = fields("io.k8s.api.batch.v1.UncountedTerminatedPods", &[
    list(2, "failed", &STRING, OMITEMPTY).with(&[ListSet]),
    list(1, "succeeded", &STRING, OMITEMPTY).with(&[ListSet]),
]);
