//! What a caller may ask for with each verb: plain structs with public fields and builder methods, as in kube.
//!
//! Combinations that a server would refuse are refused when a [`Call`](crate::call::Call) is made of them, before
//! anything is sent.

use serde::Serialize;

use crate::labels::Selector;

/// Which versions may answer a list at a given `resourceVersion`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum VersionMatch {
    /// That version or a newer one.
    NotOlderThan,
    /// That version and no other.
    Exact,
}

impl VersionMatch {
    /// As the query parameter spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotOlderThan => "NotOlderThan",
            Self::Exact => "Exact",
        }
    }
}

/// Which objects to list, at which version, how many at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListParams {
    /// Only objects whose labels match.
    pub label_selector: Option<String>,
    /// Only objects whose fields match.
    pub field_selector: Option<String>,
    /// Has no effect on a list; kept because kube has it.
    #[deprecated = "a timeout has no effect on a list; set one on the Config or on WatchParams"]
    pub timeout: Option<u32>,
    /// At most so many objects in one answer; the rest is reached by `continue_token`.
    pub limit: Option<u32>,
    /// Where the previous page ended.
    pub continue_token: Option<String>,
    /// How `resource_version` is meant.
    pub version_match: Option<VersionMatch>,
    /// Which version the list may be of: unset for the most recent, `"0"` for any.
    pub resource_version: Option<String>,
}

impl ListParams {
    /// Only objects whose fields match, as in `metadata.name=a`.
    #[must_use]
    pub fn fields(mut self, field_selector: &str) -> Self {
        self.field_selector = Some(field_selector.to_owned());
        self
    }

    /// Only objects whose labels match, as in `app=web,tier!=test`.
    #[must_use]
    pub fn labels(mut self, label_selector: &str) -> Self {
        self.label_selector = Some(label_selector.to_owned());
        self
    }

    /// Only objects whose labels match `selector`.
    #[must_use]
    pub fn labels_from(mut self, selector: &Selector) -> Self {
        self.label_selector = Some(selector.to_string());
        self
    }

    /// Has no effect on a list.
    #[must_use]
    #[deprecated = "a timeout has no effect on a list; set one on the Config or on WatchParams"]
    #[expect(deprecated, reason = "it sets the field that is")]
    pub fn timeout(mut self, seconds: u32) -> Self {
        self.timeout = Some(seconds);
        self
    }

    /// At most `limit` objects in one answer.
    #[must_use]
    pub fn limit(mut self, limit: u32) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Goes on where the page that returned `token` ended.
    #[must_use]
    pub fn continue_token(mut self, token: &str) -> Self {
        self.continue_token = Some(token.to_owned());
        self
    }

    /// At `resource_version`.
    #[must_use]
    pub fn at(mut self, resource_version: &str) -> Self {
        self.resource_version = Some(resource_version.to_owned());
        self
    }

    /// Says how the version of [`at`](Self::at) is meant.
    #[must_use]
    pub fn matching(mut self, version_match: VersionMatch) -> Self {
        self.version_match = Some(version_match);
        self
    }

    /// Any version the server has at hand, perhaps an old one.
    #[must_use]
    pub fn match_any(self) -> Self {
        self.at("0").matching(VersionMatch::NotOlderThan)
    }
}

/// Which object state to get.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GetParams {
    /// Unset for the most recent, `"0"` for any, else this version or a newer one.
    pub resource_version: Option<String>,
}

impl GetParams {
    /// Not older than `resource_version`.
    pub fn at(resource_version: &str) -> Self {
        Self { resource_version: Some(resource_version.to_owned()) }
    }

    /// Any version the server has at hand, perhaps an old one.
    pub fn any() -> Self {
        Self::at("0")
    }
}

/// Which objects to follow, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchParams {
    /// Only objects whose labels match.
    pub label_selector: Option<String>,
    /// Only objects whose fields match.
    pub field_selector: Option<String>,
    /// Seconds after which the server ends the watch; 290 unless set.
    pub timeout: Option<u32>,
    /// Whether the server should send its version now and then though nothing changed.
    pub bookmarks: bool,
    /// Whether the watch begins with what exists, and a bookmark after it.
    pub send_initial_events: bool,
}

impl Default for WatchParams {
    fn default() -> Self {
        Self { label_selector: None, field_selector: None, timeout: None, bookmarks: true, send_initial_events: false }
    }
}

impl WatchParams {
    /// Seconds after which the server ends the watch.
    #[must_use]
    pub fn timeout(mut self, seconds: u32) -> Self {
        self.timeout = Some(seconds);
        self
    }

    /// Only objects whose fields match, as in `metadata.name=a`.
    #[must_use]
    pub fn fields(mut self, field_selector: &str) -> Self {
        self.field_selector = Some(field_selector.to_owned());
        self
    }

    /// Only objects whose labels match, as in `app=web,tier!=test`.
    #[must_use]
    pub fn labels(mut self, label_selector: &str) -> Self {
        self.label_selector = Some(label_selector.to_owned());
        self
    }

    /// Only objects whose labels match `selector`.
    #[must_use]
    pub fn labels_from(mut self, selector: &Selector) -> Self {
        self.label_selector = Some(selector.to_string());
        self
    }

    /// No bookmarks, please.
    #[must_use]
    pub fn disable_bookmarks(mut self) -> Self {
        self.bookmarks = false;
        self
    }

    /// Begins with what exists.
    #[must_use]
    pub fn initial_events(mut self) -> Self {
        self.send_initial_events = true;
        self
    }

