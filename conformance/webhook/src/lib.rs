//! Webhooks on loopback that answer as a script or a behaviour says.
//!
//! In: answers, one a path. Out: a URL and a certificate authority, for the configuration of a webhook. An answer is the
//! `response` of a review, with the uid that was asked, and a `patch` that is a list encoded; a string is the whole body;
//! `{"http": 500, "body": …}` has another status; `{"convert": {"v2": [["/spec/old", "/spec/new"]]}}` converts by moving
//! fields, and `{"convert": …, "name": "other"}` gives each object another name, which no webhook may.

use std::convert::Infallible;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::AbortHandle;
use tokio_rustls::TlsAcceptor;

/// A program that listens until it is dropped.
pub struct Webhook {
    /// Where it listens, without a path.
    pub url: String,
    /// Base64 of PEM, as configurations have it.
    pub ca: String,
    task: AbortHandle,
}

/// Answers by the last part of a path.
type Answers = Arc<Vec<(String, Value)>>;

impl Webhook {
    /// Listens on a free port.
    pub async fn start(hooks: &[(String, Value)]) -> Result<Webhook, String> {
        let failed = |error: &dyn std::fmt::Display| format!("the webhook cannot listen: {error}");
        let (ca, acceptor) = certified().map_err(|error| failed(&error))?;
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|error| failed(&error))?;
        let url = format!("https://{}", listener.local_addr().map_err(|error| failed(&error))?);
        let answers: Answers = Arc::new(hooks.to_vec());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, answers) = (acceptor.clone(), Arc::clone(&answers));
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let service = hyper::service::service_fn(move |request| respond(Arc::clone(&answers), request));
                    let connection = hyper::server::conn::http1::Builder::new();
                    drop(connection.serve_connection(TokioIo::new(stream), service).await);
                });
            }
        });
        Ok(Webhook { url, ca, task: task.abort_handle() })
    }
}

impl Drop for Webhook {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn respond(answers: Answers, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let name = request.uri().path().trim_start_matches('/').to_owned();
    let body = request.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let review: Value = serde_json::from_slice(&body).unwrap_or_default();
    let answer = answers.iter().find(|(known, _)| *known == name).map_or(Value::Null, |(_, answer)| answer.clone());
    let (code, text) = answered(&review, &answer);
    let response = Response::builder().status(code).header("content-type", "application/json");
    Ok(response.body(Full::from(text)).expect("a status and a text are a response"))
}

fn answered(review: &Value, answer: &Value) -> (u16, String) {
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if let Some(code) = answer.get("http").and_then(Value::as_u64) {
        return (u16::try_from(code).unwrap_or(500), plain(&answer["body"]));
    }
    if answer.is_string() {
        return (200, plain(answer));
    }
    let mut response = match answer.get("convert") {
        Some(by_version) => converted(review, by_version, answer.get("name")),
        None => answer.clone(),
    };
    if let Some(fields) = response.as_object_mut() {
        fields.entry("uid").or_insert_with(|| review["request"]["uid"].clone());
        if let Some(patch) = fields.get_mut("patch").filter(|patch| patch.is_array()) {
            *patch = STANDARD.encode(patch.to_string()).into();
        }
    }
    let whole = json!({"apiVersion": review["apiVersion"], "kind": review["kind"], "response": response});
    (200, whole.to_string())
}

/// Moves fields, as `["/spec/old", "/spec/new"]` for each version that is wanted.
fn converted(review: &Value, by_version: &Value, name: Option<&Value>) -> Value {
    let wanted = review["request"]["desiredAPIVersion"].clone();
    let version = wanted.as_str().and_then(|wanted| wanted.rsplit('/').next()).unwrap_or_default();
    let moves = by_version[version].as_array().cloned().unwrap_or_default();
    let mut objects = review["request"]["objects"].as_array().cloned().unwrap_or_default();
    for object in &mut objects {
        object["apiVersion"] = wanted.clone();
        if let Some(name) = name {
            object["metadata"]["name"] = name.clone();
        }
        for step in &moves {
            let [from, to] = [&step[0], &step[1]].map(|pointer| pointer.as_str().unwrap_or_default().to_owned());
            if let Some(value) = take(object, &from) {
                put(object, &to, value);
            }
        }
    }
    json!({"convertedObjects": objects, "result": {"status": "Success"}})
}

fn take(object: &mut Value, pointer: &str) -> Option<Value> {
    let (parent, key) = pointer.rsplit_once('/')?;
    object.pointer_mut(parent)?.as_object_mut()?.remove(key)
}

fn put(object: &mut Value, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').unwrap_or_default();
    if let Some(parent) = object.pointer_mut(parent).and_then(Value::as_object_mut) {
        parent.insert(key.to_owned(), value);
    }
}

fn certified() -> Result<(String, TlsAcceptor), Box<dyn std::error::Error + Send + Sync>> {
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new(Vec::new())?;
    params.distinguished_name.push(DnType::CommonName, "webhooks of a script");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let ca = STANDARD.encode(params.self_signed(&key)?.pem());
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate()?;
    let certificate = CertificateParams::new(NAMES.map(str::to_owned).to_vec())?.signed_by(&key, &issuer)?;
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], private)?;
    Ok((ca, TlsAcceptor::from(Arc::new(config))))
}

/// Loopback, and what a Service `webhook` of the namespace `default` is called in a cluster.
const NAMES: [&str; 2] = ["127.0.0.1", "webhook.default.svc"];
