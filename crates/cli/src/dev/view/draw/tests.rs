//! What the cells of the smallest and of a large terminal show.

use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Color;

use super::*;
use crate::dev::view::model::{ReconcileEnd, RequestRow, Tone, WatchRow};
use crate::dev::view::object_row::{Deletion, ObjectKey, ObjectRow};

fn screen(model: &Model, now: Instant, palette: Palette, (width, height): (u16, u16)) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(model, now, palette, frame)).unwrap();
    terminal.backend().buffer().clone()
}

fn lines(buffer: &Buffer) -> Vec<String> {
    let row = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..buffer.area.height).map(row).collect()
}

fn line_with(buffer: &Buffer, part: &str) -> String {
    let lines = lines(buffer);
    let found = lines.iter().find(|line| line.contains(part));
    found.unwrap_or_else(|| panic!("no {part:?} in\n{}", lines.join("\n"))).clone()
}

fn key(name: &str) -> ObjectKey {
    ObjectKey { kind: "documents.example.com".into(), namespace: Some("default".into()), name: name.into() }
}

fn watch(name: &str, now: Instant) -> WatchRow {
    WatchRow {
        name: name.into(),
        phase: "watching",
        is_healthy: true,
        since: now,
        resource_version: Some("41".into()),
        lists: 1,
        failures: 0,
        last_error: None,
        next_try: None,
    }
}

/// Three objects, two watches, some of everything.
fn steady(now: Instant) -> Model {
    let mut model = Model::new(now);
    model.server = "https://127.0.0.1:6443".into();
    model.kubectl = "kubectl --kubeconfig k get documents".into();
    model.controller = ControllerState::Running;
    for name in ["guide", "notes", "welcome"] {
        model.apply(key(name), ObjectRow { phase: Some("Published".into()), ..ObjectRow::blank(now) });
    }
    model.reconcile_began("default/guide".into(), "related object updated: ConfigMap.v1./guide.default".into(), 1, now);
    model
        .reconcile_ended("default/guide", ReconcileEnd::Done(Duration::from_millis(4), "updated its ConfigMap".into()));
    model.say("you", "changed default/guide".into(), Tone::Plain, now);
    let request = RequestRow {
        method: "PATCH".into(),
        path: "/apis/example.com/v1/namespaces/default/documents/guide-with-a-long-name/status".into(),
        outcome: "200".into(),
        fault: None,
        after: Duration::from_millis(3),
        is_trouble: false,
    };
    model.refresh(42, vec![watch("documents.example.com", now), watch("configmaps", now)], vec![request]);
    model
}

#[test]
fn the_smallest_terminal_shows_every_panel_and_all_keys() {
    let now = Instant::now();
    let buffer = screen(&steady(now), now, Palette::Coloured, (80, 24));
    for title in [" Objects 3 documents.example.com ─", " Watches ─", " Reconciles ─", " Events ─", " Requests ─"]
    {
        line_with(&buffer, title);
    }
    assert!(line_with(&buffer, "pintle dev").contains("https://127.0.0.1:6443  revision 42"));
    let guide = line_with(&buffer, " ▸default/guide");
    assert!(guide.contains("gen 1") && guide.contains("Published") && guide.ends_with("0s"), "{guide}");
    let watch = line_with(&buffer, "  documents.example.com ");
    assert!(watch.contains("watching") && watch.contains("at version 41, 1 list"), "{watch}");
    let reconcile = line_with(&buffer, "updated its ConfigMap");
    assert!(reconcile.contains("by ConfigMap") && reconcile.contains("4 ms"), "{reconcile}");
    line_with(&buffer, "you        changed default/guide");
    let request = line_with(&buffer, "PATCH");
    assert!(request.contains("200") && request.contains('…') && request.ends_with("/status"), "{request}");
    let footer = lines(&buffer).pop().unwrap();
    assert!(footer.starts_with(" n new") && footer.ends_with("q quit"), "{footer}");
}

#[test]
fn a_large_terminal_shows_more_rows_and_a_wide_one_two_columns() {
    let now = Instant::now();
    let mut model = steady(now);
    for number in 0..20 {
        model.say("you", format!("line {number}"), Tone::Plain, now);
    }
    let count = |size| {
        let lines = lines(&screen(&model, now, Palette::Coloured, size));
        lines.iter().filter(|line| line.contains("you ")).count()
    };
    assert_eq!((count((80, 24)), count((120, 40))), (3, 6));
    let wide = screen(&model, now, Palette::Coloured, (160, 40));
    assert!(line_with(&wide, " Objects ").contains(" Events "), "side by side");
}

#[test]
fn a_terminal_that_is_too_small_is_asked_to_grow() {
    let now = Instant::now();
    let buffer = screen(&steady(now), now, Palette::Coloured, (60, 20));
    assert!(lines(&buffer).join(" ").contains("is 60×20; this view needs 80×24"), "{buffer:?}");
    screen(&steady(now), now, Palette::Coloured, (1, 1));
}

#[test]
fn trouble_is_marked_and_has_the_only_colour() {
    let (began, now) = (Instant::now(), Instant::now() + Duration::from_secs(9));
    let mut model = steady(began);
    let deletion = Deletion { since: began, finalizers: vec!["example.com/unpublish".into()] };
    model.apply(key("draft"), ObjectRow { deletion: Some(deletion), ..ObjectRow::blank(began) });
    model.reconcile_began("default/notes".into(), "error policy requested retry".into(), 3, began);
    model.reconcile_ended("default/notes", ReconcileEnd::Failed(Duration::from_millis(2), "ApiError: 500".into()));
    model.set_controller(ControllerState::Crashed);
    let failing = WatchRow {
        phase: "failing",
        is_healthy: false,
        failures: 3,
        last_error: Some("unavailable".into()),
        next_try: Some(now + Duration::from_millis(1300)),
        ..watch("documents.example.com", began)
    };
    model.refresh(43, vec![failing], Vec::new());
    let buffer = screen(&model, now, Palette::Coloured, (80, 24));
    let marked = [
        "! default/draft",
        "deleting 9s, waits for example.com/unpublish",
        "attempt 3",
        "failing   3×, next try in 1.3 s: unavailable",
        "! controller down (k starts it)",
    ];
    for part in marked {
        let line = line_with(&buffer, part);
        assert!(line.trim_start().starts_with('!'), "{line}");
    }
    let colours = |palette| {
        let buffer = screen(&model, now, palette, (80, 24));
        let mut colours: Vec<Color> = buffer.content.iter().flat_map(|cell| [cell.fg, cell.bg]).collect();
        colours.retain(|colour| *colour != Color::Reset);
        colours.dedup();
        colours
    };
    assert_eq!(colours(Palette::Coloured), [Color::Red]);
    assert_eq!(colours(Palette::Plain), [], "NO_COLOR");
}

#[test]
fn a_selection_further_down_is_scrolled_to() {
    let now = Instant::now();
    let mut model = steady(now);
    for number in 10..40 {
        model.apply(key(&format!("note-{number}")), ObjectRow::blank(now));
    }
    model.select(25);
    let selected = model.selected.clone().unwrap().name;
    line_with(&screen(&model, now, Palette::Coloured, (80, 24)), &selected);
}

#[test]
fn help_explains_every_key_in_the_smallest_terminal() {
    let now = Instant::now();
    let mut model = steady(now);
    model.toggle_help();
    let buffer = screen(&model, now, Palette::Coloured, (80, 24));
    for (_, _, sentence) in keys::explained(ControllerState::Running) {
        line_with(&buffer, sentence);
    }
    line_with(&buffer, "c n   nobody notices the new object until c mends the watches");
}
