//! A recording as text.
//!
//! In: a recording. Out: each step with its title, request, status, headers and body; what differs each time is masked.
//! The same answers give the same text.

mod json;

use crate::exchange::{Answer, Body, Exchange};
use crate::mask::mask;
use crate::run::Recording;
use crate::script::Script;

/// The transcript of a recording.
pub(crate) fn print(script: &Script, mut recording: Recording) -> String {
    let order = mask(script, &mut recording);
    print_masked(&script.name, &recording, &order)
}

/// The transcript of a recording that is masked, whose versions are in this order.
pub(crate) fn print_masked(name: &str, recording: &Recording, order: &str) -> String {
    let mut text = format!("# {name}\n");
    for exchange in &recording.exchanges {
        text.push_str(&print_exchange(exchange));
    }
    if !order.is_empty() {
        text.push_str(&format!("\n### versions\n{order}\n"));
    }
    text
}

fn print_exchange(exchange: &Exchange) -> String {
    let Exchange { title, asked, answer, .. } = exchange;
    let Answer { status, headers, body, notes } = answer;
    let mut lines = vec![String::new(), format!("### {title}").trim_end().to_owned(), asked.clone()];
    lines.extend(status.map(|status| status.to_string()));
    lines.extend(headers.iter().map(|(name, value)| format!("{name}: {value}")));
    match body {
        Body::Nothing => {}
        Body::Json(values) => lines.extend(values.iter().map(json::print)),
        Body::Text(text) => lines.extend(text.lines().map(str::to_owned)),
        Body::Bytes(bytes) => lines.push(print_bytes(bytes)),
    }
    lines.extend(notes.iter().cloned());
    lines.join("\n") + "\n"
}

/// Bytes hold what cannot be masked, so only their beginning says something.
fn print_bytes(bytes: &[u8]) -> String {
    let begin: Vec<String> = bytes.iter().take(MAGIC).map(|byte| format!("{byte:02x}")).collect();
    format!("(bytes that begin with {})", begin.join(" "))
}

/// Kubernetes' protobuf begins with four bytes that nothing else begins with.
const MAGIC: usize = 4;
