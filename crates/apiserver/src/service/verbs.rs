//! What each verb does once its subject is known: read the body, wait for a version, ask the cluster, make a response.
//!
//! The lock on the cluster is taken for the cluster's part alone: bodies are read before it and written after it.

use bytes::{Buf, Bytes};
use http::header::{CONTENT_TYPE, WARNING};
use http::{HeaderMap, Response};
use http_body_util::{BodyExt, Collected, LengthLimitError, Limited};
use pintle_core::call::{Call, Form, Query, Verb};
use serde_json::{Value, json};

use super::bends::Bends;
use super::options::{self, WriteOptions};
use crate::body::Body;
use crate::cluster::{Cluster, Subject, Written};
use crate::list::{self, Page};
use crate::reply;
use crate::server::{BoxError, State};
use crate::status::{Answer, bad_request, not_found, too_large, unforeseen, unsupported_media_type};
use crate::version;
use crate::view;
use crate::watch::{self, error_frame};
use crate::write::delete::{DeleteOptions, Deleted, answers_with_object};
use crate::write::patch::Patch;

/// Performs a call.
pub(crate) async fn perform<B>(
    state: &State,
    subject: Subject,
    call: Call,
    headers: &HeaderMap,
    body: B,
    bends: Bends,
) -> Answer<Response<Body>>
where
    B: http_body::Body + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Into<BoxError>,
{
    let (form, query) = (call.form, &call.query);
    match call.verb {
        Verb::Get => get(state, &subject, form, query, bends.stale).await,
        Verb::List => list(state, &subject, form, query, bends.stale).await,
        Verb::Watch => watch(state, subject, form, query, bends).await,
        Verb::Create => {
            let options = WriteOptions::parse(query, "CreateOptions")?;
            let value = decode(headers, &read(body).await?)?;
            write(state, &subject, form, &options, |cluster| cluster.create(&subject, value, options.run))
        }
        Verb::Replace => {
            let options = WriteOptions::parse(query, "UpdateOptions")?;
            let value = decode(headers, &read(body).await?)?;
            write(state, &subject, form, &options, |cluster| cluster.update(&subject, value, options.run))
        }
        Verb::Patch(kind) => {
            let options = WriteOptions::parse(query, "PatchOptions")?;
            options::check_force(query, kind)?;
            let patch = Patch::decode(&subject.kind, kind, &read(body).await?)?;
            write(state, &subject, form, &options, |cluster| cluster.patch(&subject, patch, options.run))
        }
        Verb::Delete => delete(state, &subject, form, &delete_options(headers, query, &read(body).await?)?),
        Verb::DeleteCollection => {
            delete_collection(state, &subject, form, query, &delete_options(headers, query, &read(body).await?)?)
        }
    }
}

async fn get(
    state: &State,
    subject: &Subject,
    form: Form,
    query: &Query,
    stale: Option<u64>,
) -> Answer<Response<Body>> {
    let asked = version::parse(query.resource_version.as_deref()).map_err(|wrong| unforeseen(wrong.0))?;
    if let Some(version) = asked {
        version::reach(&state.progress, version).await?;
    }
    let place = subject.place(subject.name());
    let entry = {
        let cluster = state.cluster();
        match stale {
            None => cluster.store.get(&place.resource, &place.key),
            Some(behind) => cluster.stale_snapshot(&place.resource, behind, asked)?.0.get(&place.key).cloned(),
        }
    };
    let entry = entry.ok_or_else(|| not_found(&subject.kind, subject.name()))?;
    Ok(reply::json(200, view::body(&subject.kind, form, &entry)?))
}

async fn list(
    state: &State,
    subject: &Subject,
    form: Form,
    query: &Query,
    stale: Option<u64>,
) -> Answer<Response<Body>> {
    let plan = list::Plan::parse(subject, query)?;
    if let Some(version) = plan.not_before {
        version::reach(&state.progress, version).await?;
    }
    let (snapshot, revision) = state.cluster().snapshot(subject, &plan, stale)?;
    let page = Page::cut(&snapshot, revision, subject, &plan);
    Ok(reply::stream(Body::stream(page.into_stream(subject.kind.clone(), form)?)))
}

