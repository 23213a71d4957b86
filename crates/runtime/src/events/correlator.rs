//! Decides what becomes of an emitted event: written as it is, combined with similar ones, or dropped.
//!
//! In: the event's object, what it has in common with similar ones, its note, the time. Out: the note to write, or
//! nothing. Pure. What it remembers is bounded: objects that are quiet have a full bucket and need no memory.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use tokio::time::Instant;

use super::{Event, EventType, Reference};

#[derive(Default)]
pub(super) struct Correlator {
    buckets: HashMap<Reference, Bucket>,
    groups: HashMap<Group, Similar>,
}

/// How many events an object may still have.
struct Bucket {
    tokens: f64,
    filled: Instant,
}

/// What similar events have in common.
#[derive(Eq, Hash, PartialEq)]
struct Group {
    type_: EventType,
    reason: String,
    action: String,
    regarding: Reference,
}

struct Similar {
    begun: Instant,
    notes: HashSet<Option<String>>,
}

/// So many events about one object may come at once; client-go's number.
const BURST: f64 = 25.0;
/// After that one in this time; client-go's number.
const REFILL: Duration = Duration::from_secs(300);
/// So many notes of similar events are written one by one; client-go's number.
const NOTES_MAX: usize = 10;
/// Within this time; client-go's number.
const SIMILAR_WITHIN: Duration = Duration::from_secs(600);
/// So many objects and groups are remembered; client-go's number.
const REMEMBERED_MAX: usize = 4096;
/// What a note may have; the server refuses longer ones.
const NOTE_BYTES_MAX: usize = 1024;

impl Correlator {
    /// The event to write for `event`; `None` if the object has had too many.
    pub(super) fn judge(&mut self, event: &Event, regarding: &Reference, now: Instant) -> Option<Event> {
        self.forget_quiet(now);
        let bucket = self.buckets.entry(regarding.clone()).or_insert(Bucket { tokens: BURST, filled: now });
        if !bucket.take(now) {
            return None;
        }
        let note = self.note(event, regarding, now);
        Some(Event { note: note.map(shortened), ..event.clone() })
    }

    fn note(&mut self, event: &Event, regarding: &Reference, now: Instant) -> Option<String> {
        let group = Group {
            type_: event.type_,
            reason: event.reason.clone(),
            action: event.action.clone(),
            regarding: regarding.clone(),
        };
        let similar = self.groups.entry(group).or_insert_with(|| Similar { begun: now, notes: HashSet::new() });
        if now.duration_since(similar.begun) >= SIMILAR_WITHIN {
            *similar = Similar { begun: now, notes: HashSet::new() };
        }
        if similar.notes.len() >= NOTES_MAX && !similar.notes.contains(&event.note) {
            return Some("(combined from similar events)".to_owned());
        }
        similar.notes.insert(event.note.clone());
        event.note.clone()
    }

    fn forget_quiet(&mut self, now: Instant) {
        if self.buckets.len() >= REMEMBERED_MAX {
            self.buckets.retain(|_, bucket| bucket.level(now) < BURST);
        }
        if self.groups.len() >= REMEMBERED_MAX {
            self.groups.retain(|_, similar| now.duration_since(similar.begun) < SIMILAR_WITHIN);
        }
        // More objects than that within minutes: starting over writes a few events too many.
        if self.buckets.len() >= REMEMBERED_MAX {
            self.buckets.clear();
        }
        if self.groups.len() >= REMEMBERED_MAX {
            self.groups.clear();
        }
    }
}

impl Bucket {
    fn level(&self, now: Instant) -> f64 {
        let refilled = now.duration_since(self.filled).as_secs_f64() / REFILL.as_secs_f64();
        (self.tokens + refilled).min(BURST)
    }

    fn take(&mut self, now: Instant) -> bool {
        let level = self.level(now);
        let has_one = level >= 1.0;
        *self = Self { tokens: if has_one { level - 1.0 } else { level }, filled: now };
        has_one
    }
}

fn shortened(mut note: String) -> String {
    if note.len() > NOTE_BYTES_MAX {
        let end = (0..=NOTE_BYTES_MAX - '…'.len_utf8()).rev().find(|&end| note.is_char_boundary(end));
        note.truncate(end.unwrap_or_default());
        note.push('…');
    }
    note
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::core::v1::ObjectReference;

    fn about(name: &str) -> Reference {
        Reference(ObjectReference { name: Some(name.into()), ..ObjectReference::default() })
    }

    fn event(note: &str) -> Event {
        Event {
            type_: EventType::Warning,
            reason: "Failed".into(),
            note: Some(note.into()),
            action: "Sync".into(),
            secondary: None,
        }
    }

    #[test]
    fn one_object_gets_a_burst_and_then_one_every_five_minutes() {
        let (mut correlator, mut now) = (Correlator::default(), Instant::now());
        let mut is_written = |name: &str, now| correlator.judge(&event("it"), &about(name), now).is_some();
        assert_eq!((0..100).filter(|_| is_written("a", now)).count(), 25);
        assert!(is_written("b", now), "other objects have their own");
        now += REFILL;
        assert_eq!((0..100).filter(|_| is_written("a", now)).count(), 1);
    }

    #[test]
    fn similar_events_after_the_tenth_note_are_combined() {
        let (mut correlator, now) = (Correlator::default(), Instant::now());
        let mut note = |text: &str, now| correlator.judge(&event(text), &about("a"), now).unwrap().note.unwrap();
        for number in 0..10 {
            assert_eq!(note(&number.to_string(), now), number.to_string());
        }
        assert_eq!(note("10", now), "(combined from similar events)");
        assert_eq!(note("3", now), "3", "a known note goes on being counted");
        assert_eq!(note("11", now + SIMILAR_WITHIN), "11");
    }

    #[test]
    fn a_note_is_shortened_to_what_the_server_takes() {
        let note = shortened("ü".repeat(2000));
        assert!(note.len() <= NOTE_BYTES_MAX && note.ends_with("ü…"), "{} bytes", note.len());
        assert_eq!(shortened("short".into()), "short");
    }

    #[test]
    fn what_it_remembers_is_bounded() {
        let (mut correlator, now) = (Correlator::default(), Instant::now());
        for number in 0..3 * REMEMBERED_MAX {
            correlator.judge(&event("it"), &about(&number.to_string()), now);
        }
        assert!(correlator.buckets.len() <= REMEMBERED_MAX && correlator.groups.len() <= REMEMBERED_MAX);
    }
}
