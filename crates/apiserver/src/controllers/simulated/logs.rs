//! What simulated pods have logged: the text that their annotations say.
//!
//! In: a pod, and the options of a request for its log. Out: the text of `pintle.dev/logs.CONTAINER` or `pintle.dev/logs`,
//! cut as asked; nothing where the pod runs on a simulated node and says nothing; no answer where it is not simulated.

use pintle_core::subresource::LogParams;

use super::nodes::{NODES, SIMULATED};
use super::view::{annotation, container_annotation};
use crate::cluster::snapshot::ClusterSnapshot;
use crate::codec::object::Object;
use crate::response::status::{Answer, bad_request};

/// The log of a pod; `None` where nobody simulates it.
pub(crate) fn of(snapshot: &ClusterSnapshot, pod: &Object, node: &str, asked: &LogParams) -> Answer<Option<String>> {
    let container = container_of(pod, asked.container.as_deref());
    let text = text_of(pod, container);
    if text.is_empty() && !is_simulated(snapshot, node) {
        return Ok(None);
    }
    if asked.previous && !has_run_before(pod, container) {
        let why = format!("previous terminated container {container:?} in pod {:?} not found", pod.name());
        return Err(bad_request(why));
    }
    Ok(Some(cut(text, asked)))
}

/// The container that is meant: one that was named, or the first.
pub(crate) fn container_of<'a>(pod: &'a Object, asked: Option<&'a str>) -> &'a str {
    match asked.unwrap_or_default() {
        "" => pod.text_at("/spec/containers/0/name"),
        name => name,
    }
}

/// Whether the kubelet of a node runs nothing.
pub(crate) fn is_simulated(snapshot: &ClusterSnapshot, node: &str) -> bool {
    let node = snapshot.get(&NODES.place(None, node));
    node.is_some_and(|node| !annotation(&node.object(), SIMULATED).is_empty())
}

/// What a container has logged.
pub(super) fn text_of<'a>(pod: &'a Object, container: &str) -> &'a str {
    container_annotation(pod, ANNOTATION, container)
}

fn has_run_before(pod: &Object, container: &str) -> bool {
    let mut statuses = pod.items_at("/status/containerStatuses");
    statuses.any(|status| status["name"] == container && status["restartCount"].as_i64().unwrap_or_default() > 0)
}

/// The last lines, and not more bytes than asked for.
fn cut(text: &str, asked: &LogParams) -> String {
    let mut text = if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
    if let Some(lines) = asked.tail_lines.and_then(|lines| usize::try_from(lines).ok()) {
        let all: Vec<&str> = text.split_inclusive('\n').collect();
        text = all[all.len().saturating_sub(lines)..].concat();
    }
    if let Some(bytes) = asked.limit_bytes.and_then(|bytes| usize::try_from(bytes).ok()) {
        let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        text.truncate(end);
    }
    text
}

/// What all containers of a pod have logged; with a dot and a name, what one has.
const ANNOTATION: &str = "pintle.dev/logs";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_cut_and_then_the_bytes() {
        let asked = |tail_lines, limit_bytes| LogParams { tail_lines, limit_bytes, ..LogParams::default() };
        assert_eq!(cut("a\nb\nc", &asked(None, None)), "a\nb\nc\n");
        assert_eq!(cut("a\nb\nc", &asked(Some(2), None)), "b\nc\n");
        assert_eq!(cut("a\nb\nc", &asked(Some(2), Some(3))), "b\nc");
        assert_eq!(cut("äb", &asked(None, Some(1))), "", "not half a character");
        assert_eq!(cut("", &asked(None, None)), "");
    }
}
