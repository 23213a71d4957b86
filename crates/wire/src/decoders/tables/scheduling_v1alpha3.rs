//! The types of `scheduling_v1alpha3`, Kubernetes v1.37.1, k8s-openapi 0.29.0. Made by `cargo xtask facts`; do not edit.

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::scheduling::v1alpha3::TopologyConstraint {
    1 key "key" always;
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::scheduling::v1alpha3::WorkloadPodGroupAllDisruptionMode);
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::scheduling::v1alpha3::WorkloadPodGroupBasicSchedulingPolicy);
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::scheduling::v1alpha3::WorkloadPodGroupDisruptionMode {
    1 single "single";
    2 all "all";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::scheduling::v1alpha3::WorkloadPodGroupGangSchedulingPolicy {
    1 min_count "minCount";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::scheduling::v1alpha3::WorkloadPodGroupResourceClaim {
    1 name "name" always;
    2 resource_claim_name "resourceClaimName";
    3 resource_claim_template_name "resourceClaimTemplateName";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::scheduling::v1alpha3::WorkloadPodGroupSchedulingConstraints {
    1 topology "topology";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::scheduling::v1alpha3::WorkloadPodGroupSchedulingPolicy {
    1 basic "basic";
    2 gang "gang";
});
}

k8s_openapi::k8s_if_ge_1_37! {
message!(k8s_openapi::api::scheduling::v1alpha3::WorkloadPodGroupSingleDisruptionMode);
}
