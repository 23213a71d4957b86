//! Performs a script on a server.
//!
//! In: a [`Script`] and a [`Running`] server. Out: one [`Exchange`] a step, as it was, nothing masked. Every recording
//! has a namespace of its own, so that leftovers of one do not change the next. An answer that is not as the script
//! expects is not an error: it is what the transcript is for.

mod shorten;
mod stream;

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT};
use http_body_util::Full;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::exchange::{Answer, Exchange};
use crate::script::{Action, CA, NAMESPACE, Reading, Request, Script, Step, Until, Variables, WEBHOOK, expand};
use crate::server::Running;
use pintle_scripted_webhook::Webhook;
pub(crate) use stream::Stream;

/// What a script found, and the namespace it found it in.
pub(crate) struct Recording {
    pub(crate) namespace: String,
    /// What stands in its answers and is another each time, by the name of its variable.
    pub(crate) passing: Vec<(&'static str, String)>,
    pub(crate) exchanges: Vec<Exchange>,
}

/// Performs all steps in order.
pub(crate) async fn run(script: &Script, server: &Running) -> Result<Recording, String> {
    let letters = std::iter::repeat_with(fastrand::lowercase);
    let namespace: String = std::iter::once('s').chain(letters.take(NAMESPACE_LETTERS)).collect();
    let mut run = Run { server, variables: Variables::new(), watches: BTreeMap::new() };
    run.variables.insert(NAMESPACE.to_owned(), namespace.clone());
    let webhook = if script.hooks.is_empty() { None } else { Some(Webhook::start(&script.hooks).await?) };
    let passing: Vec<(&str, String)> =
        webhook.iter().flat_map(|hook| [(WEBHOOK, hook.url.clone()), (CA, hook.ca.clone())]).collect();
    for (variable, value) in &passing {
        run.variables.insert((*variable).to_owned(), value.clone());
    }
    for (variable, value) in &script.definitions {
        run.variables.insert(variable.clone(), expand(value, &run.variables));
    }
    run.make_namespace(&namespace).await?;
    let mut exchanges = Vec::new();
    for step in &script.steps {
        let failed = |problem| format!("{}:{}: {problem}", script.path.display(), step.line);
        exchanges.push(run.perform(step).await.map_err(failed)?);
    }
    run.watches.clear();
    run.remove_namespace(&namespace).await?;
    Ok(Recording { namespace, passing, exchanges })
}

struct Run<'a> {
    server: &'a Running,
    variables: Variables,
    watches: BTreeMap<String, Stream>,
}

