//! Subresources: what can be asked of a part of an object, or done to it through one.
//!
//! In: a subject with a part. Out: its [`Role`]: most parts are the object itself, of which some fields can be written
//! there ([`crate::write::update`]); a [`scale`] is a view of it; a deed ([`binding`], [`eviction`], [`token`]) is
//! POSTed and happens. What connects to a running container has nothing to connect to and is refused by name.

pub(crate) mod binding;
pub(crate) mod eviction;
pub(crate) mod pod;
pub(crate) mod scale;
pub(crate) mod selector;
pub(crate) mod token;

use serde_json::{Value, json};

use crate::cluster::{Cluster, Run, Subject};
use crate::kinds::{Kind, Part};
use crate::status::{Answer, not_implemented};

/// What a part is to the verbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The object, of which this path writes some fields.
    Object,
    /// How many replicas it has and should have.
    Scale,
    /// Something that happens when it is POSTed.
    Deed,
    /// A way to what runs in a container or behind a service.
    Connection,
}

impl Role {
    /// The role of a part of this kind.
    pub(crate) fn of(kind: &Kind, part: &Part) -> Role {
        match part.kind.as_str() {
            "Scale" => Role::Scale,
            "Binding" | "Eviction" | "TokenRequest" => Role::Deed,
            own if own == kind.kind && part.name != "log" => Role::Object,
            _ => Role::Connection,
        }
    }
}

impl Cluster {
    /// Does what was POSTed to a part of an object; returns what is answered.
    pub(crate) fn perform(&mut self, subject: &Subject, body: Value, run: Run) -> Answer<Value> {
        match subject.part.as_deref() {
            Some("binding") => self.bind(subject, body, run),
            Some("eviction") => self.evict(subject, body, run),
            Some("token") => self.issue_token(subject, body),
            part => Err(not_implemented(&format!("subresource {}/{}", subject.kind.plural, part.unwrap_or_default()))),
        }
    }
}

/// What a deed is answered with that has nothing else to say.
fn done() -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201})
}
