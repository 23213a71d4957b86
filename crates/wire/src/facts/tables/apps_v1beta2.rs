//! The types of `apps_v1beta2`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, core_v1};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static ControllerRevision: Type = fields("io.k8s.api.apps.v1beta2.ControllerRevision", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(2, "data", &apimachinery::RawExtension, REQUIRED),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(3, "revision", &INT64, 0),
]);

#[rustfmt::skip]
pub(super) static ControllerRevisionList: Type = fields("io.k8s.api.apps.v1beta2.ControllerRevisionList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ControllerRevision, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DaemonSet: Type = fields("io.k8s.api.apps.v1beta2.DaemonSet", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &DaemonSetSpec, OMITEMPTY | REQUIRED),
    one(3, "status", &DaemonSetStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DaemonSetCondition: Type = fields("io.k8s.api.apps.v1beta2.DaemonSetCondition", &[
    one(3, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(5, "message", &STRING, OMITEMPTY),
    one(4, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, 0),
    one(1, "type", &STRING, 0),
]);

#[rustfmt::skip]
pub(super) static DaemonSetList: Type = fields("io.k8s.api.apps.v1beta2.DaemonSetList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &DaemonSet, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DaemonSetSpec: Type = fields("io.k8s.api.apps.v1beta2.DaemonSetSpec", &[
    one(4, "minReadySeconds", &INT32, OMITEMPTY),
    one(6, "revisionHistoryLimit", &INT32, POINTER | OMITEMPTY),
    one(1, "selector", &apimachinery::LabelSelector, POINTER | REQUIRED),
    one(2, "template", &core_v1::PodTemplateSpec, REQUIRED),
    one(3, "updateStrategy", &DaemonSetUpdateStrategy, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DaemonSetStatus: Type = fields("io.k8s.api.apps.v1beta2.DaemonSetStatus", &[
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
pub(super) static DaemonSetUpdateStrategy: Type = fields("io.k8s.api.apps.v1beta2.DaemonSetUpdateStrategy", &[
    one(2, "rollingUpdate", &RollingUpdateDaemonSet, POINTER | OMITEMPTY),
    one(1, "type", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Deployment: Type = fields("io.k8s.api.apps.v1beta2.Deployment", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &DeploymentSpec, OMITEMPTY | REQUIRED),
    one(3, "status", &DeploymentStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DeploymentCondition: Type = fields("io.k8s.api.apps.v1beta2.DeploymentCondition", &[
    one(7, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(6, "lastUpdateTime", &apimachinery::Time, OMITEMPTY),
    one(5, "message", &STRING, OMITEMPTY),
    one(4, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, 0),
    one(1, "type", &STRING, 0),
]);

#[rustfmt::skip]
pub(super) static DeploymentList: Type = fields("io.k8s.api.apps.v1beta2.DeploymentList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Deployment, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DeploymentSpec: Type = fields("io.k8s.api.apps.v1beta2.DeploymentSpec", &[
    one(5, "minReadySeconds", &INT32, OMITEMPTY),
    one(7, "paused", &BOOL, OMITEMPTY),
    one(9, "progressDeadlineSeconds", &INT32, POINTER | OMITEMPTY),
    one(1, "replicas", &INT32, POINTER | OMITEMPTY),
    one(6, "revisionHistoryLimit", &INT32, POINTER | OMITEMPTY),
    one(2, "selector", &apimachinery::LabelSelector, POINTER | REQUIRED),
    one(4, "strategy", &DeploymentStrategy, OMITEMPTY).with(&[Patch("retainKeys", "")]),
    one(3, "template", &core_v1::PodTemplateSpec, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static DeploymentStatus: Type = fields("io.k8s.api.apps.v1beta2.DeploymentStatus", &[
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
pub(super) static DeploymentStrategy: Type = fields("io.k8s.api.apps.v1beta2.DeploymentStrategy", &[
    one(2, "rollingUpdate", &RollingUpdateDeployment, POINTER | OMITEMPTY),
    one(1, "type", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ReplicaSet: Type = fields("io.k8s.api.apps.v1beta2.ReplicaSet", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ReplicaSetSpec, OMITEMPTY | REQUIRED),
    one(3, "status", &ReplicaSetStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ReplicaSetCondition: Type = fields("io.k8s.api.apps.v1beta2.ReplicaSetCondition", &[
    one(3, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(5, "message", &STRING, OMITEMPTY),
    one(4, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, 0),
    one(1, "type", &STRING, 0),
]);

#[rustfmt::skip]
pub(super) static ReplicaSetList: Type = fields("io.k8s.api.apps.v1beta2.ReplicaSetList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &ReplicaSet, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ReplicaSetSpec: Type = fields("io.k8s.api.apps.v1beta2.ReplicaSetSpec", &[
    one(4, "minReadySeconds", &INT32, OMITEMPTY),
    one(1, "replicas", &INT32, POINTER | OMITEMPTY),
    one(2, "selector", &apimachinery::LabelSelector, POINTER | REQUIRED),
    one(3, "template", &core_v1::PodTemplateSpec, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ReplicaSetStatus: Type = fields("io.k8s.api.apps.v1beta2.ReplicaSetStatus", &[
    one(5, "availableReplicas", &INT32, OMITEMPTY),
    list(6, "conditions", &ReplicaSetCondition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(2, "fullyLabeledReplicas", &INT32, OMITEMPTY),
    one(3, "observedGeneration", &INT64, OMITEMPTY),
    one(4, "readyReplicas", &INT32, OMITEMPTY),
    one(1, "replicas", &INT32, REQUIRED),
    one(7, "terminatingReplicas", &INT32, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static RollingUpdateDaemonSet: Type = fields("io.k8s.api.apps.v1beta2.RollingUpdateDaemonSet", &[
    one(2, "maxSurge", &apimachinery::IntOrString, POINTER | OMITEMPTY),
    one(1, "maxUnavailable", &apimachinery::IntOrString, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static RollingUpdateDeployment: Type = fields("io.k8s.api.apps.v1beta2.RollingUpdateDeployment", &[
    one(2, "maxSurge", &apimachinery::IntOrString, POINTER | OMITEMPTY),
    one(1, "maxUnavailable", &apimachinery::IntOrString, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static RollingUpdateStatefulSetStrategy: Type = fields("io.k8s.api.apps.v1beta2.RollingUpdateStatefulSetStrategy", &[
    one(2, "maxUnavailable", &apimachinery::IntOrString, POINTER | OMITEMPTY),
    one(1, "partition", &INT32, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Scale: Type = fields("io.k8s.api.apps.v1beta2.Scale", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &ScaleSpec, OMITEMPTY),
    one(3, "status", &ScaleStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ScaleSpec: Type = fields("io.k8s.api.apps.v1beta2.ScaleSpec", &[
    one(1, "replicas", &INT32, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ScaleStatus: Type = fields("io.k8s.api.apps.v1beta2.ScaleStatus", &[
    one(1, "replicas", &INT32, 0),
    map(2, "selector", &STRING, OMITEMPTY).with(&[MapAtomic]),
    one(3, "targetSelector", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StatefulSet: Type = fields("io.k8s.api.apps.v1beta2.StatefulSet", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    one(2, "spec", &StatefulSetSpec, OMITEMPTY | REQUIRED),
    one(3, "status", &StatefulSetStatus, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StatefulSetCondition: Type = fields("io.k8s.api.apps.v1beta2.StatefulSetCondition", &[
    one(3, "lastTransitionTime", &apimachinery::Time, OMITEMPTY),
    one(5, "message", &STRING, OMITEMPTY),
    one(4, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, 0),
    one(1, "type", &STRING, 0),
]);

#[rustfmt::skip]
pub(super) static StatefulSetList: Type = fields("io.k8s.api.apps.v1beta2.StatefulSetList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &StatefulSet, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StatefulSetOrdinals: Type = fields("io.k8s.api.apps.v1beta2.StatefulSetOrdinals", &[
    one(1, "start", &INT32, 0),
]);

#[rustfmt::skip]
pub(super) static StatefulSetPersistentVolumeClaimRetentionPolicy: Type = fields("io.k8s.api.apps.v1beta2.StatefulSetPersistentVolumeClaimRetentionPolicy", &[
    one(1, "whenDeleted", &STRING, OMITEMPTY),
    one(2, "whenScaled", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StatefulSetSpec: Type = fields("io.k8s.api.apps.v1beta2.StatefulSetSpec", &[
    one(9, "minReadySeconds", &INT32, OMITEMPTY),
    one(11, "ordinals", &StatefulSetOrdinals, POINTER | OMITEMPTY),
    one(10, "persistentVolumeClaimRetentionPolicy", &StatefulSetPersistentVolumeClaimRetentionPolicy, POINTER | OMITEMPTY),
    one(6, "podManagementPolicy", &STRING, OMITEMPTY),
    one(1, "replicas", &INT32, POINTER | OMITEMPTY),
    one(8, "revisionHistoryLimit", &INT32, POINTER | OMITEMPTY),
    one(2, "selector", &apimachinery::LabelSelector, POINTER | REQUIRED),
    one(5, "serviceName", &STRING, 0),
    one(3, "template", &core_v1::PodTemplateSpec, REQUIRED),
    one(7, "updateStrategy", &StatefulSetUpdateStrategy, OMITEMPTY),
    list(4, "volumeClaimTemplates", &core_v1::PersistentVolumeClaim, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static StatefulSetStatus: Type = fields("io.k8s.api.apps.v1beta2.StatefulSetStatus", &[
    one(11, "availableReplicas", &INT32, 0),
    one(9, "collisionCount", &INT32, POINTER | OMITEMPTY),
    list(10, "conditions", &StatefulSetCondition, OMITEMPTY).with(&[ListMap(&["type"]), Patch("merge", "type")]),
    one(4, "currentReplicas", &INT32, OMITEMPTY),
    one(6, "currentRevision", &STRING, OMITEMPTY),
    one(1, "observedGeneration", &INT64, OMITEMPTY),
    one(3, "readyReplicas", &INT32, OMITEMPTY),
    one(2, "replicas", &INT32, REQUIRED),
    one(7, "updateRevision", &STRING, OMITEMPTY),
    one(5, "updatedReplicas", &INT32, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StatefulSetUpdateStrategy: Type = fields("io.k8s.api.apps.v1beta2.StatefulSetUpdateStrategy", &[
    one(2, "rollingUpdate", &RollingUpdateStatefulSetStrategy, POINTER | OMITEMPTY),
    one(1, "type", &STRING, OMITEMPTY),
]);
