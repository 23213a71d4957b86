//! DeviceTaintRules: taints that many devices get at once.

use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::registry::resource::taints;
use crate::registry::strategy::Strategy;
use crate::response::status::Answer;

/// The strategy of DeviceTaintRules.
#[derive(Debug)]
pub(super) struct DeviceTaintRules;

impl Strategy for DeviceTaintRules {
    fn prepare_for_create(&self, snapshot: &ClusterSnapshot, _: &ResolvedTarget, object: &mut Object) -> Answer<()> {
        taints::date(snapshot, object);
        Ok(())
    }

    fn prepare_for_update(
        &self,
        snapshot: &ClusterSnapshot,
        _: &ResolvedTarget,
        _: &Object,
        object: &mut Object,
    ) -> Answer<()> {
        taints::date(snapshot, object);
        Ok(())
    }
}
