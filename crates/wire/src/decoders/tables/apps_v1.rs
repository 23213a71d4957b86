//! The types of `apps_v1`, Kubernetes v1.37.1, k8s-openapi 0.29.0. Made by `cargo xtask facts`; do not edit.

object!(k8s_openapi::api::apps::v1::DaemonSet as "io.k8s.api.apps.v1.DaemonSet" {
    1 metadata "metadata";
    2 spec "spec";
    3 status "status";
});

message!(k8s_openapi::api::apps::v1::DaemonSetCondition {
    1 type_ "type" always;
    2 status "status" always;
    3 last_transition_time "lastTransitionTime";
    4 reason "reason" omitempty;
    5 message "message" omitempty;
});

message!(k8s_openapi::api::apps::v1::DaemonSetSpec {
    1 selector "selector";
    2 template "template" always;
    3 update_strategy "updateStrategy";
    4 min_ready_seconds "minReadySeconds" omitempty;
    6 revision_history_limit "revisionHistoryLimit";
});

message!(k8s_openapi::api::apps::v1::DaemonSetStatus {
    1 current_number_scheduled "currentNumberScheduled" always;
    2 number_misscheduled "numberMisscheduled" always;
    3 desired_number_scheduled "desiredNumberScheduled" always;
    4 number_ready "numberReady" always;
    5 observed_generation "observedGeneration" omitempty;
    6 updated_number_scheduled "updatedNumberScheduled" omitempty;
    7 number_available "numberAvailable" omitempty;
    8 number_unavailable "numberUnavailable" omitempty;
    9 collision_count "collisionCount";
    10 conditions "conditions";
});

message!(k8s_openapi::api::apps::v1::DaemonSetUpdateStrategy {
    1 type_ "type" omitempty;
    2 rolling_update "rollingUpdate";
});

object!(k8s_openapi::api::apps::v1::Deployment as "io.k8s.api.apps.v1.Deployment" {
    1 metadata "metadata";
    2 spec "spec";
    3 status "status";
});

message!(k8s_openapi::api::apps::v1::DeploymentCondition {
    1 type_ "type" always;
    2 status "status" always;
    4 reason "reason" omitempty;
    5 message "message" omitempty;
    6 last_update_time "lastUpdateTime";
    7 last_transition_time "lastTransitionTime";
});

message!(k8s_openapi::api::apps::v1::DeploymentSpec {
    1 replicas "replicas";
    2 selector "selector";
    3 template "template" always;
    4 strategy "strategy";
    5 min_ready_seconds "minReadySeconds" omitempty;
    6 revision_history_limit "revisionHistoryLimit";
    7 paused "paused" omitempty;
    9 progress_deadline_seconds "progressDeadlineSeconds";
});

message!(k8s_openapi::api::apps::v1::DeploymentStatus {
    1 observed_generation "observedGeneration" omitempty;
    2 replicas "replicas" omitempty;
    3 updated_replicas "updatedReplicas" omitempty;
    4 available_replicas "availableReplicas" omitempty;
    5 unavailable_replicas "unavailableReplicas" omitempty;
    6 conditions "conditions";
    7 ready_replicas "readyReplicas" omitempty;
    8 collision_count "collisionCount";
    9 terminating_replicas "terminatingReplicas";
});

message!(k8s_openapi::api::apps::v1::DeploymentStrategy {
    1 type_ "type" omitempty;
    2 rolling_update "rollingUpdate";
});

object!(k8s_openapi::api::apps::v1::ReplicaSet as "io.k8s.api.apps.v1.ReplicaSet" {
    1 metadata "metadata";
    2 spec "spec";
    3 status "status";
});

message!(k8s_openapi::api::apps::v1::ReplicaSetCondition {
    1 type_ "type" always;
    2 status "status" always;
    3 last_transition_time "lastTransitionTime";
    4 reason "reason" omitempty;
    5 message "message" omitempty;
});

message!(k8s_openapi::api::apps::v1::ReplicaSetSpec {
    1 replicas "replicas";
    2 selector "selector";
    3 template "template";
    4 min_ready_seconds "minReadySeconds" omitempty;
});

message!(k8s_openapi::api::apps::v1::ReplicaSetStatus {
    1 replicas "replicas" always;
    2 fully_labeled_replicas "fullyLabeledReplicas" omitempty;
    3 observed_generation "observedGeneration" omitempty;
    4 ready_replicas "readyReplicas" omitempty;
    5 available_replicas "availableReplicas" omitempty;
    6 conditions "conditions";
    7 terminating_replicas "terminatingReplicas";
});

message!(k8s_openapi::api::apps::v1::RollingUpdateDaemonSet {
    1 max_unavailable "maxUnavailable";
    2 max_surge "maxSurge";
});

message!(k8s_openapi::api::apps::v1::RollingUpdateDeployment {
    1 max_unavailable "maxUnavailable";
    2 max_surge "maxSurge";
});

message!(k8s_openapi::api::apps::v1::RollingUpdateStatefulSetStrategy {
    1 partition "partition";
    2 max_unavailable "maxUnavailable";
});

object!(k8s_openapi::api::apps::v1::StatefulSet as "io.k8s.api.apps.v1.StatefulSet" {
    1 metadata "metadata";
    2 spec "spec";
    3 status "status";
});

message!(k8s_openapi::api::apps::v1::StatefulSetCondition {
    1 type_ "type" always;
    2 status "status" always;
    3 last_transition_time "lastTransitionTime";
    4 reason "reason" omitempty;
    5 message "message" omitempty;
});

message!(k8s_openapi::api::apps::v1::StatefulSetOrdinals {
    1 start "start" always;
});

message!(k8s_openapi::api::apps::v1::StatefulSetPersistentVolumeClaimRetentionPolicy {
    1 when_deleted "whenDeleted" omitempty;
    2 when_scaled "whenScaled" omitempty;
});

message!(k8s_openapi::api::apps::v1::StatefulSetSpec {
    1 replicas "replicas";
    2 selector "selector";
    3 template "template" always;
    4 volume_claim_templates "volumeClaimTemplates";
    5 service_name "serviceName" always;
    6 pod_management_policy "podManagementPolicy" omitempty;
    7 update_strategy "updateStrategy";
    8 revision_history_limit "revisionHistoryLimit";
    9 min_ready_seconds "minReadySeconds" omitempty;
    10 persistent_volume_claim_retention_policy "persistentVolumeClaimRetentionPolicy";
    11 ordinals "ordinals";
});

message!(k8s_openapi::api::apps::v1::StatefulSetStatus {
    1 observed_generation "observedGeneration" omitempty;
    2 replicas "replicas" always;
    3 ready_replicas "readyReplicas" omitempty;
    4 current_replicas "currentReplicas" omitempty;
    5 updated_replicas "updatedReplicas" omitempty;
    6 current_revision "currentRevision" omitempty;
    7 update_revision "updateRevision" omitempty;
    9 collision_count "collisionCount";
    10 conditions "conditions";
    11 available_replicas "availableReplicas" always;
});

message!(k8s_openapi::api::apps::v1::StatefulSetUpdateStrategy {
    1 type_ "type" omitempty;
    2 rolling_update "rollingUpdate";
});
