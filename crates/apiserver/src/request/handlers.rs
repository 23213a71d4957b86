//! What each verb does once its target is known: read the body, wait for a version, ask the cluster, make a response.
//!
//! The lock on the cluster is taken for the cluster's part alone: bodies are read before it and written after it.

use bytes::Buf;
use http::{HeaderMap, Response};
use pintle_core::call::{Call, Form, Query, Verb};
use serde_json::{Value, json};

use super::decode;
use super::resolve;
use super::write_options::{self, WriteOptions};
use crate::cluster::{Cluster, ResolvedTarget, Written};
use crate::faults::injection::ActiveFaults;
use crate::registry::create::Draft;
use crate::registry::delete::{DeleteOptions, Deleted, answers_with_object};
use crate::registry::guaranteed_update::Attempt;
use crate::registry::no_such_kind;
use crate::registry::patch::Patch;
use crate::registry::subresources::SubresourceType;
use crate::registry::update::Replacement;
use crate::response;
use crate::response::body::Body;
use crate::response::status::{Answer, bad_request, not_found, unforeseen};
use crate::server::{BoxError, State};
use crate::storage::list::{self, Page};
use crate::storage::requested_version;
use crate::storage::view;
use crate::storage::watch::{self, error_frame};

/// Performs a call.
pub(crate) async fn perform<B>(
    state: &State,
    target: ResolvedTarget,
    call: Call,
    headers: &HeaderMap,
    body: B,
    faults: ActiveFaults,
) -> Answer<Response<Body>>
where
    B: http_body::Body + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Into<BoxError>,
{
    let (form, query) = (call.form, &call.query);
    match call.verb {
        Verb::Get => get(state, &target, form, query, faults.stale).await,
        Verb::List => list(state, &target, form, query, faults.stale).await,
        // It is a form that no event has: the stream ends with the first of them.
        Verb::Watch if resolve::wants_list_of_metadata(headers) => Ok(response::stream(Body::empty())),
        Verb::Watch => watch(state, target, form, query, faults).await,
        Verb::Create if target.subresource_type() == SubresourceType::CreateOnly || !target.kind.is_stored() => {
            let options = WriteOptions::parse(query, "CreateOptions")?;
            let (value, warnings) = decode::object(&target, headers, &decode::read(body).await?, options.validation)?;
            let made = settled(state, |cluster| match target.subresource {
                Some(_) => cluster.perform(&target, value, options.dry_run),
                None if target.kind.is("", "bindings") => cluster.bind_named(&target, value, options.dry_run),
                None => cluster.review(&target, value),
            })?;
            Ok(warned(response::made(&made), &warnings))
        }
        Verb::Create => {
            let options = WriteOptions::parse(query, "CreateOptions")?;
            let (value, warnings) = decode::object(&target, headers, &decode::read(body).await?, options.validation)?;
            let tracker = state.cluster().tracker(&target.kind);
            let draft = Draft::new(&target, value, &tracker)?;
            let written = settled(state, |cluster| cluster.create_drafted(&target, draft, options.dry_run))?;
            written_as(&target, form, written, warnings)
        }
        Verb::Replace => {
            let options = WriteOptions::parse(query, "UpdateOptions")?;
            let (value, warnings) = decode::object(&target, headers, &decode::read(body).await?, options.validation)?;
            let replacement = Replacement::new(&target, value)?;
            let attempt = Attempt::of(state, &target, &replacement);
            let written = settled(state, |cluster| cluster.replace(&target, replacement, attempt, options.dry_run))?;
            written_as(&target, form, written, warnings)
        }
        Verb::Patch(kind) => {
            let options = WriteOptions::parse(query, "PatchOptions")?;
            write_options::check_force(query, kind)?;
            let (body, force) = (decode::read(body).await?, query.force == Some(true));
            let patch = Patch::decode(&target, kind, &body, force, options.validation)?;
            let attempt = Attempt::of(state, &target, &patch);
            let written = settled(state, |cluster| cluster.patch(&target, &patch, attempt, options.dry_run))?;
            written_as(&target, form, written, Vec::new())
        }
        Verb::Delete => delete(state, &target, form, &delete_options(headers, query, &decode::read(body).await?)?),
        Verb::DeleteCollection => {
            delete_collection(state, &target, form, query, &delete_options(headers, query, &decode::read(body).await?)?)
        }
    }
}

async fn get(
    state: &State,
    target: &ResolvedTarget,
    form: Form,
    query: &Query,
    stale: Option<u64>,
) -> Answer<Response<Body>> {
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
    Ok(response::json(200, view::answer(target, form, &entry)?))
}

