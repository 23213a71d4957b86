//! The fields that a schema declares above those of a set.
//!
//! A manager that applies `spec.replicas` does not own `spec`, but states it: what is compared between two applies is
//! the set with such fields.

use pintle_core::field_set::{FieldSet, Node};

use super::schema::Schema;

/// The set with every field that its schema declares and that has something of the set below it.
pub(crate) fn with_declared_fields(set: &FieldSet, schema: Schema<'_>) -> FieldSet {
    set.filter_map(|element, node| {
        let below = schema.child(element);
        let is_declared = below.is_some_and(|below| below.is_declared);
        let schema = below.map_or(Schema::Opaque, |below| below.schema);
        Some(Node {
            is_member: node.is_member || (is_declared && !node.below.is_empty()),
            below: with_declared_fields(&node.below, schema),
        })
    })
}
