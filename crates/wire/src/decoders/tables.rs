//! Which kinds have a decoder, Kubernetes v1.37.1, k8s-openapi 0.29.0. Made by `cargo xtask facts`; do not edit.

use std::any::Any;

use k8s_openapi::api;

use super::fill_if;
use crate::body::Body;
use crate::json::Declined;

mod apimachinery;
mod apps_v1;
mod batch_v1;
mod coordination_v1;
mod core_v1;
mod discovery_v1;
mod events_v1;
mod scheduling_v1alpha3;

/// Decodes into `place`, the place of an object whose kind has a decoder.
#[rustfmt::skip]
pub(super) fn fill(place: &mut dyn Any, body: Body<'_>) -> Result<(), Declined> {
    None
        .or_else(|| fill_if::<api::apps::v1::DaemonSet>(place, body))
        .or_else(|| fill_if::<api::apps::v1::Deployment>(place, body))
        .or_else(|| fill_if::<api::apps::v1::ReplicaSet>(place, body))
        .or_else(|| fill_if::<api::apps::v1::StatefulSet>(place, body))
        .or_else(|| fill_if::<api::batch::v1::CronJob>(place, body))
        .or_else(|| fill_if::<api::batch::v1::Job>(place, body))
        .or_else(|| fill_if::<api::coordination::v1::Lease>(place, body))
        .or_else(|| fill_if::<api::core::v1::ConfigMap>(place, body))
        .or_else(|| fill_if::<api::core::v1::Event>(place, body))
        .or_else(|| fill_if::<api::core::v1::Namespace>(place, body))
        .or_else(|| fill_if::<api::core::v1::Node>(place, body))
        .or_else(|| fill_if::<api::core::v1::PersistentVolume>(place, body))
        .or_else(|| fill_if::<api::core::v1::PersistentVolumeClaim>(place, body))
        .or_else(|| fill_if::<api::core::v1::Pod>(place, body))
        .or_else(|| fill_if::<api::core::v1::Secret>(place, body))
        .or_else(|| fill_if::<api::core::v1::Service>(place, body))
        .or_else(|| fill_if::<api::core::v1::ServiceAccount>(place, body))
        .or_else(|| fill_if::<api::discovery::v1::EndpointSlice>(place, body))
        .or_else(|| fill_if::<api::events::v1::Event>(place, body))
        .unwrap_or(Err(Declined))
}
