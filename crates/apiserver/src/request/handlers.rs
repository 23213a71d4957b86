//! What each verb does once its target is known: read the body, wait for a version, ask the cluster, make a response.
//!
//! The lock on the cluster is taken for the cluster's part alone: bodies are read before it and written after it.

mod deletion;

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Response};
use pintle_core::call::{Call, Form, PatchKind, Query, Verb};
use serde_json::Value;

use super::component_statuses;
use super::decode;
use super::resolve;
use super::write_options::{self, WriteOptions};
use crate::admission::{Notes, Operation, Record};
use crate::cluster::{DryRun, ResolvedTarget, Written};
use crate::faults::injection::ActiveFaults;
use crate::faults::trace::AuditAnnotations;
use crate::registry::create::NewObject;
use crate::registry::patch::Patch;
use crate::registry::subresources::{self, SubresourceType};
use crate::registry::update::Replacement;
use crate::registry::write::Write;
use crate::registry::{self, storage_key};
use crate::request::user::User;
use crate::response;
use crate::response::body::Body;
use crate::response::negotiation::accept;
use crate::response::status::{Answer, Refusal, not_found, unforeseen};
use crate::server::State;
use crate::storage::entry::Entry;
use crate::storage::list::{self, Page};
use crate::storage::requested_version;
use crate::storage::view;
use crate::storage::watch::{self, error_frame};

/// Performs a call, whose body was read or was too large to be.
pub(crate) async fn perform(
    state: &State,
    target: ResolvedTarget,
    call: Call,
    headers: &HeaderMap,
    user: &User,
    body: Answer<Bytes>,
    faults: ActiveFaults,
) -> Answer<Response<Body>> {
    let record = Record::default();
    let done = perform_recorded(state, target, call, headers, user, body, faults, &record).await;
    let Notes { warnings, audit_annotations } = record.into_notes();
    let mut response = match done {
        Ok(response) => response,
        Err(refusal) if warnings.is_empty() && audit_annotations.is_empty() => return Err(refusal),
        Err(refusal) => warned(response::refusal(&refusal), &warnings),
    };
    if !audit_annotations.is_empty() {
        response.extensions_mut().insert(AuditAnnotations(audit_annotations));
    }
    Ok(response)
}

#[expect(clippy::too_many_arguments, reason = "a call, who makes it, and what is noted about it")]
async fn perform_recorded(
    state: &State,
    target: ResolvedTarget,
    call: Call,
    headers: &HeaderMap,
    user: &User,
    body: Answer<Bytes>,
    faults: ActiveFaults,
    record: &Record,
) -> Answer<Response<Body>> {
    let (form, query) = (call.form, &call.query);
    match call.verb {
        Verb::Get => get(state, &target, form, query, faults.stale).await,
        Verb::List => list(state, &target, form, query, faults.stale).await,
        Verb::Watch => watch(state, target, form, query, headers, faults).await,
        Verb::Create if target.subresource_type() == SubresourceType::CreateOnly || !target.kind.is_stored() => {
            perform_create(state, &target, query, headers, user, body, record).await
        }
        Verb::Create => {
            let options = WriteOptions::parse(query, "CreateOptions")?;
            let (body, json) = (body?, options.print(query, "CreateOptions"));
            let write = writer(state, &target, user, &json, options.dry_run, record);
            loop {
                let snapshot = state.snapshot();
                let write = write.to(snapshot.resolved(&target)?);
                let (value, warnings) = decode::object(&write.target, headers, &body, options.validation)?;
                let attempted = async {
                    let new = NewObject::of_body(&snapshot, &write.target, value)?;
                    storage_key::check_new(&write.target, &new)?;
                    write.attempt_create(&snapshot, new).await
                };
                let attempted = record.with_warnings(&warnings, attempted.await)?;
                drop(snapshot);
                if let Ok(written) = attempted.commit(|ready| state.commit(ready))? {
                    return written_as(state, &write.target, form, written, warnings).await;
                }
            }
        }
        Verb::Replace => {
            let options = WriteOptions::parse(query, "UpdateOptions")?;
            let (body, json) = (body?, options.print(query, "UpdateOptions"));
            let write = writer(state, &target, user, &json, options.dry_run, record);
            loop {
                let snapshot = state.snapshot();
                let write = write.to(snapshot.resolved(&target)?);
                let (value, warnings) = decode::object(&write.target, headers, &body, options.validation)?;
                let attempted = async {
                    let replacement = Replacement::new(&write.target, value)?;
                    storage_key::check(&write.target)?;
                    write.attempt_replace(&snapshot, replacement).await
                };
                let attempted = record.with_warnings(&warnings, attempted.await)?;
                drop(snapshot);
                if let Ok(written) = attempted.commit(|ready| state.commit(ready))? {
                    return written_as(state, &write.target, form, written, warnings).await;
                }
            }
        }
        Verb::Patch(kind) => {
            let options = WriteOptions::parse(query, "PatchOptions")?;
            write_options::check_force(query, kind)?;
            let (body, json) = (body?, options.print(query, "PatchOptions"));
            let write = writer(state, &target, user, &json, options.dry_run, record);
            let patch = Patch::decode(&target, kind, &body, query.force == Some(true), options.validation);
            let patch = patch.map_err(|refusal| missing_or(state, &target, kind, refusal))?;
            storage_key::check(&target)?;
            loop {
                let snapshot = state.snapshot();
                let write = write.to(snapshot.resolved(&target)?);
                let attempted = write.attempt_patch(&snapshot, &patch).await?;
                drop(snapshot);
                if let Ok(written) = attempted.commit(|ready| state.commit(ready))? {
                    return written_as(state, &write.target, form, written, Vec::new()).await;
                }
            }
        }
        Verb::Delete => {
            let options = deletion::delete_options(headers, query, &body?)?;
            let dry_run = write_options::check_delete(&options)?;
            storage_key::check(&target)?;
            deletion::delete(state, &target, form, user, &options, dry_run, record).await
        }
        Verb::DeleteCollection => {
            let plan = list::ListPlan::parse(&target, query)?;
            let options = deletion::delete_options(headers, query, &body?)?;
            let dry_run = write_options::check_delete(&options)?;
            storage_key::check_collection(&target)?;
            deletion::delete_collection(state, &target, form, &plan, user, &options, dry_run, record).await
        }
    }
}

