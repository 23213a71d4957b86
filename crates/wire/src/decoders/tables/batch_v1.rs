//! The types of `batch_v1`, Kubernetes v1.37.1, k8s-openapi 0.29.0. Made by `cargo xtask facts`; do not edit.

object!(k8s_openapi::api::batch::v1::CronJob as "io.k8s.api.batch.v1.CronJob" {
    1 metadata "metadata";
    2 spec "spec";
    3 status "status";
});

message!(k8s_openapi::api::batch::v1::CronJobSpec {
    1 schedule "schedule" always;
    2 starting_deadline_seconds "startingDeadlineSeconds";
    3 concurrency_policy "concurrencyPolicy" omitempty;
    4 suspend "suspend";
    5 job_template "jobTemplate" always;
    6 successful_jobs_history_limit "successfulJobsHistoryLimit";
    7 failed_jobs_history_limit "failedJobsHistoryLimit";
    8 time_zone "timeZone";
});

message!(k8s_openapi::api::batch::v1::CronJobStatus {
    1 active "active";
    4 last_schedule_time "lastScheduleTime";
    5 last_successful_time "lastSuccessfulTime";
});

object!(k8s_openapi::api::batch::v1::Job as "io.k8s.api.batch.v1.Job" {
    1 metadata "metadata";
    2 spec "spec";
    3 status "status";
});

message!(k8s_openapi::api::batch::v1::JobCondition {
    1 type_ "type" always;
    2 status "status" always;
    3 last_probe_time "lastProbeTime";
    4 last_transition_time "lastTransitionTime";
    5 reason "reason" omitempty;
    6 message "message" omitempty;
});

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::batch::v1::JobSchedulingConfiguration {
    1 scheduling_policy "schedulingPolicy";
    2 scheduling_constraints "schedulingConstraints";
    3 disruption_mode "disruptionMode";
    4 resource_claims "resourceClaims";
});
}

k8s_openapi::k8s_if_le_1_36! {
message!(k8s_openapi::api::batch::v1::JobSpec {
    1 parallelism "parallelism";
    2 completions "completions";
    3 active_deadline_seconds "activeDeadlineSeconds";
    4 selector "selector";
    5 manual_selector "manualSelector";
    6 template "template" always;
    7 backoff_limit "backoffLimit";
    8 ttl_seconds_after_finished "ttlSecondsAfterFinished";
    9 completion_mode "completionMode";
    10 suspend "suspend";
    11 pod_failure_policy "podFailurePolicy";
    12 backoff_limit_per_index "backoffLimitPerIndex";
    13 max_failed_indexes "maxFailedIndexes";
    14 pod_replacement_policy "podReplacementPolicy";
    15 managed_by "managedBy";
    16 success_policy "successPolicy";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::batch::v1::JobSpec {
    1 parallelism "parallelism";
    2 completions "completions";
    3 active_deadline_seconds "activeDeadlineSeconds";
    4 selector "selector";
    5 manual_selector "manualSelector";
    6 template "template" always;
    7 backoff_limit "backoffLimit";
    8 ttl_seconds_after_finished "ttlSecondsAfterFinished";
    9 completion_mode "completionMode";
    10 suspend "suspend";
    11 pod_failure_policy "podFailurePolicy";
    12 backoff_limit_per_index "backoffLimitPerIndex";
    13 max_failed_indexes "maxFailedIndexes";
    14 pod_replacement_policy "podReplacementPolicy";
    15 managed_by "managedBy";
    16 success_policy "successPolicy";
    17 scheduling "scheduling";
});
}

message!(k8s_openapi::api::batch::v1::JobStatus {
    1 conditions "conditions";
    2 start_time "startTime";
    3 completion_time "completionTime";
    4 active "active" omitempty;
    5 succeeded "succeeded" omitempty;
    6 failed "failed" omitempty;
    7 completed_indexes "completedIndexes" omitempty;
    8 uncounted_terminated_pods "uncountedTerminatedPods";
    9 ready "ready";
    10 failed_indexes "failedIndexes";
    11 terminating "terminating";
});

message!(k8s_openapi::api::batch::v1::JobTemplateSpec {
    1 metadata "metadata";
    2 spec "spec";
});

message!(k8s_openapi::api::batch::v1::PodFailurePolicy {
    1 rules "rules";
});

message!(k8s_openapi::api::batch::v1::PodFailurePolicyOnExitCodesRequirement {
    1 container_name "containerName";
    2 operator "operator" always;
    3 values "values";
});

message!(k8s_openapi::api::batch::v1::PodFailurePolicyOnPodConditionsPattern {
    1 type_ "type" always;
    2 status "status" always;
});

message!(k8s_openapi::api::batch::v1::PodFailurePolicyRule {
    1 action "action" always;
    2 on_exit_codes "onExitCodes";
    3 on_pod_conditions "onPodConditions";
});

message!(k8s_openapi::api::batch::v1::SuccessPolicy {
    1 rules "rules";
});

message!(k8s_openapi::api::batch::v1::SuccessPolicyRule {
    1 succeeded_indexes "succeededIndexes";
    2 succeeded_count "succeededCount";
});

message!(k8s_openapi::api::batch::v1::UncountedTerminatedPods {
    1 succeeded "succeeded";
    2 failed "failed";
});
