//! ResourceSlices: the devices of a node, with their taints.

use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::conversion::Shapes;
use crate::codec::object::Object;
use crate::registry::resource::taints;
use crate::registry::strategy::Strategy;
use crate::response::status::Answer;

/// The strategy of ResourceSlices.
#[derive(Debug)]
pub(super) struct ResourceSlices;

impl Strategy for ResourceSlices {
    fn shapes(&self) -> Shapes {
        Shapes::Devices
    }

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
