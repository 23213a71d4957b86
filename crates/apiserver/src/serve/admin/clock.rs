//! The server's clock by request: what it shows, and how it is moved.

use serde_json::{Value, json};

use super::fields::Fields;
use crate::clock::ClockMove;
use crate::response::status::{Answer, bad_request};
use crate::server::Server;

/// What it shows.
pub(super) fn describe(server: &Server) -> Value {
    let (by, stopped) = server.clock_moved_by();
    let now = server.now().strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string();
    json!({"now": now, "movedBySeconds": by.as_secs_f64(), "stopped": stopped})
}

/// Moves it: reset, stopped or let go, set, advanced, in this order.
pub(super) fn change(server: &Server, body: &[u8]) -> Answer<Value> {
    let mut fields = Fields::read("Clock", body)?;
    let (reset, stopped) = (fields.flag("reset")?, fields.flag("stopped")?);
    let (set, advance) = (fields.timestamp("set")?, fields.signed_seconds("advanceSeconds")?);
    if reset.is_none() && stopped.is_none() && set.is_none() && advance.is_none() {
        fields.finish()?;
        return Err(bad_request("say how to move the clock: advanceSeconds, set, stopped or reset"));
    }
    fields.finish()?;
    let moves = [
        reset.filter(|reset| *reset).map(|_| ClockMove::Reset),
        stopped.map(|stopped| if stopped { ClockMove::Stop } else { ClockMove::Go }),
        set.map(ClockMove::To),
        advance.map(ClockMove::By),
    ];
    for change in moves.into_iter().flatten() {
        server.move_clock(change).map_err(|error| bad_request(error.to_string()))?;
    }
    Ok(describe(server))
}
