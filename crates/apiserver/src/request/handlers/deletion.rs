//! DELETE, of one object and of a collection: its options, then one deletion after the other.
//!
//! The options are in the body, or where there is none, in the query.

use http::{HeaderMap, Response};
use pintle_core::call::{Form, Query};
use pintle_wire::facts;
use serde_json::{Value, json};

use super::{prepare, warned, writer};
use crate::admission::Record;
use crate::cluster::{DryRun, ResolvedTarget, Written};
use crate::codec::typed::{self, Trouble, go_errors};
use crate::registry::delete::{DeleteOptions, Fate, answers_with_object};
use crate::registry::write::Write;
use crate::registry::{self, custom_resource, no_such_kind, storage_key};
use crate::request::user::User;
use crate::request::{decode, write_options};
use crate::response;
use crate::response::body::Body;
use crate::response::status::{Answer, bad_request};
use crate::server::State;
use crate::storage::list::{self, Page};
use crate::storage::view;

/// Deletes one object as part of what was requested; returns its last state and what becomes of it.
pub(super) async fn delete_one(
    state: &State,
    write: &Write<'_>,
    requested: &ResolvedTarget,
    options: &DeleteOptions,
) -> Answer<(Written, Fate)> {
    loop {
        let snapshot = state.snapshot();
        let write = write.to(snapshot.resolved(&write.target)?);
        let (attempted, fate) = write.attempt_delete(&snapshot, requested, options).await?;
        drop(snapshot);
        if let Ok(written) = attempted.commit(|ready| state.commit(ready))? {
            return Ok((written, fate));
        }
    }
}

pub(super) async fn delete(
    state: &State,
    target: &ResolvedTarget,
    form: Form,
    user: &User,
    options: &DeleteOptions,
    dry_run: DryRun,
    record: &Record,
) -> Answer<Response<Body>> {
    let json = options.print();
    let (Written { entry, warnings, .. }, fate) =
        delete_one(state, &writer(state, target, user, &json, dry_run, record), target, options).await?;
    // Only the oldest form of the option gets 202 while the deletion goes on.
    let code = if fate == Fate::Waits && options.orphan_dependents == Some(false) { 202 } else { 200 };
    if fate == Fate::Waits || answers_with_object(&target.kind) {
        prepare(state, target, &entry).await?;
        return Ok(warned(response::json(code, view::body(&target.kind, form, &entry)?), &warnings));
    }
    let mut details = json!({"name": target.name()});
    if !target.kind.group.is_empty() {
        details["group"] = target.kind.group.as_str().into();
    }
    details["kind"] = target.kind.plural.as_str().into();
    details["uid"] = entry.head.uid().unwrap_or_default().into();
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details});
    Ok(warned(response::value(&status), &warnings))
}

#[expect(clippy::too_many_arguments, reason = "a call, who makes it, and what is noted about it")]
pub(super) async fn delete_collection(
    state: &State,
    target: &ResolvedTarget,
    form: Form,
    plan: &list::ListPlan,
    user: &User,
    options: &DeleteOptions,
    dry_run: DryRun,
    record: &Record,
) -> Answer<Response<Body>> {
    let json = options.print();
    let write = writer(state, target, user, &json, dry_run, record);
    let chosen = state.snapshot().selected(target, &plan.selection);
    if !chosen.is_empty() {
        storage_key::check_namespace(target)?;
    }
    for entry in &chosen {
        let one = ResolvedTarget {
            namespace: entry.head.namespace().map(str::to_owned),
            name: Some(entry.head.name().to_owned()),
            ..target.clone()
        };
        match delete_one(state, &write.to(one), target, options).await {
            Err(refusal) if refusal.code != 404 => return Err(refusal),
            _ => {}
        }
    }
    let page = Page::of(chosen, state.cluster().store.revision());
    page.prepare(&state.converter(), &target.kind).await?;
    Ok(response::stream(Body::stream(page.into_stream(target.kind.clone(), form)?)))
}

/// What the body says, or where there is none, the query.
pub(super) fn delete_options(headers: &HeaderMap, query: &Query, body: &[u8]) -> Answer<DeleteOptions> {
    if body.is_empty() {
        return Ok(write_options::delete_in_query(query));
    }
    let value = decode::options(headers, body)?;
    if value.is_null() {
        return Ok(DeleteOptions::default());
    }
    check_options_type(&value)?;
    let kind = facts::named("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions").expect("the tables have it");
    let value = match typed::reread(kind, value) {
        Ok(read) => read.value,
        Err(Trouble::WrongType(why)) => return Err(bad_request(why)),
        Err(Trouble::Syntax(error)) => return Err(bad_request(error.to_string())),
    };
    serde_json::from_value(value).map_err(|error| bad_request(format!("the body is not a DeleteOptions: {error}")))
}

/// A body that says what it is says that it is options.
fn check_options_type(value: &Value) -> Answer<()> {
    if !value.is_object() {
        let found = go_errors::type_name(value);
        let shape = "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \
                     \"json:\\\"kind,omitempty\\\"\" }";
        let why = format!("json: cannot unmarshal {found} into Go value of type {shape}");
        return Err(bad_request(format!("couldn't get version/kind; json parse error: {why}")));
    }
    custom_resource::read_type(value).map_err(bad_request)?;
    let text = |field: &str| registry::type_text(value, field);
    match text("kind") {
        "" | "DeleteOptions" => Ok(()),
        other => Err(bad_request(no_such_kind(text("apiVersion"), other))),
    }
}
