//! The view of the real thing: keys are pressed, and what comes of it is read off the screen.

use std::time::Duration;

use clap::Parser;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use tokio::time::{Instant, sleep};
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::layer::SubscriberExt;

use super::tracing_layers::ReconcileSpans;
use super::{Board, Palette, View};
use crate::args::{Args, Command};
use crate::dev::Stage;
use crate::narrator::Narrator;
use crate::stop::Stop;

/// Nothing here takes a tenth of this.
const PATIENCE: Duration = Duration::from_secs(60);

/// `pintle dev` with somebody in front of it.
pub(super) struct Seat {
    stage: Stage,
    board: Board,
    terminal: Terminal<TestBackend>,
    stop: Stop,
    narrator: Narrator,
    /// For this thread, on which all tasks of the test run.
    _tracing: DefaultGuard,
}

impl Seat {
    pub(super) async fn take(words: &[&str], (width, height): (u16, u16)) -> Self {
        let args = Args::parse_from(["pintle", "dev"].iter().chain(words));
        let Command::Dev(args) = args.command else { unreachable!("it was asked for") };
        let board = Board::new();
        let spans = tracing_subscriber::registry().with(ReconcileSpans::layer(board.clone()));
        let tracing = tracing::subscriber::set_default(spans);
        let (stop, narrator) = (Stop::listen(None), Narrator::new(Some(board.clone())));
        let stage = Stage::set(&args, Some(board.clone()), &stop, &narrator).await.expect("it starts");
        let terminal = Terminal::new(TestBackend::new(width, height)).expect("it is only memory");
        Self { stage, board, terminal, stop, narrator, _tracing: tracing }
    }

    pub(super) async fn press(&mut self, keys: &str) {
        for key in keys.chars() {
            let event = KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE);
            assert!(self.view().press(event).await, "{key} quits");
        }
    }

    /// The screen as it is now.
    pub(super) fn look(&mut self) -> Buffer {
        self.stage.controls.refresh();
        let (board, now) = (self.board.clone(), Instant::now());
        let draw = |model: &mut super::model::Model| {
            let done = self.terminal.draw(|frame| super::draw::draw(model, now, Palette::Coloured, frame));
            done.map(drop).expect("it is only memory");
        };
        board.with(draw);
        self.terminal.backend().buffer().clone()
    }

    /// Waits until there is a line with all of these.
    pub(super) async fn sees(&mut self, parts: &[&str]) {
        let begun = Instant::now();
        loop {
            let text = text(&self.look());
            if text.lines().any(|line| parts.iter().all(|part| line.contains(part))) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "no line with {parts:?} in\n{text}");
            sleep(Duration::from_millis(20)).await;
        }
    }

    pub(super) async fn leave(self) {
        self.stop.now();
        self.stage.strike(&self.narrator).await;
    }

    fn view(&mut self) -> View<'_> {
        View { board: self.board.clone(), controls: &mut self.stage.controls, chaos: None, palette: Palette::Coloured }
    }
}

fn text(buffer: &Buffer) -> String {
    let row = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..buffer.area.height).map(|y| row(y) + "\n").collect()
}

/// The author has done all he does.
pub(super) async fn settled(seat: &mut Seat) {
    seat.sees(&["author", "the rest is yours"]).await;
    seat.sees(&[" ▸default/guide", "Published  Ready"]).await;
    seat.sees(&["  documents.example.com", "watching"]).await;
}

#[tokio::test]
async fn an_object_deleted_while_the_controller_is_down_is_stuck_until_it_is_back() {
    let mut seat = Seat::take(&[], (100, 30)).await;
    settled(&mut seat).await;
    seat.press("kd").await;
    seat.sees(&["! controller down (k starts it)"]).await;
    seat.sees(&["none: the controller is down"]).await;
    seat.sees(&["!▸default/guide", "waits for example.com/unpublish"]).await;
    seat.press("k").await;
    seat.sees(&["default/guide", "cleaned up, it may go"]).await;
    seat.sees(&["Objects 1 "]).await;
    seat.leave().await;
}

#[tokio::test]
async fn reconciles_fail_while_the_api_refuses_and_succeed_afterwards() {
    let mut seat = Seat::take(&[], (100, 30)).await;
    settled(&mut seat).await;
    seat.press("rm").await;
    seat.sees(&["! API refuses (r ends)"]).await;
    seat.sees(&["! ", "default/guide", "attempt", "500 Internal error occurred"]).await;
    seat.sees(&["Reconciles 1 object fails"]).await;
    seat.sees(&["(answer 500)"]).await;
    seat.press("r").await;
    seat.sees(&["default/guide", "attempt", "updated its ConfigMap"]).await;
    seat.leave().await;
}

#[tokio::test]
async fn cut_watches_miss_what_happens_and_catch_up_once_mended() {
    let mut seat = Seat::take(&[], (100, 30)).await;
    settled(&mut seat).await;
    seat.press("c").await;
    seat.sees(&["! documents.example.com", "failing", "next try in", ": 503 the server is currently"]).await;
    seat.press("n").await;
    seat.sees(&["default/note-1", "no status yet"]).await;
    seat.press("c").await;
    seat.sees(&["default/note-1", "Published  Ready"]).await;
    seat.sees(&["  documents.example.com", "watching"]).await;
    seat.leave().await;
}

#[tokio::test]
async fn watches_list_again_when_history_has_expired() {
    let mut seat = Seat::take(&[], (100, 30)).await;
    settled(&mut seat).await;
    seat.press("e").await;
    seat.sees(&["  documents.example.com", "watching", "2 lists"]).await;
    seat.leave().await;
}

#[tokio::test]
async fn a_spoilt_object_says_what_is_wrong_and_heals_when_it_is_changed() {
    let mut seat = Seat::take(&[], (100, 30)).await;
    settled(&mut seat).await;
    seat.press("x").await;
    seat.sees(&["!▸default/guide", "Rejected  Ready=False (EmptyContent)"]).await;
    seat.sees(&["event", "default/guide Rejected: its content is empty"]).await;
    seat.press("m").await;
    seat.sees(&["▸default/guide", "Published  Ready"]).await;
    seat.leave().await;
}

#[tokio::test]
async fn a_slow_api_shows_in_the_reconciles() {
    let mut seat = Seat::take(&[], (100, 30)).await;
    settled(&mut seat).await;
    seat.press("sm").await;
    seat.sees(&["default/guide", "running"]).await;
    seat.sees(&["default/guide", "changed", " s  updated its ConfigMap"]).await;
    seat.leave().await;
}