/// What is wrong with a patch shows only once there is an object to patch; what is applied makes its own.
fn missing_or(state: &State, target: &ResolvedTarget, kind: PatchKind, refusal: Refusal) -> Refusal {
    let is_read = refusal.message != "invalid JSON patch";
    if is_read && let Err(refusal) = storage_key::check(target) {
        return refusal;
    }
    let is_missing = kind != PatchKind::Apply && is_read && state.cluster().snapshot().current(target).is_none();
    if is_missing && matches!(refusal.code, 400 | 422) { not_found(&target.kind, target.name()) } else { refusal }
}

fn writer<'a>(
    state: &'a State,
    target: &ResolvedTarget,
    user: &'a User,
    options: &'a Value,
    dry_run: DryRun,
    record: &'a Record,
) -> Write<'a> {
    Write { admission: &state.admission, target: target.clone(), user, options, dry_run, record }
}

/// A POST that does something and stores nothing of its own: a review, or what is asked of a subresource.
async fn perform_create(
    state: &State,
    target: &ResolvedTarget,
    query: &Query,
    headers: &HeaderMap,
    user: &User,
    body: Answer<Bytes>,
    record: &Record,
) -> Answer<Response<Body>> {
    let options = WriteOptions::parse(query, "CreateOptions")?;
    let (value, mut warnings) = decode::object(target, headers, &body?, options.validation)?;
    let json = options.print(query, "CreateOptions");
    let write = writer(state, target, user, &json, options.dry_run, record);
    let (snapshot, mut object) = (state.snapshot(), registry::object(target, value)?);
    let (attributes, mut notes) = (write.attributes(Operation::Create, target, None), Notes::default());
    state.admission.mutate(&snapshot, &attributes, &mut object, &mut notes).await?;
    state.admission.validate(&snapshot, &attributes, Some(&object), &mut notes).await?;
    drop(snapshot);
    warnings.extend(notes.warnings);
    let made = match target.subresource.as_deref() {
        Some("eviction") => {
            let (options, dry_run) = state.cluster().begin_eviction(target, &object, options.dry_run)?;
            let pod = ResolvedTarget { subresource: None, ..target.clone() };
            deletion::delete_one(state, &Write { dry_run, ..write.to(pod.clone()) }, &pod, &options).await?;
            subresources::done()
        }
        Some(_) => state.cluster().perform(target, object.into_value(), options.dry_run)?,
        None if target.kind.is("", "bindings") => {
            state.cluster().bind_named(target, object.into_value(), options.dry_run)?
        }
        None => state.cluster().review(target, object.into_value(), user)?,
    };
    Ok(warned(response::made(&made), &warnings))
}

