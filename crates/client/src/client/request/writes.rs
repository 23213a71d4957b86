//! What a task has written: for each answer to a write, which object it was and the version the server gave it.
//!
//! ```text
//!   Writes::scope(task) ── client.request(PATCH …) ──► answer ──► Write { target, uid, version } ──► Writes::take
//! ```
//! The runtime opens a scope around each reconcile, so that it can wait until its caches have seen what the reconciler
//! wrote. A scope is local to one task: what a task spawns is not seen, and outside a scope nothing is noted and nothing
//! is looked at. Reads, dry runs, refusals and answers that are not objects are not noted.
//!
//! A scope may have a [`WriteGuard`]: where that says no, nothing that changes the cluster leaves the process.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::{Method, Request};
use pintle_core::call::{Call, Target, Verb};
use pintle_wire::{Body, HeadReader, protobuf};
use serde::Deserialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::info::RequestInfo;
use super::write_guard::{WriteGuard, while_open};
use crate::client::answer::decode;

tokio::task_local! {
    static WRITES: Writes;
}

/// What a scope has written so far; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Writes {
    noted: Arc<Mutex<Vec<Write>>>,
    keeps_bodies: bool,
    /// How many writes may be under way at once, with those of other scopes that share it.
    places: Option<Arc<Semaphore>>,
    guard: Option<WriteGuard>,
}

/// One write that the server accepted.
#[derive(Clone)]
#[non_exhaustive]
pub struct Write {
    /// Which object; its name is set even where the server chose it.
    pub target: Target,
    /// Which one of those that have had that name.
    pub uid: String,
    /// What became of it.
    pub effect: Effect,
    /// Its labels after the write.
    pub labels: BTreeMap<String, String>,
    /// The field manager, if the request named one.
    pub manager: Option<String>,
    /// The object as the server answered, as JSON, if the scope keeps that.
    pub body: Option<Bytes>,
}

/// What became of an object that was written.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Effect {
    /// It is stored in this version.
    Stored(String),
    /// It is gone, or will be once its finalizers are.
    Deleted,
}

/// So many writes of one scope are noted; a reconciler that writes more has the last ones waited for.
const WRITES_MAX: usize = 1024;

impl Writes {
    /// Nothing written yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// As [`new`](Self::new), keeping the objects as the server answered.
    #[must_use]
    pub fn keeping_bodies() -> Self {
        Self { keeps_bodies: true, ..Self::default() }
    }

    /// The same, whose writes wait for a place of `places` each.
    #[must_use]
    pub fn sharing(mut self, places: Option<Arc<Semaphore>>) -> Self {
        self.places = places;
        self
    }

    /// The same, which lets nothing through that `guard` refuses, and polls its task no more once it does.
    #[must_use]
    pub fn guarded_by(mut self, guard: WriteGuard) -> Self {
        self.guard = Some(guard);
        self
    }

    /// Runs `task`; what it writes by any client is noted here. A task whose guard has closed stays as it is, and is for
    /// its owner to drop.
    pub fn scope<F: Future>(&self, task: F) -> impl Future<Output = F::Output> + use<F> {
        WRITES.scope(self.clone(), while_open(task, self.guard.clone()))
    }

    /// The guard of the scope that this is called in.
    pub(in crate::client) fn guard_here() -> Option<WriteGuard> {
        WRITES.try_with(|writes| writes.guard.clone()).ok().flatten()
    }

    /// What was written since the last time.
    #[must_use]
    pub fn take(&self) -> Vec<Write> {
        std::mem::take(&mut *self.noted.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, write: Write) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() == WRITES_MAX {
            noted.remove(0);
        }
        noted.push(write);
    }
}

/// Waits until a call of this method may be sent, where its scope limits that; it may until what this returns is dropped.
pub(in crate::client) fn turn(method: &Method) -> impl Future<Output = Option<OwnedSemaphorePermit>> + use<> {
    let places = WRITES.try_with(|writes| writes.places.clone()).ok().flatten().filter(|_| !method.is_safe());
    async move { places?.acquire_owned().await.ok() }
}

/// A write on its way.
pub(in crate::client) struct Writing {
    writes: Writes,
    call: Arc<Call>,
}

