//! The five panels: what each row of them says.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use tokio::time::Instant;

use super::{clock, column, draw_panel, row, shortened, shortened_in_front};
use crate::dev::view::model::{ControllerState, Model, Reconcile, ReconcileEnd, TimelineEntry, Tone, WatchRow};
use crate::dev::view::object_row::{ObjectKey, ObjectRow};
use crate::dev::view::palette::{Palette, faint, strong};

pub(super) fn draw_objects(model: &Model, now: Instant, palette: Palette, area: Rect, frame: &mut Frame<'_>) {
    let kinds: Vec<&str> = kinds(model);
    let note = match kinds.as_slice() {
        [kind] => format!("{} {kind}", model.objects.len()),
        _ => model.objects.len().to_string(),
    };
    let room = usize::from(area.height.saturating_sub(1));
    let at = model.selected.as_ref().and_then(|key| model.objects.keys().position(|other| other == key)).unwrap_or(0);
    let rows: Vec<Line<'_>> = model
        .objects
        .iter()
        .skip((at + 1).saturating_sub(room))
        .take(room)
        .map(|(key, object)| {
            let line = object_line(key, object, kinds.len() > 1, now, palette, usize::from(area.width));
            if model.selected.as_ref() == Some(key) { selected(line) } else { line }
        })
        .collect();
    let rows = or_note(rows, "nothing yet");
    draw_panel("Objects", &note, rows, area, frame);
}

/// The selected row, marked behind the place for `!`.
fn selected(mut line: Line<'static>) -> Line<'static> {
    if let Some(mark) = line.spans.first_mut() {
        mark.content = mark.content.replace("! ", "!▸").replace("  ", " ▸").into();
    }
    line.patch_style(strong())
}

fn object_line(
    key: &ObjectKey,
    object: &ObjectRow,
    names_kind: bool,
    now: Instant,
    palette: Palette,
    width: usize,
) -> Line<'static> {
    let name = if names_kind { format!("{}/{}", plural(&key.kind), key.path()) } else { key.path() };
    let generation = object.generation.map(|generation| format!("gen {generation}")).unwrap_or_default();
    let age = short(now.saturating_duration_since(object.created));
    let name_width = if names_kind { width * 2 / 5 } else { width / 4 };
    let state_width = width.saturating_sub(2 + name_width + 1 + 6 + 1 + 5 + 1);
    let state = column(&object.summary(now), state_width);
    let text = format!("{} {generation:<6} {state}", column(&name, name_width));
    row(object.is_trouble(now), palette, text, format!("{age:>5} "))
}

pub(super) fn draw_watches(model: &Model, now: Instant, palette: Palette, area: Rect, frame: &mut Frame<'_>) {
    let width = usize::from(area.width).saturating_sub(3);
    let rows = model.watches.iter().map(|watch| {
        let head = format!("{} {:<9}", column(&watch.name, 24), watch.phase);
        let rest = shortened(&watch_text(watch, now), width.saturating_sub(head.chars().count()));
        row(!watch.is_healthy, palette, head, rest)
    });
    let nobody = match model.controller {
        ControllerState::Absent => "those of your programs are among the requests",
        ControllerState::Running => "none yet",
        ControllerState::Crashed => "none: the controller is down",
    };
    draw_panel("Watches", "", or_note(rows.collect(), nobody), area, frame);
}

fn watch_text(watch: &WatchRow, now: Instant) -> String {
    let since = short(now.saturating_duration_since(watch.since));
    let lists = if watch.lists == 1 { "1 list".to_owned() } else { format!("{} lists", watch.lists) };
    let version = watch.resource_version.as_deref().unwrap_or("-");
    match &watch.last_error {
        None => format!(" for {since:<5} at version {version}, {lists}"),
        Some(error) => {
            let next = match watch.next_try.map(|at| at.saturating_duration_since(now)) {
                Some(wait) => format!("next try in {:.1} s", wait.as_secs_f64()),
                None => "trying".to_owned(),
            };
            format!(" {}×, {next}: {error}", watch.failures)
        }
    }
}

