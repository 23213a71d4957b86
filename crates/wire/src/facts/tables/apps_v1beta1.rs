//! The types of `apps_v1beta1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, core_v1};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static ControllerRevision: Type = fields("io.k8s.api.apps.v1beta1.ControllerRevision", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(2, "data", &apimachinery::RawExtension, REQUIRED),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(3, "revision", &INT64, 0),
]);

#[rustfmt::skip]
pub(super) static ControllerRevisionList: Type = fields("io.k8s.api.apps.v1beta1.ControllerRevisionList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ControllerRevision, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Deployment: Type = fields("io.k8s.api.apps.v1beta1.Deployment", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &DeploymentSpec, OMITEMPTY | REQUIRED),
    one(3, "status", &DeploymentStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DeploymentCondition: Type = fields("io.k8s.api.apps.v1beta1.DeploymentCondition", &[
    one(7, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(6, "lastUpdateTime", &apimachinery::Time, OMITEMPTY),
    one(5, "message", &STRING, OMITEMPTY),
    one(4, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, 0),
    one(1, "type", &STRING, 0),
]);

#[rustfmt::skip]
pub(super) static DeploymentList: Type = fields("io.k8s.api.apps.v1beta1.DeploymentList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Deployment, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DeploymentRollback: Type = fields("io.k8s.api.apps.v1beta1.DeploymentRollback", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "name", &STRING, REQUIRED),
    one(3, "rollbackTo", &RollbackConfig, 0),
    map(2, "updatedAnnotations", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DeploymentSpec: Type = fields("io.k8s.api.apps.v1beta1.DeploymentSpec", &[
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
pub(super) static DeploymentStatus: Type = fields("io.k8s.api.apps.v1beta1.DeploymentStatus", &[
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
pub(super) static DeploymentStrategy: Type = fields("io.k8s.api.apps.v1beta1.DeploymentStrategy", &[
    one(2, "rollingUpdate", &RollingUpdateDeployment, POINTER | OMITEMPTY),
    one(1, "type", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static RollbackConfig: Type = fields("io.k8s.api.apps.v1beta1.RollbackConfig", &[
    one(1, "revision", &INT64, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static RollingUpdateDeployment: Type = fields("io.k8s.api.apps.v1beta1.RollingUpdateDeployment", &[
    one(2, "maxSurge", &apimachinery::IntOrString, POINTER | OMITEMPTY),
    one(1, "maxUnavailable", &apimachinery::IntOrString, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static RollingUpdateStatefulSetStrategy: Type = fields("io.k8s.api.apps.v1beta1.RollingUpdateStatefulSetStrategy", &[
    one(2, "maxUnavailable", &apimachinery::IntOrString, POINTER | OMITEMPTY),
    one(1, "partition", &INT32, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Scale: Type = fields("io.k8s.api.apps.v1beta1.Scale", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ScaleSpec, OMITEMPTY),
    one(3, "status", &ScaleStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ScaleSpec: Type = fields("io.k8s.api.apps.v1beta1.ScaleSpec", &[
    one(1, "replicas", &INT32, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ScaleStatus: Type = fields("io.k8s.api.apps.v1beta1.ScaleStatus", &[
    one(1, "replicas", &INT32, 0),
    map(2, "selector", &STRING, OMITEMPTY),
    one(3, "targetSelector", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StatefulSet: Type = fields("io.k8s.api.apps.v1beta1.StatefulSet", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &StatefulSetSpec, OMITEMPTY | REQUIRED),
    one(3, "status", &StatefulSetStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StatefulSetCondition: Type = fields("io.k8s.api.apps.v1beta1.StatefulSetCondition", &[
    one(3, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(5, "message", &STRING, OMITEMPTY),
    one(4, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, 0),
    one(1, "type", &STRING, 0),
]);

#[rustfmt::skip]
pub(super) static StatefulSetList: Type = fields("io.k8s.api.apps.v1beta1.StatefulSetList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &StatefulSet, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StatefulSetOrdinals: Type = fields("io.k8s.api.apps.v1beta1.StatefulSetOrdinals", &[
    one(1, "start", &INT32, 0),
]);

#[rustfmt::skip]
pub(super) static StatefulSetPersistentVolumeClaimRetentionPolicy: Type = fields("io.k8s.api.apps.v1beta1.StatefulSetPersistentVolumeClaimRetentionPolicy", &[
    one(1, "whenDeleted", &STRING, OMITEMPTY),
    one(2, "whenScaled", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StatefulSetSpec: Type = fields("io.k8s.api.apps.v1beta1.StatefulSetSpec", &[
    one(9, "minReadySeconds", &INT32, OMITEMPTY),
    one(11, "ordinals", &StatefulSetOrdinals, POINTER | OMITEMPTY),
    one(10, "persistentVolumeClaimRetentionPolicy", &StatefulSetPersistentVolumeClaimRetentionPolicy, POINTER | OMITEMPTY),
    one(6, "podManagementPolicy", &STRING, OMITEMPTY),
    one(1, "replicas", &INT32, POINTER | OMITEMPTY),
    one(8, "revisionHistoryLimit", &INT32, POINTER | OMITEMPTY),
    one(2, "selector", &apimachinery::LabelSelector, POINTER | OMITEMPTY | REQUIRED),
    one(5, "serviceName", &STRING, 0),
    one(3, "template", &core_v1::PodTemplateSpec, REQUIRED),
    one(7, "updateStrategy", &StatefulSetUpdateStrategy, OMITEMPTY),
    list(4, "volumeClaimTemplates", &core_v1::PersistentVolumeClaim, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static StatefulSetStatus: Type = fields("io.k8s.api.apps.v1beta1.StatefulSetStatus", &[
    one(11, "availableReplicas", &INT32, 0),
    one(9, "collisionCount", &INT32, POINTER | OMITEMPTY),
    list(10, "conditions", &StatefulSetCondition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(4, "currentReplicas", &INT32, OMITEMPTY),
    one(6, "currentRevision", &STRING, OMITEMPTY),
    one(1, "observedGeneration", &INT64, POINTER | OMITEMPTY),
    one(3, "readyReplicas", &INT32, OMITEMPTY),
    one(2, "replicas", &INT32, REQUIRED),
    one(7, "updateRevision", &STRING, OMITEMPTY),
    one(5, "updatedReplicas", &INT32, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StatefulSetUpdateStrategy: Type = fields("io.k8s.api.apps.v1beta1.StatefulSetUpdateStrategy", &[
    one(2, "rollingUpdate", &RollingUpdateStatefulSetStrategy, POINTER | OMITEMPTY),
    one(1, "type", &STRING, OMITEMPTY),
]);