async fn list(
    state: &State,
    target: &ResolvedTarget,
    form: Form,
    query: &Query,
    stale: Option<u64>,
) -> Answer<Response<Body>> {
    let plan = list::ListPlan::parse(target, query)?;
    if let Some(version) = plan.not_before {
        requested_version::reach(&state.progress, version).await?;
    }
    let (snapshot, revision) = state.cluster().snapshot(target, &plan, stale)?;
    let page = Page::cut(&snapshot, revision, target, &plan);
    Ok(response::stream(Body::stream(page.into_stream(target.kind.clone(), form)?)))
}

async fn watch(
    state: &State,
    target: ResolvedTarget,
    form: Form,
    query: &Query,
    faults: ActiveFaults,
) -> Answer<Response<Body>> {
    let plan = watch::WatchPlan::parse(&target, query)?;
    if let Some(version) = plan.not_before()
        && let Err(refusal) = requested_version::reach(&state.progress, version).await
    {
        return Ok(response::stream(Body::full(error_frame(&refusal))));
    }
    let started = {
        let mut cluster = state.cluster();
        let watch_defaults = state.watch_defaults(&mut cluster);
        cluster.watch(target.kind, form, plan, watch_defaults, &faults)
    };
    Ok(response::stream(match started {
        Ok(watcher) => Body::stream(watcher),
        Err(refusal) => Body::full(error_frame(&refusal)),
    }))
}

/// The answer to a write.
fn written_as(
    target: &ResolvedTarget,
    form: Form,
    written: Written,
    mut warnings: Vec<String>,
) -> Answer<Response<Body>> {
    let response = response::json(written.code, view::answer(target, form, &written.entry)?);
    warnings.extend(written.warnings);
    Ok(warned(response, &warnings))
}

fn warned(mut response: Response<Body>, warnings: &[String]) -> Response<Body> {
    response::warn(response.headers_mut(), warnings);
    response
}

fn delete(state: &State, target: &ResolvedTarget, form: Form, options: &DeleteOptions) -> Answer<Response<Body>> {
    let dry_run = write_options::dry_run_of_delete(options)?;
    let legacy = options.orphan_dependents == Some(false);
    let deleted = settled(state, |cluster| cluster.delete(target, options, dry_run))?;
    let (code, entry) = match deleted {
        // Only the oldest form of the option gets 202 while the deletion goes on.
        Deleted::Marked(entry) => (if legacy { 202 } else { 200 }, entry),
        Deleted::Gone(entry) if answers_with_object(&target.kind) => (200, entry),
        Deleted::Gone(entry) => {
            let mut details = json!({"name": target.name()});
            if !target.kind.group.is_empty() {
                details["group"] = target.kind.group.as_str().into();
            }
            details["kind"] = target.kind.plural.as_str().into();
            details["uid"] = entry.head.uid().unwrap_or_default().into();
            let status =
                json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details});
            return Ok(response::value(&status));
        }
    };
    Ok(response::json(code, view::body(&target.kind, form, &entry)?))
}

fn delete_collection(
    state: &State,
    target: &ResolvedTarget,
    form: Form,
    query: &Query,
    options: &DeleteOptions,
) -> Answer<Response<Body>> {
    let dry_run = write_options::dry_run_of_delete(options)?;
    let plan = list::ListPlan::parse(target, query)?;
    let page = settled(state, |cluster| {
        let entries = cluster.delete_collection(target, &plan.selection, options, dry_run)?;
        Ok(Page::of(entries, cluster.store.revision()))
    })?;
    Ok(response::stream(Body::stream(page.into_stream(target.kind.clone(), form)?)))
}

/// Changes the cluster and does all that follows from it before anybody else gets a look.
fn settled<T>(state: &State, change: impl FnOnce(&mut Cluster) -> Answer<T>) -> Answer<T> {
    let mut cluster = state.cluster();
    let done = change(&mut cluster);
    cluster.settle();
    done
}

/// What the body says, or where there is none, the query.
fn delete_options(headers: &HeaderMap, query: &Query, body: &[u8]) -> Answer<DeleteOptions> {
    if body.is_empty() {
        return Ok(write_options::delete_in_query(query));
    }
    let value = decode::options(headers, body)?;
    check_options_type(&value)?;
    serde_json::from_value(value).map_err(|error| bad_request(format!("the body is no DeleteOptions: {error}")))
}

/// A body that says what it is says that it is options.
fn check_options_type(value: &Value) -> Answer<()> {
    let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default();
    match text("kind") {
        "" | "DeleteOptions" => Ok(()),
        other => Err(bad_request(no_such_kind(text("apiVersion"), other))),
    }
}
