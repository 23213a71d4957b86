//! managedFields: who has set which fields of an object, kept with every write.
//!
//! ```text
//!   create, update, patch ─► track ──┐                    ┌─► metadata.managedFields
//!                                    ├─► Managers ─► cap ─┤
//!   apply ─► Conflicts or merge ─────┘                    └─► the object as it becomes
//! ```
//! In: the state before a write, the state a client asks for, and who asks. Out: the same state with managedFields, or the
//! conflicts of an apply. `managers` is the list itself, `track` what every write does to it, `apply` and `prune` what
//! apply does besides, `versions` the schemas, `reset` the fields a path does not write. How values merge is `merge`.

mod apply;
mod cap;
mod last_applied;
mod managers;
pub(crate) mod merge;
mod prune;
mod reset;
mod track;
mod versions;

use http::HeaderMap;
use http::header::USER_AGENT;
use serde_json::{Value, json};

pub(crate) use apply::{Conflict, Refused};
pub(crate) use managers::{Managers, Operation};
pub(crate) use reset::{ResetFields, restore};

use versions::Versions;

use crate::catalog::crd::converter::Converter;
use crate::catalog::kinds::Kind;
use crate::clock::Clock;
use crate::cluster::ResolvedTarget;
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::codec::typed;
use crate::managed_fields::merge::FieldSet;
use crate::registry::subresources::SubresourceType;
use crate::response::status::Answer;

/// Who writes, through which path, and when.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    pub(crate) name: String,
    pub(crate) operation: Operation,
    pub(crate) api_version: String,
    pub(crate) subresource: String,
    /// None for a scale, whose managers have no times.
    pub(crate) now: Option<String>,
    /// What this path does not write, whatever is sent to it.
    pub(crate) reset: FieldSet,
}

/// All that tracking needs to know about a cluster: who has it needs the cluster no more.
pub(crate) struct Tracker {
    versions: Versions,
    clock: Clock,
}

impl ClusterSnapshot {
    /// The tracker of a kind's objects.
    pub(crate) fn tracker(&self, kind: &Kind) -> Tracker {
        Tracker { versions: self.versions(kind), clock: self.clock.clone() }
    }
}

impl Tracker {
    /// Has a webhook convert what the last comparison turned out to need; says whether there was anything, in which case that
    /// comparison is to be made again.
    pub(crate) async fn convert_needed(&self, converter: &Converter, kind: &Kind) -> Answer<bool> {
        self.versions.convert_needed(converter, kind).await
    }

    /// Notes in an object what a write makes of it and by whom; `before` is the stored state, if there is one.
    pub(crate) fn track(&self, target: &ResolvedTarget, before: Option<&Object>, object: &mut Object) {
        let mut managers = stated(target, before, object);
        object.put_meta("managedFields", None);
        if managers.is_empty() && before.is_some() {
            // An update does not begin to track an object without managers: a client has emptied the list, or it was
            // never tracked.
            return;
        }
        let (old, mut new) = (comparable(target, before), comparable(target, Some(object)));
        if let Some(set) = old["metadata"].get("deletionTimestamp") {
            // No client can change it, and some clients print a time in another form than they read it.
            new["metadata"]["deletionTimestamp"] = set.clone();
        }
        let writer = self.writer(target, Operation::Update);
        track::update(&mut managers, &self.versions, &writer, &old, &new);
        if self.versions.are_unfit() {
            // As kube-apiserver does where states cannot be compared: the managers stay as they were.
            managers = managers_of(before);
        }
        cap::cap(&mut managers);
        object.put_meta("managedFields", managers.print());
    }

    /// What an object becomes when this is applied to it.
    pub(crate) fn applied(
        &self,
        target: &ResolvedTarget,
        before: Option<&Object>,
        applied: &Value,
        force: bool,
    ) -> Result<Object, Refused> {
        let mut managers = before.map(|before| managers_of(Some(before))).unwrap_or_default();
        let live = comparable(target, before);
        let mut writer = self.writer(target, Operation::Update);
        if managers.is_empty() && before.is_some() {
            let first = Writer { name: BEFORE_FIRST_APPLY.to_owned(), ..writer.clone() };
            track::update(&mut managers, &self.versions, &first, &comparable(target, None), &live);
        }
        writer.operation = Operation::Apply;
        let merged = last_applied::apply(&mut managers, &self.versions, &writer, &live, applied, force)?;
        if merged.is_some() {
            // A manager that states what is there already is noted, but not as having written now.
            managers.touch(&writer);
        }
        cap::cap(&mut managers);
        let mut object = Object::from_value(merged.unwrap_or(live)).unwrap_or_else(|| empty(target));
        typed::finish(&target.kind, &mut object);
        object.put_meta("managedFields", managers.print());
        Ok(object)
    }