async fn get(
    state: &State,
    target: &ResolvedTarget,
    form: Form,
    query: &Query,
    stale: Option<u64>,
) -> Answer<Response<Body>> {
    if component_statuses::are_asked(target) {
        return Ok(response::json(200, component_statuses::get(target, form)?));
    }
    storage_key::check(target)?;
    let asked = requested_version::parse(query.resource_version.as_deref()).map_err(|wrong| unforeseen(wrong.0))?;
    if let Some(version) = asked {
        requested_version::reach(&state.progress, version).await?;
    }
    let place = target.place(target.name());
    let entry = {
        let cluster = state.cluster();
        match stale {
            None => cluster.store.get(&place.resource, &place.key),
            Some(behind) => cluster.stale_snapshot(&place.resource, behind, asked)?.0.get(&place.key).cloned(),
        }
    };
    let entry = entry.ok_or_else(|| not_found(&target.kind, target.name()))?;
    prepare(state, target, &entry).await?;
    Ok(response::json(200, view::answer(target, form, &entry)?))
}

async fn list(
    state: &State,
    target: &ResolvedTarget,
    form: Form,
    query: &Query,
    stale: Option<u64>,
) -> Answer<Response<Body>> {
    if component_statuses::are_asked(target) {
        let page = component_statuses::list(target, query)?;
        return Ok(response::stream(Body::stream(page.into_stream(target.kind.clone(), form)?)));
    }
    let plan = list::ListPlan::parse(target, query)?;
    storage_key::check_selected(target, query)?;
    if let Some(version) = plan.not_before {
        requested_version::reach(&state.progress, version).await?;
    }
    let (snapshot, revision) = state.cluster().list_snapshot(target, &plan, stale)?;
    let page = Page::cut(&snapshot, revision, target, &plan);
    page.prepare(&state.converter(), &target.kind).await?;
    Ok(response::stream(Body::stream(page.into_stream(target.kind.clone(), form)?)))
}

async fn watch(
    state: &State,
    target: ResolvedTarget,
    form: Form,
    query: &Query,
    headers: &HeaderMap,
    faults: ActiveFaults,
) -> Answer<Response<Body>> {
    let plan = watch::WatchPlan::parse(&target, query)?;
    storage_key::check_selected(&target, query)?;
    resolve::check_watch(&target, headers)?;
    if accept::of_objects(headers, &target.kind).is_some_and(|accepted| accepted.is_list_of_metadata) {
        // It is a form that no event has: the stream ends with the first of them.
        return Ok(response::stream(Body::empty()));
    }
    if let Some(version) = plan.not_before()
        && let Err(refusal) = requested_version::reach(&state.progress, version).await
    {
        return Ok(response::stream(Body::full(error_frame(&refusal))));
    }
    let started = {
        let mut cluster = state.cluster();
        let watch_defaults = state.watch_defaults(&cluster);
        cluster.watch(target.kind, form, plan, watch_defaults, &faults)
    };
    Ok(response::stream(match started {
        Ok(watcher) => Body::stream(watcher),
        Err(refusal) => Body::full(error_frame(&refusal)),
    }))
}

/// Has a webhook convert an entry to the version of a target, if that is how it is converted.
async fn prepare(state: &State, target: &ResolvedTarget, entry: &Arc<Entry>) -> Answer<()> {
    if !view::is_unconverted(&target.kind, entry) {
        return Ok(());
    }
    state.converter().prepare(&target.kind, std::slice::from_ref(entry)).await
}

/// The answer to a write.
async fn written_as(
    state: &State,
    target: &ResolvedTarget,
    form: Form,
    written: Written,
    mut warnings: Vec<String>,
) -> Answer<Response<Body>> {
    prepare(state, target, &written.entry).await?;
    let response = response::json(written.code, view::answer(target, form, &written.entry)?);
    warnings.extend(written.warnings);
    Ok(warned(response, &warnings))
}

fn warned(mut response: Response<Body>, warnings: &[String]) -> Response<Body> {
    response::warn(response.headers_mut(), warnings);
    response
}
