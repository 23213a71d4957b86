//! What a handler decides about a write.

use std::collections::BTreeMap;
use std::fmt::Display;

use pintle_core::Status;
use serde::Serialize;
use serde_json::Value;

/// Whether a write is admitted, how its object is to be changed first, and what to tell the caller and the audit log.
///
/// ```
/// use pintle_manager::webhook::Decision;
///
/// let admitted = Decision::allow().warn("spec.size is deprecated; use spec.replicas");
/// let refused = Decision::deny("spec.replicas may not exceed 10").code(422).reason("Invalid");
/// ```
#[derive(Clone, Debug)]
#[must_use = "a decision takes effect when the handler returns it"]
pub struct Decision {
    /// Why not; `None` admits the write.
    pub(super) refusal: Option<Status>,
    pub(super) change: Change,
    pub(super) warnings: Vec<String>,
    pub(super) audit_annotations: BTreeMap<String, String>,
}

/// How the object is to be changed.
#[derive(Clone, Debug)]
pub(super) enum Change {
    None,
    /// To what the handler returned; `Err` where that cannot be written as JSON.
    To(Result<Value, String>),
    By(json_patch::Patch),
}

impl Decision {
    /// Admits the write as it is.
    pub fn allow() -> Self {
        Self { refusal: None, change: Change::None, warnings: Vec::new(), audit_annotations: BTreeMap::new() }
    }

    /// Refuses the write; the caller receives the message, with code 403 and reason `Forbidden` unless
    /// [`code`](Self::code) and [`reason`](Self::reason) set others.
    pub fn deny(message: impl Display) -> Self {
        let status = Status::failure(&message.to_string(), "Forbidden").with_code(403);
        Self { refusal: Some(status), ..Self::allow() }
    }

    /// Refuses the write because it could not be judged: code 500, reason `InternalError`.
    pub fn error(message: impl Display) -> Self {
        Self::deny(message).code(500).reason("InternalError")
    }

    /// Admits the write after the object was changed to `object`. Only what differs from the object of the request is
    /// patched, so that fields which the type does not know stay as they are.
    pub fn change_to<K: Serialize>(object: &K) -> Self {
        let object = serde_json::to_value(object).map_err(|error| error.to_string());
        Self { change: Change::To(object), ..Self::allow() }
    }

    /// Admits the write after `patch` was applied to its object.
    pub fn patch(patch: json_patch::Patch) -> Self {
        Self { change: Change::By(patch), ..Self::allow() }
    }

    /// Refuses with this HTTP code; nothing where the write is admitted.
    pub fn code(mut self, code: u16) -> Self {
        self.refusal.iter_mut().for_each(|status| status.code = code);
        self
    }

    /// Refuses with this reason, for programs; nothing where the write is admitted.
    pub fn reason(mut self, reason: &str) -> Self {
        self.refusal.iter_mut().for_each(|status| reason.clone_into(&mut status.reason));
        self
    }

    /// Tells the caller something, admitted or not. kubectl prints it; keep it under 120 characters.
    pub fn warn(mut self, warning: impl Display) -> Self {
        self.warnings.push(warning.to_string());
        self
    }

    /// Notes something in the API server's audit log, under `key` after the webhook's name.
    pub fn audit(mut self, key: &str, value: impl Display) -> Self {
        self.audit_annotations.insert(key.to_owned(), value.to_string());
        self
    }

    /// Whether the write is admitted.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.refusal.is_none()
    }
}

/// A handler that fails refuses the write as an [`error`](Decision::error).
impl<E: Display> From<Result<Decision, E>> for Decision {
    fn from(decided: Result<Decision, E>) -> Self {
        decided.unwrap_or_else(Self::error)
    }
}