impl Writing {
    /// `request`, if it is a write within a scope.
    pub(in crate::client) fn of(request: &Request<Vec<u8>>) -> Option<Self> {
        if request.method().is_safe() {
            return None;
        }
        let writes = WRITES.try_with(Clone::clone).ok()?;
        let call = RequestInfo::of(request).call().filter(|call| call.query.dry_run.is_none())?.clone();
        let is_delete = matches!(call.verb, Verb::Delete | Verb::DeleteCollection);
        // Deletes say in their body what others say in the query.
        let options: DeleteOptions =
            serde_json::from_slice(request.body()).ok().filter(|_| is_delete).unwrap_or_default();
        options.dry_run.is_empty().then_some(Self { writes, call })
    }

    /// Notes what the server answered.
    pub(in crate::client) fn answered(self, body: &Bytes) {
        match self.call.verb {
            Verb::Delete | Verb::DeleteCollection => self.deleted(body),
            _ => self.stored(body),
        }
    }

    /// Of an object that was stored only the head is read: the caller decodes the rest.
    fn stored(self, body: &Bytes) {
        let Some(head) = body_of(body).and_then(|body| HeadReader::new().read_body(body).ok()) else { return };
        let (Some(uid), Some(version)) = (head.uid(), head.resource_version()) else { return };
        let Some(target) = self.target(head.name(), head.namespace()) else { return };
        let labels = head.labels().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        let kept = self.writes.keeps_bodies.then(|| as_json(body));
        self.note(target, uid.into(), Effect::Stored(version.to_string()), labels, kept);
    }

    /// A delete is answered with an object, a list of them, or a `Status` about one.
    fn deleted(self, body: &Bytes) {
        let Ok(answer) = decode::<DeleteAnswer>(body) else { return };
        if let Some(uid) = answer.details.and_then(|details| details.uid) {
            self.note(self.call.target.clone(), uid, Effect::Deleted, BTreeMap::new(), None);
        }
        for metadata in answer.metadata.into_iter().chain(answer.items.into_iter().filter_map(|item| item.metadata)) {
            let (Some(name), Some(uid)) = (metadata.name, metadata.uid) else { continue };
            let Some(target) = self.target(&name, metadata.namespace.as_deref()) else { continue };
            let kept = self.writes.keeps_bodies.then(|| as_json(body));
            self.note(target, uid, Effect::Deleted, metadata.labels, kept);
        }
    }

    /// The object of this name, unless the call was about another.
    fn target(&self, name: &str, namespace: Option<&str>) -> Option<Target> {
        let target = &self.call.target;
        if target.name.as_ref().is_some_and(|target| target != name) {
            return None;
        }
        let namespace = namespace.map(str::to_owned).or_else(|| target.namespace.clone());
        Some(Target { name: Some(name.to_owned()), namespace, ..target.clone() })
    }

    fn note(&self, target: Target, uid: String, effect: Effect, labels: BTreeMap<String, String>, body: Option<Bytes>) {
        let manager = self.call.query.field_manager.clone();
        self.writes.note(Write { target, uid, effect, labels, manager, body });
    }
}

impl Write {
    /// A write of the object `target` and `uid` name, without labels and manager.
    #[must_use]
    pub fn new(target: Target, uid: String, effect: Effect, body: Option<Bytes>) -> Self {
        Self { target, uid, effect, labels: BTreeMap::new(), manager: None, body }
    }
}

impl fmt::Debug for Write {
    /// Names the object; its content may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Write").field("target", &self.target).field("effect", &self.effect).finish_non_exhaustive()
    }
}

fn body_of(answer: &Bytes) -> Option<Body<'_>> {
    if answer.starts_with(protobuf::MAGIC) { Body::in_envelope(answer).ok() } else { Some(Body::json(answer)) }
}

fn as_json(body: &Bytes) -> Bytes {
    if !body.starts_with(protobuf::MAGIC) {
        return body.clone();
    }
    protobuf::to_json(body).map_or_else(|_| body.clone(), Bytes::from)
}

/// As much of the answer to a delete as is needed.
#[derive(Deserialize)]
struct DeleteAnswer {
    metadata: Option<Metadata>,
    #[serde(default)]
    items: Vec<Item>,
    details: Option<Details>,
}

#[derive(Deserialize)]
struct Item {
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Metadata {
    name: Option<String>,
    namespace: Option<String>,
    uid: Option<String>,
    #[serde(default)]
    labels: BTreeMap<String, String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct DeleteOptions {
    dry_run: Vec<String>,
}

#[derive(Deserialize)]
struct Details {
    uid: Option<String>,
}