pub(super) fn draw_reconciles(model: &Model, now: Instant, palette: Palette, area: Rect, frame: &mut Frame<'_>) {
    let room = usize::from(area.height.saturating_sub(1));
    let width = usize::from(area.width).saturating_sub(3);
    let rows = model.reconciles.iter().rev().take(room).map(|run| {
        let is_trouble = matches!(run.end, ReconcileEnd::Failed(..) | ReconcileEnd::CutOff);
        row(is_trouble, palette, shortened(&reconcile_text(run, model.began, now), width), String::new())
    });
    let note = match model.failing() {
        0 => String::new(),
        1 => "1 object fails".to_owned(),
        several => format!("{several} objects fail"),
    };
    let nothing = match model.controller {
        ControllerState::Absent => "yours run in their own processes",
        _ => "none yet",
    };
    draw_panel("Reconciles", &note, or_note(rows.collect(), nothing), area, frame);
}

fn reconcile_text(run: &Reconcile, began: Instant, now: Instant) -> String {
    let (took, outcome) = match &run.end {
        ReconcileEnd::Running => (now.saturating_duration_since(run.began), "running"),
        ReconcileEnd::Done(took, outcome) | ReconcileEnd::Failed(took, outcome) => (*took, outcome.as_str()),
        ReconcileEnd::CutOff => (Duration::ZERO, "cut off by the crash"),
    };
    let took = if run.end == ReconcileEnd::CutOff { "-".to_owned() } else { milliseconds(took) };
    format!(
        "{:>5} {} {} {took:>7}  {outcome}",
        clock(began, run.began),
        column(&run.object, 16),
        column(&reason(run), 12),
    )
}

/// Why it ran, in the fewest words.
fn reason(run: &Reconcile) -> String {
    if let Some(related) = run.reason.strip_prefix("related object updated: ") {
        return format!("by {}", related.split('.').next().unwrap_or(related));
    }
    match run.reason.as_str() {
        "object updated" => "changed".to_owned(),
        "reconciler requested retry" => "requeued".to_owned(),
        "error policy requested retry" => format!("attempt {}", run.attempt),
        other => other.to_owned(),
    }
}

pub(super) fn draw_timeline(model: &Model, palette: Palette, area: Rect, frame: &mut Frame<'_>) {
    let room = usize::from(area.height.saturating_sub(1));
    let width = usize::from(area.width).saturating_sub(3);
    let rows = model.timeline.iter().rev().take(room).map(|entry| {
        let text = shortened(&timeline_text(entry, model.began), width);
        row(entry.tone == Tone::Trouble, palette, text, String::new())
    });
    draw_panel("Events", "", or_note(rows.collect(), "none yet"), area, frame);
}

fn timeline_text(entry: &TimelineEntry, began: Instant) -> String {
    let times = if entry.times > 1 { format!(" ×{}", entry.times) } else { String::new() };
    format!("{:>5} {} {}{times}", clock(began, entry.at), column(&entry.who, 10), entry.what)
}

pub(super) fn draw_requests(model: &Model, palette: Palette, area: Rect, frame: &mut Frame<'_>) {
    let room = usize::from(area.height.saturating_sub(1));
    let rows = model.requests.iter().rev().take(room).map(|request| {
        let fault = request.fault.map(|name| format!("  ({name})")).unwrap_or_default();
        let taken = 2 + 7 + 6 + 8 + 1 + fault.chars().count() + 1;
        let path = shortened_in_front(&request.path, usize::from(area.width).saturating_sub(taken));
        let after = milliseconds(request.after);
        let head = format!("{:<7}{:<6}", request.method, request.outcome);
        row(request.is_trouble, palette, head, format!("{after:>7} {path}{fault}"))
    });
    draw_panel("Requests", "", or_note(rows.collect(), "none yet"), area, frame);
}

fn or_note<'a>(rows: Vec<Line<'a>>, note: &'a str) -> Vec<Line<'a>> {
    if rows.is_empty() { vec![Line::styled(format!("  {note}"), faint())] } else { rows }
}

/// The kinds of the objects, each once.
fn kinds(model: &Model) -> Vec<&str> {
    let mut kinds: Vec<&str> = model.objects.keys().map(|key| key.kind.as_str()).collect();
    kinds.dedup();
    kinds
}

fn plural(kind: &str) -> &str {
    kind.split('.').next().unwrap_or(kind)
}

/// As kubectl prints ages.
fn short(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds}s"),
        seconds @ 120..7200 => format!("{}m", seconds / 60),
        seconds @ 7200..172_800 => format!("{}h", seconds / 3600),
        seconds => format!("{}d", seconds / 86_400),
    }
}

fn milliseconds(time: Duration) -> String {
    match time.as_millis() {
        0 => "<1 ms".to_owned(),
        milliseconds @ 1..1000 => format!("{milliseconds} ms"),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}
