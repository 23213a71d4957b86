//! The guarantees of a watch, one function each: a recording, what there was at each version, and what is wrong.

use std::collections::BTreeSet;

use super::history::{History, State, key};
use super::recording::{Event, Recording, Start};
use serde_json::Value;

pub(crate) type Validator = fn(&Recording, &History) -> Result<(), String>;

/// All of them, by the name of what they guarantee.
pub(crate) const VALIDATORS: [(&str, Validator); 9] = [
    ("ordered", is_ordered),
    ("unique", is_unique),
    ("nothing is skipped", skips_nothing),
    ("a bookmark's version is true", bookmarks_are_true),
    ("resumable from any version seen", is_resumable),
    ("selectors are exact", selects_exactly),
    ("each type agrees with a replay", types_agree),
    ("DELETED carries the last content and the deletion's version", deletions_are_last_words),
    ("exactly one end bookmark", ends_its_state_once),
];

/// Versions go up; a bookmark may repeat the one before it.
fn is_ordered(recording: &Recording, _: &History) -> Result<(), String> {
    let mut last = recording.begun_at();
    for event in recording.live() {
        let is_later = if event.is_bookmark() { event.version >= last } else { event.version > last };
        check(is_later, || format!("{} {} comes after {last}", event.kind, event.version))?;
        last = event.version;
    }
    let is_old = |event: &Event| event.version <= recording.begun_at();
    check(recording.initial().iter().all(is_old), || "what existed is newer than the beginning".to_owned())
}

/// No object is sent twice at one version.
fn is_unique(recording: &Recording, _: &History) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for event in recording.events.iter().filter(|event| !event.is_bookmark()) {
        let name = key(&event.object);
        check(seen.insert((name.clone(), event.version)), || format!("{name} comes twice at {}", event.version))?;
    }
    Ok(())
}

/// Every change that concerns the watch has its event, as far as it has got.
fn skips_nothing(recording: &Recording, history: &History) -> Result<(), String> {
    if recording.asked.start == Start::State {
        let sent: BTreeSet<String> = recording.initial().iter().map(|event| key(&event.object)).collect();
        let there = history.at(recording.begun_at(), &recording.asked);
        // A watch that ended during its initial events has sent a part of them.
        if recording.read_to > 0 {
            check(sent == there.keys().cloned().collect(), || format!("of what existed it sent {sent:?}"))?;
        }
    }
    let sent: BTreeSet<(u64, String)> = recording
        .live()
        .iter()
        .filter(|event| !event.is_bookmark())
        .map(|event| (event.version, key(&event.object)))
        .collect();
    for version in recording.begun_at() + 1..=recording.complete_up_to() {
        let (before, after) = (history.at(version - 1, &recording.asked), history.at(version, &recording.asked));
        for name in before.keys().chain(after.keys()) {
            let has_changed = before.get(name) != after.get(name);
            check(!has_changed || sent.contains(&(version, name.clone())), || {
                format!("{name} changed at {version}, and the watch did not say so")
            })?;
        }
    }
    Ok(())
}

/// At a bookmark everything up to its version was sent, and the server had got that far.
fn bookmarks_are_true(recording: &Recording, history: &History) -> Result<(), String> {
    let mut state = base(recording, history);
    for event in &recording.events {
        apply(&mut state, event);
        if event.is_bookmark() {
            let version = event.version;
            check(history.has(version), || format!("the server was never at {version}"))?;
            check(state == history.at(version, &recording.asked), || {
                format!("a bookmark says {version}, and what was sent until then is another state")
            })?;
        }
    }
    Ok(())
}

/// A watch that begins after a version seen sends what this one sent after it.
fn is_resumable(recording: &Recording, _: &History) -> Result<(), String> {
    for (version, resumed) in &recording.resumed {
        let rest: Vec<&Event> =
            recording.live().iter().filter(|event| !event.is_bookmark() && event.version > *version).collect();
        check(resumed.iter().collect::<Vec<_>>() == rest, || {
            format!("after {version} another watch received {} events, not these {}", resumed.len(), rest.len())
        })?;
    }
    Ok(())
}

