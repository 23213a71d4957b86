//! OpenAPI: what is served, for clients that check, complete or explain manifests.
//!
//! In: what is served. Out: the index of group-versions, and per group-version the paths of each kind (what kubectl asks
//! for before it leaves field validation to the server) and the schemas it reaches. A document is made when it is asked
//! for; the index needs only its hash, which follows from what the document is made of. `v2` is the same in one
//! older document.

mod descriptions;
mod gnostic;
mod operations;
mod pieces;
mod resolved;
mod schemas;
mod v2;

use std::sync::{Arc, OnceLock};

use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, EXPIRES, HeaderValue, LOCATION, VARY};
use http::request::Parts;
use http::{HeaderMap, Response, StatusCode};
use pintle_wire::facts;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha512};

use crate::catalog::Catalog;
use crate::catalog::discovery::Groups;
use crate::catalog::kinds::Kind;
use crate::request::path_prefix::PathPrefix;
use crate::response;
use crate::response::body::Body;
use crate::response::shared_text::{SharedText, hexadecimal};
use pieces::{Printed, Printer};
use schemas::Schemas;

/// The answer, if the path is one of OpenAPI's.
pub(crate) fn answer(catalog: &Catalog, parts: &Parts) -> Option<Response<Body>> {
    let path = parts.uri.path();
    if path == "/openapi/v2" {
        return Some(v2::answer(&catalog.memo.documents(catalog), catalog, parts));
    }
    let path = path.strip_prefix("/openapi/v3").filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    let (documents, prefix) = (catalog.memo.documents(catalog), PathPrefix::of(parts));
    if path.is_empty() {
        let print = || index(&documents, prefix).to_string().into();
        // Behind a prefix it is printed each time: it is asked for once by each client.
        let mut response = if prefix.is_empty() {
            catalog.memo.printed(catalog, "openapi/v3", print).answer(&parts.headers)
        } else {
            SharedText::answer(&print(), &parts.headers)
        };
        // Its handler never says what it writes.
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        return Some(response);
    }
    let path = path.trim_start_matches('/');
    Some(match documents.iter().find(|document| document.path == path) {
        Some(_) if names_nothing(&parts.headers) => without_words(200),
        Some(_) if !takes_a_document(&parts.headers) => without_words(406),
        Some(document) => answer_document(document, parts, prefix, catalog),
        None => without_words(404),
    })
}

/// Whether a client says what it takes, and none of it is a media type: its answer is empty.
fn names_nothing(headers: &HeaderMap) -> bool {
    let said = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_media_type = |range: &str| {
        let named = range.split(';').next().unwrap_or_default().trim();
        named == "*" || named.split('/').count() == 2
    };
    !said.is_empty() && !said.split(',').any(is_media_type)
}

/// Whether a client takes a document in JSON, which is how it is printed here.
fn takes_a_document(headers: &HeaderMap) -> bool {
    let said = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut ranges = said.split(',').map(|range| range.split(';').next().unwrap_or_default().trim());
    said.is_empty()
        || ranges
            .any(|range| matches!(range, "application/json" | "application/*" | "*/*" | "*") || range.contains(SPEC))
}

/// The name of the message in which documents come as protobuf.
const SPEC: &str = "proto-openapi.spec";

/// A refusal without a word.
fn without_words(code: u16) -> Response<Body> {
    let mut response = response::json(code, Default::default());
    response.headers_mut().remove(CONTENT_TYPE);
    response
}

/// One group-version, or the path of the server's own version, which has no kinds.
pub(super) struct Document {
    pub(super) path: String,
    hash: String,
    kinds: Vec<Arc<Kind>>,
    printed: OnceLock<SharedText>,
}

/// With the right hash it may be kept for ever, with a wrong one the client is sent to the right one.
fn answer_document(document: &Document, parts: &Parts, prefix: &str, catalog: &Catalog) -> Response<Body> {
    let (path, hash) = (document.path.as_str(), document.hash.as_str());
    let query = parts.uri.query().unwrap_or_default();
    let asked =
        query.split('&').find_map(|parameter| parameter.strip_prefix("hash=")).filter(|asked| !asked.is_empty());
    let mut response = document.printed(catalog).answer(&parts.headers);
    match asked {
        Some(asked) if asked != hash => {
            *response.status_mut() = StatusCode::MOVED_PERMANENTLY;
            *response.body_mut() = Body::empty();
            response.headers_mut().remove(CONTENT_ENCODING);
            response.headers_mut().insert(LOCATION, header(&url(prefix, path, hash)));
        }
        Some(_) => {
            response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public, immutable"));
            response.headers_mut().insert(EXPIRES, HeaderValue::from_static(FAR_FUTURE));
        }
        None => {}
    }
    response.headers_mut().insert(ETAG, header(&format!("\"{hash}\"")));
    response.headers_mut().append(VARY, HeaderValue::from_static("Accept"));
    response
}

