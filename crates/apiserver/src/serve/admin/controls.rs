//! What is done to a server as a whole, by request: to its watches, its history, its state.

use std::sync::Arc;

use http::Response;
use serde_json::{Value, json};

use super::super::workspaces::Workspaces;
use super::clock;
use super::fields::Fields;
use super::rule;
use crate::faults::Requests;
use crate::response::body::Body;
use crate::response::status::{Answer, expired, refuse};
use crate::server::Server;

/// What is done to the open watches that are meant; returns how many there were.
type WatchesCommand = fn(&Server, &Requests) -> usize;

/// How the server is.
pub(super) fn state(server: &Server) -> Value {
    json!({"revision": server.revision(), "paused": server.is_paused(), "clock": clock::describe(server)})
}

/// Commands open watches, and says how many.
pub(super) fn command_watches(server: &Server, command: &str, body: &[u8]) -> Answer<Value> {
    let known: [(&str, WatchesCommand); 5] = [
        ("cut", Server::cut_watches),
        ("break", Server::break_watches),
        ("stall", Server::stall_watches),
        ("resume", Server::resume_watches),
        ("bookmark", Server::send_bookmarks),
    ];
    let Some((_, perform)) = known.iter().find(|(name, _)| *name == command) else {
        let names = known.map(|(name, _)| name).join(", ");
        return Err(refuse(404, "NotFound", format!("watches have no command {command:?}; they have {names}")));
    };
    let requests = rule::watches(Fields::read("Watches", body)?)?;
    Ok(json!({"watches": perform(server, &requests)}))
}

pub(super) fn pause(server: &Server, body: &[u8]) -> Answer<Value> {
    Fields::read("Pause", body)?.finish()?;
    server.pause();
    Ok(state(server))
}

pub(super) fn resume(server: &Server, body: &[u8]) -> Answer<Value> {
    Fields::read("Resume", body)?.finish()?;
    server.resume();
    Ok(state(server))
}

pub(super) async fn settle(server: &Server, body: &[u8]) -> Answer<Value> {
    Fields::read("Settle", body)?.finish()?;
    server.settle().await;
    Ok(state(server))
}

/// Forgets history: all of it, or what was before a revision.
pub(super) fn expire_history(server: &Server, body: &[u8]) -> Answer<Value> {
    let mut fields = Fields::read("ExpireHistory", body)?;
    let before = fields.number("before")?;
    fields.finish()?;
    match before {
        Some(before) => server.expire_history_before(before),
        None => server.expire_history(),
    }
    Ok(state(server))
}

/// Goes back to a revision.
pub(super) fn rewind(server: &Server, body: &[u8]) -> Answer<Value> {
    let mut fields = Fields::read("Rewind", body)?;
    let revision = fields.number("revision")?;
    let revision =
        fields.required("revision", revision, "the one to go back to; GET /pintle/v1/state has the current one")?;
    fields.finish()?;
    server.rewind(revision).map_err(|lost| expired(lost.to_string()))?;
    Ok(state(server))
}

/// Makes a workspace of the state as it is now.
pub(super) fn fork(server: &Server, workspaces: Option<&Arc<Workspaces>>, body: &[u8]) -> Answer<Response<Body>> {
    let workspaces = workspaces.ok_or_else(|| {
        refuse(
            404,
            "NotFound",
            "a fork is a workspace, and this server has none: start it with `pintle serve --workspaces`",
        )
    })?;
    workspaces.make(server, Fields::read("Workspace", body)?)
}
