//! The trace as JSON, oldest line first.

use serde_json::{Map, Value, json};

use crate::faults::trace::{Trace, TraceEvent};
use crate::server::Server;

/// Everything that is still remembered.
pub(super) fn print(server: &Server) -> Value {
    json!({"lines": server.trace().iter().map(line).collect::<Vec<Value>>()})
}

fn line(trace: &Trace) -> Value {
    let (event, detail) = match trace.event {
        TraceEvent::Answered(code) => ("answered", Some(("code", Value::from(code)))),
        TraceEvent::Interrupted => ("interrupted", None),
        TraceEvent::Fault(name) => ("fault", Some(("fault", name.into()))),
        TraceEvent::Server(name) => ("server", Some(("done", name.into()))),
    };
    let mut line = json!({"event": event, "text": trace.to_string()});
    if let Some((name, value)) = detail {
        line[name] = value;
    }
    if trace.request > 0 {
        line["request"] = trace.request.into();
        line["method"] = trace.method.as_str().into();
        line["path"] = trace.path.as_str().into();
        line["afterSeconds"] = trace.after.as_secs_f64().into();
    }
    if !trace.audit_annotations.is_empty() {
        let noted = trace.audit_annotations.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str())));
        line["auditAnnotations"] = noted.collect::<Map<String, Value>>().into();
    }
    line
}