fn header(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("paths and hashes of this server are plain ASCII")
}

fn index(documents: &[Arc<Document>], prefix: &str) -> Value {
    let paths: Map<String, Value> = documents
        .iter()
        .map(|document| (document, url(prefix, &document.path, &document.hash)))
        .map(|(document, url)| (document.path.clone(), json!({"serverRelativeURL": url})))
        .collect();
    json!({"paths": paths})
}

/// What a client asks for next, from the root of the host: older ones of client-go add no prefix of their own to it.
fn url(prefix: &str, path: &str, hash: &str) -> String {
    format!("{prefix}/openapi/v3/{path}?hash={hash}")
}

fn hash(made_of: &str) -> String {
    hexadecimal(&Sha512::digest(made_of.as_bytes())).to_uppercase()
}

impl Document {
    /// Every group-version of a catalog; `known` returns the document that is made of the same.
    pub(super) fn all(
        catalog: &Catalog,
        known: impl Fn(&str, &[Arc<Kind>]) -> Option<Arc<Document>>,
    ) -> Vec<Arc<Document>> {
        let mut documents = Vec::new();
        for group in Groups::of(catalog).all() {
            for (version, kinds) in &group.versions {
                let name = &group.name;
                let path = if name.is_empty() { format!("api/{version}") } else { format!("apis/{name}/{version}") };
                let make = || Arc::new(Document::new(catalog, &path, kinds));
                documents.push(known(&path, kinds).unwrap_or_else(make));
            }
        }
        documents.push(known(VERSION_PATH, &[]).unwrap_or_else(|| Arc::new(Document::new(catalog, VERSION_PATH, &[]))));
        documents
    }

    fn new(catalog: &Catalog, path: &str, kinds: &[Arc<Kind>]) -> Document {
        // A built-in document changes with the tables alone, a custom one with its definitions.
        let mut made_of = format!("{} {path}", facts::VERSION);
        for kind in kinds.iter().filter(|kind| kind.is_custom()) {
            let definition = catalog.definition(kind).map(|definition| definition.fingerprint());
            made_of.push_str(&format!("{} {} {:?}", kind.plural, kind.version, definition));
        }
        Document { hash: hash(&made_of), path: path.to_owned(), kinds: kinds.to_vec(), printed: OnceLock::new() }
    }

    /// Whether it is made of these kinds.
    pub(super) fn is_of(&self, kinds: &[Arc<Kind>]) -> bool {
        self.kinds.len() == kinds.len() && self.kinds.iter().zip(kinds).all(|(own, other)| Arc::ptr_eq(own, other))
    }

    /// The document, printed at most once.
    fn printed(&self, catalog: &Catalog) -> &SharedText {
        self.printed.get_or_init(|| SharedText::new(self.print(catalog).pieces()))
    }

    /// What can be done, printed; and the schemas of that and of its kinds.
    fn parts<'a>(&'a self, catalog: &'a Catalog) -> (Printed, Schemas<'a>) {
        let mut paths = Printer::default();
        let referred = operations::print(&mut paths, &self.path, &self.kinds);
        (paths.finish(), schemas::of(&self.kinds, &referred, |kind| catalog.stated_schema(kind)))
    }

    fn print(&self, catalog: &Catalog) -> Printed {
        let (paths, schemas) = self.parts(catalog);
        let mut printer = Printer::default();
        printer.object(|document| {
            document.field("components").object(|components| {
                components.field("schemas").object(|printed| {
                    schemas.iter().for_each(|(name, schema)| schema.print(printed.field(name)));
                });
            });
            document.field("info").value(&json!({"title": "Kubernetes", "version": facts::VERSION}));
            document.field("openapi").value(&"3.0.0");
            let value = document.field("paths");
            paths.pieces().iter().for_each(|piece| value.text(piece));
        });
        printer.finish()
    }
}

/// Where the server's version is served.
const VERSION_PATH: &str = "version";

/// A document under its own hash never changes; any date beyond a client's life will do.
const FAR_FUTURE: &str = "Fri, 31 Dec 2100 23:59:59 GMT";
