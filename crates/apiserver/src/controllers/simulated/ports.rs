//! What answers at the ports of simulated pods: what their annotations say.
//!
//! ```yaml
//! pintle.dev/port-forward: |
//!   - {port: 80, path: /healthz, http: ok}
//!   - {port: 80, http: "not today", status: 503}
//!   - {port: 6379, send: "+PONG\r\n"}
//!   - {port: 7, echo: true}
//! ```
//! In: a pod, the ports that a client wants, and what it sends there. Out: a [`Conversation`] for each connection, which is told
//! what comes and says what goes back; it reads no socket and no clock. The first entry for the port (and the path) counts, and
//! one without a port is for all; text that is not a list is what every port answers over HTTP.

mod arriving_request;

use std::sync::Arc;

use arriving_request::ArrivingRequest;
use serde::Deserialize;

use super::view::annotation;
use crate::codec::object::Object;
use crate::response::status::{Answer, bad_request};

/// What answers at the ports of a pod.
#[derive(Debug, Clone)]
pub(crate) struct Ports {
    pod: String,
    /// Shared by the conversations of many connections.
    entries: Vec<Arc<Entry>>,
    /// Those that were asked for with the request; by SPDY each connection names its own.
    pub(crate) wanted: Vec<u16>,
}

impl Ports {
    /// Those of a simulated pod.
    pub(crate) fn of(pod: &Object, wanted: &[u16]) -> Answer<Ports> {
        Ok(Ports {
            pod: pod.name().to_owned(),
            entries: entries(pod)?.into_iter().map(Arc::new).collect(),
            wanted: wanted.to_vec(),
        })
    }

    /// A connection to a port, or why there is none.
    pub(crate) fn open(&self, port: u16) -> Result<Conversation, String> {
        let entries: Vec<_> = self.entries.iter().filter(|entry| entry.is_for(port)).cloned().collect();
        if entries.is_empty() {
            let pod = &self.pod;
            return Err(format!(
                "error forwarding port {port} to pod {pod}: nothing listens in a simulated pod; say what this port answers: \
                 kubectl annotate pod {pod} {ANNOTATION}='[{{port: {port}, http: ...}}]'"
            ));
        }
        Ok(Conversation { entries, request: ArrivingRequest::default() })
    }
}

/// Whether the annotations of a pod say what its ports answer.
pub(crate) fn is_written_down(pod: &Object) -> bool {
    !annotation(pod, ANNOTATION).is_empty()
}

/// What a port does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The port that is meant; every one unless given.
    port: Option<u16>,
    /// Answers a request over HTTP with this.
    http: Option<String>,
    /// What the paths of these requests begin with.
    path: Option<String>,
    status: Option<u16>,
    /// Sends this to who connects, and ends.
    send: Option<String>,
    /// Sends back what comes.
    #[serde(default)]
    echo: bool,
}

impl Entry {
    fn is_for(&self, port: u16) -> bool {
        self.port.is_none_or(|own| own == port)
    }

    fn is_for_path(&self, path: &str) -> bool {
        self.http.is_some() && self.path.as_deref().is_none_or(|own| path.starts_with(own))
    }
}

/// One connection to a port.
#[derive(Debug)]
pub(crate) struct Conversation {
    entries: Vec<Arc<Entry>>,
    request: ArrivingRequest,
}

/// What a port says next.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) bytes: Vec<u8>,
    /// Whether that is its last word.
    pub(crate) is_over: bool,
}

impl Conversation {
    /// What is said to who connects.
    pub(crate) fn begin(&mut self) -> Said {
        let text = self.entries.first().and_then(|entry| entry.send.clone());
        text.map_or_else(Said::default, |text| Said { bytes: text.into_bytes(), is_over: true })
    }

    /// What is said to this.
    pub(crate) fn hear(&mut self, bytes: &[u8]) -> Said {
        if self.entries.first().is_some_and(|entry| entry.echo) {
            return Said { bytes: bytes.to_vec(), is_over: false };
        }
        if self.request.size() + bytes.len() > REQUEST_BYTES_MAX {
            return Said { bytes: response(413, "Pintle reads no request as long as this\n"), is_over: true };
        }
        match self.request.push(bytes) {
            Some(path) => Said { bytes: answer(&self.entries, path), is_over: true },
            None => Said::default(),
        }
    }

    /// What is said when nothing more comes: nothing.
    pub(crate) fn end(&mut self) -> Said {
        Said { bytes: Vec::new(), is_over: true }
    }
}

fn answer(entries: &[Arc<Entry>], path: &str) -> Vec<u8> {
    match entries.iter().find(|entry| entry.is_for_path(path)) {
        Some(entry) => response(entry.status.unwrap_or(200), entry.http.as_deref().unwrap_or_default()),
        None => response(404, &format!("no entry of {ANNOTATION} is for {path}\n")),
    }
}

