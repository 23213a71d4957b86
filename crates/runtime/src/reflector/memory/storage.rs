//! How one store keeps its packed objects: which budget they count in, what they are compressed against, and what is
//! decoded of them.

use super::budget::DecodedBudget;
use super::compressible_body::SharedDictionary;

/// What all objects of a store have in common.
#[derive(Clone)]
pub(crate) struct Storage {
    pub(crate) budget: DecodedBudget,
    pub(crate) dictionary: SharedDictionary,
    pub(crate) managed_fields: ManagedFields,
}

impl Default for Storage {
    fn default() -> Self {
        let (budget, dictionary) = (DecodedBudget::process().clone(), SharedDictionary::default());
        Self { budget, dictionary, managed_fields: ManagedFields::default() }
    }
}

/// Whether what is decoded for a store has its `metadata.managedFields`.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum ManagedFields {
    #[default]
    Skipped,
    Kept,
}
