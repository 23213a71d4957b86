//! One request of the Kubernetes API, as data.
//!
//! ```text
//!   params ──► Call ──into_request──► http::Request ──parse──► Call      what one side prints, the other parses
//! ```
//!
//! A client makes a `Call` from params ([`Call::list`] and its siblings refuse what a server would refuse) and prints
//! it; a server parses it back. For valid names the URL is byte for byte the one kube prints. Every path segment is
//! checked before it is printed and after it is parsed, so a name can never reach another path, a query or a fragment.
//!
//! `Call` does not hold the body, and it does not know which kinds exist: that is the server's business.

mod path;
mod print;
mod query;

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::method::Method;

pub use path::Target;
pub use query::Query;

use crate::params::{GetParams, ListParams, PatchParams, PostParams, WatchParams};

/// One request of the API.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What is asked.
    pub verb: Verb,
    /// Of what it is asked.
    pub target: Target,
    /// In which form objects come back.
    pub form: Form,
    /// Everything said in the query.
    pub query: Query,
}

/// What is asked of a target.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Verb {
    /// Read an object.
    Get,
    /// Read a collection.
    List,
    /// Follow a collection.
    Watch,
    /// Create an object.
    Create,
    /// Replace an object.
    Replace,
    /// Change parts of an object.
    Patch(PatchKind),
    /// Delete an object.
    Delete,
    /// Delete a collection.
    DeleteCollection,
}

impl Verb {
    /// As discovery and authorization spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Replace => "update",
            Self::Patch(_) => "patch",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
        }
    }
}

/// The grammar of a patch body.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum PatchKind {
    /// RFC 6902.
    Json,
    /// RFC 7396.
    Merge,
    /// Kubernetes' own merge.
    Strategic,
    /// Server-side apply.
    Apply,
}

impl PatchKind {
    /// All four, in the order a server lists them.
    pub const ALL: [Self; 4] = [Self::Json, Self::Merge, Self::Strategic, Self::Apply];

    /// The `Content-Type` that says so.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json-patch+json",
            Self::Merge => "application/merge-patch+json",
            Self::Strategic => "application/strategic-merge-patch+json",
            Self::Apply => "application/apply-patch+yaml",
        }
    }
}

/// The form in which objects come back.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Form {
    /// Whole.
    Object,
    /// Their metadata alone (`PartialObjectMetadata`).
    Metadata,
    /// As a table for people; whole objects will do as well.
    Table,
}

