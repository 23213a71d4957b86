//! What `?` explains.

use ratatui::Frame;
use ratatui::layout::{Constraint, Flex, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Padding, Paragraph};

use crate::dev::view::keys;
use crate::dev::view::model::{ControllerState, Model};
use crate::dev::view::palette::{faint, strong};

pub(super) fn draw(model: &Model, area: Rect, frame: &mut Frame<'_>) {
    let mut lines: Vec<Line<'_>> = keys::explained(model.controller)
        .map(|(key, _, what)| Line::from(vec![Span::styled(format!("{key:<3}"), strong()), Span::raw(what)]))
        .collect();
    lines.insert(0, Line::from(vec![Span::styled("↑↓ ", strong()), Span::raw("select an object")]));
    lines.push(Line::default());
    lines.extend(to_try(model.controller).iter().map(|line| Line::styled(*line, faint())));
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2);
    let [area] = Layout::vertical([Constraint::Length(height)]).flex(Flex::Center).areas(area);
    let [area] = Layout::horizontal([Constraint::Length(WIDTH)]).flex(Flex::Center).areas(area);
    frame.render_widget(Clear, area);
    let block = Block::bordered().border_style(faint()).padding(Padding::horizontal(1)).title(" Keys ");
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn to_try(controller: ControllerState) -> &'static [&'static str] {
    match controller {
        ControllerState::Absent => &["Run your controller with the kubeconfig above, then break things."],
        _ => &[
            "k d   the finalizer keeps the object until k starts the controller again",
            "r m   reconciles fail and back off; r again, and they succeed",
            "c n   nobody notices the new object until c mends the watches",
        ],
    }
}

/// The longest line, its frame and a little air; the smallest terminal has 80.
const WIDTH: u16 = 78;
