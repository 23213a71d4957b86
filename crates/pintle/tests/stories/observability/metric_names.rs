//! The names, types and labels that dashboards and alerts of others rely on.

/// controller-runtime's, with client-go's and the process' that it exports: name, type, labels.
pub(super) const KUBERNETES: &[(&str, &str, &[&str])] = &[
    ("controller_runtime_active_workers", "gauge", &["controller"]),
    ("controller_runtime_max_concurrent_reconciles", "gauge", &["controller"]),
    ("controller_runtime_reconcile_errors_total", "counter", &["controller"]),
    ("controller_runtime_reconcile_panics_total", "counter", &["controller"]),
    ("controller_runtime_reconcile_time_seconds", "histogram", &["controller"]),
    ("controller_runtime_reconcile_timeouts_total", "counter", &["controller"]),
    ("controller_runtime_reconcile_total", "counter", &["controller", "result"]),
    ("controller_runtime_terminal_reconcile_errors_total", "counter", &["controller"]),
    ("leader_election_master_status", "gauge", &["name"]),
    ("leader_election_slowpath_total", "counter", &["name"]),
    ("process_cpu_seconds_total", "counter", &[]),
    ("process_max_fds", "gauge", &[]),
    ("process_open_fds", "gauge", &[]),
    ("process_resident_memory_bytes", "gauge", &[]),
    ("process_start_time_seconds", "gauge", &[]),
    ("process_virtual_memory_bytes", "gauge", &[]),
    ("rest_client_rate_limiter_duration_seconds", "histogram", &["host", "verb"]),
    ("rest_client_request_duration_seconds", "histogram", &["host", "verb"]),
    ("rest_client_requests_total", "counter", &["code", "host", "method"]),
    ("workqueue_adds_total", "counter", &["controller", "name"]),
    ("workqueue_depth", "gauge", &["controller", "name", "priority"]),
    ("workqueue_longest_running_processor_seconds", "gauge", &["controller", "name"]),
    ("workqueue_queue_duration_seconds", "histogram", &["controller", "name"]),
    ("workqueue_retries_total", "counter", &["controller", "name"]),
    ("workqueue_unfinished_work_seconds", "gauge", &["controller", "name"]),
    ("workqueue_work_duration_seconds", "histogram", &["controller", "name"]),
];

/// What only Pintle exports.
pub(super) const OWN: &[(&str, &str, &[&str])] = &[
    ("pintle_deletes_total", "counter", &["controller"]),
    ("pintle_loops_total", "counter", &["controller"]),
    ("pintle_overdue_workers", "gauge", &["controller"]),
    ("pintle_own_write_timeouts_total", "counter", &["controller"]),
    ("pintle_own_write_waiting", "gauge", &["controller"]),
    ("pintle_own_write_waits_total", "counter", &["controller"]),
    ("pintle_scheduled", "gauge", &["controller"]),
    ("pintle_store_bytes", "gauge", &["controller", "form"]),
    ("pintle_store_objects", "gauge", &["controller"]),
    ("pintle_watch_failures_total", "counter", &["controller", "watch"]),
    ("pintle_watch_last_event_age_seconds", "gauge", &["controller", "watch"]),
    ("pintle_watch_phase", "gauge", &["controller", "phase", "watch"]),
    ("pintle_watch_relists_total", "counter", &["controller", "watch"]),
];
