//! `/version`, `/healthz`, `/livez` and `/readyz`: the server is what it says it is, and it is well.
//!
//! A server that answers is ready, so every check passes; the paths exist because tools ask them first.

use http::{Response, Uri};
use serde_json::json;

use crate::body::Body;
use crate::reply;

/// The answer, if the path is one of these.
pub(crate) fn answer(uri: &Uri) -> Option<Response<Body>> {
    let segments = crate::service::segments(uri);
    match segments[..] {
        ["version"] => Some(version()),
        [check @ ("healthz" | "livez" | "readyz")] => Some(health(check, uri.query().unwrap_or_default())),
        ["healthz" | "livez" | "readyz", "ping"] => Some(reply::text(200, "ok")),
        _ => None,
    }
}

fn version() -> Response<Body> {
    reply::value(&json!({
        "major": MAJOR,
        "minor": MINOR,
        "gitVersion": format!("v{MAJOR}.{MINOR}.0-pintle"),
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "none",
        "compiler": "rustc",
        "platform": format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
    }))
}

fn health(check: &str, query: &str) -> Response<Body> {
    if query.split('&').any(|parameter| parameter == "verbose" || parameter.starts_with("verbose=")) {
        return reply::text(200, format!("[+]ping ok\n{check} check passed\n"));
    }
    reply::text(200, "ok")
}

/// The Kubernetes version whose kinds are served.
const MAJOR: &str = "1";
const MINOR: &str = "37";
