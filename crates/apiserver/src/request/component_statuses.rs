//! ComponentStatuses: a kind that is not stored, but asked of the parts of a cluster.
//!
//! In: GET of one or of all. Out: the store, which is part of this server and well; and the scheduler and the controller
//! manager, which a server alone does not reach, in kube-apiserver's words.

use std::sync::Arc;

use pintle_core::call::{Form, Query};
use pintle_wire::HeadReader;
use serde_json::json;

use crate::cluster::ResolvedTarget;
use crate::codec::object::Object;
use crate::response::status::{Answer, missing};
use crate::storage::entry::{ChangeKind, Entry};
use crate::storage::list::{ListPlan, Page};
use crate::storage::view;
use bytes::Bytes;

/// Whether a target is one.
pub(super) fn are_asked(target: &ResolvedTarget) -> bool {
    target.kind.is("", "componentstatuses")
}

/// One component.
pub(super) fn get(target: &ResolvedTarget, form: Form) -> Answer<Bytes> {
    let entry = components().into_iter().find(|component| component.head.name() == target.name());
    let entry = entry.ok_or_else(|| missing("componentstatus", "", target.name()))?;
    view::body(&target.kind, form, &entry)
}

/// All components that are selected. Their list has no version, because they cannot be watched.
pub(super) fn list(target: &ResolvedTarget, query: &Query) -> Answer<Page> {
    // They have no versions and come in no pages, so what is said of those is not read.
    let is_said = |text: &Option<String>| text.as_deref().is_some_and(|text| !matches!(text, "" | "0"));
    let version = if is_said(&query.resource_version) { Some("1".to_owned()) } else { query.resource_version.clone() };
    let query = Query { resource_version: version, continue_token: None, ..query.clone() };
    let plan = ListPlan::parse(target, &query)?;
    let chosen = components().into_iter().filter(|it| plan.selection.matches(it.head.name(), it));
    Ok(Page::of(chosen.collect(), 0))
}

fn components() -> Vec<Arc<Entry>> {
    let component = |(name, health): (&str, Result<&str, u16>)| {
        let (status, message) = match health {
            Ok(message) => ("True", message.to_owned()),
            Err(port) => {
                let refused = format!("dial tcp 127.0.0.1:{port}: connect: connection refused");
                ("False", format!("Get \"https://127.0.0.1:{port}/healthz\": {refused}"))
            }
        };
        let value = json!({
            "kind": "ComponentStatus", "apiVersion": "v1", "metadata": {"name": name},
            "conditions": [{"type": "Healthy", "status": status, "message": message}],
        });
        let object = Object::from_value(value).expect("it is an object with metadata");
        let entry = Entry::new(&mut HeadReader::new(), ChangeKind::Added, &object, 0);
        Arc::new(entry.expect("its metadata is a name"))
    };
    COMPONENTS.into_iter().map(component).collect()
}

/// Each component, and what it says or the port where it is expected.
const COMPONENTS: [(&str, Result<&str, u16>); 3] =
    [("controller-manager", Err(10257)), ("scheduler", Err(10259)), ("etcd-0", Ok("ok"))];