/// Why a call cannot be made or understood.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request could not be put together.
    #[error("failed to build request")]
    BuildRequest(#[source] http::Error),
    /// The body could not be written as JSON.
    #[error("failed to serialize body")]
    SerializeBody(#[source] serde_json::Error),
    /// The params contradict each other or lack something.
    #[error("failed to validate request: {0}")]
    Validation(String),
    /// The path is none of the API's.
    #[error("{0:?} is no path of the Kubernetes API")]
    NotAnApiPath(String),
    /// The path is one of the API's, but the method means nothing there.
    #[error("{method} is not possible on {path}")]
    Method {
        /// The HTTP method.
        method: Method,
        /// The path.
        path: String,
    },
    /// A patch of a kind nobody knows.
    #[error("{0:?} is no known kind of patch")]
    PatchKind(String),
    /// None of the media types asked for can be served.
    #[error("none of the media types in {0:?} can be served")]
    NotAcceptable(String),
    /// A query parameter has a value that is none.
    #[error("invalid value {value:?} of query parameter {parameter}: {expected} expected")]
    Query {
        /// Which one.
        parameter: &'static str,
        /// What it said.
        value: String,
        /// What it should have said.
        expected: &'static str,
    },
}

/// The result of making or parsing a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A field manager longer than this is refused by servers.
const FIELD_MANAGER_LENGTH_MAX: usize = 128;

impl Call {
    /// A call with nothing said in the query.
    pub fn new(verb: Verb, target: Target) -> Self {
        Self { verb, target, form: Form::Object, query: Query::default() }
    }

    /// Lists a collection.
    pub fn list(target: Target, params: &ListParams) -> Result<Self> {
        if params.version_match.is_some() && params.resource_version.is_none() {
            return Err(Error::Validation("A resource_version is required when using an explicit match".into()));
        }
        if params.resource_version.as_deref() == Some("0")
            && params.version_match == Some(crate::params::VersionMatch::Exact)
        {
            let why = "A non-zero resource_version is required when using an Exact match";
            return Err(Error::Validation(why.into()));
        }
        Ok(Self { query: Query::of_list(params), ..Self::new(Verb::List, target) })
    }

    /// Follows a collection from `resource_version` on.
    pub fn watch(target: Target, params: &WatchParams, resource_version: &str) -> Result<Self> {
        if params.send_initial_events && !params.bookmarks {
            let why = "WatchParams::send_initial_events needs bookmarks: the end of the initial events is a bookmark";
            return Err(Error::Validation(why.into()));
        }
        Ok(Self { query: Query::of_watch(params, resource_version), ..Self::new(Verb::Watch, target) })
    }

    /// Reads the object `target` names.
    pub fn get(target: Target, params: &GetParams) -> Result<Self> {
        target.require_name()?;
        let query = Query { resource_version: params.resource_version.clone(), ..Query::default() };
        Ok(Self { query, ..Self::new(Verb::Get, target) })
    }

    /// Creates an object in a collection.
    pub fn create(target: Target, params: &PostParams) -> Result<Self> {
        check_field_manager(params.field_manager.as_deref())?;
        Ok(Self { query: Query::of_post(params), ..Self::new(Verb::Create, target) })
    }

    /// Replaces the object `target` names.
    pub fn replace(target: Target, params: &PostParams) -> Result<Self> {
        target.require_name()?;
        check_field_manager(params.field_manager.as_deref())?;
        Ok(Self { query: Query::of_post(params), ..Self::new(Verb::Replace, target) })
    }

    /// Changes parts of the object `target` names.
    pub fn patch(target: Target, kind: PatchKind, params: &PatchParams) -> Result<Self> {
        target.require_name()?;
        if params.force && kind != PatchKind::Apply {
            return Err(Error::Validation("PatchParams::force only works with Patch::Apply".into()));
        }
        if kind == PatchKind::Apply && params.field_manager.as_deref().unwrap_or_default().is_empty() {
            let why = "Patch::Apply needs a field manager: use PatchParams::apply(\"your-controller\")";
            return Err(Error::Validation(why.into()));
        }
        check_field_manager(params.field_manager.as_deref())?;
        Ok(Self { query: Query::of_patch(params), ..Self::new(Verb::Patch(kind), target) })
    }

    /// Deletes the object `target` names; how is said in the body.
    pub fn delete(target: Target) -> Result<Self> {
        target.require_name()?;
        Ok(Self::new(Verb::Delete, target))
    }

    /// The same call, asking for metadata alone.
    #[must_use]
    pub fn metadata(mut self) -> Self {
        self.form = Form::Metadata;
        self
    }

    /// Reads a call back from the request it was printed as.
    pub fn parse(parts: &http::request::Parts) -> Result<Self> {
        let target = Target::parse(parts.uri.path())?;
        let (query, watch) = Query::parse(parts.uri.query().unwrap_or_default())?;
        let verb = match (&parts.method, target.name.is_some()) {
            (&Method::GET | &Method::HEAD, true) => Verb::Get,
            (&Method::GET | &Method::HEAD, false) if watch => Verb::Watch,
            (&Method::GET | &Method::HEAD, false) => Verb::List,
            // A POST to a named path creates a subresource, such as a binding.
            (&Method::POST, named) if named == target.subresource.is_some() => Verb::Create,
            (&Method::PUT, true) => Verb::Replace,
            (&Method::PATCH, true) => Verb::Patch(patch_kind(&parts.headers)?),
            (&Method::DELETE, true) => Verb::Delete,
            (&Method::DELETE, false) => Verb::DeleteCollection,
            (method, _) => {
                return Err(Error::Method { method: method.clone(), path: parts.uri.path().into() });
            }
        };
        Ok(Self { verb, target, form: Form::of(&parts.headers)?, query })
    }
}

impl Form {
    /// What the `Accept` header asks for, the first media type that can be served deciding.
    pub fn of(headers: &HeaderMap) -> Result<Self> {
        let Some(accept) = headers.get(ACCEPT) else {
            return Ok(Self::Object);
        };
        let accept = accept.to_str().unwrap_or_default();
        if accept.trim().is_empty() {
            return Ok(Self::Object);
        }
        accept.split(',').find_map(Self::of_media_type).ok_or_else(|| Error::NotAcceptable(accept.to_owned()))
    }

    fn of_media_type(media_type: &str) -> Option<Self> {
        let mut parts = media_type.split(';').map(str::trim);
        if !matches!(parts.next()?, "application/json" | "application/*" | "*/*") {
            return None;
        }
        match parts.find_map(|parameter| parameter.strip_prefix("as=")) {
            None => Some(Self::Object),
            Some("PartialObjectMetadata" | "PartialObjectMetadataList") => Some(Self::Metadata),
            Some("Table") => Some(Self::Table),
            Some(_) => None,
        }
    }
}

fn patch_kind(headers: &HeaderMap) -> Result<PatchKind> {
    let said = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = said.split(';').next().unwrap_or_default().trim();
    PatchKind::ALL
        .into_iter()
        .find(|kind| kind.content_type() == media_type)
        .ok_or_else(|| Error::PatchKind(said.to_owned()))
}

fn check_field_manager(manager: Option<&str>) -> Result<()> {
    let Some(manager) = manager else { return Ok(()) };
    if manager.len() > FIELD_MANAGER_LENGTH_MAX {
        let why = format!("Failed to validate field_manager: at most {FIELD_MANAGER_LENGTH_MAX} bytes are allowed");
        return Err(Error::Validation(why));
    }
    if manager.chars().any(char::is_control) {
        return Err(Error::Validation(
            "Failed to validate field_manager: only printable characters are allowed".into(),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
