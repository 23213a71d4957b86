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

mod accept;
mod connect;
mod error;
mod make;
mod path;
mod print;
mod query;

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::method::Method;

pub use accept::by_preference;
pub use connect::Connect;
pub use error::Error;
pub use path::Target;
pub use query::Query;

#[cfg(feature = "kubelet-debug")]
pub(crate) use path::push_segment;
pub(crate) use query::{number, truth};

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
    /// What a request asks of its target.
    pub fn parse(parts: &http::request::Parts, target: &Target) -> Result<Self> {
        let watches = || query::asks_to_watch(parts.uri.query().unwrap_or_default());
        Ok(match (&parts.method, target.name.is_some()) {
            (&Method::GET | &Method::HEAD, true) => Self::Get,
            (&Method::GET | &Method::HEAD, false) if watches() => Self::Watch,
            (&Method::GET | &Method::HEAD, false) => Self::List,
            // A POST to a named path creates a subresource, such as a binding.
            (&Method::POST, named) if named == target.subresource.is_some() => Self::Create,
            (&Method::PUT, true) => Self::Replace,
            (&Method::PATCH, true) => Self::Patch(patch_kind(&parts.headers)?),
            (&Method::DELETE, true) => Self::Delete,
            (&Method::DELETE, false) => Self::DeleteCollection,
            (method, _) => return Err(Error::Method { method: method.clone(), path: parts.uri.path().into() }),
        })
    }

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

/// The result of making or parsing a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Call {
    /// A call with nothing said in the query.
    pub fn new(verb: Verb, target: Target) -> Self {
        Self { verb, target, form: Form::Object, query: Query::default() }
    }

    /// The same call, asking for metadata alone.
    #[must_use]
    pub fn metadata(mut self) -> Self {
        self.form = Form::Metadata;
        self
    }

    /// The same call, asking for a table for people; a server that makes none sends whole objects.
    #[must_use]
    pub fn table(mut self) -> Self {
        self.form = Form::Table;
        self
    }

    /// Reads a call back from the request it was printed as.
    pub fn parse(parts: &http::request::Parts) -> Result<Self> {
        let target = Target::parse(parts.uri.path())?;
        let query = Query::parse(parts.uri.query().unwrap_or_default(), &target)?;
        let verb = Verb::parse(parts, &target)?;
        Ok(Self { verb, target, form: Form::of(&parts.headers)?, query })
    }
}

impl Form {
    /// What the `Accept` header asks for, the best media type that can be served deciding.
    pub fn of(headers: &HeaderMap) -> Result<Self> {
        let Some(accept) = headers.get(ACCEPT) else {
            return Ok(Self::Object);
        };
        let accept = accept.to_str().unwrap_or_default();
        if accept.trim().is_empty() {
            return Ok(Self::Object);
        }
        let mut ranges = by_preference(accept).into_iter();
        ranges.find_map(Self::of_media_type).ok_or_else(|| Error::NotAcceptable(accept.to_owned()))
    }

    fn of_media_type(media_type: &str) -> Option<Self> {
        let mut parts = media_type.split(';').map(str::trim);
        if !matches!(parts.next()?, "application/json" | "application/*" | "*/*" | YAML | PROTOBUF) {
            return None;
        }
        let parameters: Vec<&str> = parts.collect();
        let said = |name: &str| parameters.iter().find_map(|parameter| parameter.strip_prefix(name)?.strip_prefix('='));
        // A form is of a group and version, and those of all forms are the same.
        let is_known = said("g") == Some("meta.k8s.io") && matches!(said("v"), Some("v1" | "v1beta1"));
        match said("as") {
            None => Some(Self::Object),
            Some("PartialObjectMetadata" | "PartialObjectMetadataList") if is_known => Some(Self::Metadata),
            Some("Table") if is_known => Some(Self::Table),
            Some(_) => None,
        }
    }
}

/// What objects are sent in besides JSON.
const YAML: &str = "application/yaml";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

fn patch_kind(headers: &HeaderMap) -> Result<PatchKind> {
    let said = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = said.split(';').next().unwrap_or_default().trim();
    PatchKind::ALL
        .into_iter()
        .find(|kind| kind.content_type() == media_type)
        .ok_or_else(|| Error::PatchKind(said.to_owned()))
}

#[cfg(test)]
mod tests;
