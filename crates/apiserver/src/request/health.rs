//! `/version`, `/healthz`, `/livez` and `/readyz`: the server is what it says it is, and it is well.
//!
//! A server that answers is ready, so every check passes; the paths exist because tools ask them first. `/pintle/snapshot` is
//! ours: everything that is stored, for `pintle snapshot save`.

use http::header::X_CONTENT_TYPE_OPTIONS;
use http::{HeaderValue, Response, Uri};
use serde_json::json;

use super::health_checks;
use crate::response;
use crate::response::body::Body;
use crate::server::State;

/// The answer, if the path is one of these.
pub(crate) fn answer(state: &State, uri: &Uri) -> Option<Response<Body>> {
    let path = uri.path().strip_prefix('/').unwrap_or_default();
    let (first, rest) = path.split_once('/').map_or((path, None), |(first, rest)| (first, Some(rest)));
    match (first, rest) {
        ("version", None | Some("")) => Some(version()),
        ("metrics", None) => Some(metrics(state)),
        ("metrics", Some("slis")) => Some(response::text(200, health_checks::exposition())),
        ("pintle", Some("snapshot")) => Some(response::text(200, state.backup())),
        ("healthz" | "livez" | "readyz", None) => Some(health(first, uri.query().unwrap_or_default())),
        ("healthz" | "livez" | "readyz", Some(check)) => {
            health_checks::of(first).any(|known| known == check).then(|| response::text(200, "ok"))
        }
        _ => None,
    }
}

/// Which server it is, and what was counted, if it counts.
fn metrics(state: &State) -> Response<Body> {
    let name = "kubernetes_build_info";
    let labels = format!("git_version=\"v{MAJOR}.{MINOR}.1\",major=\"{MAJOR}\",minor=\"{MINOR}\"");
    let build = format!("# HELP {name} The version of this server.\n# TYPE {name} gauge\n{name}{{{labels}}} 1\n");
    let counted = state.observation.exposition(|| state.settled().store.objects());
    response::text(200, counted.unwrap_or_default() + &build)
}

fn version() -> Response<Body> {
    response::value(&json!({
        "major": MAJOR,
        "minor": MINOR,
        "emulationMajor": MAJOR,
        "emulationMinor": MINOR,
        "minCompatibilityMajor": MAJOR,
        "minCompatibilityMinor": MINOR_BEFORE,
        "gitVersion": format!("v{MAJOR}.{MINOR}.1"),
        "gitCommit": "",
        "gitTreeState": "pintle",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "none",
        "compiler": "rustc",
        "platform": format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
    }))
}

fn health(endpoint: &str, query: &str) -> Response<Body> {
    let parameters = || form_urlencoded::parse(query.as_bytes());
    let mut response = if parameters().any(|(name, _)| name == "verbose") {
        let excluded = parameters().filter(|(name, _)| name == "exclude").map(|(_, value)| value.into_owned());
        response::text(200, health_checks::verbose(endpoint, excluded.collect()))
    } else {
        response::text(200, "ok")
    };
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// The Kubernetes version whose kinds are served.
const MAJOR: &str = "1";
const MINOR: &str = "37";

/// The oldest version beside which a server of this one can run.
const MINOR_BEFORE: &str = "36";
