//! What is done to the server, its objects and the controller: by a key, or by chaos.
//!
//! Each action happens to the real thing: faults are rules of the server, a crash drops the controller's task. They go past
//! the faults themselves, so an object can be created while the API refuses everybody else.

use std::time::Duration;

use pintle_apiserver::{Fault, Requests, Rule, Server};

use super::editor::Editor;
use super::publisher::Publisher;
use super::requests;
use super::view::model::{ControllerState, Faults};
use super::view::shared_model::SharedModel;
use super::watches;
use crate::narrator::Narrator;

/// One thing to do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Action {
    Create,
    /// Change the selected object, as the next two.
    Change,
    Spoil,
    Delete,
    /// On and off, as all below but the history.
    CutWatches,
    ExpireHistory,
    SlowDown,
    Refuse,
    Crash,
}

/// How much later requests are answered while the API is slow: long enough to be seen, short of every timeout.
const SLOWNESS: Duration = Duration::from_millis(1500);

/// Performs actions.
pub(super) struct Controls {
    server: Server,
    editor: Editor,
    controller: Option<Publisher>,
    cut: Option<Rule>,
    slowness: Option<Rule>,
    refusal: Option<Rule>,
    model: SharedModel,
    narrator: Narrator,
}

impl Controls {
    pub(super) fn new(
        server: Server,
        editor: Editor,
        controller: Option<Publisher>,
        model: SharedModel,
        narrator: Narrator,
    ) -> Self {
        let controls = Self { server, editor, controller, cut: None, slowness: None, refusal: None, model, narrator };
        controls.show();
        controls
    }

    /// Does it, and reports it as done by `who`.
    pub(super) async fn perform(&mut self, action: Action, who: &str) {
        let done = match action {
            Action::Create | Action::Change | Action::Spoil | Action::Delete => {
                let selected = self.model.with(|model| model.selected.clone());
                self.editor.perform(action, selected).await
            }
            Action::CutWatches => Ok(self.cut_watches()),
            Action::ExpireHistory => self.expire_history().await,
            Action::SlowDown => {
                let fault = Fault::Delay(SLOWNESS);
                let is_on = toggle(&mut self.slowness, || self.server.fault(Requests::all(), fault));
                Ok(if is_on { "made the API slow" } else { "made the API as fast as before" }.to_owned())
            }
            Action::Refuse => {
                let fault = Fault::internal_error();
                let is_on = toggle(&mut self.refusal, || self.server.fault(Requests::all(), fault));
                Ok(if is_on { "made the API refuse every request" } else { "ended the refusals" }.to_owned())
            }
            Action::Crash => self.crash_or_start(),
        };
        self.show();
        match done {
            Ok(done) => self.narrator.say(who, done),
            Err(problem) => self.narrator.trouble(who, problem),
        }
    }

    /// Looks at what does not report by itself.
    pub(super) fn refresh(&self) {
        let watches = self.controller.as_ref().map(|controller| watches::rows(&controller.watches()));
        let requests = requests::rows(&self.server.trace());
        self.model.with(|model| model.refresh(self.server.revision(), watches.unwrap_or_default(), requests));
    }

    /// Lets the controller finish what it does.
    pub(super) async fn stop(self) {
        self.server.lift_faults();
        if let Some(controller) = self.controller {
            controller.stop().await;
        }
    }

    fn cut_watches(&mut self) -> String {
        let is_cut = toggle(&mut self.cut, || self.server.fault(Requests::watches(), Fault::unavailable(None)));
        if !is_cut {
            return "mended the watches".to_owned();
        }
        format!("cut {} watches", self.server.break_watches(&Requests::watches()))
    }

    async fn expire_history(&self) -> Result<String, String> {
        // A write that no watch of ours shows: one that has seen the last version would miss nothing.
        self.editor.touch_namespace().await?;
        self.server.expire_history();
        let broken = self.server.break_watches(&Requests::watches());
        Ok(format!("expired the history and broke {broken} watches"))
    }

    fn crash_or_start(&mut self) -> Result<String, String> {
        let Some(controller) = &mut self.controller else {
            return Err("there is no controller of ours here to crash".to_owned());
        };
        if controller.is_running() {
            controller.crash();
            Ok("crashed the controller".to_owned())
        } else {
            controller.start();
            Ok("started the controller".to_owned())
        }
    }

    fn show(&self) {
        let faults = Faults {
            are_watches_cut: self.cut.is_some(),
            is_slow: self.slowness.is_some(),
            is_refusing: self.refusal.is_some(),
        };
        let controller = match &self.controller {
            None => ControllerState::Absent,
            Some(controller) if controller.is_running() => ControllerState::Running,
            Some(_) => ControllerState::Crashed,
        };
        self.model.with(|model| {
            model.set_faults(faults);
            model.set_controller(controller);
        });
    }
}

/// Makes the rule, or ends the one that is there; returns whether there is one now.
fn toggle(rule: &mut Option<Rule>, make: impl FnOnce() -> Rule) -> bool {
    match rule.take() {
        Some(made) => made.lift(),
        None => *rule = Some(make()),
    }
    rule.is_some()
}
