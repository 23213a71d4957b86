//! Reports what a controller does, as `Event` objects beside the object concerned.
//!
//! ```text
//!   publish ───────────────────────────► Publisher ──► events.k8s.io      awaits the server, as kube's
//!   emit ──► Outbox (never waits) ──► Correlator ──┘                      combines, limits, tries again
//! ```
//!
//! The same event again within six minutes is counted in the one that is there. [`Recorder::emit`] is what a reconciler
//! wants: it returns at once and an API server that is down or slow costs nothing but the events.

mod correlator;
mod outbox;
mod publisher;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use k8s_openapi::api::core::v1::ObjectReference;
use pintle_client::Client;

use outbox::Outbox;
use publisher::Publisher;

/// What happened, in words for people.
#[derive(Clone, Debug)]
pub struct Event {
    /// Whether it is worth a look.
    pub type_: EventType,
    /// Why, in one word of `PascalCase` of at most 128 characters.
    pub reason: String,
    /// What exactly, in at most 1 kB.
    pub note: Option<String>,
    /// What was done or tried, in one word of `PascalCase` of at most 128 characters.
    pub action: String,
    /// Another object that is part of it.
    pub secondary: Option<ObjectReference>,
}

/// Whether an event is worth a look.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum EventType {
    /// All is well.
    Normal,
    /// Something is wrong.
    Warning,
}

impl EventType {
    fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}

/// An [`ObjectReference`] that can be a key.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference(pub(crate) ObjectReference);

impl Eq for Reference {}

impl Hash for Reference {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let it = &self.0;
        (&it.api_version, &it.kind, &it.namespace, &it.name, &it.uid, &it.resource_version, &it.field_path).hash(state);
    }
}

/// Who reports.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Reporter {
    /// The controller, as in `example.com/documents`.
    pub controller: String,
    /// Which of its instances; by default the name of the host, which in a cluster is that of the pod.
    pub instance: Option<String>,
}

impl From<String> for Reporter {
    fn from(controller: String) -> Self {
        let host = hostname::get().ok().and_then(|name| name.into_string().ok());
        Self { controller, instance: host }
    }
}

impl From<&str> for Reporter {
    fn from(controller: &str) -> Self {
        controller.to_owned().into()
    }
}

/// Reports what a controller does. Cloning it shares what it knows of earlier events.
#[derive(Clone)]
pub struct Recorder {
    publisher: Arc<Publisher>,
    outbox: Arc<Outbox>,
}

impl Recorder {
    /// A recorder for `reporter`. One is enough for a controller; it asks for nothing before the first event.
    #[must_use]
    pub fn new(client: Client, reporter: Reporter) -> Self {
        let publisher = Arc::new(Publisher::new(client, reporter));
        Self { outbox: Arc::new(Outbox::new(Arc::clone(&publisher))), publisher }
    }

    /// Reports `ev` about the object `reference` names, and waits until the server has it. The same event within six
    /// minutes, whatever its note, is counted in the first.
    ///
    /// It is stored in the namespace of the object; the controller needs `create` and `patch` on `events` of
    /// `events.k8s.io` there.
    ///
    /// # Errors
    /// If the server does not take it.
    pub async fn publish(&self, ev: &Event, reference: &ObjectReference) -> Result<(), pintle_client::Error> {
        self.publisher.publish(ev, reference, publisher::SameNote::IsNotNeeded).await
    }

    /// Reports `event` about the object `reference` names, without waiting and without an error.
    ///
    /// A task sends it, trying for two minutes. Of events that differ in their note only, those after the tenth within
    /// ten minutes are combined; one object gets 25 at once and then one every five minutes. What is dropped is counted
    /// in [`dropped`](Self::dropped) and logged.
    pub fn emit(&self, event: &Event, reference: &ObjectReference) {
        self.outbox.post(event, reference);
    }

    /// How many emitted events were dropped: too many, or not taken by the server.
    pub fn dropped(&self) -> u64 {
        self.outbox.dropped()
    }

    /// Waits until every emitted event is sent or dropped; for the end of a program, and for tests.
    pub async fn flush(&self) {
        self.outbox.flush().await;
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("reporter", self.publisher.reporter()).finish_non_exhaustive()
    }
}
