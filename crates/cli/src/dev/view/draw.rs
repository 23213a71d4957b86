//! Draws a [`Model`]: pure, from the model and the time to the cells of a frame.
//!
//! ```text
//!   pintle dev · server · revision · time        header
//!   what is made to fail, or how to begin        status
//!   Objects
//!   Watches
//!   Reconciles
//!   Events                                       beside the others where the terminal is wide
//!   Requests
//!   keys                                         footer
//! ```

mod help;
mod panels;

use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};
use tokio::time::Instant;

use super::keys;
use super::model::{ControllerState, Model};
use super::palette::{Palette, faint, strong};

/// Smaller ones cannot show every panel.
const SIZE_LEAST: (u16, u16) = (80, 24);
/// From here on there are two columns: each is as wide as the smallest terminal.
const TWO_COLUMNS_FROM: u16 = 2 * SIZE_LEAST.0;
/// As many as the sample has, so that nothing moves when it has none.
const WATCHES_LEAST: u16 = 2;
/// More watches than this are counted rather than listed.
const WATCHES_MAX: u16 = 4;

pub(crate) fn draw(model: &Model, now: Instant, palette: Palette, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width < SIZE_LEAST.0 || area.height < SIZE_LEAST.1 {
        return draw_too_small(area, frame);
    }
    let [header, status, body, footer] =
        Layout::vertical([Constraint::Length(1), Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)])
            .areas(area);
    draw_header(model, now, header, frame);
    draw_status(model, palette, status, frame);
    draw_panels(model, now, palette, body, frame);
    draw_footer(model, footer, frame);
    if model.is_help_open {
        help::draw(model, body, frame);
    }
}

fn draw_too_small(area: Rect, frame: &mut Frame<'_>) {
    let text = format!(
        "The terminal is {}×{}; this view needs {}×{}. Make it larger, or press q and use --plain.",
        area.width, area.height, SIZE_LEAST.0, SIZE_LEAST.1
    );
    frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
}

fn draw_header(model: &Model, now: Instant, area: Rect, frame: &mut Frame<'_>) {
    let left = Line::from(vec![
        Span::styled(" pintle dev", strong()),
        Span::styled(format!("  {}  revision {}", model.server, model.revision), faint()),
    ]);
    frame.render_widget(Paragraph::new(left), area);
    let time = Line::styled(format!("{} ", clock(model.began, now)), faint());
    frame.render_widget(Paragraph::new(time).alignment(Alignment::Right), area);
}

/// What is wrong on purpose, each with the key that ends it; or how to reach the server.
fn draw_status(model: &Model, palette: Palette, area: Rect, frame: &mut Frame<'_>) {
    let faults = model.faults;
    let wrong: Vec<&str> = [
        (model.controller == ControllerState::Crashed, "controller down (k starts it)"),
        (faults.are_watches_cut, "watches cut (c mends)"),
        (faults.is_refusing, "API refuses (r ends)"),
        (faults.is_slow, "API slow (s ends)"),
    ]
    .into_iter()
    .filter_map(|(is_so, what)| is_so.then_some(what))
    .collect();
    let line = if wrong.is_empty() {
        Line::styled(format!(" {}", model.kubectl), faint())
    } else {
        Line::styled(format!(" ! {}", wrong.join("  ! ")), palette.trouble())
    };
    frame.render_widget(Paragraph::new(line), area);
}

fn draw_panels(model: &Model, now: Instant, palette: Palette, area: Rect, frame: &mut Frame<'_>) {
    let watches = 1 + u16::try_from(model.watches.len()).unwrap_or(u16::MAX).clamp(WATCHES_LEAST, WATCHES_MAX);
    // The numbers are shares of what is left: at 80×24 four rows for each, three for the last two.
    let (many, watches, few) = (Constraint::Fill(5), Constraint::Length(watches), Constraint::Fill(4));
    let [objects, watches, reconciles, timeline, requests] = if area.width >= TWO_COLUMNS_FROM {
        let [left, right] = Layout::horizontal([Constraint::Fill(1); 2]).spacing(1).areas(area);
        let [objects, watches, reconciles] = Layout::vertical([many, watches, many]).areas(left);
        let [timeline, requests] = Layout::vertical([few; 2]).areas(right);
        [objects, watches, reconciles, timeline, requests]
    } else {
        Layout::vertical([many, watches, many, few, few]).areas(area)
    };
    panels::draw_objects(model, now, palette, objects, frame);
    panels::draw_watches(model, now, palette, watches, frame);
    panels::draw_reconciles(model, now, palette, reconciles, frame);
    panels::draw_timeline(model, palette, timeline, frame);
    panels::draw_requests(model, palette, requests, frame);
}

fn draw_footer(model: &Model, area: Rect, frame: &mut Frame<'_>) {
    let mut spans = vec![Span::raw(" ")];
    for (key, word, _) in keys::explained(model.controller) {
        let space = if area.width > SIZE_LEAST.0 + 10 { "   " } else { " " };
        spans.extend([Span::styled(key, strong()), Span::styled(format!(" {word}{space}"), faint())]);
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}

/// A title with a rule, and rows under it.
fn draw_panel(title: &str, note: &str, rows: Vec<Line<'_>>, area: Rect, frame: &mut Frame<'_>) {
    let [head, rest] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    let note = if note.is_empty() { String::new() } else { format!("{note} ") };
    let used = title.chars().count() + note.chars().count() + 3;
    let rule = "─".repeat(usize::from(head.width).saturating_sub(used));
    let spans = vec![Span::styled(format!(" {title} "), strong()), Span::styled(format!("{note}{rule}"), faint())];
    frame.render_widget(Paragraph::new(Line::from(spans)), head);
    frame.render_widget(Paragraph::new(rows), rest);
}

/// `4:05` since the beginning.
fn clock(began: Instant, now: Instant) -> String {
    let seconds = now.saturating_duration_since(began).as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// The text in exactly so many columns; what is too long loses its end.
fn column(text: &str, width: usize) -> String {
    format!("{:<width$}", shortened(text, width))
}

fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// What is too long loses its beginning: the end of a path says the most.
fn shortened_in_front(text: &str, width: usize) -> String {
    let count = text.chars().count();
    if count <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().skip(count - width.saturating_sub(1)).collect();
    format!("…{kept}")
}

/// A row begins with `!` where it is trouble, so that colour is not the only mark. Its `head` has the colour, the rest does not.
fn row(is_trouble: bool, palette: Palette, head: String, rest: String) -> Line<'static> {
    let (mark, style) = if is_trouble { ("! ", palette.trouble()) } else { ("  ", Style::new()) };
    Line::from(vec![Span::styled(mark, style), Span::styled(head, style), Span::raw(rest)])
}

#[cfg(test)]
mod tests;
