//! Which kinds have a decoder, Kubernetes v1.37.1, k8s-openapi 0.29.0. Made by `cargo xtask facts`; do not edit.

use std::any::TypeId;

use k8s_openapi::api;

use super::dispatch::fill_if;
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

decoders! {
    apps_v1_daemonset: api::apps::v1::DaemonSet,
    apps_v1_deployment: api::apps::v1::Deployment,
    apps_v1_replicaset: api::apps::v1::ReplicaSet,
    apps_v1_statefulset: api::apps::v1::StatefulSet,
    batch_v1_cronjob: api::batch::v1::CronJob,
    batch_v1_job: api::batch::v1::Job,
    coordination_v1_lease: api::coordination::v1::Lease,
    core_v1_configmap: api::core::v1::ConfigMap,
    core_v1_event: api::core::v1::Event,
    core_v1_namespace: api::core::v1::Namespace,
    core_v1_node: api::core::v1::Node,
    core_v1_persistentvolume: api::core::v1::PersistentVolume,
    core_v1_persistentvolumeclaim: api::core::v1::PersistentVolumeClaim,
    core_v1_pod: api::core::v1::Pod,
    core_v1_secret: api::core::v1::Secret,
    core_v1_service: api::core::v1::Service,
    core_v1_serviceaccount: api::core::v1::ServiceAccount,
    discovery_v1_endpointslice: api::discovery::v1::EndpointSlice,
    events_v1_event: api::events::v1::Event,
}
