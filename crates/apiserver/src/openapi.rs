//! The little of OpenAPI v3 that clients need to know that this server is asked about field validation, not they.
//!
//! In: what is served. Out: the index of group-versions and, per group-version, each kind's PATCH operation with its
//! `fieldValidation` parameter. Schemas come later; `components.schemas` is empty.

use http::header::{CACHE_CONTROL, ETAG, EXPIRES, HeaderValue, LOCATION};
use http::request::Parts;
use http::{Response, StatusCode};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha512};

use crate::body::Body;
use crate::crd::Definitions;
use crate::discovery::{Groups, hexadecimal};
use crate::kinds::Kind;
use crate::reply;

/// The answer, if the path is one of OpenAPI's.
pub(crate) fn answer(definitions: &Definitions, parts: &Parts) -> Option<Response<Body>> {
    let path = parts.uri.path().strip_prefix("/openapi/v3")?.trim_matches('/');
    let documents = documents(definitions);
    if path.is_empty() {
        return Some(reply::value(&index(&documents)));
    }
    let (_, document) = documents.iter().find(|(name, _)| name == path)?;
    Some(answer_document(path, document, parts.uri.query().unwrap_or_default()))
}

/// With the right hash it may be kept for ever, with a wrong one the client is sent to the right one.
fn answer_document(path: &str, document: &str, query: &str) -> Response<Body> {
    let hash = hash(document);
    let asked =
        query.split('&').find_map(|parameter| parameter.strip_prefix("hash=")).filter(|asked| !asked.is_empty());
    let mut response = reply::json(200, document.to_owned().into());
    match asked {
        Some(asked) if asked != hash => {
            *response.status_mut() = StatusCode::MOVED_PERMANENTLY;
            *response.body_mut() = Body::empty();
            response.headers_mut().insert(LOCATION, header(&url(path, &hash)));
        }
        Some(_) => {
            response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public, immutable"));
            response.headers_mut().insert(EXPIRES, HeaderValue::from_static(FAR_FUTURE));
        }
        None => {}
    }
    response.headers_mut().insert(ETAG, header(&format!("\"{hash}\"")));
    response
}

fn header(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("paths and hashes of this server are plain ASCII")
}

fn index(documents: &[(String, String)]) -> Value {
    let paths: Map<String, Value> = documents
        .iter()
        .map(|(path, document)| (path.clone(), json!({"serverRelativeURL": url(path, &hash(document))})))
        .collect();
    json!({"paths": paths})
}

fn url(path: &str, hash: &str) -> String {
    format!("/openapi/v3/{path}?hash={hash}")
}

fn hash(document: &str) -> String {
    hexadecimal(&Sha512::digest(document.as_bytes())).to_uppercase()
}

/// Every group-version's path and document.
fn documents(definitions: &Definitions) -> Vec<(String, String)> {
    let mut documents = Vec::new();
    for group in Groups::of(definitions).all() {
        for (version, kinds) in &group.versions {
            let path =
                if group.name.is_empty() { format!("api/{version}") } else { format!("apis/{}/{version}", group.name) };
            let paths: Map<String, Value> =
                kinds.iter().filter(|kind| kind.allows("patch")).map(|kind| object_path(&path, kind)).collect();
            let document = json!({
                "openapi": "3.0.0",
                "info": {"title": "Kubernetes", "version": "v1.37.0-pintle"},
                "paths": paths,
                "components": {"schemas": {}},
            });
            documents.push((path, document.to_string()));
        }
    }
    documents
}

fn object_path(prefix: &str, kind: &Kind) -> (String, Value) {
    let namespace = if kind.namespaced { "namespaces/{namespace}/" } else { "" };
    let path = format!("/{prefix}/{namespace}{}/{{name}}", kind.plural);
    let parameters: Vec<Value> = ["dryRun", "fieldManager", "fieldValidation"]
        .iter()
        .map(|name| json!({"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": true}}))
        .collect();
    let operation = json!({
        "operationId": format!("patch{}", kind.kind),
        "parameters": parameters,
        "responses": {"200": {"description": "OK"}},
        "x-kubernetes-action": "patch",
        "x-kubernetes-group-version-kind": {"group": kind.group, "version": kind.version, "kind": kind.kind},
    });
    (path, json!({"patch": operation}))
}

/// A document under its own hash never changes; any date beyond a client's life will do.
const FAR_FUTURE: &str = "Fri, 31 Dec 2100 23:59:59 GMT";