    /// A list by way of a watch: everything, beginning with what exists.
    #[must_use]
    pub fn streaming_lists() -> Self {
        Self::default().initial_events()
    }
}

/// How to create or replace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PostParams {
    /// Go through everything, store nothing.
    pub dry_run: bool,
    /// Who is writing.
    pub field_manager: Option<String>,
}

/// What a server does about fields it does not know.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ValidationDirective {
    /// Refuse the request.
    Strict,
    /// Drop them and warn.
    Warn,
    /// Drop them.
    Ignore,
}

impl ValidationDirective {
    /// As the query parameter spells it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Strict => "Strict",
            Self::Warn => "Warn",
            Self::Ignore => "Ignore",
        }
    }
}

/// How to patch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PatchParams {
    /// Go through everything, store nothing.
    pub dry_run: bool,
    /// Take fields over from other managers; for [`Patch::Apply`] alone.
    pub force: bool,
    /// Who is writing; [`Patch::Apply`] needs it.
    pub field_manager: Option<String>,
    /// What to do about unknown fields.
    pub field_validation: Option<ValidationDirective>,
}

impl PatchParams {
    /// For [`Patch::Apply`] by `manager`.
    pub fn apply(manager: &str) -> Self {
        Self { field_manager: Some(manager.to_owned()), ..Self::default() }
    }

    /// Takes fields over from other managers.
    #[must_use]
    pub fn force(mut self) -> Self {
        self.force = true;
        self
    }

    /// Goes through everything, stores nothing.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }

    /// Says what to do about unknown fields.
    #[must_use]
    pub fn validation(mut self, directive: ValidationDirective) -> Self {
        self.field_validation = Some(directive);
        self
    }

    /// Drops unknown fields.
    #[must_use]
    pub fn validation_ignore(mut self) -> Self {
        self.field_validation = Some(ValidationDirective::Ignore);
        self
    }

    /// Drops unknown fields and warns.
    #[must_use]
    pub fn validation_warn(mut self) -> Self {
        self.field_validation = Some(ValidationDirective::Warn);
        self
    }

    /// Refuses unknown fields.
    #[must_use]
    pub fn validation_strict(mut self) -> Self {
        self.field_validation = Some(ValidationDirective::Strict);
        self
    }
}

/// A change to an object.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Patch<T: Serialize> {
    /// Server-side apply: these fields are mine, with these values.
    Apply(T),
    /// RFC 6902: a list of operations.
    #[cfg(feature = "jsonpatch")]
    Json(json_patch::Patch),
    /// RFC 7396: fields given replace fields there, `null` removes.
    Merge(T),
    /// Kubernetes' own merge, which knows the keys of lists; built-in kinds only.
    Strategic(T),
}

impl<T: Serialize> Patch<T> {
    /// Which grammar the body is of.
    pub fn kind(&self) -> crate::call::PatchKind {
        use crate::call::PatchKind;
        match self {
            Self::Apply(_) => PatchKind::Apply,
            #[cfg(feature = "jsonpatch")]
            Self::Json(_) => PatchKind::Json,
            Self::Merge(_) => PatchKind::Merge,
            Self::Strategic(_) => PatchKind::Strategic,
        }
    }

    /// The body of the request.
    pub fn serialize(&self) -> Result<Vec<u8>, serde_json::Error> {
        match self {
            Self::Apply(patch) | Self::Merge(patch) | Self::Strategic(patch) => serde_json::to_vec(patch),
            #[cfg(feature = "jsonpatch")]
            Self::Json(patch) => serde_json::to_vec(patch),
        }
    }
}

/// What happens to the objects that a deleted object owns.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub enum PropagationPolicy {
    /// They stay, without their owner.
    Orphan,
    /// They go after it.
    Background,
    /// They go before it.
    Foreground,
}

/// What must hold of an object for it to be deleted.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Preconditions {
    /// It is at this version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_version: Option<String>,
    /// It is this very object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
}

/// How to delete; serializes as the body of the request.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteParams {
    /// Go through everything, delete nothing.
    #[serde(serialize_with = "dry_run_all", skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Seconds the object is given to end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace_period_seconds: Option<u32>,
    /// What happens to what it owns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub propagation_policy: Option<PropagationPolicy>,
    /// What must hold of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preconditions: Option<Preconditions>,
}

fn dry_run_all<S: serde::Serializer>(_: &bool, into: S) -> Result<S::Ok, S::Error> {
    ["All"].serialize(into)
}

impl DeleteParams {
    /// What it owns goes after it.
    pub fn background() -> Self {
        Self { propagation_policy: Some(PropagationPolicy::Background), ..Self::default() }
    }

    /// What it owns goes before it.
    pub fn foreground() -> Self {
        Self { propagation_policy: Some(PropagationPolicy::Foreground), ..Self::default() }
    }

    /// What it owns stays.
    pub fn orphan() -> Self {
        Self { propagation_policy: Some(PropagationPolicy::Orphan), ..Self::default() }
    }

    /// Goes through everything, deletes nothing.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }

    /// Gives the object so many seconds to end.
    #[must_use]
    pub fn grace_period(mut self, seconds: u32) -> Self {
        self.grace_period_seconds = Some(seconds);
        self
    }

    /// Deletes only if `preconditions` hold.
    #[must_use]
    pub fn preconditions(mut self, preconditions: Preconditions) -> Self {
        self.preconditions = Some(preconditions);
        self
    }
}
