//! The server as its clients see it: requests in, responses out, over the tower service.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

mod apiserver {
    mod accepted;
    #[cfg(feature = "serve")]
    mod admin;
    mod admission_plugins;
    mod admission_policies;
    mod apply;
    mod concurrency;
    #[cfg(feature = "serve")]
    mod connections;
    mod conversion_webhooks;
    mod data;
    mod definitions;
    mod deletes;
    mod discovery;
    mod faults;
    mod faults_on_watches;
    mod garbage;
    mod guarantees;
    mod loading;
    mod manifests;
    mod namespaces;
    mod observation;
    mod options;
    mod patches;
    mod pod_checks;
    mod protection;
    mod quotas;
    mod rbac;
    mod reads;
    mod refusals;
    mod replay;
    mod reviews;
    mod robustness;
    mod schemas;
    mod services;
    #[cfg(feature = "serve")]
    mod serving;
    mod settling;
    mod simulated_cluster;
    #[cfg(feature = "serve")]
    mod socket;
    mod subresources;
    mod tables;
    mod watches;
    mod webhooks;
    mod workloads;
    #[cfg(feature = "serve")]
    mod workspaces;
    mod world;
    mod writes;
}
