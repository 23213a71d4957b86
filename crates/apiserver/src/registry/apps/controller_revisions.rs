//! ControllerRevisions: states that a StatefulSet or DaemonSet had.

use serde_json::Value;

use crate::catalog::kinds::Kind;
use crate::registry::strategy::Strategy;
use crate::response::table::cells::{items, said};
use crate::response::table::columns::Column;

/// The strategy of ControllerRevisions.
#[derive(Debug)]
pub(super) struct ControllerRevisions;

impl Strategy for ControllerRevisions {
    fn columns(&self, _: &Kind) -> Vec<Column> {
        vec![
            Column::name(),
            Column::computed("Controller", controller),
            Column::number("Revision", ".revision").typed("string"),
            Column::age(),
        ]
    }
}

fn controller(object: &Value) -> Value {
    let owner = items(object, "/metadata/ownerReferences").find(|owner| owner["controller"] == true);
    owner.map_or_else(
        || "<none>".into(),
        |owner| {
            let group =
                said(owner, "/apiVersion").split_once('/').map(|(group, _)| format!(".{group}")).unwrap_or_default();
            format!("{}{group}/{}", said(owner, "/kind").to_lowercase(), said(owner, "/name")).into()
        },
    )
}
