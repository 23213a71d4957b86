//! How far it is, and what is printed about that.

use std::time::{Duration, Instant};

use crate::arguments::Arguments;
use crate::memory::Memory;
use crate::operator::Operator;
use crate::traffic::Traffic;

/// So many lines a run prints, and so many samples of its memory there are.
const LINES: u64 = 100;

/// How far it is.
pub(crate) struct Progress {
    arguments: Arguments,
    /// Of the machine, not of the operator.
    begun: Instant,
    begun_paused: tokio::time::Instant,
    next_line: u64,
    last_line: (Instant, u64),
}

impl Progress {
    pub(crate) fn new(arguments: &Arguments) -> Self {
        let begun = Instant::now();
        Self {
            arguments: arguments.clone(),
            begun,
            begun_paused: tokio::time::Instant::now(),
            next_line: 0,
            last_line: (begun, 0),
        }
    }

    /// Whether there is more to come.
    pub(crate) fn goes_on(&self, traffic: &Traffic, operator: &Operator) -> bool {
        let relists = self.arguments.relists;
        // Watches that do not list again are found afterwards, and need not be waited for.
        let has_listed = || operator.relists() >= relists || traffic.rounds() > 2 * relists;
        let is_done = traffic.events() >= self.arguments.events && has_listed();
        !is_done && self.arguments.time_max.is_none_or(|max| self.begun.elapsed() < max)
    }

    /// A line, if it is time for one; with it a sample of the memory is taken.
    pub(crate) fn line(&mut self, traffic: &Traffic, operator: &Operator, memory: &mut Memory) -> Option<String> {
        let (events, now) = (traffic.events(), Instant::now());
        if events < self.next_line {
            return None;
        }
        let (before, events_before) = std::mem::replace(&mut self.last_line, (now, events));
        self.next_line = events + (self.arguments.events / LINES).max(1);
        let rate = per_second(events - events_before, now - before);
        let remembered: u64 = operator.counts().iter().map(|(_, counts)| counts.remembered).sum();
        Some(format!(
            "{events:>9} events, {:>4} relists, {:>4} objects of {} made, {remembered} keys remembered, {rate} events/s, {}",
            operator.relists(),
            traffic.alive(),
            traffic.made(),
            memory.sample(events),
        ))
    }

    /// What the run has shown.
    pub(crate) fn summary(&self, traffic: &Traffic, operator: &Operator, memory: &Memory) -> String {
        let (events, took) = (traffic.events(), self.begun.elapsed());
        let hours = self.begun_paused.elapsed().as_secs_f64() / 3600.0;
        format!(
            "{events} events, {} relists of each watch, {} reconciles and {} objects that came and went, in {:.0} s ({} events/s) \
             and {hours:.1} h of the operator's time; every object was reconciled at its last version, and of the deleted ones \
             nothing is left; {}",
            operator.relists(),
            operator.reconciles(),
            traffic.made(),
            took.as_secs_f64(),
            per_second(events, took),
            memory.describe(),
        )
    }
}

fn per_second(events: u64, time: Duration) -> u64 {
    (events as f64 / time.as_secs_f64().max(0.001)) as u64
}
