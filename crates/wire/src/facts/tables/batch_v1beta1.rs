//! The types of `batch_v1beta1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, batch_v1, core_v1};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static CronJob: Type = fields("io.k8s.api.batch.v1beta1.CronJob", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &CronJobSpec, OMITEMPTY | REQUIRED),
    one(3, "status", &CronJobStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CronJobList: Type = fields("io.k8s.api.batch.v1beta1.CronJobList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &CronJob, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static CronJobSpec: Type = fields("io.k8s.api.batch.v1beta1.CronJobSpec", &[
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
pub(super) static CronJobStatus: Type = fields("io.k8s.api.batch.v1beta1.CronJobStatus", &[
    list(1, "active", &core_v1::ObjectReference, OMITEMPTY).with(&[ListAtomic]),
    one(4, "lastScheduleTime", &apimachinery::Time, POINTER | OMITEMPTY),
    one(5, "lastSuccessfulTime", &apimachinery::Time, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static JobTemplateSpec: Type = fields("io.k8s.api.batch.v1beta1.JobTemplateSpec", &[
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &batch_v1::JobSpec, OMITEMPTY),
]);