impl Run<'_> {
    async fn perform(&mut self, step: &Step) -> Result<Exchange, String> {
        let mut exchange = Exchange { title: step.title.clone(), ..Exchange::default() };
        match &step.action {
            Action::Send(request) => {
                exchange.asked = format!("{} {}", request.method, request.target);
                exchange.answer = self.send_until(request, step).await?;
            }
            Action::Watch(name, request) => {
                exchange.asked = format!("WATCH {name} {}", request.target);
                let (answer, stream) = self.open(request).await?;
                exchange.answer = answer;
                self.watches.insert(name.clone(), stream);
            }
            Action::Read(name, reading) => {
                exchange.asked = format!("READ {name}");
                let stream = self.watches.get_mut(name).expect("the parser knows the watches");
                let ending = stream.read(*reading).await;
                exchange.answer.body = stream.take();
                if matches!(reading, Reading::Events(_)) {
                    exchange.answer.body.drop_passing_bookmarks();
                }
                exchange.answer.notes.push(ending.note());
            }
            Action::Compact => {
                exchange.asked = "COMPACT".to_owned();
                self.server.compact().await?;
            }
            Action::Wait(time) => {
                exchange.asked = format!("WAIT {} s", time.as_secs_f64());
                sleep(*time).await;
            }
        }
        if step.is_sorted {
            exchange.answer.body.sort_added();
        }
        self.capture(step, &mut exchange.answer);
        exchange.whole = exchange.answer.body.clone();
        shorten::shorten(&mut exchange.answer, &step.print);
        Ok(exchange)
    }

    async fn send_until(&self, request: &Request, step: &Step) -> Result<Answer, String> {
        let patience = self.server.patience();
        let deadline = Instant::now() + patience;
        loop {
            let mut answer = self.send(request, step.events).await?;
            match &step.until {
                Some(until) if !until.holds(&answer) => {
                    if Instant::now() >= deadline {
                        answer.notes.push(format!("(not as awaited within {} s)", patience.as_secs()));
                        return Ok(answer);
                    }
                }
                _ => return Ok(answer),
            }
            sleep(UNTIL_PAUSE).await;
        }
    }

    async fn send(&self, request: &Request, events: Option<usize>) -> Result<Answer, String> {
        let (mut answer, mut stream) = self.open(request).await?;
        let ending = stream.read(events.map_or(Reading::ToTheEnd, Reading::Events)).await;
        answer.body = stream.take();
        if events.is_some() {
            answer.body.drop_passing_bookmarks();
        }
        if events.is_some() || request.target.contains("watch") {
            answer.notes.push(ending.note());
        }
        Ok(answer)
    }

    /// Sends a request; its answer's body is still to be read.
    async fn open(&self, request: &Request) -> Result<(Answer, Stream), String> {
        Stream::open(&self.server.endpoint, self.print(request)?).await
    }

    /// The request as it is sent.
    fn print(&self, request: &Request) -> Result<http::Request<Full<Bytes>>, String> {
        let expand = |text: &str| expand(text, &self.variables);
        let target = encode(&expand(&request.target));
        let body = request.body.as_deref().map(|body| decode(expand(body))).transpose()?;
        let wrong = |error: &dyn std::fmt::Display| format!("{} {target} cannot be sent: {error}", request.method);
        let mut printed = http::Request::builder()
            .method(request.method.as_str())
            .uri(&target)
            .header(USER_AGENT, "script/1")
            .body(Full::from(body.clone().unwrap_or_default()))
            .map_err(|error| wrong(&error))?;
        let headers = printed.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        for (name, value) in &request.headers {
            let name: HeaderName = name.parse().map_err(|error| wrong(&error))?;
            let value = HeaderValue::from_str(&expand(value)).map_err(|error| wrong(&error))?;
            // An empty one takes away what would be sent without it; credentials are the endpoint's business.
            if value.is_empty() && name != http::header::AUTHORIZATION {
                headers.remove(name);
            } else {
                headers.insert(name, value);
            }
        }
        Ok(printed)
    }

    fn capture(&mut self, step: &Step, answer: &mut Answer) {
        for capture in &step.captures {
            let value = answer.body.pointer(&capture.pointer).map(plain_text);
            if value.is_none() {
                answer.notes.push(format!("(nothing at {} for {})", capture.pointer, capture.variable));
            }
            self.variables.insert(capture.variable.clone(), value.unwrap_or_default());
        }
    }

    async fn make_namespace(&self, name: &str) -> Result<(), String> {
        let body = format!(r#"{{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{name}"}}}}"#);
        let answer = self.send(&plain("POST", "/api/v1/namespaces", Some(body)), None).await?;
        if answer.status == Some(201) {
            return Ok(());
        }
        Err(format!("the server did not make a namespace for the script: {answer:?}"))
    }

    /// As well as it goes: without controllers a namespace never ends.
    async fn remove_namespace(&self, name: &str) -> Result<(), String> {
        self.send(&plain("DELETE", &format!("/api/v1/namespaces/{name}"), None), None).await.map(drop)
    }
}

/// A string as it is, anything else as JSON.
fn plain_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn plain(method: &str, target: &str, body: Option<String>) -> Request {
    Request { method: method.to_owned(), target: target.to_owned(), headers: Vec::new(), body }
}

impl Until {
    fn holds(&self, answer: &Answer) -> bool {
        match self {
            Until::Status(status) => answer.status == Some(*status),
            Until::Value(pointer, value) => answer.body.pointer(pointer).map(plain_text).as_ref() == Some(value),
        }
    }
}

/// Spaces, quotes and the like, which are easier to read in a script as they are. What is already encoded stays.
pub(crate) fn encode(target: &str) -> String {
    let is_fine = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}');
    let mut encoded = String::new();
    for c in target.chars() {
        if is_fine(c) {
            encoded.push(c);
        } else {
            let mut buffer = [0; 4];
            let bytes = c.encode_utf8(&mut buffer).bytes();
            encoded.extend(bytes.map(|byte| format!("%{byte:02X}")));
        }
    }
    encoded
}

/// A body that begins with `base64:` is bytes.
fn decode(body: String) -> Result<Bytes, String> {
    match body.strip_prefix("base64:") {
        None => Ok(body.into()),
        Some(text) => {
            let text: String = text.split_whitespace().collect();
            STANDARD.decode(text).map(Bytes::from).map_err(|error| format!("the body is not base64: {error}"))
        }
    }
}

/// Two recordings at once never meet: 26^7.
const NAMESPACE_LETTERS: usize = 7;

/// Fast enough not to be felt, slow enough not to be in the way.
const UNTIL_PAUSE: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_url_can_hold_is_encoded() {
        assert_eq!(encode("/a?labelSelector=x in (a,b)&y=%3D"), "/a?labelSelector=x%20in%20(a,b)&y=%3D");
        assert_eq!(encode("/ä\""), "/%C3%A4%22");
    }
}
