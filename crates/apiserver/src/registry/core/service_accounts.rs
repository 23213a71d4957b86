//! ServiceAccounts: who a pod is, and the tokens that say so.

pub(crate) mod token;

use crate::catalog::kinds::Kind;
use crate::registry::strategy::Strategy;
use crate::response::table::columns::Column;

/// The strategy of ServiceAccounts.
#[derive(Debug)]
pub(super) struct ServiceAccounts;

impl Strategy for ServiceAccounts {
    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![Column::name(), Column::age()]
    }
}
