//! Subresources: what can be asked of a part of an object, or done to it through one.
//!
//! In: a target with a part. Out: its [`SubresourceType`]: most parts are the object itself, of which some fields can be written
//! there ([`crate::registry::update`]); a [`scale`] is a view of it; others (`core/pods/binding`, `core/pods/eviction`,
//! `core/service_accounts/token`) can only be created. What connects to a running container has nothing to connect to and is refused by name.

pub(crate) mod scale;
pub(crate) mod selector;

use serde_json::{Value, json};

use crate::catalog::kinds::{Kind, Subresource};
use crate::cluster::{Cluster, DryRun, ResolvedTarget};
use crate::response::status::{Answer, not_implemented};

/// What a part is to the verbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SubresourceType {
    /// The object, of which this path writes some fields.
    Object,
    /// How many replicas it has and should have.
    Scale,
    /// It can only be created, and that does something.
    CreateOnly,
    /// A way to what runs in a container or behind a service.
    Connection,
}

impl SubresourceType {
    /// The role of a part of this kind.
    pub(crate) fn of(kind: &Kind, subresource: &Subresource) -> SubresourceType {
        match subresource.kind.as_str() {
            "Scale" => SubresourceType::Scale,
            "Binding" | "Eviction" | "TokenRequest" => SubresourceType::CreateOnly,
            own if own == kind.kind && subresource.name != "log" => SubresourceType::Object,
            _ => SubresourceType::Connection,
        }
    }
}

impl Cluster {
    /// Does what was POSTed to a part of an object; returns what is answered.
    pub(crate) fn perform(&mut self, target: &ResolvedTarget, body: Value, dry_run: DryRun) -> Answer<Value> {
        match target.subresource.as_deref() {
            Some("binding") => self.bind(target, body, dry_run),
            Some("token") => self.issue_token(target, body),
            subresource => {
                Err(not_implemented(&format!("subresource {}/{}", target.kind.plural, subresource.unwrap_or_default())))
            }
        }
    }
}

/// What a create is answered with that has nothing else to say.
pub(crate) fn done() -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201})
}
