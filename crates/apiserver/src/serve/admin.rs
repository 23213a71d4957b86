//! The admin path: what a Rust test does to a server with [`Server`]'s methods, for tests in any language.
//!
//! ```text
//!  /pintle/v1/… ─► token ─► ROUTES ─┬─► faults    rules: made, counted, lifted         (`faults.rs`, read by `rule.rs`)
//!                                   ├─► controls  watches, pause, history, rewind, fork (`controls.rs`)
//!                                   ├─► clock     read and moved                        (`clock.rs`)
//!                                   └─► trace     what was asked and what came of it    (`trace.rs`)
//! ```
//! In: JSON, decoded strictly: a field that is wrong or unknown is refused by its name. Out: JSON, or a Status. These requests meet
//! no faults, are not in the trace, and are answered while the server is paused.

mod clock;
mod controls;
mod faults;
pub(super) mod fields;
mod rule;
mod token;
mod trace;

use std::sync::{Arc, Mutex};

use http::{HeaderMap, Method, Request, Response};
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::workspaces::Workspaces;
use crate::request::decode;
use crate::response;
use crate::response::body::Body;
use crate::response::status::{Answer, Refusal, refuse};
use crate::server::Server;
use faults::MadeRules;

pub(super) use token::AdminToken;

/// The admin path of one server.
pub(super) struct Admin {
    tokens: Vec<AdminToken>,
    rules: Mutex<MadeRules>,
}

/// What is asked of it.
struct Asked<'a> {
    server: &'a Server,
    body: &'a [u8],
    workspaces: Option<&'a Arc<Workspaces>>,
}

/// A path, its method, and what it does: answered for `/pintle/v1` itself, and to whoever asks for something else.
struct Route {
    method: &'static str,
    /// `*` stands for one segment.
    path: &'static str,
    about: &'static str,
}

const fn route(method: &'static str, path: &'static str, about: &'static str) -> Route {
    Route { method, path, about }
}

/// Everything there is.
const ROUTES: [Route; 17] = [
    route("GET", "", "what there is"),
    route("GET", "state", "revision, time, and whether the server is paused"),
    route("GET", "faults", "the rules that were made here, and how often each kind of fault took effect"),
    route("POST", "faults", "make a rule: {\"requests\": {…}, \"fault\": {\"type\": …}}"),
    route("DELETE", "faults", "lift all rules"),
    route("GET", "faults/*", "one rule: how many requests it met, and how often it fired"),
    route("DELETE", "faults/*", "lift one rule"),
    route("POST", "watches/*", "cut, break, stall, resume or bookmark open watches: {\"resource\": …}"),
    route("POST", "pause", "answer nothing, until it is resumed"),
    route("POST", "resume", "go on after a pause"),
    route("POST", "settle", "do everything now that follows from the writes so far"),
    route("POST", "expire-history", "forget history, as a compaction does: {\"before\": REVISION} or all of it"),
    route("POST", "rewind", "go back to the state at an earlier revision: {\"revision\": …}"),
    route("POST", "fork", "make a workspace of the state as it is now: {\"name\": …, \"ttlSeconds\": …}"),
    route("GET", "clock", "what time it is on the server"),
    route(
        "POST",
        "clock",
        "move the clock: {\"advanceSeconds\": …}, {\"set\": TIME}, {\"stopped\": true} or {\"reset\": true}",
    ),
    route("GET", "trace", "the last 1,000 lines of what was requested, answered and made to fail"),
];

