//! The few styles of the view: one colour, for trouble; everything else is bold or dim.

use ratatui::style::{Color, Modifier, Style};

/// Whether there is colour.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Palette {
    Coloured,
    /// As `NO_COLOR` asks for; trouble is still marked by `!`, and bold.
    Plain,
}

impl Palette {
    /// `no_color` is the variable of that name: any text but the empty one switches colours off.
    pub(crate) fn of(no_color: Option<&str>) -> Self {
        if no_color.is_none_or(str::is_empty) { Self::Coloured } else { Self::Plain }
    }

    pub(crate) fn trouble(self) -> Style {
        match self {
            Self::Coloured => Style::new().fg(Color::Red),
            Self::Plain => strong(),
        }
    }
}

pub(crate) fn strong() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

pub(crate) fn faint() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}
