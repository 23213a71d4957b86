//! The types of `apimachinery`, Kubernetes v1.37.1, k8s-openapi 0.29.0. Made by `cargo xtask facts`; do not edit.

message!(k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition {
    1 type_ "type" always;
    2 status "status" always;
    3 observed_generation "observedGeneration" omitempty;
    4 last_transition_time "lastTransitionTime" required;
    5 reason "reason" always;
    6 message "message" always;
});

message!(k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector {
    1 match_labels "matchLabels";
    2 match_expressions "matchExpressions";
});

message!(k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelectorRequirement {
    1 key "key" always;
    2 operator "operator" always;
    3 values "values";
});

message!(k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry {
    1 manager "manager" omitempty;
    2 operation "operation" omitempty;
    3 api_version "apiVersion" omitempty;
    4 time "time";
    6 fields_type "fieldsType" omitempty;
    7 fields_v1 "fieldsV1";
    8 subresource "subresource" omitempty;
});

message!(k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
    1 name "name" omitempty;
    2 generate_name "generateName" omitempty;
    3 namespace "namespace" omitempty;
    4 self_link "selfLink" omitempty;
    5 uid "uid" omitempty;
    6 resource_version "resourceVersion" omitempty;
    7 generation "generation" omitempty;
    8 creation_timestamp "creationTimestamp";
    9 deletion_timestamp "deletionTimestamp";
    10 deletion_grace_period_seconds "deletionGracePeriodSeconds";
    11 labels "labels";
    12 annotations "annotations";
    13 owner_references "ownerReferences";
    14 finalizers "finalizers";
    17 managed_fields "managedFields" managed;
});

message!(k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference {
    1 kind "kind" always;
    3 name "name" always;
    4 uid "uid" always;
    5 api_version "apiVersion" always;
    6 controller "controller";
    7 block_owner_deletion "blockOwnerDeletion";
});
