//! What a controller wants: writes in an order, and when it wants to look again.
//!
//! In: what a controller finds missing or wrong. Out: intents, which take the way of every other write.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::events::Event;
use crate::catalog::kinds;
use crate::cluster::{Cluster, DryRun, ResolvedTarget};
use crate::codec::object::Object;
use crate::controllers::intents::{Action, Intent};
use crate::registry::delete::Propagation;
use crate::response::status::Answer;
use crate::storage::store::{StorageKey, key};

/// Who a controller is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    /// Its service account in kube-system, or what it is called where it is not one.
    pub(super) account: &'static str,
    /// Its field manager.
    pub(super) manager: &'static str,
    /// By which name it reports events.
    pub(super) component: &'static str,
}

impl Identity {
    /// A controller of kube-controller-manager.
    pub(super) const fn controller(account: &'static str, component: &'static str) -> Identity {
        Identity { account, manager: "kube-controller-manager", component }
    }
}

/// What a controller wants.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) identity: Identity,
    pub(super) wishes: Vec<Wish>,
    /// When to look again, though nothing may have changed.
    pub(super) again: Option<Timestamp>,
    /// What began now.
    pub(super) since: Vec<(String, String)>,
}

/// A write that a controller wants.
#[derive(Debug)]
pub(super) enum Wish {
    Create { kind: Built, namespace: Option<String>, body: Value },
    Update { kind: Built, body: Value },
    Status { kind: Built, body: Value },
    Approval { kind: Built, body: Value },
    Delete { kind: Built, namespace: Option<String>, name: String, propagation: Propagation, grace: Option<i64> },
    Bind { namespace: String, name: String, node: String },
    Event(Event),
}

/// A kind that every server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Built {
    pub(super) group: &'static str,
    pub(super) version: &'static str,
    pub(super) plural: &'static str,
}

impl Built {
    pub(super) const fn new(group: &'static str, version: &'static str, plural: &'static str) -> Built {
        Built { group, version, plural }
    }

    pub(super) fn resource(self) -> crate::storage::store::Resource {
        crate::storage::store::Resource::new(self.group, self.plural)
    }

    pub(super) fn place(self, namespace: Option<&str>, name: &str) -> StorageKey {
        StorageKey { resource: self.resource(), key: key(namespace, name) }
    }

    fn target(self, namespace: Option<&str>, name: Option<&str>, manager: &str) -> ResolvedTarget {
        let kind = kinds::built_in(self.group, self.version, self.plural).expect("the table of kinds has this one");
        ResolvedTarget {
            kind: Arc::clone(&kind),
            namespace: namespace.filter(|_| kind.namespaced).map(str::to_owned),
            name: name.map(str::to_owned),
            subresource: None,
            manager: manager.to_owned(),
        }
    }
}

impl Plan {
    pub(super) fn new(identity: Identity) -> Plan {
        Plan { identity, wishes: Vec::new(), again: None, since: Vec::new() }
    }

    pub(super) fn create(&mut self, kind: Built, namespace: Option<&str>, body: Value) {
        self.wishes.push(Wish::Create { kind, namespace: namespace.map(str::to_owned), body });
    }

    /// Replaces an object, where it is another one now.
    pub(super) fn update(&mut self, kind: Built, before: &Object, new: Object) {
        if *before != new {
            self.wishes.push(Wish::Update { kind, body: new.into_value() });
        }
    }

    /// Replaces the status of an object, where it is another one now. Annotations come along, as with Deployments.
    pub(super) fn status(&mut self, kind: Built, before: &Object, status: Value) {
        self.status_of(kind, before, before.clone(), status);
    }

    pub(super) fn status_of(&mut self, kind: Built, before: &Object, mut new: Object, status: Value) {
        new.set("status", status);
        if *before != new {
            self.wishes.push(Wish::Status { kind, body: new.into_value() });
        }
    }

    /// Decides about a request, by these conditions.
    pub(super) fn approval(&mut self, kind: Built, before: &Object, conditions: Vec<Value>) {
        let mut new = before.clone();
        new.change(|new| new["status"]["conditions"] = conditions.into());
        self.wishes.push(Wish::Approval { kind, body: new.into_value() });
    }

