//! `pintle dev` on a terminal: a live view of objects, watches, reconciles, events and requests, and keys that break things.
//!
//! ```text
//!   watch of objects, log, spans, narrator ──► SharedModel ◄── refresh: watches, trace
//!                                                  │
//!                            keys ──► Controls     └──► draw ──► terminal
//! ```
//!
//! The model and its drawing are pure (`model`, `draw`, `keys`); `terminal`, `tracing_layers` and this loop are the edge.
//! It draws ten times a second at most, and only what has changed.

mod draw;
mod keys;
pub(crate) mod model;
pub(crate) mod object_row;
mod palette;
pub(crate) mod shared_model;
pub(crate) mod terminal;
pub(crate) mod tracing_layers;

use std::time::Duration;

use crossterm::event::{Event, KeyEvent};
use futures::{Stream, StreamExt};
use ratatui::Terminal;
use ratatui::backend::Backend;
use tokio::time::{Instant, MissedTickBehavior, interval};

pub(crate) use palette::Palette;

use super::chaos::Chaos;
use super::controls::Controls;
use super::plain::next_step;
use crate::failure::Failure;
use crate::stop::Stop;
use keys::Command;
use shared_model::SharedModel;

/// Often enough to look alive, seldom enough to be calm.
const BETWEEN_FRAMES: Duration = Duration::from_millis(100);

/// What the view works with.
pub(super) struct View<'a> {
    pub(super) model: SharedModel,
    pub(super) controls: &'a mut Controls,
    pub(super) chaos: Option<Chaos>,
    pub(super) palette: Palette,
}

impl View<'_> {
    /// Shows it on this terminal until it is time to stop, or somebody wants to.
    pub(super) async fn run<B: Backend>(
        mut self,
        terminal: &mut Terminal<B>,
        keys: impl Stream<Item = std::io::Result<Event>>,
        stop: &Stop,
    ) -> Result<(), Failure>
    where
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let mut keys = std::pin::pin!(keys.fuse());
        let mut frames = interval(BETWEEN_FRAMES);
        frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut step = next_step(&mut self.chaos);
        let mut drawn = None;
        let mut stopped = std::pin::pin!(stop.clone().wait());
        loop {
            // To stop is the strongest wish, then what a person does; a frame is not late by much.
            tokio::select! {
                biased;
                () = &mut stopped => return Ok(()),
                event = keys.select_next_some() => {
                    let event = event.map_err(|error| Failure::new("cannot read the keyboard", error))?;
                    match event {
                        Event::Key(key) if !self.press(key).await => return Ok(()),
                        Event::Resize(..) => drawn = None,
                        _ => {}
                    }
                }
                action = &mut step => {
                    self.controls.perform(action, "chaos").await;
                    step = next_step(&mut self.chaos);
                }
                _ = frames.tick() => {
                    if terminal::has_panicked() {
                        return Err(Failure::new("ended", "a part of it panicked, as printed above"));
                    }
                    self.controls.refresh();
                    self.draw_if_changed(terminal, &mut drawn)?;
                }
            }
        }
    }

    /// Does what a key asks for; `false` if that is to quit.
    async fn press(&mut self, key: KeyEvent) -> bool {
        match keys::command(key) {
            Some(Command::Quit) => return false,
            Some(Command::Do(action)) => self.controls.perform(action, "you").await,
            Some(Command::Select(step)) => self.model.with(|model| model.select(step)),
            Some(Command::Help) => self.model.with(model::Model::toggle_help),
            None => {}
        }
        true
    }

    fn draw_if_changed<B: Backend>(&self, terminal: &mut Terminal<B>, drawn: &mut Option<Drawn>) -> Result<(), Failure>
    where
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let now = Instant::now();
        self.model.with(|model| {
            let current = Drawn { version: model.version, seconds: now.duration_since(model.began).as_secs() };
            if *drawn == Some(current) && !model.is_counting() {
                return Ok(());
            }
            *drawn = Some(current);
            let done = terminal.draw(|frame| draw::draw(model, now, self.palette, frame));
            done.map(drop).map_err(|error| Failure::new("cannot draw on the terminal", error))
        })
    }
}

/// What the last frame showed: ages change with the seconds, everything else with the version.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Drawn {
    version: u64,
    seconds: u64,
}

#[cfg(test)]
mod pictures;
#[cfg(test)]
mod stories;