async fn watch(state: &State, subject: Subject, form: Form, query: &Query, bends: Bends) -> Answer<Response<Body>> {
    let plan = watch::Plan::parse(&subject, query)?;
    if let Some(version) = plan.not_before()
        && let Err(refusal) = version::reach(&state.progress, version).await
    {
        return Ok(reply::stream(Body::full(error_frame(&refusal))));
    }
    let started = {
        let mut cluster = state.cluster();
        let rhythm = state.rhythm(&mut cluster);
        cluster.watch(subject.kind, form, plan, rhythm, &bends)
    };
    Ok(reply::stream(match started {
        Ok(watcher) => Body::stream(watcher.into_stream()),
        Err(refusal) => Body::full(error_frame(&refusal)),
    }))
}

fn write(
    state: &State,
    subject: &Subject,
    form: Form,
    options: &WriteOptions,
    change: impl FnOnce(&mut Cluster) -> Answer<Written>,
) -> Answer<Response<Body>> {
    let written = settled(state, change)?;
    let mut response = reply::json(written.code, view::body(&subject.kind, form, &written.entry)?);
    if let Some(warning) = options.warning.clone() {
        response.headers_mut().insert(WARNING, warning);
    }
    Ok(response)
}

fn delete(state: &State, subject: &Subject, form: Form, options: &DeleteOptions) -> Answer<Response<Body>> {
    let run = options::run_of_delete(options)?;
    let legacy = options.orphan_dependents == Some(false);
    let deleted = settled(state, |cluster| cluster.delete(subject, options, run))?;
    let (code, entry) = match deleted {
        // Only the oldest way to ask is told that the deletion goes on.
        Deleted::Marked(entry) => (if legacy { 202 } else { 200 }, entry),
        Deleted::Gone(entry) if answers_with_object(&subject.kind) => (200, entry),
        Deleted::Gone(entry) => {
            let mut details = json!({"name": subject.name()});
            if !subject.kind.group.is_empty() {
                details["group"] = subject.kind.group.as_str().into();
            }
            details["kind"] = subject.kind.plural.as_str().into();
            details["uid"] = entry.head.uid().unwrap_or_default().into();
            let status =
                json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details});
            return Ok(reply::value(&status));
        }
    };
    Ok(reply::json(code, view::body(&subject.kind, form, &entry)?))
}

fn delete_collection(
    state: &State,
    subject: &Subject,
    form: Form,
    query: &Query,
    options: &DeleteOptions,
) -> Answer<Response<Body>> {
    let run = options::run_of_delete(options)?;
    let plan = list::Plan::parse(subject, query)?;
    let page = settled(state, |cluster| {
        let entries = cluster.delete_collection(subject, &plan.selection, options, run)?;
        Ok(Page::of(entries, cluster.store.revision()))
    })?;
    Ok(reply::stream(Body::stream(page.into_stream(subject.kind.clone(), form)?)))
}

/// Changes the cluster and does all that follows from it before anybody else gets a look.
fn settled<T>(state: &State, change: impl FnOnce(&mut Cluster) -> Answer<T>) -> Answer<T> {
    let mut cluster = state.cluster();
    let done = change(&mut cluster);
    cluster.settle();
    done
}

async fn read<B>(body: B) -> Answer<Bytes>
where
    B: http_body::Body + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Into<BoxError>,
{
    let collected = Limited::new(body, BODY_BYTES_MAX).collect().await;
    collected.map(Collected::to_bytes).map_err(|error| match error.downcast::<LengthLimitError>() {
        Ok(_) => too_large(&format!("limit is {BODY_BYTES_MAX}")),
        Err(error) => bad_request(format!("the body of the request could not be read: {error}")),
    })
}

fn decode(headers: &HeaderMap, body: &[u8]) -> Answer<Value> {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("application/json");
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if media_type != "application/json" {
        let mut refusal = unsupported_media_type(&["application/json"]);
        if matches!(media_type, "application/vnd.kubernetes.protobuf" | "application/yaml") {
            refusal.message.push_str(&format!(" ({media_type} is not implemented by this server yet)"));
        }
        return Err(refusal);
    }
    serde_json::from_slice(body)
        .map_err(|error| bad_request(format!("couldn't get version/kind; json parse error: {error}")))
}

/// What the body says, or where there is none, the query.
fn delete_options(headers: &HeaderMap, query: &Query, body: &[u8]) -> Answer<DeleteOptions> {
    if body.is_empty() {
        return Ok(options::delete_in_query(query));
    }
    serde_json::from_value(decode(headers, body)?)
        .map_err(|error| bad_request(format!("the body is no DeleteOptions: {error}")))
}

/// kube-apiserver's limit, which is what etcd takes with room for the request around it.
const BODY_BYTES_MAX: usize = 3 * 1024 * 1024;