    fn writer(&self, target: &ResolvedTarget, operation: Operation) -> Writer {
        let name = if target.manager.is_empty() { "unknown" } else { &target.manager };
        Writer {
            name: name.to_owned(),
            operation,
            api_version: target.kind.api_version(),
            subresource: target.subresource.clone().unwrap_or_default(),
            now: (target.subresource_type() != SubresourceType::Scale).then(|| self.clock.timestamp()),
            reset: reset::fields(target),
        }
    }
}

/// An object in the form in which two states are compared; nothing at all is an empty object.
fn comparable(target: &ResolvedTarget, object: Option<&Object>) -> Value {
    let mut object = object.map_or_else(|| empty(target), Object::without_managers);
    typed::finish(&target.kind, &mut object);
    object.into_value()
}

fn empty(target: &ResolvedTarget) -> Object {
    let value = json!({"apiVersion": target.kind.api_version(), "kind": target.kind.kind});
    Object::from_value(value).expect("an object without metadata gets one")
}

/// The managers that a write starts from: those the client sent, unless it sent none or only part is written.
fn stated(target: &ResolvedTarget, before: Option<&Object>, object: &Object) -> Managers {
    let sent = object.metadata().get("managedFields");
    if target.subresource.is_none() {
        if sent.is_some_and(is_reset) {
            return Managers::default();
        }
        if let Ok(managers) = Managers::read(sent)
            && !managers.is_empty()
        {
            return managers;
        }
    }
    managers_of(before)
}

fn managers_of(object: Option<&Object>) -> Managers {
    let stored = object.and_then(|object| object.metadata().get("managedFields"));
    Managers::read(stored).unwrap_or_default()
}

/// An empty list, or one empty entry, asks for an end of all tracking.
fn is_reset(sent: &Value) -> bool {
    match sent.as_array().map(Vec::as_slice) {
        Some([]) => true,
        Some([one]) => one.as_object().is_some_and(serde_json::Map::is_empty),
        _ => false,
    }
}

/// Whether two states are the same but for the times at which their managers wrote.
pub(crate) fn same_but_times(a: &Object, b: &Object) -> bool {
    let same_fields =
        a.same_content(b, true) && a.get("apiVersion") == b.get("apiVersion") && a.get("kind") == b.get("kind");
    same_fields && same_metadata(a, b) && timeless(a) == timeless(b)
}

/// Whether the metadata is the same, apart from its managers.
fn same_metadata(a: &Object, b: &Object) -> bool {
    let count = |object: &Object| object.metadata().keys().filter(|field| *field != "managedFields").count();
    let is_same =
        |(field, value): (&String, &Value)| field == "managedFields" || b.metadata().get(field) == Some(value);
    count(a) == count(b) && a.metadata().iter().all(is_same)
}

/// The managers of an object without their times, in the order of these: another order is a change.
fn timeless(object: &Object) -> Option<Value> {
    let mut managers = object.metadata().get("managedFields")?.clone();
    for entry in managers.as_array_mut()?.iter_mut().filter_map(Value::as_object_mut) {
        entry.remove("time");
    }
    Some(managers)
}

/// The name under which a request's writes are kept: the one it gives, else the first word of its user agent.
pub(crate) fn manager_name(given: Option<&str>, headers: &HeaderMap) -> String {
    if let Some(given) = given.filter(|given| !given.is_empty()) {
        return given.to_owned();
    }
    let agent = headers.get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut name = String::new();
    for sign in agent.split('/').next().unwrap_or_default().chars().filter(|sign| !sign.is_control()) {
        if name.len() + sign.len_utf8() > NAME_BYTES_MAX {
            break;
        }
        name.push(sign);
    }
    name
}

/// The manager of all fields that were set before managers were tracked.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// kube-apiserver's limit.
const NAME_BYTES_MAX: usize = 128;
