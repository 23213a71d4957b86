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
use super::{Palette, SharedModel, View};
use crate::args::{Args, Command};
use crate::dev::Environment;
use crate::narrator::Narrator;
use crate::stop::Stop;

/// Nothing here takes a tenth of this.
const PATIENCE: Duration = Duration::from_secs(60);

/// `pintle dev` with somebody in front of it.
pub(super) struct ViewTest {
    environment: Environment,
    model: SharedModel,
    terminal: Terminal<TestBackend>,
    stop: Stop,
    narrator: Narrator,
    /// For this thread, on which all tasks of the test run.
    _tracing: DefaultGuard,
}

impl ViewTest {
    pub(super) async fn start(words: &[&str], (width, height): (u16, u16)) -> Self {
        let args = Args::parse_from(["pintle", "dev"].iter().chain(words));
        let Command::Dev(args) = args.command else { unreachable!("it was asked for") };
        let model = SharedModel::new();
        let spans = tracing_subscriber::registry().with(ReconcileSpans::layer(model.clone()));
        let tracing = tracing::subscriber::set_default(spans);
        let (stop, narrator) = (Stop::listen(None), Narrator::new(Some(model.clone())));
        let environment = Environment::start(&args, Some(model.clone()), &stop, &narrator).await.expect("it starts");
        let terminal = Terminal::new(TestBackend::new(width, height)).expect("it is only memory");
        Self { environment, model, terminal, stop, narrator, _tracing: tracing }
    }

    pub(super) async fn press(&mut self, keys: &str) {
        for key in keys.chars() {
            let event = KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE);
            assert!(self.view().press(event).await, "{key} quits");
        }
    }

    /// The screen as it is now.
    pub(super) fn look(&mut self) -> Buffer {
        self.environment.controls.refresh();
        let (model, now) = (self.model.clone(), Instant::now());
        let draw = |model: &mut super::model::Model| {
            let done = self.terminal.draw(|frame| super::draw::draw(model, now, Palette::Coloured, frame));
            done.map(drop).expect("it is only memory");
        };
        model.with(draw);
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

    pub(super) async fn stop(self) {
        self.stop.now();
        self.environment.stop(&self.narrator).await;
    }

    fn view(&mut self) -> View<'_> {
        View {
            model: self.model.clone(),
            controls: &mut self.environment.controls,
            chaos: None,
            palette: Palette::Coloured,
        }
    }
}

fn text(buffer: &Buffer) -> String {
    let row = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..buffer.area.height).map(|y| row(y) + "\n").collect()
}

/// The author has done all he does.
pub(super) async fn settled(view: &mut ViewTest) {
    view.sees(&["author", "the rest is yours"]).await;
    view.sees(&[" ▸default/guide", "Published  Ready"]).await;
    view.sees(&["  documents.example.com", "watching"]).await;
}

#[tokio::test]
async fn an_object_deleted_while_the_controller_is_down_is_stuck_until_it_is_back() {
    let mut view = ViewTest::start(&[], (100, 30)).await;
    settled(&mut view).await;
    view.press("kd").await;
    view.sees(&["! controller down (k starts it)"]).await;
    view.sees(&["none: the controller is down"]).await;
    view.sees(&["!▸default/guide", "waits for example.com/unpublish"]).await;
    view.press("k").await;
    view.sees(&["default/guide", "cleaned up, it may go"]).await;
    view.sees(&["Objects 1 "]).await;
    view.stop().await;
}

#[tokio::test]
async fn reconciles_fail_while_the_api_refuses_and_succeed_afterwards() {
    let mut view = ViewTest::start(&[], (100, 30)).await;
    settled(&mut view).await;
    view.press("rm").await;
    view.sees(&["! API refuses (r ends)"]).await;
    view.sees(&["! ", "default/guide", "attempt", "500 Internal error occurred"]).await;
    view.sees(&["Reconciles 1 object fails"]).await;
    view.sees(&["(answer 500)"]).await;
    view.press("r").await;
    view.sees(&["default/guide", "attempt", "updated its ConfigMap"]).await;
    view.stop().await;
}

#[tokio::test]
async fn cut_watches_miss_what_happens_and_catch_up_once_mended() {
    let mut view = ViewTest::start(&[], (100, 30)).await;
    settled(&mut view).await;
    view.press("c").await;
    view.sees(&["! documents.example.com", "failing", "next try in", ": 503 the server is currently"]).await;
    view.press("n").await;
    view.sees(&["default/note-1", "no status yet"]).await;
    view.press("c").await;
    view.sees(&["default/note-1", "Published  Ready"]).await;
    view.sees(&["  documents.example.com", "watching"]).await;
    view.stop().await;
}

#[tokio::test]
async fn watches_list_again_when_history_has_expired() {
    let mut view = ViewTest::start(&[], (100, 30)).await;
    settled(&mut view).await;
    view.press("e").await;
    view.sees(&["  documents.example.com", "watching", "2 lists"]).await;
    view.stop().await;
}

#[tokio::test]
async fn a_spoilt_object_says_what_is_wrong_and_heals_when_it_is_changed() {
    let mut view = ViewTest::start(&[], (100, 30)).await;
    settled(&mut view).await;
    view.press("x").await;
    view.sees(&["!▸default/guide", "Rejected  Ready=False (EmptyContent)"]).await;
    view.sees(&["event", "default/guide Rejected: its content is empty"]).await;
    view.press("m").await;
    view.sees(&["▸default/guide", "Published  Ready"]).await;
    view.stop().await;
}

#[tokio::test]
async fn a_slow_api_shows_in_the_reconciles() {
    let mut view = ViewTest::start(&[], (100, 30)).await;
    settled(&mut view).await;
    view.press("sm").await;
    view.sees(&["default/guide", "running"]).await;
    view.sees(&["default/guide", "changed", " s  updated its ConfigMap"]).await;
    view.stop().await;
}
