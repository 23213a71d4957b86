//! Answers probes in kube-apiserver's format.
//!
//! ```text
//!   ok                                         all is well
//!   [+]ping ok                                 ?verbose, or if something is not
//!   [+]lease ok: standby, pod-b leads
//!   [-]watch-web-pods failed: pods of v1 is refused: …
//!   readyz check failed
//! ```

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::future::{Ready, ready};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use tower::Service;

use super::{Check, Health, Probe};
use crate::text_answer::{text_answer, unless_reading};

/// The service behind `/livez`, `/readyz` and `/healthz`.
///
/// ```
/// use http::Request;
/// use pintle_manager::health::{Endpoint, Health};
/// use tower::ServiceExt;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let answer = Endpoint::new(Health::new()).oneshot(Request::get("/readyz?verbose").body(())?).await?;
/// assert_eq!(answer.status(), 200);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Endpoint {
    health: Health,
}

/// The paths, with the name that an answer has at its end.
const PATHS: [(&str, Probe); 3] = [("livez", Probe::Live), ("readyz", Probe::Ready), ("healthz", Probe::Live)];

impl Endpoint {
    /// Answers from `health`.
    #[must_use]
    pub fn new(health: Health) -> Self {
        Self { health }
    }

    fn answer(&self, method: &Method, path: &str, query: &str) -> Response<Full<Bytes>> {
        if let Some(refused) = unless_reading(method) {
            return refused;
        }
        let (first, check) = path.trim_matches('/').split_once('/').unwrap_or((path.trim_matches('/'), ""));
        match PATHS.iter().find(|(name, _)| *name == first) {
            Some((name, probe)) if check.is_empty() => whole(name, &self.health.look(*probe), &Query::parse(query)),
            Some((_, probe)) => one(self.health.look(*probe).into_iter().find(|found| found.name == check)),
            None => not_found(),
        }
    }
}

/// What a probe wants to see.
#[derive(Debug, Default)]
struct Query {
    is_verbose: bool,
    excluded: BTreeSet<String>,
}

impl Query {
    fn parse(query: &str) -> Self {
        let mut parsed = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "verbose" => parsed.is_verbose = true,
                "exclude" => drop(parsed.excluded.insert(value.into_owned())),
                _ => {}
            }
        }
        parsed
    }
}

/// The answer about all checks.
fn whole(name: &str, checks: &[Check], query: &Query) -> Response<Full<Bytes>> {
    let (mut lines, mut has_failed) = (String::new(), false);
    let mut unknown = query.excluded.clone();
    for check in checks {
        unknown.remove(&check.name);
        let (name, is_excluded) = (&check.name, query.excluded.contains(&check.name));
        // Writing to a string does not fail.
        let _ = match &check.result {
            _ if is_excluded => writeln!(lines, "[+]{name} excluded: ok"),
            Ok(None) => writeln!(lines, "[+]{name} ok"),
            Ok(Some(note)) => writeln!(lines, "[+]{name} ok: {}", in_one_line(note)),
            Err(reason) => writeln!(lines, "[-]{name} failed: {}", in_one_line(reason)),
        };
        has_failed |= check.result.is_err() && !is_excluded;
    }
    if !unknown.is_empty() {
        let quoted: Vec<_> = unknown.iter().map(|name| format!("{name:?}")).collect();
        let _ = writeln!(lines, "warn: some health checks cannot be excluded: no matches for {}", quoted.join(","));
    }
    if has_failed {
        tracing::debug!("{name} check failed:\n{lines}");
        return text_answer(StatusCode::INTERNAL_SERVER_ERROR, format!("{lines}{name} check failed\n"));
    }
    text_answer(
        StatusCode::OK,
        if query.is_verbose { format!("{lines}{name} check passed\n") } else { "ok".to_owned() },
    )
}

/// The answer about one check.
fn one(check: Option<Check>) -> Response<Full<Bytes>> {
    match check.map(|check| check.result) {
        Some(Ok(_)) => text_answer(StatusCode::OK, "ok".to_owned()),
        Some(Err(reason)) => {
            text_answer(StatusCode::INTERNAL_SERVER_ERROR, format!("internal server error: {}\n", in_one_line(&reason)))
        }
        None => not_found(),
    }
}

fn not_found() -> Response<Full<Bytes>> {
    text_answer(StatusCode::NOT_FOUND, "404 page not found\n".to_owned())
}

fn in_one_line(text: &str) -> String {
    text.split(['\n', '\r']).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

impl<B> Service<Request<B>> for Endpoint {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let uri = request.uri();
        ready(Ok(self.answer(request.method(), uri.path(), uri.query().unwrap_or_default())))
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use http_body_util::BodyExt;

    use super::*;

    fn health() -> Health {
        let health = Health::new();
        health.add(Probe::Ready, || vec![Check::ok_but("lease", "standby, b leads")]);
        health.add_check(Probe::Ready, "disk", || Err("it is full\nquite full".to_owned()));
        health.add_check(Probe::Live, "loop", || Ok(()));
        health
    }

    fn ask(path: &str) -> (u16, String) {
        let answer = Endpoint::new(health()).answer(
            &Method::GET,
            path.split('?').next().unwrap(),
            path.split_once('?').map_or("", |it| it.1),
        );
        let code = answer.status().as_u16();
        let body = answer.into_body().collect().now_or_never().unwrap().unwrap().to_bytes();
        (code, String::from_utf8(body.into()).unwrap())
    }

    #[test]
    fn answers_are_kube_apiservers_with_the_reason_of_what_failed() {
        let all =
            "[+]ping ok\n[+]lease ok: standby, b leads\n[-]disk failed: it is full; quite full\nreadyz check failed\n";
        let excluded = "[+]ping ok\n[+]lease ok: standby, b leads\n[+]disk excluded: ok\n";
        let warned = "warn: some health checks cannot be excluded: no matches for \"a b\",\"x\"\n";
        let cases = [
            ("/readyz", 500, all.to_owned()),
            ("/readyz?verbose", 500, all.to_owned()),
            ("/readyz?exclude=disk", 200, "ok".to_owned()),
            ("/readyz?exclude=disk&verbose=", 200, format!("{excluded}readyz check passed\n")),
            (
                "/readyz?verbose&exclude=disk&exclude=x&exclude=a%20b",
                200,
                format!("{excluded}{warned}readyz check passed\n"),
            ),
            ("/livez", 200, "ok".to_owned()),
            ("/livez?verbose", 200, "[+]ping ok\n[+]loop ok\nlivez check passed\n".to_owned()),
            ("/healthz?verbose", 200, "[+]ping ok\n[+]loop ok\nhealthz check passed\n".to_owned()),
            ("/readyz/disk", 500, "internal server error: it is full; quite full\n".to_owned()),
            ("/readyz/lease", 200, "ok".to_owned()),
            ("/readyz/ping/", 200, "ok".to_owned()),
            ("/livez/disk", 404, "404 page not found\n".to_owned()),
            ("/", 404, "404 page not found\n".to_owned()),
            ("/metrics", 404, "404 page not found\n".to_owned()),
        ];
        for (path, code, body) in cases {
            assert_eq!(ask(path), (code, body), "{path}");
        }
    }

    #[test]
    fn nothing_but_reading_is_allowed() {
        let answer = Endpoint::new(Health::new()).answer(&Method::POST, "/livez", "");
        assert_eq!((answer.status().as_u16(), answer.headers()["allow"].to_str().unwrap()), (405, "GET, HEAD"));
    }
}
