//! `storage.k8s.io`: where volumes come from.

mod csi_drivers;
mod csi_nodes;
mod storage_classes;
mod volume_attachments;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[
    ("csidrivers", &csi_drivers::CsiDrivers),
    ("csinodes", &csi_nodes::CsiNodes),
    ("storageclasses", &storage_classes::StorageClasses),
    ("volumeattachments", &volume_attachments::VolumeAttachments),
];
