//! The core group, whose name is empty: pods, what they need and what they are reached by.

mod component_statuses;
mod config_data;
mod config_maps;
mod endpoints;
pub(super) mod events;
mod limit_ranges;
pub(crate) mod namespaces;
mod nodes;
pub(super) mod persistent_volume_claims;
mod persistent_volumes;
mod pod_templates;
mod pods;
mod replication_controllers;
mod resource_quotas;
mod secrets;
pub(crate) mod service_accounts;
mod services;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[
    ("componentstatuses", &component_statuses::ComponentStatuses),
    ("configmaps", &config_maps::ConfigMaps),
    ("endpoints", &endpoints::Endpoints),
    ("events", &events::Events::Core),
    ("limitranges", &limit_ranges::LimitRanges),
    ("namespaces", &namespaces::Namespaces),
    ("nodes", &nodes::Nodes),
    ("persistentvolumeclaims", &persistent_volume_claims::PersistentVolumeClaims),
    ("persistentvolumes", &persistent_volumes::PersistentVolumes),
    ("pods", &pods::Pods),
    ("podtemplates", &pod_templates::PodTemplates),
    ("replicationcontrollers", &replication_controllers::ReplicationControllers),
    ("resourcequotas", &resource_quotas::ResourceQuotas),
    ("secrets", &secrets::Secrets),
    ("serviceaccounts", &service_accounts::ServiceAccounts),
    ("services", &services::Services),
];
