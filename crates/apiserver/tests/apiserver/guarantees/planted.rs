//! Recordings broken on purpose: for each guarantee a check notices it.

use super::recording::{Event, Recording, Selector};
use super::run;
use super::validators::VALIDATORS;

/// Breaks a recording, or says that it is not one that can be broken so.
type Plant = fn(&mut Recording) -> bool;

/// What is done to a recording, and which validator is to refuse it.
const PLANTS: [(&str, &str, Plant); 13] = [
    ("ordered", "two events change places", |recording| {
        let Some(at) = pair(recording, |a, b| !a.is_bookmark() && !b.is_bookmark()) else { return false };
        recording.events.swap(at, at + 1);
        true
    }),
    ("ordered", "a bookmark goes back", |recording| {
        let Some(at) = pair(recording, |a, b| !a.is_bookmark() && b.is_bookmark()) else { return false };
        recording.events[at + 1].version = recording.events[at].version - 1;
        true
    }),
    ("unique", "an event comes twice", |recording| {
        let Some(at) = live(recording, |event| !event.is_bookmark()) else { return false };
        let again = recording.events[at].clone();
        recording.events.insert(at, again);
        true
    }),
    ("nothing is skipped", "an event is missing", |recording| {
        let Some(at) = live(recording, |event| !event.is_bookmark()) else { return false };
        recording.events.remove(at);
        // Without a later one that could not be distinguished from a watch that was read no further.
        recording.live().len() > at || recording.read_to > 0
    }),
    ("nothing is skipped", "an object that existed is missing", |recording| {
        let is_over = recording.events.iter().any(Event::is_end_of_state) && recording.read_to > 0;
        if !is_over || recording.initial().is_empty() {
            return false;
        }
        recording.events.remove(0);
        true
    }),
    ("a bookmark's version is true", "a bookmark runs ahead", |recording| {
        let Some(at) = pair(recording, |a, b| a.is_bookmark() && !b.is_bookmark()) else { return false };
        recording.events[at].version = recording.events[at + 1].version;
        true
    }),
    ("resumable from any version seen", "another watch received less", |recording| {
        let Some((_, events)) = recording.resumed.iter_mut().find(|(_, events)| !events.is_empty()) else {
            return false;
        };
        events.remove(0);
        true
    }),
    ("selectors are exact", "an object does not match", |recording| {
        let is_labelled = matches!(recording.asked.selector, Selector::Label(..));
        let Some(at) = live(recording, |event| event.kind == "MODIFIED").filter(|_| is_labelled) else { return false };
        recording.events[at].object["metadata"]["labels"]["on"] = "otherwise".into();
        true
    }),
    ("each type agrees with a replay", "a new object is called an old one", |recording| {
        let Some(at) = recording.events.iter().position(|event| event.kind == "ADDED") else { return false };
        "MODIFIED".clone_into(&mut recording.events[at].kind);
        true
    }),
    ("each type agrees with a replay", "an object has another content", |recording| {
        let Some(at) = live(recording, |event| event.kind == "MODIFIED") else { return false };
        recording.events[at].object["metadata"]["annotations"]["other"] = "content".into();
        true
    }),
    ("DELETED carries the last content and the deletion's version", "an older content", |recording| {
        let Some(at) = live(recording, |event| event.kind == "DELETED") else { return false };
        recording.events[at].object["metadata"]["annotations"]["older"] = "content".into();
        true
    }),
    ("DELETED carries the last content and the deletion's version", "an older version", |recording| {
        let Some(at) = live(recording, |event| event.kind == "DELETED") else { return false };
        recording.events[at].version -= 1;
        true
    }),
    ("exactly one end bookmark", "a second one", |recording| {
        let Some(at) = recording.events.iter().position(Event::is_end_of_state) else { return false };
        let again = recording.events[at].clone();
        recording.events.push(again);
        true
    }),
];

/// The first event of this kind that is not part of the beginning.
fn live(recording: &Recording, is: impl Fn(&Event) -> bool) -> Option<usize> {
    let begin = recording.initial().len();
    recording.live().iter().position(is).map(|at| begin + at)
}

/// The first two neighbours of these kinds.
fn pair(recording: &Recording, are: impl Fn(&Event, &Event) -> bool) -> Option<usize> {
    let begin = recording.initial().len();
    recording.live().windows(2).position(|two| are(&two[0], &two[1])).map(|at| begin + at)
}

#[tokio::test(start_paused = true)]
async fn a_recording_broken_on_purpose_is_refused_by_the_validator_it_is_for() {
    let (history, recordings) = run(1, "/api/v1/configmaps").await;
    for (guarantee, what, plant) in PLANTS {
        let (_, validator) = VALIDATORS.into_iter().find(|(name, _)| *name == guarantee).unwrap();
        let broken = recordings.iter().filter_map(|recording| {
            let mut broken = recording.clone();
            plant(&mut broken).then_some((recording, broken))
        });
        let mut count = 0;
        for (whole, broken) in broken {
            assert_eq!(validator(whole, &history), Ok(()), "{guarantee}");
            assert!(validator(&broken, &history).is_err(), "{guarantee}: {what} is not noticed in\n{}", broken.print());
            count += 1;
        }
        assert!(count > 0, "nothing was broken: {what}");
    }
    let planted: Vec<&str> = PLANTS.iter().map(|(guarantee, ..)| *guarantee).collect();
    for (name, _) in VALIDATORS {
        assert!(planted.contains(&name), "no recording breaks: {name}");
    }
}
