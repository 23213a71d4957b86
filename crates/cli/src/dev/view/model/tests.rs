//! What happens, and what is shown of it.

use super::*;

fn key(name: &str) -> ObjectKey {
    ObjectKey { kind: "documents.example.com".into(), namespace: Some("default".into()), name: name.into() }
}

fn model(names: &[&str]) -> Model {
    let now = Instant::now();
    let mut model = Model::new(now);
    for name in names {
        model.apply(key(name), ObjectRow::blank(now));
    }
    model
}

#[test]
fn the_selection_stays_on_an_object_while_there_is_one() {
    let mut model = model(&["a", "b", "c"]);
    let selected = |model: &Model| model.selected.as_ref().map(|key| key.name.clone());
    model.select(1);
    model.delete(&key("b"));
    assert_eq!(selected(&model).as_deref(), Some("c"), "the next one");
    model.delete(&key("c"));
    assert_eq!(selected(&model).as_deref(), Some("a"), "the last one");
    model.select(-5);
    model.select(5);
    assert_eq!(selected(&model).as_deref(), Some("a"));
    model.retain("documents.example.com", |_| false);
    assert_eq!(selected(&model), None);
}

#[test]
fn what_only_grows_is_bounded() {
    let (mut model, now) = (model(&[]), Instant::now());
    for number in 0..1000 {
        model.say("log", number.to_string(), Tone::Plain, now);
        model.reconcile_began(number.to_string(), String::new(), 1, now);
    }
    assert_eq!((model.timeline.len(), model.reconciles.len()), (TIMELINE_MAX, RECONCILES_MAX));
    assert_eq!(model.timeline.back().map(|entry| entry.what.as_str()), Some("999"));
}

#[test]
fn the_same_line_again_is_counted() {
    let (mut model, now) = (model(&[]), Instant::now());
    for _ in 0..3 {
        model.say("log", "again".into(), Tone::Trouble, now);
    }
    assert_eq!((model.timeline.len(), model.timeline[0].times), (1, 3));
}

#[test]
fn all_attempts_of_an_object_are_one_row() {
    let (mut model, now) = (model(&[]), Instant::now());
    for attempt in 1..=5 {
        model.reconcile_began("default/a".into(), String::new(), attempt, now);
        model.reconcile_ended("default/a", ReconcileEnd::Failed(Duration::ZERO, String::new()));
    }
    assert_eq!((model.reconciles.len(), model.reconciles[0].attempt, model.failing()), (1, 5, 1));
    model.reconcile_began("default/a".into(), String::new(), 6, now);
    model.reconcile_ended("default/a", ReconcileEnd::Done(Duration::ZERO, String::new()));
    assert_eq!(model.failing(), 0);
}

#[test]
fn a_crash_cuts_off_what_was_running() {
    let (mut model, now) = (model(&[]), Instant::now());
    model.reconcile_began("default/a".into(), String::new(), 1, now);
    model.reconcile_ended("default/a", ReconcileEnd::Done(Duration::ZERO, String::new()));
    model.reconcile_began("default/b".into(), String::new(), 1, now);
    model.set_controller(ControllerState::Crashed);
    let ends: Vec<_> = model.reconciles.iter().map(|run| &run.end).collect();
    assert_eq!(ends, [&ReconcileEnd::Done(Duration::ZERO, String::new()), &ReconcileEnd::CutOff]);
}

#[test]
fn looking_again_at_the_same_changes_nothing() {
    let mut model = model(&[]);
    model.refresh(1, Vec::new(), Vec::new());
    let version = model.version;
    model.refresh(1, Vec::new(), Vec::new());
    assert_eq!(model.version, version);
}