/// What stands behind the beginning of all admin paths, if a path has it.
pub(super) fn below(path: &str) -> Option<&str> {
    path.strip_prefix(ROOT).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Admin {
    pub(super) fn new(tokens: Vec<AdminToken>) -> Admin {
        Admin { tokens, rules: Mutex::default() }
    }

    /// Whether a request shows one of the tokens.
    pub(super) fn opens(&self, headers: &HeaderMap) -> bool {
        // All are compared, whichever it is.
        self.tokens.iter().fold(false, |opens, token| opens | token.is_shown_by(headers))
    }

    /// Answers a request for this path below the root.
    pub(super) async fn answer(
        &self,
        server: &Server,
        path: &str,
        request: Request<Incoming>,
        workspaces: Option<&Arc<Workspaces>>,
    ) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let body = decode::read(body).await;
        if !self.opens(&parts.headers) {
            let why = "Unauthorized: the admin path has a token of its own: that of the kubeconfig that --admin-kubeconfig names, or, below \
                       /workspaces/NAME alone, the adminToken of that workspace";
            return response::refusal(&refuse(401, "Unauthorized", why));
        }
        let done = match body {
            Ok(body) => {
                self.perform(&parts.method, path.trim_matches('/'), Asked { server, body: &body, workspaces }).await
            }
            Err(refusal) => Err(refusal),
        };
        done.unwrap_or_else(|refusal| response::refusal(&refusal))
    }

    async fn perform(&self, method: &Method, path: &str, asked: Asked<'_>) -> Answer<Response<Body>> {
        let segments: Vec<&str> = path.split('/').collect();
        let Asked { server, body, workspaces } = asked;
        let answered = match (method.as_str(), &segments[..]) {
            ("GET", [""]) => index(),
            ("GET", ["state"]) => controls::state(server),
            ("GET", ["faults"]) => self.list_rules(server),
            ("POST", ["faults"]) => return self.make_rule(server, body),
            ("DELETE", ["faults"]) => self.lift_rules(server),
            ("GET", ["faults", id]) => self.show_rule(id)?,
            ("DELETE", ["faults", id]) => self.lift_rule(id)?,
            ("POST", ["watches", command]) => controls::command_watches(server, command, body)?,
            ("POST", ["pause"]) => controls::pause(server, body)?,
            ("POST", ["resume"]) => controls::resume(server, body)?,
            ("POST", ["settle"]) => controls::settle(server, body).await?,
            ("POST", ["expire-history"]) => controls::expire_history(server, body)?,
            ("POST", ["rewind"]) => controls::rewind(server, body)?,
            ("POST", ["fork"]) => return controls::fork(server, workspaces, body),
            ("GET", ["clock"]) => clock::describe(server),
            ("POST", ["clock"]) => clock::change(server, body)?,
            ("GET", ["trace"]) => trace::print(server),
            _ => return Err(no_route(method, &segments)),
        };
        Ok(response::value(&answered))
    }
}

fn index() -> Value {
    let paths = ROUTES.map(|route| json!({"method": route.method, "path": route.full(), "about": route.about}));
    json!({"paths": paths})
}

impl Route {
    fn full(&self) -> String {
        if self.path.is_empty() { ROOT.to_owned() } else { format!("{ROOT}/{}", self.path) }
    }

    fn leads_to(&self, segments: &[&str]) -> bool {
        let own: Vec<&str> = self.path.split('/').collect();
        own.len() == segments.len() && own.iter().zip(segments).all(|(own, asked)| *own == "*" || own == asked)
    }
}

/// 405 where the path has other methods, 404 with all paths otherwise.
fn no_route(method: &Method, segments: &[&str]) -> Refusal {
    let methods: Vec<&str> = ROUTES.iter().filter(|route| route.leads_to(segments)).map(|route| route.method).collect();
    let path = segments.join("/");
    if methods.is_empty() {
        let mut paths: Vec<&str> = ROUTES.iter().map(|route| route.path).filter(|path| !path.is_empty()).collect();
        paths.dedup();
        let why = format!("there is no {ROOT}/{path}; below {ROOT} there are {}", paths.join(", "));
        return refuse(404, "NotFound", why);
    }
    let why = format!("{method} means nothing at {ROOT}/{path}: it takes {}", methods.join(" and "));
    refuse(405, "MethodNotAllowed", why)
}

/// How all admin paths begin.
const ROOT: &str = "/pintle/v1";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_does_not_exist_is_refused_with_those_that_do() {
        let refusal = no_route(&Method::GET, &["fault"]);
        assert_eq!(refusal.code, 404);
        assert!(
            refusal
                .message
                .contains("there is no /pintle/v1/fault; below /pintle/v1 there are state, faults, faults/*")
        );
        let refusal = no_route(&Method::PUT, &["faults", "1"]);
        assert_eq!(refusal.message, "PUT means nothing at /pintle/v1/faults/1: it takes GET and DELETE");
    }

    #[test]
    fn only_the_root_and_what_is_below_it_are_admin_paths() {
        for (path, expected) in
            [("/pintle/v1", Some("")), ("/pintle/v1/x", Some("/x")), ("/pintle/v10", None), ("/api", None)]
        {
            assert_eq!(below(path), expected, "{path}");
        }
    }
}
