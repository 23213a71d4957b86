//! What the view shows, and nothing of how.
//!
//! In: what happens, one method for each. Out: the state that is drawn. It reads no clock, awaits nothing and keeps a bounded
//! number of everything that only grows; objects and watches are as many as there are.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use super::object_row::{ObjectKey, ObjectRow};

/// Everything that is on the screen.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) began: Instant,
    /// Where the server is.
    pub(crate) server: String,
    /// How kubectl reaches it.
    pub(crate) kubectl: String,
    pub(crate) revision: u64,
    pub(crate) controller: ControllerState,
    pub(crate) faults: Faults,
    pub(crate) objects: BTreeMap<ObjectKey, ObjectRow>,
    pub(crate) selected: Option<ObjectKey>,
    pub(crate) watches: Vec<WatchRow>,
    /// Oldest first, as everything below.
    pub(crate) reconciles: VecDeque<Reconcile>,
    pub(crate) timeline: VecDeque<TimelineEntry>,
    pub(crate) requests: Vec<RequestRow>,
    pub(crate) is_help_open: bool,
    /// Grows with each change.
    pub(crate) version: u64,
}

/// Whether there is a controller of ours.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ControllerState {
    /// Only programs that connect from outside.
    Absent,
    Running,
    Crashed,
}

/// What is made to fail at present.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Faults {
    pub(crate) are_watches_cut: bool,
    pub(crate) is_slow: bool,
    pub(crate) is_refusing: bool,
}

/// One watch of the controller.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WatchRow {
    pub(crate) name: String,
    /// In one word: `watching`, `listing`.
    pub(crate) phase: &'static str,
    pub(crate) is_healthy: bool,
    pub(crate) since: Instant,
    pub(crate) resource_version: Option<String>,
    pub(crate) lists: u64,
    pub(crate) failures: u32,
    pub(crate) last_error: Option<String>,
    pub(crate) next_try: Option<Instant>,
}

/// One run of the reconciler.
#[derive(Clone, Debug)]
pub(crate) struct Reconcile {
    pub(crate) object: String,
    pub(crate) reason: String,
    pub(crate) attempt: u64,
    pub(crate) began: Instant,
    pub(crate) end: ReconcileEnd,
}

/// How a run ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum ReconcileEnd {
    Running,
    Done(Duration, String),
    Failed(Duration, String),
    /// The controller crashed meanwhile.
    CutOff,
}

/// Something that happened, in a sentence.
#[derive(Clone, Debug)]
pub(crate) struct TimelineEntry {
    pub(crate) at: Instant,
    pub(crate) who: String,
    pub(crate) what: String,
    pub(crate) tone: Tone,
    /// How often in a row.
    pub(crate) times: u32,
}

/// How much attention something wants.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Tone {
    Plain,
    Trouble,
}

/// One request that the server has answered, or failed to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct RequestRow {
    pub(crate) method: String,
    pub(crate) path: String,
    /// The code; or what came instead of an answer.
    pub(crate) outcome: String,
    pub(crate) fault: Option<&'static str>,
    pub(crate) after: Duration,
    pub(crate) is_trouble: bool,
}

/// More than any screen is high.
pub(crate) const RECONCILES_MAX: usize = 100;
/// Likewise.
pub(crate) const TIMELINE_MAX: usize = 200;

