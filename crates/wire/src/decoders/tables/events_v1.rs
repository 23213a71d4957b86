//! The types of `events_v1`, Kubernetes v1.37.1, k8s-openapi 0.29.0. Made by `cargo xtask facts`; do not edit.

object!(k8s_openapi::api::events::v1::Event as "io.k8s.api.events.v1.Event" {
    1 metadata "metadata" always;
    2 event_time "eventTime" always;
    3 series "series";
    4 reporting_controller "reportingController" omitempty;
    5 reporting_instance "reportingInstance" omitempty;
    6 action "action" omitempty;
    7 reason "reason" omitempty;
    8 regarding "regarding";
    9 related "related";
    10 note "note" omitempty;
    11 type_ "type" omitempty;
    12 deprecated_source "deprecatedSource";
    13 deprecated_first_timestamp "deprecatedFirstTimestamp";
    14 deprecated_last_timestamp "deprecatedLastTimestamp";
    15 deprecated_count "deprecatedCount" omitempty;
});

message!(k8s_openapi::api::events::v1::EventSeries {
    1 count "count" always;
    2 last_observed_time "lastObservedTime" required;
});
