//! The server's trace as rows: one for each request, with the fault that happened to it.

use std::collections::BTreeMap;

use pintle_apiserver::{Trace, TraceEvent};

use super::view::model::RequestRow;

/// So many requests at most: more than any screen is high.
const ROWS_MAX: usize = 60;

/// The last requests, oldest first.
pub(super) fn rows(trace: &[Trace]) -> Vec<RequestRow> {
    let mut rows: Vec<RequestRow> = Vec::new();
    let mut places: BTreeMap<u64, usize> = BTreeMap::new();
    // A request has two lines, or a few more with several faults.
    for line in trace.iter().skip(trace.len().saturating_sub(3 * ROWS_MAX)) {
        let Some(at) = places.get(&line.request).copied().filter(|_| line.request != 0) else {
            places.insert(line.request, rows.len());
            rows.push(row(line));
            continue;
        };
        let known = &mut rows[at];
        let fault = known.fault;
        *known = row(line);
        known.fault = known.fault.or(fault);
    }
    rows.drain(..rows.len().saturating_sub(ROWS_MAX));
    rows
}

fn row(line: &Trace) -> RequestRow {
    let (path, query) = line.path.split_once('?').unwrap_or((&line.path, ""));
    let is_watch = query.split('&').any(|part| matches!(part, "watch=true" | "watch=1"));
    let method = if is_watch { "WATCH" } else { line.method.as_str() };
    let (outcome, fault, is_trouble) = match line.event {
        TraceEvent::Answered(code) => (code.to_string(), None, code >= 500 || code == 429 || code == 410),
        TraceEvent::Interrupted => ("broken".to_owned(), None, true),
        TraceEvent::Fault(name) => ("…".to_owned(), Some(name), true),
        TraceEvent::Server(name) => {
            return RequestRow {
                method: "SERVER".to_owned(),
                path: name.to_owned(),
                outcome: String::new(),
                fault: None,
                after: line.after,
                is_trouble: false,
            };
        }
        _ => (line.event.to_string(), None, false),
    };
    RequestRow { method: method.to_owned(), path: path.to_owned(), outcome, fault, after: line.after, is_trouble }
}
