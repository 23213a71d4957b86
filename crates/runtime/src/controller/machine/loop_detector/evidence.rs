//! What is kept of a suspect, and what it comes to.

use std::collections::BTreeMap;
use std::fmt;

use bytes::Bytes;
use pintle_client::client::writes::Write;
use serde_json::Value;

use crate::controller::machine::loop_detector::managers::{taker, writers};
use crate::controller::machine::loop_detector::paths::differing;
use crate::controller::machine::loop_detector::{Mark, Object};
use crate::reflector::Key;

/// An object whose reconciler keeps waking itself; from [`Metrics::loops`](crate::controller::Metrics::loops).
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct LoopReport {
    /// The object that is reconciled.
    pub key: Key,
    /// The kind of the object that is written each time, as `plural` or `plural.group`.
    pub resource: String,
    /// That object; `None` if it is another each time.
    pub written: Option<Key>,
    /// Why it does not come to rest.
    pub cause: LoopCause,
}

/// Why an object does not come to rest.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum LoopCause {
    /// The reconciler writes something else into these fields each time, `status.lastUpdated` for example.
    Changes(Vec<String>),
    /// The reconciler makes or deletes another object each time.
    Replaces,
    /// Another writer undoes what it writes.
    Fights {
        /// Their field manager, if the server names it.
        manager: Option<String>,
        /// The fields in question, if they are known.
        fields: Vec<String>,
    },
}

/// What was written, and what was there before.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    /// What the round before the last one wrote.
    before: BTreeMap<Object, Kept>,
    /// What the next round saw.
    found: BTreeMap<Object, Bytes>,
    /// What the last round wrote.
    last: BTreeMap<Object, Kept>,
    /// What the last round wrote at all, kept or not.
    written: Option<Object>,
    /// Whether the last round wrote to no object that the one before it wrote.
    is_another: bool,
}

/// One object as it was written.
#[derive(Clone, Debug)]
struct Kept {
    body: Bytes,
    manager: Option<String>,
    is_status: bool,
}

impl Evidence {
    /// What is there before the next round.
    pub(super) fn found(&mut self, object: Object, body: Bytes) {
        self.found.insert(object, body);
    }

    /// Takes in what a round wrote; says whether it is what the round before it wrote, if both were kept.
    pub(super) fn take(&mut self, writes: &[Write]) -> Option<bool> {
        let objects: Vec<_> = writes.iter().filter_map(Mark::of).map(|mark| mark.object).collect();
        self.is_another = self.written.as_ref().is_some_and(|known| !objects.contains(known));
        self.written = objects.into_iter().next();
        let keep = |write: &Write| {
            let is_status = write.target.subresource.as_deref() == Some("status");
            let kept = Kept { body: write.body.clone()?, manager: write.manager.clone(), is_status };
            Some((Object::of(write)?, kept))
        };
        let last = writes.iter().filter_map(keep).collect();
        self.before = std::mem::replace(&mut self.last, last);
        let mut both = self.last.iter().filter_map(|(object, last)| Some((self.before.get(object)?, last))).peekable();
        both.peek()?;
        Some(both.all(|(before, last)| before.is_same(last)))
    }

    pub(super) fn report(&self, key: &Key, is_fight: bool) -> LoopReport {
        let changed = self.last.iter().find(|(object, _)| self.before.contains_key(*object));
        let object = changed.map(|(object, _)| object).or(self.written.as_ref());
        let cause = match changed {
            Some((object, last)) if is_fight => self.fight(object, last),
            Some((object, last)) => LoopCause::Changes(differing(&self.before[object].json(), &last.json())),
            None if is_fight => LoopCause::Fights { manager: None, fields: Vec::new() },
            None if self.is_another => LoopCause::Replaces,
            None => LoopCause::Changes(Vec::new()),
        };
        let resource = object.map(|object| match object.group.as_str() {
            "" => object.plural.clone(),
            group => format!("{}.{group}", object.plural),
        });
        let written = object.filter(|_| cause != LoopCause::Replaces).map(|object| object.key.clone());
        LoopReport { key: key.clone(), resource: resource.unwrap_or_default(), written, cause }
    }

    /// Who changed what was written, and where.
    fn fight(&self, object: &Object, last: &Kept) -> LoopCause {
        let (before, after) = (self.before[object].json(), last.json());
        let Some(found) = self.found.get(object).and_then(|body| serde_json::from_slice::<Value>(body).ok()) else {
            return LoopCause::Fights { manager: None, fields: Vec::new() };
        };
        let own = last.manager.clone().map_or_else(|| writers(&found, &after), |manager| vec![manager]);
        match taker(&before, &found, &own) {
            Some(taker) => LoopCause::Fights { manager: Some(taker.manager), fields: taker.paths },
            None => LoopCause::Fights { manager: None, fields: undone(&found, &after) },
        }
    }
}

/// Where `found` is not what was written; a watch of metadata shows no more than those.
fn undone(found: &Value, written: &Value) -> Vec<String> {
    if found["kind"] == "PartialObjectMetadata" {
        let metadata = |object: &Value| serde_json::json!({"metadata": object["metadata"]});
        return differing(&metadata(found), &metadata(written));
    }
    differing(found, written)
}

impl Kept {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Whether both say the same, where they could: who writes the status does not write the rest.
    fn is_same(&self, other: &Self) -> bool {
        let part = |kept: &Self| {
            let mut json = kept.json();
            if kept.is_status {
                return json["status"].take();
            }
            if let Some(fields) = json.as_object_mut() {
                fields.remove("status");
            }
            json
        };
        differing(&part(self), &part(other)).is_empty()
    }
}

impl fmt::Display for LoopReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { resource, written, cause, .. } = self;
        let place = written.as_ref().map_or_else(|| resource.clone(), |written| format!("{resource} {written}"));
        match cause {
            LoopCause::Changes(fields) if fields.is_empty() => write!(f, "each reconcile changes {place}"),
            LoopCause::Changes(fields) => {
                write!(f, "each reconcile writes something else into {} of {place}", fields.join(", "))
            }
            LoopCause::Replaces => write!(f, "each reconcile makes or deletes another of {place}"),
            LoopCause::Fights { manager, fields } => {
                let who = manager.as_deref().unwrap_or("another writer");
                match fields.as_slice() {
                    [] => write!(f, "{who} undoes what is written to {place}"),
                    fields => write!(f, "{who} undoes what is written to {} of {place}", fields.join(", ")),
                }
            }
        }
    }
}
