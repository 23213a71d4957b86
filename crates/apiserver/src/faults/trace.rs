//! The trace: what was requested, what was answered, and which faults happened in between.
//!
//! In: one line per answer, per fault and per thing that a test does to the server as a whole. Out: the last of them,
//! oldest first. It holds methods, paths and codes, never headers or bodies, so no secret can be in it
//! but what a webhook notes for the audit log.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use http::Method;

use crate::request::info::RequestInfo;

/// One line of a server's trace.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trace {
    /// The number of the request, from 1; lines of one request share it. What was done to the server as a whole has 0.
    pub request: u64,
    /// The method.
    pub method: Method,
    /// Path and query; empty where there was no request.
    pub path: String,
    /// What happened.
    pub event: TraceEvent,
    /// How long after the request came; zero where there was no request.
    pub after: Duration,
    /// What admission webhooks noted about the request (`auditAnnotations`), on the line of its answer: `webhook/key` and
    /// value.
    pub audit_annotations: Vec<(String, String)>,
}

/// What a line of the trace reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceEvent {
    /// The request was answered with this code. The answer to a watch goes on.
    Answered(u16),
    /// The connection broke without an answer.
    Interrupted,
    /// A fault of this name took effect.
    Fault(&'static str),
    /// A test did this to the server as a whole: `pause`, `resume`, `rewind`, `expire history`, `move clock`.
    Server(&'static str),
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let TraceEvent::Server(_) = self.event {
            return self.event.fmt(f);
        }
        write!(f, "#{} {} {}: {}", self.request, self.method, self.path, self.event)?;
        self.audit_annotations.iter().try_for_each(|(key, value)| write!(f, " {key}={value:?}"))
    }
}

impl fmt::Display for TraceEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceEvent::Answered(code) => write!(f, "{code}"),
            TraceEvent::Interrupted => f.write_str("interrupted"),
            TraceEvent::Fault(name) => write!(f, "fault: {name}"),
            TraceEvent::Server(name) => write!(f, "server: {name}"),
        }
    }
}

/// What admission noted about a request, on its way to the trace with the response.
#[derive(Debug, Clone)]
pub(crate) struct AuditAnnotations(pub(crate) Vec<(String, String)>);

/// The last lines.
#[derive(Default)]
pub(crate) struct TraceLog {
    lines: Mutex<VecDeque<Trace>>,
    requests: AtomicU64,
}

impl TraceLog {
    /// The number of the next request.
    pub(crate) fn number(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::AcqRel) + 1
    }

    pub(crate) fn write(&self, request: u64, info: &RequestInfo, event: TraceEvent) {
        self.write_answer(request, info, event, Vec::new());
    }

    /// Notes an answer, and what admission had to say about it.
    pub(crate) fn write_answer(
        &self,
        request: u64,
        info: &RequestInfo,
        event: TraceEvent,
        audit_annotations: Vec<(String, String)>,
    ) {
        let (method, path) = (info.method.clone(), info.text.clone());
        self.push(Trace { request, method, path, event, after: info.began.elapsed(), audit_annotations });
    }

    /// Notes what is done to the server as a whole.
    pub(crate) fn write_of_server(&self, name: &'static str) {
        self.push(Trace {
            request: 0,
            method: Method::default(),
            path: String::new(),
            event: TraceEvent::Server(name),
            after: Duration::ZERO,
            audit_annotations: Vec::new(),
        });
    }

    fn push(&self, line: Trace) {
        tracing::debug!("{line}");
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES_MAX {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// The lines so far, oldest first.
    pub(crate) fn lines(&self) -> Vec<Trace> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

/// Enough to see what led to a failed assertion, too few to weigh: about 200 KB.
const LINES_MAX: usize = 1000;
