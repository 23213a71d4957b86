//! The types of `discovery_v1beta1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, core_v1};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static Endpoint: Type = fields("io.k8s.api.discovery.v1beta1.Endpoint", &[
    list(1, "addresses", &STRING, REQUIRED).with(&[ListSet]),
    one(2, "conditions", &EndpointConditions, OMITEMPTY),
    one(7, "hints", &EndpointHints, POINTER | OMITEMPTY),
    one(3, "hostname", &STRING, POINTER | OMITEMPTY),
    one(6, "nodeName", &STRING, POINTER | OMITEMPTY),
    one(4, "targetRef", &core_v1::ObjectReference, POINTER | OMITEMPTY),
    map(5, "topology", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EndpointConditions: Type = fields("io.k8s.api.discovery.v1beta1.EndpointConditions", &[
    one(1, "ready", &BOOL, POINTER | OMITEMPTY),
    one(2, "serving", &BOOL, POINTER | OMITEMPTY),
    one(3, "terminating", &BOOL, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EndpointHints: Type = fields("io.k8s.api.discovery.v1beta1.EndpointHints", &[
    list(2, "forNodes", &ForNode, OMITEMPTY).with(&[ListAtomic]),
    list(1, "forZones", &ForZone, OMITEMPTY).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static EndpointPort: Type = fields("io.k8s.api.discovery.v1beta1.EndpointPort", &[
    one(4, "appProtocol", &STRING, POINTER | OMITEMPTY),
    one(1, "name", &STRING, POINTER | OMITEMPTY),
    one(3, "port", &INT32, POINTER | OMITEMPTY),
    one(2, "protocol", &STRING, POINTER | OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EndpointSlice: Type = fields("io.k8s.api.discovery.v1beta1.EndpointSlice", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(4, "addressType", &STRING, REQUIRED),
    list(2, "endpoints", &Endpoint, REQUIRED).with(&[ListAtomic]),
    one(1, "metadata", &apimachinery::ObjectMeta, OMITEMPTY),
    list(3, "ports", &EndpointPort, 0).with(&[ListAtomic]),
]);

#[rustfmt::skip]
pub(super) static EndpointSliceList: Type = fields("io.k8s.api.discovery.v1beta1.EndpointSliceList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &EndpointSlice, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static ForNode: Type = fields("io.k8s.api.discovery.v1beta1.ForNode", &[
    one(1, "name", &STRING, REQUIRED),
]);

#[rustfmt::skip]
pub(super) static ForZone: Type = fields("io.k8s.api.discovery.v1beta1.ForZone", &[
    one(1, "name", &STRING, REQUIRED),
]);
