//! What `kubectl get` prints of an event, in either form.

use serde_json::Value;

use crate::response::table::age;
use crate::response::table::cells::{number, said, text};
use crate::response::table::columns::Column;

pub(super) fn all() -> Vec<Column> {
    vec![
        Column::computed_at("Last Seen", last_seen),
        Column::text("Type", ".type", ""),
        Column::text("Reason", ".reason", ""),
        Column::computed("Object", object),
        Column::computed("Subobject", part).wide(),
        Column::computed("Source", source).wide(),
        Column::computed("Message", message),
        Column::computed_at("First Seen", first_seen).wide(),
        Column::computed("Count", count).wide(),
        Column::name().wide(),
    ]
}

/// Events are written in two ways, and read in either.
fn event<'a>(event: &'a Value, core: &str, new: &str) -> &'a Value {
    event.get(core).or_else(|| event.get(new)).unwrap_or(&Value::Null)
}

fn object(it: &Value) -> Value {
    let about = event(it, "involvedObject", "regarding");
    let kind = said(about, "/kind").to_lowercase();
    let name = said(about, "/name");
    if name.is_empty() { kind.into() } else { format!("{kind}/{name}").into() }
}

fn part(it: &Value) -> Value {
    said(event(it, "involvedObject", "regarding"), "/fieldPath").into()
}

fn source(it: &Value) -> Value {
    let from = event(it, "source", "deprecatedSource");
    let (component, host) = (said(from, "/component"), said(from, "/host"));
    let component = if component.is_empty() {
        text(event(it, "reportingComponent", "reportingController"))
    } else {
        component.to_owned()
    };
    let component = if component == "null" { String::new() } else { component };
    if host.is_empty() { component.into() } else { format!("{component}, {host}").into() }
}

fn message(it: &Value) -> Value {
    event(it, "message", "note").as_str().unwrap_or_default().trim().into()
}

fn count(it: &Value) -> Value {
    let own = event(it, "count", "deprecatedCount").as_i64().unwrap_or_default();
    let series = number(it, "/series/count");
    own.max(series).max(1).into()
}

fn first_seen(it: &Value, now: i64) -> Value {
    let first = event(it, "firstTimestamp", "deprecatedFirstTimestamp");
    age::since(if first.is_null() { &it["eventTime"] } else { first }, now).into()
}

fn last_seen(it: &Value, now: i64) -> Value {
    let last = event(it, "lastTimestamp", "deprecatedLastTimestamp");
    let series = it.pointer("/series/lastObservedTime").unwrap_or(&Value::Null);
    match (series.is_null(), last.is_null()) {
        (false, _) => age::since(series, now).into(),
        (true, false) => age::since(last, now).into(),
        (true, true) => first_seen(it, now),
    }
}
