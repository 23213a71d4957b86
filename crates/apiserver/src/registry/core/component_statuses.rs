//! ComponentStatuses, which are not stored: `request/component_statuses.rs` answers for them.

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::registry::strategy::Strategy;
use crate::response::table::columns::Column;

/// The strategy of ComponentStatuses.
#[derive(Debug)]
pub(super) struct ComponentStatuses;

impl Strategy for ComponentStatuses {
    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![
            Column::name(),
            Column::computed("Status", health),
            Column::text("Message", ".conditions[0].message", ""),
            Column::text("Error", ".conditions[0].error", ""),
        ]
    }
}

fn health(component: &Value) -> Value {
    match component.pointer("/conditions/0/status").and_then(Value::as_str) {
        Some("True") => "Healthy".into(),
        Some("False") => "Unhealthy".into(),
        _ => "Unknown".into(),
    }
}