    pub(super) fn delete(&mut self, kind: Built, object: &Object, propagation: Propagation, grace: Option<i64>) {
        let namespace = Some(object.meta("namespace")).filter(|namespace| !namespace.is_empty()).map(str::to_owned);
        self.wishes.push(Wish::Delete { kind, namespace, name: object.name().to_owned(), propagation, grace });
    }

    pub(super) fn normal(&mut self, about: &Object, reason: &str, message: impl Into<String>) {
        self.wishes.push(Wish::Event(Event::new(about, "Normal", reason, message.into())));
    }

    pub(super) fn warning(&mut self, about: &Object, reason: &str, message: impl Into<String>) {
        self.wishes.push(Wish::Event(Event::new(about, "Warning", reason, message.into())));
    }

    /// Looks again at a time, or before.
    pub(super) fn again_at(&mut self, at: Timestamp) {
        self.again = Some(self.again.map_or(at, |known| known.min(at)));
    }

    /// Whether nothing of what is stored is to change.
    pub(super) fn changes_nothing(&self) -> bool {
        self.wishes.iter().all(|wish| matches!(wish, Wish::Event(_)))
    }
}

impl Cluster {
    /// Makes one write of a plan.
    pub(super) fn grant(&mut self, identity: Identity, place: &StorageKey, wish: Wish, now: Timestamp) -> Answer<()> {
        let manager = identity.manager;
        let action = match wish {
            Wish::Create { kind, namespace, body } => {
                Action::Create { target: kind.target(namespace.as_deref(), None, manager), body }
            }
            Wish::Update { kind, body } => Action::Update { target: named(kind, &body, manager), body },
            Wish::Status { kind, body } => Action::Update { target: part(kind, "status", &body, manager), body },
            Wish::Approval { kind, body } => Action::Update { target: part(kind, "approval", &body, manager), body },
            Wish::Delete { kind, namespace, name, propagation, grace } => {
                let place = kind.place(namespace.as_deref(), &name);
                // Gone is as good as deleted.
                if self.store.get(&place.resource, &place.key).is_none() {
                    return Ok(());
                }
                Action::Delete { place, propagation, grace_period: grace }
            }
            Wish::Bind { namespace, name, node } => {
                let mut target = super::pods::PODS.target(Some(&namespace), Some(&name), manager);
                target.subresource = Some("binding".to_owned());
                let body = json!({"metadata": {"name": name}, "target": {"kind": "Node", "name": node}});
                return self.bind(&target, body, DryRun::No).map(drop);
            }
            Wish::Event(event) => {
                self.report(identity, place, &event, now);
                return Ok(());
            }
        };
        self.submit(Intent::new(identity.account, place, action))
    }
}

/// A part of an object, which is written instead of it.
fn part(kind: Built, subresource: &str, body: &Value, manager: &str) -> ResolvedTarget {
    ResolvedTarget { subresource: Some(subresource.to_owned()), ..named(kind, body, manager) }
}

fn named(kind: Built, body: &Value, manager: &str) -> ResolvedTarget {
    let text = |field: &str| body["metadata"][field].as_str();
    kind.target(text("namespace"), text("name"), manager)
}

impl Cluster {
    /// Reports what a controller did, or counts it once more.
    fn report(&mut self, identity: Identity, place: &StorageKey, event: &Event, now: Timestamp) {
        let name = event.name(identity.component);
        let namespace = event.namespace();
        let events = EVENTS.target(Some(&namespace), Some(&name), identity.manager);
        let known = EVENTS.place(Some(&namespace), &name);
        let action = match self.store.get(&known.resource, &known.key) {
            Some(entry) => Action::Update { target: events, body: event.counted_again(entry.object(), now) },
            None => Action::Create {
                target: EVENTS.target(Some(&namespace), None, identity.manager),
                body: event.body(identity.component, now),
            },
        };
        // An event that is refused is lost, as it is on a real cluster.
        if let Err(refusal) = self.submit(Intent::new(identity.account, place, action)) {
            tracing::debug!("an event was refused: {}", refusal.message);
        }
    }
}

pub(super) const EVENTS: Built = Built::new("", "v1", "events");
