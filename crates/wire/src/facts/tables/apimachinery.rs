//! The types of `apimachinery`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static Quantity: Type = shaped("io.k8s.apimachinery.pkg.api.resource.Quantity", Shape::Quantity, &[]);

#[rustfmt::skip]
pub(super) static APIGroup: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.APIGroup", &[
    one(0, "", &TypeMeta, INLINE),
    one(1, "name", &STRING, REQUIRED),
    one(3, "preferredVersion", &GroupVersionForDiscovery, OMITEMPTY),
    list(4, "serverAddressByClientCIDRs", &ServerAddressByClientCIDR, OMITEMPTY).with(&[ListAtomic]),
    list(2, "versions", &GroupVersionForDiscovery, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static APIGroupList: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.APIGroupList", &[
    one(0, "", &TypeMeta, INLINE),
    list(1, "groups", &APIGroup, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static APIResource: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.APIResource", &[
    list(7, "categories", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(8, "group", &STRING, OMITEMPTY),
    one(3, "kind", &STRING, REQUIRED),
    one(1, "name", &STRING, REQUIRED),
    one(2, "namespaced", &BOOL, REQUIRED),
    list(5, "shortNames", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(6, "singularName", &STRING, REQUIRED),
    one(10, "storageVersionHash", &STRING, OMITEMPTY),
    one(4, "verbs", &Verbs, REQUIRED),
    one(9, "version", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static APIResourceList: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.APIResourceList", &[
    one(0, "", &TypeMeta, INLINE),
    one(1, "groupVersion", &STRING, REQUIRED),
    list(2, "resources", &APIResource, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static APIVersions: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.APIVersions", &[
    one(0, "", &TypeMeta, INLINE),
    list(2, "serverAddressByClientCIDRs", &ServerAddressByClientCIDR, REQUIRED).with(&[ListAtomic]),
    list(1, "versions", &STRING, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static Condition: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.Condition", &[
    one(4, "lastTransitionTime", &Time, REQUIRED),
    one(6, "message", &STRING, REQUIRED),
    one(3, "observedGeneration", &INT64, OMITEMPTY),
    one(5, "reason", &STRING, REQUIRED),
    one(2, "status", &STRING, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static CreateOptions: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.CreateOptions", &[
    one(0, "", &TypeMeta, INLINE),
    list(1, "dryRun", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(3, "fieldManager", &STRING, OMITEMPTY),
    one(4, "fieldValidation", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static DeleteOptions: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions", &[
    one(0, "", &TypeMeta, INLINE),
    list(5, "dryRun", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(1, "gracePeriodSeconds", &INT64, POINTER | OMITEMPTY),
    one(6, "ignoreStoreReadErrorWithClusterBreakingPotential", &BOOL, POINTER | OMITEMPTY),
    one(3, "orphanDependents", &BOOL, POINTER | OMITEMPTY),
    one(2, "preconditions", &Preconditions, POINTER | OMITEMPTY),
    one(4, "propagationPolicy", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static FieldSelectorRequirement: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement", &[
    one(1, "key", &STRING, REQUIRED),
    one(2, "operator", &STRING, REQUIRED),
    list(3, "values", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static FieldsV1: Type = shaped("io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", Shape::Raw, &[]);

#[rustfmt::skip]
pub(super) static GetOptions: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.GetOptions", &[
    one(0, "", &TypeMeta, INLINE),
    one(1, "resourceVersion", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static GroupResource: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.GroupResource", &[
    one(1, "group", &STRING, REQUIRED),
    one(2, "resource", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static GroupVersionForDiscovery: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery", &[
    one(1, "groupVersion", &STRING, REQUIRED),
    one(2, "version", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static GroupVersionKind: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionKind", &[
    one(1, "group", &STRING, REQUIRED),
    one(3, "kind", &STRING, REQUIRED),
    one(2, "version", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static GroupVersionResource: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionResource", &[
    one(1, "group", &STRING, REQUIRED),
    one(3, "resource", &STRING, REQUIRED),
    one(2, "version", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static LabelSelector: Type = atomic("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector", &[
    list(2, "matchExpressions", &LabelSelectorRequirement, OMITEMPTY).with(&[ListAtomic]),
    map(1, "matchLabels", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static LabelSelectorRequirement: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement", &[
    one(1, "key", &STRING, REQUIRED),
    one(2, "operator", &STRING, REQUIRED),
    list(3, "values", &STRING, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static ListMeta: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta", &[
    one(3, "continue", &STRING, OMITEMPTY),
    one(4, "remainingItemCount", &INT64, POINTER | OMITEMPTY),
    one(2, "resourceVersion", &STRING, OMITEMPTY),
    one(1, "selfLink", &STRING, OMITEMPTY),
    one(5, "shardInfo", &ShardInfo, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ListOptions: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.ListOptions", &[
    one(0, "", &TypeMeta, INLINE),
    one(9, "allowWatchBookmarks", &BOOL, OMITEMPTY),
    one(8, "continue", &STRING, OMITEMPTY),
    one(2, "fieldSelector", &STRING, OMITEMPTY),
    one(1, "labelSelector", &STRING, OMITEMPTY),
    one(7, "limit", &INT64, OMITEMPTY),
    one(4, "resourceVersion", &STRING, OMITEMPTY),
    one(10, "resourceVersionMatch", &STRING, OMITEMPTY),
    one(11, "sendInitialEvents", &BOOL, POINTER | OMITEMPTY),
    one(15, "shardSelector", &STRING, OMITEMPTY),
    one(5, "timeoutSeconds", &INT64, POINTER | OMITEMPTY),
    one(3, "watch", &BOOL, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ManagedFieldsEntry: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry", &[
    one(3, "apiVersion", &STRING, OMITEMPTY),
    one(6, "fieldsType", &STRING, OMITEMPTY),
    one(7, "fieldsV1", &FieldsV1, POINTER | OMITEMPTY),
    one(1, "manager", &STRING, OMITEMPTY),
    one(2, "operation", &STRING, OMITEMPTY),
    one(8, "subresource", &STRING, OMITEMPTY),
    one(4, "time", &Time, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static MicroTime: Type = shaped("io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime", Shape::MicroTime, &[]);

#[rustfmt::skip]
pub(super) static ObjectMeta: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", &[
    map(12, "annotations", &STRING, OMITEMPTY),
    one(8, "creationTimestamp", &Time, OMITEMPTY | OMITZERO),
    one(10, "deletionGracePeriodSeconds", &INT64, POINTER | OMITEMPTY),
    one(9, "deletionTimestamp", &Time, POINTER | OMITEMPTY),
    list(14, "finalizers", &STRING, OMITEMPTY).with(&[ListSet, Patch("merge", "")]),
    one(2, "generateName", &STRING, OMITEMPTY),
    one(7, "generation", &INT64, OMITEMPTY),
    map(11, "labels", &STRING, OMITEMPTY),
    list(17, "managedFields", &ManagedFieldsEntry, OMITEMPTY).with(&[ListAtomic]),
    one(1, "name", &STRING, OMITEMPTY),
    one(3, "namespace", &STRING, OMITEMPTY),
    list(13, "ownerReferences", &OwnerReference, OMITEMPTY).with(&[ListMap(&["uid"]), Patch("merge", "uid")]),
    one(6, "resourceVersion", &STRING, OMITEMPTY),
    one(4, "selfLink", &STRING, OMITEMPTY),
    one(5, "uid", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static OwnerReference: Type = atomic("io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference", &[
    one(5, "apiVersion", &STRING, REQUIRED),
    one(7, "blockOwnerDeletion", &BOOL, POINTER | OMITEMPTY),
    one(6, "controller", &BOOL, POINTER | OMITEMPTY),
    one(1, "kind", &STRING, REQUIRED),
    one(3, "name", &STRING, REQUIRED),
    one(4, "uid", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static PartialObjectMetadata: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata", &[
    one(0, "", &TypeMeta, INLINE),
    one(1, "metadata", &ObjectMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PartialObjectMetadataList: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadataList", &[
    one(0, "", &TypeMeta, INLINE),
    list(2, "items", &PartialObjectMetadata, REQUIRED),
    one(1, "metadata", &ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static PatchOptions: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.PatchOptions", &[
    one(0, "", &TypeMeta, INLINE),
    list(1, "dryRun", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(3, "fieldManager", &STRING, OMITEMPTY),
    one(4, "fieldValidation", &STRING, OMITEMPTY),
    one(2, "force", &BOOL, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Preconditions: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions", &[
    one(2, "resourceVersion", &STRING, POINTER | OMITEMPTY),
    one(1, "uid", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ServerAddressByClientCIDR: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR", &[
    one(1, "clientCIDR", &STRING, REQUIRED),
    one(2, "serverAddress", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ShardInfo: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo", &[
    one(1, "selector", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static Status: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.Status", &[
    one(0, "", &TypeMeta, INLINE),
    one(6, "code", &INT32, OMITEMPTY),
    one(5, "details", &StatusDetails, POINTER | OMITEMPTY),
    one(3, "message", &STRING, OMITEMPTY),
    one(1, "metadata", &ListMeta, OMITEMPTY),
    one(4, "reason", &STRING, OMITEMPTY),
    one(2, "status", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StatusCause: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause", &[
    one(3, "field", &STRING, OMITEMPTY),
    one(2, "message", &STRING, OMITEMPTY),
    one(1, "reason", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static StatusDetails: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails", &[
    list(4, "causes", &StatusCause, OMITEMPTY).with(&[ListAtomic]),
    one(2, "group", &STRING, OMITEMPTY),
    one(3, "kind", &STRING, OMITEMPTY),
    one(1, "name", &STRING, OMITEMPTY),
    one(5, "retryAfterSeconds", &INT32, OMITEMPTY),
    one(6, "uid", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Table: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.Table", &[
    one(0, "", &TypeMeta, INLINE),
    list(0, "columnDefinitions", &TableColumnDefinition, REQUIRED).with(&[ListAtomic]),
    one(0, "metadata", &ListMeta, OMITEMPTY),
    list(0, "rows", &TableRow, REQUIRED).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static TableColumnDefinition: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.TableColumnDefinition", &[
    one(0, "description", &STRING, REQUIRED),
    one(0, "format", &STRING, REQUIRED),
    one(0, "name", &STRING, REQUIRED),
    one(0, "priority", &INT32, REQUIRED),
    one(0, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static TableOptions: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.TableOptions", &[
    one(0, "", &TypeMeta, INLINE),
    one(1, "includeObject", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static TableRow: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.TableRow", &[
    list(0, "cells", &ANY, REQUIRED).with(&[ListAtomic]),
    list(0, "conditions", &TableRowCondition, OMITEMPTY).with(&[ListAtomic]),
    one(0, "object", &RawExtension, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static TableRowCondition: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.TableRowCondition", &[
    one(0, "message", &STRING, OMITEMPTY),
    one(0, "reason", &STRING, OMITEMPTY),
    one(0, "status", &STRING, REQUIRED),
    one(0, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static Time: Type = shaped("io.k8s.apimachinery.pkg.apis.meta.v1.Time", Shape::Time, &[]);

#[rustfmt::skip]
pub(super) static TypeMeta: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta", &[
    one(2, "apiVersion", &STRING, OMITEMPTY),
    one(1, "kind", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static UpdateOptions: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.UpdateOptions", &[
    one(0, "", &TypeMeta, INLINE),
    list(1, "dryRun", &STRING, OMITEMPTY).with(&[ListAtomic]),
    one(2, "fieldManager", &STRING, OMITEMPTY),
    one(3, "fieldValidation", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static Verbs: Type = shaped("io.k8s.apimachinery.pkg.apis.meta.v1.Verbs", Shape::Items, &[]);

#[rustfmt::skip]
pub(super) static WatchEvent: Type = fields("io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent", &[
    one(2, "object", &RawExtension, REQUIRED),
    one(1, "type", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static RawExtension: Type = shaped("io.k8s.apimachinery.pkg.runtime.RawExtension", Shape::Raw, &[]);

#[rustfmt::skip]
pub(super) static IntOrString: Type = shaped("io.k8s.apimachinery.pkg.util.intstr.IntOrString", Shape::IntOrString, &[]);