fn response(status: u16, body: &str) -> Vec<u8> {
    let reason = http::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or("-");
    let length = body.len();
    format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nConnection: \
         close\r\n\r\n{body}"
    )
    .into_bytes()
}

fn entries(pod: &Object) -> Answer<Vec<Entry>> {
    let text = annotation(pod, ANNOTATION);
    let wrong = |why: &str| {
        let name = pod.name();
        Err(bad_request(format!("annotation {ANNOTATION} of pod {name:?} is not a list of ports: {why}")))
    };
    if text.is_empty() {
        return Ok(Vec::new());
    }
    if !["[", "- "].iter().any(|begin| text.trim_start().starts_with(begin)) {
        return Ok(vec![Entry { http: Some(text.to_owned()), ..Entry::default() }]);
    }
    let entries: Vec<Entry> = match serde_saphyr::from_str(text) {
        Ok(entries) => entries,
        Err(error) => return wrong(error.to_string().lines().next().unwrap_or_default()),
    };
    let ways =
        |entry: &Entry| [entry.http.is_some(), entry.send.is_some(), entry.echo].iter().filter(|way| **way).count();
    if entries.iter().any(|entry| ways(entry) != 1) {
        return wrong("each says one of http, send and echo");
    }
    Ok(entries)
}

/// What the ports of a pod answer.
const ANNOTATION: &str = "pintle.dev/port-forward";

/// What tests send is far smaller; a head is kept until the request has come whole.
const REQUEST_BYTES_MAX: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ports(text: &str) -> Answer<Ports> {
        let annotations = json!({"pintle.dev/port-forward": text});
        Ports::of(&Object::from_value(json!({"metadata": {"name": "web", "annotations": annotations}})).unwrap(), &[])
    }

    /// What comes back for a request, the head and the body.
    fn asked(ports: &Ports, port: u16, request: &str) -> String {
        let mut conversation = ports.open(port).unwrap();
        assert_eq!(conversation.begin(), Said::default());
        let (first, last) = request.split_at(request.len() - 1);
        assert_eq!(conversation.hear(first.as_bytes()), Said::default(), "not all of it has come");
        let said = conversation.hear(last.as_bytes());
        assert!(said.is_over);
        String::from_utf8(said.bytes).unwrap()
    }

    #[test]
    fn the_first_entry_for_the_port_and_path_answers() {
        let ports = ports(
            "[{port: 80, path: /healthz, http: ok}, {port: 80, http: no, status: 503}, {port: 81, path: /a, http: a}]",
        );
        let ports = ports.unwrap();
        let text = asked(&ports, 80, "GET /healthz?x HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n") && text.ends_with("\r\n\r\nok"), "{text}");
        let text = asked(&ports, 80, "POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody");
        assert!(text.starts_with("HTTP/1.1 503 Service Unavailable\r\n") && text.ends_with("\r\n\r\nno"), "{text}");
        let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n";
        assert_eq!(asked(&ports, 80, chunked), text, "and waits for the last chunk");
        assert!(asked(&ports, 81, "GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404 "));
        let why = ports.open(82).unwrap_err();
        assert!(why.contains("kubectl annotate pod web pintle.dev/port-forward='[{port: 82, http: ...}]'"), "{why}");
    }

    #[test]
    fn bytes_are_sent_as_they_are_and_an_echo_repeats() {
        let ports = ports("[{port: 6379, send: \"+PONG\\r\\n\"}, {echo: true}]").unwrap();
        let said = ports.open(6379).unwrap().begin();
        assert_eq!(said, Said { bytes: b"+PONG\r\n".to_vec(), is_over: true });
        let mut echo = ports.open(7).unwrap();
        assert_eq!(echo.begin(), Said::default());
        assert_eq!(echo.hear(b"abc").bytes, b"abc");
        assert!(echo.end().is_over);
    }

    #[test]
    fn text_is_for_every_port_and_what_says_nothing_or_two_things_is_refused() {
        let text = asked(&ports("hello").unwrap(), 8080, "GET / HTTP/1.1\r\n\r\n");
        assert!(text.ends_with("\r\n\r\nhello"), "{text}");
        for wrong in [
            "[{port: 80}]",
            "[{port: 80, echo: true, send: x}]",
            "[{prt: 80, echo: true}]",
            "[{port: 70000, echo: true}]",
        ] {
            let why = ports(wrong).unwrap_err().message;
            assert!(
                why.starts_with("annotation pintle.dev/port-forward of pod \"web\" is not a list of ports: "),
                "{why}"
            );
        }
    }
}
