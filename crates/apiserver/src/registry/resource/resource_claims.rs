//! ResourceClaims, and the templates of those that each pod gets for itself. Their first version had another shape.

use crate::catalog::kinds::Kind;
use crate::codec::conversion::Shapes;
use crate::registry::strategy::Strategy;
use crate::response::table::columns::Column;

/// The strategy of ResourceClaims.
#[derive(Debug)]
pub(super) struct ResourceClaims;

impl Strategy for ResourceClaims {
    fn shapes(&self) -> Shapes {
        Shapes::Devices
    }
}

/// The strategy of ResourceClaimTemplates.
#[derive(Debug)]
pub(super) struct ResourceClaimTemplates;

impl Strategy for ResourceClaimTemplates {
    fn shapes(&self) -> Shapes {
        Shapes::Devices
    }

    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![Column::name(), Column::age()]
    }
}
