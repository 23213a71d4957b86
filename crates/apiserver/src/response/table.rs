//! Tables: answers for people, with the columns that `kubectl get` prints.
//!
//! In: an answer in JSON (an object, a list or the events of a watch) and the columns of its kind. Out: the same as a
//! `meta.k8s.io/v1` Table, each row with its cells and, unless the client asked otherwise, the object's metadata. The
//! kind's strategy says which columns there are; [`columns`] and [`cells`] are what they are made of.

pub(crate) mod age;
pub(crate) mod cells;
pub(crate) mod columns;
mod path;

use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt;
use http::Response;
use http::header::{ACCEPT, CONTENT_LENGTH};
use http::request::Parts;
use http_body_util::BodyExt;
use pintle_core::call::{Call, Form, Verb};
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::response;
use crate::response::body::{Body, Interrupted};
use crate::response::status::{FieldError, bad_request};
use crate::server::State;

use columns::Column;

/// How a table is to be made of an answer.
#[derive(Clone)]
pub(crate) struct TableOptions {
    columns: Arc<Vec<Column>>,
    api_version: &'static str,
    include: Include,
    /// A word for what to include that there is not.
    unknown: Option<String>,
    clock: Clock,
    is_watch: bool,
}

/// What of its object a row carries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Include {
    Nothing,
    Metadata,
    Object,
}

impl TableOptions {
    /// The plan for a request that asks for a table before anything else.
    pub(crate) fn of(state: &State, parts: &Parts) -> Option<TableOptions> {
        let call = Call::parse(parts).ok().filter(|call| call.form == Form::Table)?;
        let target = &call.target;
        let cluster = state.cluster();
        let kind = cluster.catalog.kind(&target.group, &target.version, &target.plural)?;
        let accept = parts.headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let first = accept.split(',').find(|range| range.contains("as=Table")).unwrap_or_default();
        let is_beta = first.split(';').any(|parameter| parameter.trim() == "v=v1beta1");
        let query = form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
        let include = query.filter(|(name, _)| name == "includeObject").last().map(|(_, value)| value.into_owned());
        Some(TableOptions {
            columns: Arc::new(kind.strategy.columns(&kind)),
            api_version: if is_beta { "meta.k8s.io/v1beta1" } else { "meta.k8s.io/v1" },
            include: match include.as_deref() {
                Some("None") => Include::Nothing,
                Some("Object") => Include::Object,
                _ => Include::Metadata,
            },
            unknown: include.filter(|word| !matches!(word.as_str(), "" | "None" | "Object" | "Metadata")),
            clock: cluster.clock.clone(),
            is_watch: call.verb == Verb::Watch,
        })
    }

    /// The answer as a table; a refusal stays what it is.
    pub(crate) async fn apply(self, response: Response<Body>) -> Result<Response<Body>, Interrupted> {
        if !response.status().is_success() {
            return Ok(response);
        }
        if let Some(word) = &self.unknown {
            let why = FieldError::invalid_text("includeObject", word, "must be 'Metadata', 'Object', 'None', or empty");
            let why = format!("Unable to convert to Table as requested: {}", why.text());
            return Ok(response::refusal(&bad_request(why)));
        }
        let (mut parts, body) = response.into_parts();
        parts.headers.remove(CONTENT_LENGTH);
        if self.is_watch {
            let mut is_first = true;
            let frames = body.into_pieces().map(move |piece| Ok(self.frames(&piece?, &mut is_first)));
            return Ok(Response::from_parts(parts, Body::fallible(frames)));
        }
        let bytes = body.collect().await?.to_bytes();
        let table = serde_json::from_slice::<Value>(&bytes).ok().and_then(|answer| self.table(&answer));
        let bytes = table.map_or(bytes, |table| Bytes::from(table.to_string()));
        Ok(Response::from_parts(parts, Body::full(bytes)))
    }

    /// The table of an object or a list; nothing where the answer is a Status.
    fn table(&self, answer: &Value) -> Option<Value> {
        if answer["kind"] == "Status" {
            return None;
        }
        let rows: Vec<Value> = match answer.get("items").and_then(Value::as_array) {
            Some(items) => items.iter().map(|item| self.row(item)).collect(),
            None => vec![self.row(answer)],
        };
        let mut metadata = json!({});
        for field in ["resourceVersion", "continue", "remainingItemCount"] {
            if let Some(value) = answer["metadata"].get(field).filter(|value| *value != "") {
                metadata[field] = value.clone();
            }
        }
        Some(self.document(&metadata, &rows, true))
    }

    fn document(&self, metadata: &Value, rows: &[Value], with_columns: bool) -> Value {
        let columns: Vec<Value> = self.columns.iter().filter(|_| with_columns).map(Column::definition).collect();
        json!({
            "kind": "Table",
            "apiVersion": self.api_version,
            "metadata": metadata,
            "columnDefinitions": if with_columns { Value::from(columns) } else { Value::Null },
            "rows": rows,
        })
    }

    fn row(&self, object: &Value) -> Value {
        let now = self.clock.second();
        let cells: Vec<Value> = self.columns.iter().map(|column| column.cell(object, now)).collect();
        json!({"cells": cells, "object": self.carried(object)})
    }

    fn carried(&self, object: &Value) -> Value {
        match self.include {
            Include::Nothing => Value::Null,
            Include::Object => object.clone(),
            Include::Metadata => {
                json!({"kind": "PartialObjectMetadata", "apiVersion": self.api_version, "metadata": object["metadata"]})
            }
        }
    }

    /// The events in a piece of a watch; only the first one carries the columns.
    fn frames(&self, piece: &Bytes, is_first: &mut bool) -> Bytes {
        let mut events = String::new();
        for line in piece.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let Ok(mut event) = serde_json::from_slice::<Value>(line) else { continue };
            let object = event["object"].take();
            event["object"] = match event["type"].as_str() {
                Some("ERROR") => object,
                _ => {
                    let metadata = json!({"resourceVersion": object["metadata"]["resourceVersion"]});
                    self.document(&metadata, &[self.row(&object)], std::mem::take(is_first))
                }
            };
            events.push_str(&event.to_string());
            events.push('\n');
        }
        events.into()
    }
}
