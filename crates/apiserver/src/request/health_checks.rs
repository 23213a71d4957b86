//! The checks behind `/healthz`, `/livez` and `/readyz`, by the names that kube-apiserver has for them.
//!
//! What each of them waits for in kube-apiserver is there before this server answers its first request, so all of them pass;
//! tools ask for them by name, and read the list.

use std::collections::BTreeSet;

/// The checks of an endpoint, in the order in which they are listed.
pub(crate) fn of(endpoint: &str) -> impl Iterator<Item = &'static str> {
    let (first, last): (&[&str], &[&str]) = match endpoint {
        "readyz" => (&["ping", "log", "etcd", "etcd-readiness", "informer-sync"], &["shutdown"]),
        _ => (&["ping", "log", "loopback-serving-certificate", "etcd"], &[]),
    };
    first.iter().chain(&STARTED).chain(last).copied()
}

/// The list that `?verbose` asks for, with those that are `excluded`.
pub(super) fn verbose(endpoint: &str, mut excluded: BTreeSet<String>) -> String {
    let mut text = String::new();
    for check in of(endpoint) {
        let state = if excluded.remove(check) { "excluded: ok" } else { "ok" };
        text.push_str(&format!("[+]{check} {state}\n"));
    }
    if !excluded.is_empty() {
        let unknown: Vec<String> = excluded.iter().map(|check| format!("\"{check}\"")).collect();
        let unknown = unknown.join(",");
        text.push_str(&format!("warn: some health checks cannot be excluded: no matches for {unknown}\n"));
    }
    text + &format!("{endpoint} check passed\n")
}

/// The result of every check, as `/metrics/slis` has it for Prometheus.
pub(super) fn exposition() -> String {
    let name = "kubernetes_healthcheck";
    let mut text = format!("# HELP {name} Whether a check of the server's health passes.\n# TYPE {name} gauge\n");
    for endpoint in ENDPOINTS {
        for check in of(endpoint) {
            text.push_str(&format!("{name}{{name=\"{check}\",type=\"{endpoint}\"}} 1\n"));
        }
    }
    text
}

/// The paths that answer whether the server is well.
pub(crate) const ENDPOINTS: [&str; 3] = ["healthz", "livez", "readyz"];

/// What every endpoint asks for: that the parts of the server have started.
const STARTED: [&str; 30] = [
    "poststarthook/start-apiserver-admission-initializer",
    "poststarthook/generic-apiserver-start-informers",
    "poststarthook/priority-and-fairness-config-consumer",
    "poststarthook/priority-and-fairness-filter",
    "poststarthook/storage-object-count-tracker-hook",
    "poststarthook/start-apiextensions-informers",
    "poststarthook/start-apiextensions-controllers",
    "poststarthook/crd-informer-synced",
    "poststarthook/start-system-namespaces-controller",
    "poststarthook/peer-endpoint-reconciler-controller",
    "poststarthook/start-cluster-authentication-info-controller",
    "poststarthook/start-kube-apiserver-identity-lease-controller",
    "poststarthook/start-kube-apiserver-identity-lease-garbage-collector",
    "poststarthook/storage-readiness",
    "poststarthook/start-legacy-token-tracking-controller",
    "poststarthook/start-service-ip-repair-controllers",
    "poststarthook/rbac/bootstrap-roles",
    "poststarthook/scheduling/bootstrap-system-priority-classes",
    "poststarthook/priority-and-fairness-config-producer",
    "poststarthook/bootstrap-controller",
    "poststarthook/start-kubernetes-service-cidr-controller",
    "poststarthook/start-kube-aggregator-informers",
    "poststarthook/apiservice-status-local-available-controller",
    "poststarthook/apiservice-status-remote-available-controller",
    "poststarthook/apiservice-registration-controller",
    "poststarthook/apiservice-discovery-controller",
    "poststarthook/kube-apiserver-autoregistration",
    "autoregister-completion",
    "poststarthook/apiservice-openapi-controller",
    "poststarthook/apiservice-openapiv3-controller",
];
