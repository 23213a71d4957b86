//! Indexed Jobs: each pod works at one index, and each index is done once.

use serde_json::{Value, json};

use super::super::pods::is_active;
use super::super::view::{annotation, integer};
use super::tally::{Tally, has_succeeded};
use crate::codec::object::Object;

pub(super) fn is_indexed(job: &Object) -> bool {
    job.text_at("/spec/completionMode") == "Indexed"
}

/// Gives a pod its index.
pub(super) fn mark(pod: &mut Value, job: &Object, index: i64) {
    pod["metadata"]["annotations"][INDEX] = index.to_string().into();
    pod["metadata"]["labels"][INDEX] = index.to_string().into();
    pod["spec"]["hostname"] = format!("{}-{index}", job.name()).into();
    let source = json!({"fieldRef": {"fieldPath": format!("metadata.labels['{INDEX}']")}});
    for list in ["initContainers", "containers"] {
        for container in pod["spec"].get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            let mut env = container["env"].as_array().cloned().unwrap_or_default();
            if !env.iter().any(|it| it["name"] == VARIABLE) {
                env.push(json!({"name": VARIABLE, "valueFrom": source}));
            }
            container["env"] = env.into();
        }
    }
}

fn of(pod: &Object) -> Option<i64> {
    annotation(pod, INDEX).parse().ok()
}

/// The indexes that are done, in order.
pub(super) fn done(job: &Object, pods: &[Object]) -> Vec<i64> {
    let known = expand(job.text_at("/status/completedIndexes"));
    sorted(known.into_iter().chain(pods.iter().filter(|pod| has_succeeded(pod)).filter_map(of)))
}

/// The indexes that have failed as often as they may, in order.
pub(super) fn lost(job: &Object, pods: &[Object]) -> Vec<i64> {
    let Some(limit) = integer(job, "/spec/backoffLimitPerIndex") else { return Vec::new() };
    let known = expand(job.text_at("/status/failedIndexes"));
    let failed = |index: i64| {
        let of_index = pods.iter().filter(|pod| of(pod) == Some(index) && pod.text_at("/status/phase") == "Failed");
        i64::try_from(of_index.count()).unwrap_or(i64::MAX)
    };
    let mut indexes = sorted(pods.iter().filter_map(of));
    indexes.retain(|index| failed(*index) > limit);
    sorted(known.into_iter().chain(indexes))
}

/// The lowest indexes that nobody works at and that are not done.
pub(super) fn missing(job: &Object, pods: &[Object], tally: &Tally, most: usize) -> Vec<i64> {
    let completions = integer(job, "/spec/completions").unwrap_or_default();
    let taken: Vec<i64> = sorted(pods.iter().filter(|pod| is_active(pod)).filter_map(of));
    let is_free = |index: &i64| {
        [&taken, &tally.done_indexes, &tally.lost_indexes].iter().all(|indexes| indexes.binary_search(index).is_err())
    };
    (0..completions).filter(is_free).take(most).collect()
}

/// Says which indexes are done.
pub(super) fn report(job: &Object, tally: &Tally, status: &mut Value) {
    if !is_indexed(job) {
        return;
    }
    if !tally.done_indexes.is_empty() {
        status["completedIndexes"] = compact(&tally.done_indexes).into();
    }
    if integer(job, "/spec/backoffLimitPerIndex").is_some() {
        status["failedIndexes"] = compact(&tally.lost_indexes).into();
    }
}

fn sorted(indexes: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut all: Vec<i64> = indexes.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Indexes as text, such as `0,2-4`.
fn compact(indexes: &[i64]) -> String {
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for index in indexes {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *index => *last = *index,
            _ => runs.push((*index, *index)),
        }
    }
    let texts = runs.iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first},{last}"),
        _ => format!("{first}-{last}"),
    });
    texts.collect::<Vec<_>>().join(",")
}

/// The indexes of a text, such as `0,2-4`.
pub(super) fn expand(text: &str) -> Vec<i64> {
    let mut all = Vec::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
            all.extend(first..=last);
        }
    }
    all
}

const INDEX: &str = "batch.kubernetes.io/job-completion-index";

const VARIABLE: &str = "JOB_COMPLETION_INDEX";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_printed_as_runs_and_read_back() {
        for (indexes, text) in [(&[0, 2, 3, 4][..], "0,2-4"), (&[1, 2], "1,2"), (&[], ""), (&[7], "7")] {
            assert_eq!(compact(indexes), text);
            assert_eq!(expand(text), indexes);
        }
    }
}
