//! The types of `coordination_v1`, Kubernetes v1.37.1, k8s-openapi 0.29.0. Made by `cargo xtask facts`; do not edit.

object!(k8s_openapi::api::coordination::v1::Lease as "io.k8s.api.coordination.v1.Lease" {
    1 metadata "metadata";
    2 spec "spec";
});

message!(k8s_openapi::api::coordination::v1::LeaseSpec {
    1 holder_identity "holderIdentity";
    2 lease_duration_seconds "leaseDurationSeconds";
    3 acquire_time "acquireTime";
    4 renew_time "renewTime";
    5 lease_transitions "leaseTransitions";
    6 strategy "strategy";
    7 preferred_holder "preferredHolder";
});
