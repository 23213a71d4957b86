//! What a call is called in traces.

use pintle_core::call::{Call, Form, Verb};

/// `otel.name` of the request's span, as in kube.
pub(super) fn span_name(call: &Call) -> &'static str {
    let is_metadata = call.form == Form::Metadata;
    match (call.verb, call.target.subresource.as_deref()) {
        (Verb::Get, None) if is_metadata => "get_metadata",
        (Verb::Get, None) => "get",
        (Verb::Get, Some("status")) => "get_status",
        (Verb::Get, Some("scale")) => "get_scale",
        (Verb::Get, Some("log")) => "logs",
        (Verb::Get, Some("exec")) => "exec",
        (Verb::Get, Some("attach")) => "attach",
        (Verb::Get, Some("portforward")) => "portforward",
        (Verb::Get, Some(_)) => "get_subresource",
        (Verb::List, _) if is_metadata => "list_metadata",
        (Verb::List, _) => "list",
        (Verb::Watch, _) if is_metadata => "watch_metadata",
        (Verb::Watch, _) => "watch",
        (Verb::Create, None) => "create",
        (Verb::Create, Some("eviction")) => "evict",
        (Verb::Create, Some(_)) => "create_subresource",
        (Verb::Replace, None) => "replace",
        (Verb::Replace, Some("status")) => "replace_status",
        (Verb::Replace, Some("scale")) => "replace_scale",
        (Verb::Replace, Some(_)) => "replace_subresource",
        (Verb::Patch(_), None) if is_metadata => "patch_metadata",
        (Verb::Patch(_), None) => "patch",
        (Verb::Patch(_), Some("status")) => "patch_status",
        (Verb::Patch(_), Some("scale")) => "patch_scale",
        (Verb::Patch(_), Some(_)) => "patch_subresource",
        (Verb::Delete, _) => "delete",
        (Verb::DeleteCollection, _) => "delete_collection",
    }
}