/// An object that is not selected is not sent, and one that leaves the selection is sent as it was while it was selected.
fn selects_exactly(recording: &Recording, history: &History) -> Result<(), String> {
    for event in recording.events.iter().filter(|event| !event.is_bookmark()) {
        let was_meant = || history.at(event.version - 1, &recording.asked).contains_key(&key(&event.object));
        let is_meant = recording.asked.means(&event.object) && (event.kind != "DELETED" || was_meant());
        let what = || format!("{} of {} at {} was not asked for", event.kind, key(&event.object), event.version);
        check(is_meant, what)?;
    }
    Ok(())
}

/// What is added was unknown, what is modified or deleted was known, and both are as lists have them.
fn types_agree(recording: &Recording, history: &History) -> Result<(), String> {
    let mut state = base(recording, history);
    for event in &recording.events {
        let (name, version) = (key(&event.object), event.version);
        let is_known = state.contains_key(&name);
        let fits = match event.kind.as_str() {
            "BOOKMARK" => true,
            "ADDED" => !is_known,
            "MODIFIED" | "DELETED" => is_known,
            _ => false,
        };
        check(fits, || format!("{} of {name} at {version} does not fit what was known", event.kind))?;
        apply(&mut state, event);
        if matches!(event.kind.as_str(), "ADDED" | "MODIFIED") {
            let is = history.at(moment(event, recording), &recording.asked).remove(&name);
            check(is.as_ref() == Some(&event.object), || format!("{name} at {version} has another content in a list"))?;
        }
    }
    Ok(())
}

/// When an object was as an event says: what existed is as it was at the beginning.
fn moment(event: &Event, recording: &Recording) -> u64 {
    let is_initial = recording.asked.start == Start::State && event.version <= recording.begun_at();
    if is_initial { recording.begun_at() } else { event.version }
}

/// What is deleted is sent as it was, at the version at which it went.
fn deletions_are_last_words(recording: &Recording, history: &History) -> Result<(), String> {
    for event in recording.events.iter().filter(|event| event.kind == "DELETED") {
        let (name, version) = (key(&event.object), event.version);
        let before = history.at(version - 1, &recording.asked).remove(&name);
        let after = history.at(version, &recording.asked);
        check(before.is_some() && !after.contains_key(&name), || format!("{name} did not go at {version}"))?;
        let is_last = before.as_ref().map(without_version) == Some(without_version(&event.object));
        check(is_last, || format!("{name} at {version} is not what it was before"))?;
    }
    Ok(())
}

/// A watch that begins with what exists gets one bookmark at the end of that, and no other watch ever does.
fn ends_its_state_once(recording: &Recording, _: &History) -> Result<(), String> {
    let ends: Vec<usize> = (0..recording.events.len()).filter(|at| recording.events[*at].is_end_of_state()).collect();
    let is_expected = recording.asked.start == Start::State && recording.asked.bookmarks && recording.read_to > 0;
    let most = usize::from(recording.asked.start == Start::State && recording.asked.bookmarks);
    check(ends.len() <= most && ends.len() >= usize::from(is_expected), || format!("{} end bookmarks", ends.len()))?;
    let early = ends.first().map_or(&[][..], |end| &recording.events[..*end]);
    check(early.iter().all(|event| event.kind == "ADDED"), || "something came before the end of the state".to_owned())
}

/// What a watch begins with and does not send.
fn base(recording: &Recording, history: &History) -> State {
    match recording.asked.start {
        Start::State => State::new(),
        Start::After(version) => history.at(version, &recording.asked),
    }
}

fn apply(state: &mut State, event: &Event) {
    match event.kind.as_str() {
        "ADDED" | "MODIFIED" => drop(state.insert(key(&event.object), event.object.clone())),
        "DELETED" => drop(state.remove(&key(&event.object))),
        _ => {}
    }
}

fn without_version(object: &Value) -> Value {
    let mut object = object.clone();
    object["metadata"]["resourceVersion"].take();
    object
}

fn check(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}
