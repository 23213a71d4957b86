//! The types of `apidiscovery_v2beta1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::apimachinery;
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static APIGroupDiscovery: Type = fields("io.k8s.api.apidiscovery.v2beta1.APIGroupDiscovery", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    list(2, "versions", &APIVersionDiscovery, OMITEMPTY).with(&[ListMap(&["version"])]),
]);

#[rustfmt::skip]
pub(super) static APIGroupDiscoveryList: Type = fields("io.k8s.api.apidiscovery.v2beta1.APIGroupDiscoveryList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &APIGroupDiscovery, 0),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static APIResourceDiscovery: Type = fields("io.k8s.api.apidiscovery.v2beta1.APIResourceDiscovery", &[
    list(7, "categories", &STRING, OMITEMPTY).with(&[ListSet]),
    one(1, "resource", &STRING, 0),
    one(2, "responseKind", &apimachinery::GroupVersionKind, POINTER | OMITEMPTY),
    one(3, "scope", &STRING, 0),
    list(6, "shortNames", &STRING, OMITEMPTY).with(&[ListSet]),
    one(4, "singularResource", &STRING, 0),
    list(8, "subresources", &APISubresourceDiscovery, OMITEMPTY).with(&[ListMap(&["subresource"])]),
    list(5, "verbs", &STRING, 0).with(&[ListSet]),
]);

#[rustfmt::skip]
pub(super) static APISubresourceDiscovery: Type = fields("io.k8s.api.apidiscovery.v2beta1.APISubresourceDiscovery", &[
    list(3, "acceptedTypes", &apimachinery::GroupVersionKind, OMITEMPTY).with(&[ListMap(&["group", "version", "kind"])]),
    one(2, "responseKind", &apimachinery::GroupVersionKind, POINTER | OMITEMPTY),
    one(1, "subresource", &STRING, 0),
    list(4, "verbs", &STRING, 0).with(&[ListSet]),
]);

#[rustfmt::skip]
pub(super) static APIVersionDiscovery: Type = fields("io.k8s.api.apidiscovery.v2beta1.APIVersionDiscovery", &[
    one(3, "freshness", &STRING, OMITEMPTY),
    list(2, "resources", &APIResourceDiscovery, OMITEMPTY).with(&[ListMap(&["resource"])]),
    one(1, "version", &STRING, 0),
]);
