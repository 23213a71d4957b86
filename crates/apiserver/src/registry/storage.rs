//! `storage.k8s.io`: where volumes come from.

mod csi_drivers;
mod csi_nodes;
mod storage_classes;
mod volume_attachments;

use crate::registry::strategy::Strategy;

/// The strategy of a kind of the group, if it has one of its own.
pub(super) fn strategy(plural: &str) -> Option<&'static dyn Strategy> {
    Some(match plural {
        "csidrivers" => &csi_drivers::CsiDrivers,
        "csinodes" => &csi_nodes::CsiNodes,
        "storageclasses" => &storage_classes::StorageClasses,
        "volumeattachments" => &volume_attachments::VolumeAttachments,
        _ => return None,
    })
}
