//! A world to begin with: objects from manifests, and a prepared server forked for each test.

use std::sync::Arc;

use http::HeaderMap;
use pintle_core::response::Status;
use serde_json::Value;

use super::{Builder, Server, State};
use crate::catalog::kinds::Kind;
use crate::cluster::{Cluster, ResolvedTarget};
use crate::codec::yaml;
use crate::data::error::DataError;
use crate::faults::Rules;
#[cfg(feature = "serve")]
use crate::registry::core::service_accounts::token::TokenKey;
use crate::registry::field_validation::FieldValidation;
use crate::request::decode;
use crate::response::status::Answer;
use crate::storage::view;

/// Why a manifest could not be loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// It is not YAML.
    Syntax(String),
    /// A document names no kind that is served here.
    UnknownKind {
        /// Which document, from 1.
        document: usize,
        /// The `apiVersion` and kind it names.
        kind: String,
    },
    /// An object was refused, as it would be by kube-apiserver.
    Refused {
        /// Which document, from 1.
        document: usize,
        /// What a client would have received.
        status: Box<Status>,
    },
    /// The data directory did not take it.
    Data(DataError),
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LoadError::Syntax(why) => write!(f, "the manifest is not YAML: {why}"),
            LoadError::UnknownKind { document, kind } => write!(
                f,
                "document {document} of the manifest is of kind {kind:?}, which is not served: put its \
                 CustomResourceDefinition before it"
            ),
            LoadError::Refused { document, status } => {
                write!(f, "document {document} of the manifest was refused: {}", status.message)
            }
            LoadError::Data(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {}

impl Builder {
    /// The server, ready, with the objects of a manifest; see [`Server::load`].
    pub fn build_with(self, manifest: &str) -> Result<Server, LoadError> {
        let server = self.build();
        server.load(manifest)?;
        Ok(server)
    }
}

impl Server {
    /// Creates the objects of a manifest: YAML (or JSON), any number of documents or a `List`, definitions of kinds before
    /// their objects. An object is read as one that is sent is, and a field that its kind does not have is an error; it
    /// keeps the status it is written with; a namespace that is not there is made.
    ///
    /// # Errors
    /// At the first document that is not an object of a kind that is served, or is refused; those before it are there.
    pub fn load(&self, manifest: &str) -> Result<(), LoadError> {
        self.load_beside(manifest, Existing::Refused)
    }

    /// The same, where objects that are there already stay as they are: what a server with a data directory begins with
    /// each time.
    ///
    /// # Errors
    /// As [`Server::load`].
    pub fn load_missing(&self, manifest: &str) -> Result<(), LoadError> {
        self.load_beside(manifest, Existing::Kept)
    }

    fn load_beside(&self, manifest: &str, existing: Existing) -> Result<(), LoadError> {
        let documents = yaml::documents(manifest).map_err(|error| LoadError::Syntax(error.to_string()))?;
        let done = self.load_documents(documents, existing);
        self.state.flush_committed().map_err(LoadError::Data)?;
        done
    }

    fn load_documents(&self, documents: Vec<Value>, existing: Existing) -> Result<(), LoadError> {
        let mut cluster = self.state.cluster();
        for (at, document) in documents.into_iter().enumerate().filter(|(_, document)| !document.is_null()) {
            for object in objects(&document) {
                let kind = cluster.kind_of_document(object).ok_or_else(|| LoadError::UnknownKind {
                    document: at + 1,
                    kind: format!("{}/{}", text(object, "/apiVersion"), text(object, "/kind")),
                })?;
                let done = cluster.load(kind, object);
                cluster.settle();
                let is_there = done.as_ref().is_err_and(|status| status.reason == "AlreadyExists");
                if is_there && existing == Existing::Kept {
                    continue;
                }
                done.map_err(|status| LoadError::Refused { document: at + 1, status })?;
            }
        }
        Ok(())
    }

    /// A server of its own that begins where this one is now: the same objects, versions and definitions, without its
    /// faults, watches, history and data directory. Objects are shared until one of the two changes them, so it takes
    /// microseconds. Its clock shows the same time, and is [moved](Server::move_clock) alone.
    #[must_use]
    pub fn fork(&self) -> Server {
        let mut cluster = self.state.cluster();
        cluster.settle();
        let random = cluster.ids.fork_random();
        let copy = cluster.fork();
        let observation = self.state.observation.fork(copy.clock.clone());
        let state = State::new(copy, Rules::new(random), observation, self.state.bookmark_period, None);
        Server { state, user: Arc::clone(&self.user), exposure: self.exposure }
    }
}

#[cfg(feature = "serve")]
impl Server {
    /// A fork that takes no token for good that was issued by this server.
    pub(crate) fn fork_apart(&self) -> Server {
        let fork = self.fork();
        fork.state.cluster().token_key = TokenKey::random();
        fork
    }
}

impl Cluster {
    fn kind_of_document(&self, document: &Value) -> Option<Arc<Kind>> {
        let api_version = text(document, "/apiVersion");
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let named = self.catalog.kind_named(group, text(document, "/kind"))?;
        self.catalog.kind(group, version, &named.plural)
    }

    fn load(&mut self, kind: Arc<Kind>, document: &Value) -> Answer<()> {
        let namespace = kind.namespaced.then(|| match text(document, "/metadata/namespace") {
            "" => "default".to_owned(),
            namespace => namespace.to_owned(),
        });
        if let Some(namespace) = &namespace {
            self.create_namespace_if_missing(namespace)?;
        }
        let target = ResolvedTarget { kind, namespace, name: None, subresource: None, manager: "manifest".to_owned() };
        // As a request would be: read as its type, pruned, defaulted. A field that does not exist is a mistake that
        // kubectl would show, too.
        let body = document.to_string();
        let (object, _) = decode::object(&target, &HeaderMap::new(), body.as_bytes(), FieldValidation::Strict)?;
        let status = object.get("status").cloned();
        let written = self.create(&target, object)?;
        let Some(status) = status.filter(|_| target.kind.has_status()) else {
            return Ok(());
        };
        let name = written.entry.head.name().to_owned();
        let mut whole = view::object(&target.kind, &written.entry)?;
        whole.set("status", status);
        let status = ResolvedTarget { name: Some(name), subresource: Some("status".to_owned()), ..target };
        self.update(&status, whole.into_value()).map(drop)
    }
}

/// What becomes of an object in a manifest whose name is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Existing {
    Refused,
    /// It is passed over.
    Kept,
}

/// The objects of a document: itself, or the items of a list.
fn objects(document: &Value) -> &[Value] {
    let is_list = text(document, "/apiVersion") == "v1" && text(document, "/kind") == "List";
    match document.get("items").and_then(Value::as_array) {
        Some(items) if is_list => items,
        _ => std::slice::from_ref(document),
    }
}

fn text<'a>(document: &'a Value, pointer: &str) -> &'a str {
    document.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}