impl Model {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            began: now,
            server: String::new(),
            kubectl: String::new(),
            revision: 0,
            controller: ControllerState::Absent,
            faults: Faults::default(),
            objects: BTreeMap::new(),
            selected: None,
            watches: Vec::new(),
            reconciles: VecDeque::new(),
            timeline: VecDeque::new(),
            requests: Vec::new(),
            is_help_open: false,
            version: 0,
        }
    }

    /// Somebody says something; the same again is counted.
    pub(crate) fn say(&mut self, who: &str, what: String, tone: Tone, now: Instant) {
        self.version += 1;
        match self.timeline.back_mut() {
            Some(last) if last.who == who && last.what == what => {
                (last.at, last.times) = (now, last.times.saturating_add(1));
            }
            _ => push(
                &mut self.timeline,
                TIMELINE_MAX,
                TimelineEntry { at: now, who: who.to_owned(), what, tone, times: 1 },
            ),
        }
    }

    pub(crate) fn apply(&mut self, key: ObjectKey, row: ObjectRow) {
        self.version += 1;
        self.selected.get_or_insert_with(|| key.clone());
        self.objects.insert(key, row);
    }

    pub(crate) fn delete(&mut self, key: &ObjectKey) {
        self.version += 1;
        self.objects.remove(key);
        self.select_if_gone();
    }

    /// Only these objects of a kind are left.
    pub(crate) fn retain(&mut self, kind: &str, is_left: impl Fn(&ObjectKey) -> bool) {
        self.version += 1;
        self.objects.retain(|key, _| key.kind != kind || is_left(key));
        self.select_if_gone();
    }

    /// Selects another object, so many further down.
    pub(crate) fn select(&mut self, step: isize) {
        self.version += 1;
        let at = self.selected.as_ref().and_then(|key| self.objects.keys().position(|other| other == key)).unwrap_or(0);
        let last = self.objects.len().saturating_sub(1);
        self.selected = self.objects.keys().nth(at.saturating_add_signed(step).min(last)).cloned();
    }

    pub(crate) fn reconcile_began(&mut self, object: String, reason: String, attempt: u64, now: Instant) {
        self.version += 1;
        if attempt > 1 {
            // One row for all attempts: the last says as much as all of them.
            let is_last_attempt = |run: &Reconcile| run.object == object && matches!(run.end, ReconcileEnd::Failed(..));
            self.reconciles.retain(|run| !is_last_attempt(run));
        }
        let run = Reconcile { object, reason, attempt, began: now, end: ReconcileEnd::Running };
        push(&mut self.reconciles, RECONCILES_MAX, run);
    }

    /// One key is reconciled once at a time, so the last run of the object is meant.
    pub(crate) fn reconcile_ended(&mut self, object: &str, end: ReconcileEnd) {
        self.version += 1;
        let is_meant = |run: &&mut Reconcile| run.object == object && run.end == ReconcileEnd::Running;
        if let Some(run) = self.reconciles.iter_mut().rev().find(is_meant) {
            run.end = end;
        }
    }

    pub(crate) fn set_controller(&mut self, controller: ControllerState) {
        self.version += 1;
        self.controller = controller;
        if controller == ControllerState::Crashed {
            for run in self.reconciles.iter_mut().filter(|run| run.end == ReconcileEnd::Running) {
                run.end = ReconcileEnd::CutOff;
            }
        }
    }

    pub(crate) fn set_faults(&mut self, faults: Faults) {
        self.version += 1;
        self.faults = faults;
    }

    /// What is looked at again and again, rather than reported.
    pub(crate) fn refresh(&mut self, revision: u64, watches: Vec<WatchRow>, requests: Vec<RequestRow>) {
        if (self.revision, &self.watches, &self.requests) != (revision, &watches, &requests) {
            self.version += 1;
            (self.revision, self.watches, self.requests) = (revision, watches, requests);
        }
    }

    pub(crate) fn toggle_help(&mut self) {
        self.version += 1;
        self.is_help_open = !self.is_help_open;
    }

    /// How many objects failed when they were reconciled last.
    pub(crate) fn failing(&self) -> usize {
        let mut latest = BTreeMap::new();
        for run in self.reconciles.iter().filter(|run| run.end != ReconcileEnd::Running) {
            latest.insert(run.object.as_str(), matches!(run.end, ReconcileEnd::Failed(..)));
        }
        latest.into_values().filter(|is_failing| *is_failing).count()
    }

    /// Whether the screen changes without anything happening: a time to wait runs down, or a run goes on.
    pub(crate) fn is_counting(&self) -> bool {
        self.watches.iter().any(|watch| watch.next_try.is_some())
            || self.reconciles.iter().any(|run| run.end == ReconcileEnd::Running)
    }

    fn select_if_gone(&mut self) {
        let Some(selected) = self.selected.take() else { return };
        let after = self.objects.range(selected.clone()..).next();
        self.selected = after.or_else(|| self.objects.iter().next_back()).map(|(key, _)| key.clone());
    }
}

fn push<T>(ring: &mut VecDeque<T>, max: usize, new: T) {
    if ring.len() == max {
        ring.pop_front();
    }
    ring.push_back(new);
}

#[cfg(test)]
mod tests;
