//! The types of `events_v1`, Kubernetes v1.37.1. Made by `cargo xtask facts`; do not edit.

#![expect(non_upper_case_globals, reason = "each table has the name of its type")]

use super::{apimachinery, core_v1};
use crate::facts::Type;
use crate::facts::rows::*;

#[rustfmt::skip]
pub(super) static Event: Type = fields("io.k8s.api.events.v1.Event", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    one(6, "action", &STRING, OMITEMPTY),
    one(15, "deprecatedCount", &INT32, OMITEMPTY),
    one(13, "deprecatedFirstTimestamp", &apimachinery::Time, OMITEMPTY),
    one(14, "deprecatedLastTimestamp", &apimachinery::Time, OMITEMPTY),
    one(12, "deprecatedSource", &core_v1::EventSource, OMITEMPTY),
    one(2, "eventTime", &apimachinery::MicroTime, REQUIRED),
    one(1, "metadata", &apimachinery::ObjectMeta, 0),
    one(10, "note", &STRING, OMITEMPTY),
    one(7, "reason", &STRING, OMITEMPTY),
    one(8, "regarding", &core_v1::ObjectReference, OMITEMPTY),
    one(9, "related", &core_v1::ObjectReference, POINTER | OMITEMPTY),
    one(4, "reportingController", &STRING, OMITEMPTY),
    one(5, "reportingInstance", &STRING, OMITEMPTY),
    one(3, "series", &EventSeries, POINTER | OMITEMPTY),
    one(11, "type", &STRING, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EventList: Type = fields("io.k8s.api.events.v1.EventList", &[
    one(0, "", &apimachinery::TypeMeta, INLINE),
    list(2, "items", &Event, REQUIRED),
    one(1, "metadata", &apimachinery::ListMeta, OMITEMPTY),
]);

#[rustfmt::skip]
pub(super) static EventSeries: Type = fields("io.k8s.api.events.v1.EventSeries", &[
    one(1, "count", &INT32, REQUIRED),
    one(2, "lastObservedTime", &apimachinery::MicroTime, REQUIRED),
]);
