//! When which certificate is made, trusted, served and forgotten: pure, with the time passed in.
//!
//! ```text
//!   nothing ──Create──► current                                     served; its authority is trusted
//!   current ──Prepare (a month before its end)──► + next       both authorities are to be trusted
//!           ──NotePublished (all who call carry both)──► + when
//!           ──Switch (a minute later: all who call have read it)──► next is current, the old authority is previous
//!           ──Retire (ten minutes later: all replicas serve the new one)──► current
//! ```
//! At every moment the served certificate's authority is trusted by all who call, on every replica that has read the state
//! within the last ten minutes. An authority signs one certificate and its key is thrown away, so that nobody who reads the
//! state later can sign another.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;

/// How long certificates live, and how long everybody has to learn of a new one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Policy {
    /// How long a certificate is valid: 90 days.
    pub lifetime: Duration,
    /// How long before its end it is replaced: 30 days, in which somebody can notice that it is not.
    pub renew_before: Duration,
    /// How long after a new authority was published everybody who calls trusts it: 1 minute. API servers watch webhook
    /// configurations and definitions, and have it after a moment.
    pub publish_time: Duration,
    /// How long after a switch every replica serves the new certificate: 10 minutes. They look every [`period`](Self::period).
    pub switch_time: Duration,
    /// How often each replica looks: 30 s.
    pub period: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            lifetime: Duration::from_secs(90 * 24 * 60 * 60),
            renew_before: Duration::from_secs(30 * 24 * 60 * 60),
            publish_time: Duration::from_secs(60),
            switch_time: Duration::from_secs(10 * 60),
            period: Duration::from_secs(30),
        }
    }
}

/// Everything that is known, and kept for all replicas.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    /// What is served.
    pub(super) current: Pair,
    /// What will be served.
    pub(super) next: Option<Next>,
    /// Whose certificate some replica may still serve.
    pub(super) previous: Option<Previous>,
}

/// A certificate with its key and the authority that signed it, in PEM.
#[derive(Clone, PartialEq)]
pub(super) struct Pair {
    pub(super) authority: String,
    pub(super) certificate: String,
    pub(super) key: String,
    pub(super) names: Vec<String>,
    pub(super) not_after: Timestamp,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Next {
    pub(super) pair: Pair,
    /// When all who call were seen to carry its authority.
    pub(super) published: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Previous {
    pub(super) authority: String,
    pub(super) until: Timestamp,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    /// Make a certificate and serve it: there is none that can be served.
    Create,
    /// Make the next certificate, and have its authority trusted.
    Prepare,
    /// Note that all who call carry the next authority.
    NotePublished,
    /// Serve the next certificate.
    Switch,
    /// Forget the previous authority.
    Retire,
    /// Nothing until then.
    Wait(Timestamp),
}

/// What is to be done now. `is_published`: all who call carry the state's bundle.
pub(super) fn step(
    state: Option<&State>,
    names: &[String],
    policy: &Policy,
    is_published: bool,
    now: Timestamp,
) -> Step {
    let Some(state) = state else { return Step::Create };
    let next = state.next.as_ref().filter(|next| next.pair.is_valid(now) && next.pair.names == names);
    if !state.current.is_valid(now) {
        // Calls fail already: what is there is better than what would have to be published first.
        return if next.is_some() { Step::Switch } else { Step::Create };
    }
    match (next, &state.previous) {
        (Some(Next { published: Some(at), .. }), _) => due(*at + policy.publish_time, now, Step::Switch),
        (Some(_), _) if is_published => Step::NotePublished,
        (Some(_), _) => Step::Wait(now + policy.period),
        (None, _) if state.next.is_some() => Step::Prepare,
        // One rotation ends before another begins, so that there are never more than two authorities.
        (None, Some(previous)) => due(previous.until, now, Step::Retire),
        (None, None) if state.current.names != names => Step::Prepare,
        (None, None) => due(state.current.not_after - policy.renew_before, now, Step::Prepare),
    }
}

fn due(at: Timestamp, now: Timestamp, step: Step) -> Step {
    if at <= now { step } else { Step::Wait(at) }
}

impl State {
    /// What is served from now on, and nothing else.
    pub(super) fn created(pair: Pair) -> Self {
        Self { current: pair, next: None, previous: None }
    }

    pub(super) fn prepared(self, pair: Pair) -> Self {
        Self { next: Some(Next { pair, published: None }), ..self }
    }

    pub(super) fn noted(self, now: Timestamp) -> Self {
        Self { next: self.next.map(|next| Next { published: Some(now), ..next }), ..self }
    }

    pub(super) fn switched(self, policy: &Policy, now: Timestamp) -> Self {
        let Some(next) = self.next else { return self };
        let previous = Previous { authority: self.current.authority, until: now + policy.switch_time };
        Self { current: next.pair, next: None, previous: Some(previous) }
    }

    pub(super) fn retired(self) -> Self {
        Self { previous: None, ..self }
    }

    /// The authorities to trust, in PEM.
    pub(super) fn bundle(&self) -> String {
        let next = self.next.as_ref().map(|next| &next.pair.authority);
        let previous = self.previous.as_ref().map(|previous| &previous.authority);
        let all = [Some(&self.current.authority), next, previous];
        all.into_iter().flatten().map(String::as_str).collect()
    }
}

impl Pair {
    fn is_valid(&self, now: Timestamp) -> bool {
        now < self.not_after
    }
}

impl fmt::Debug for Pair {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair").field("names", &self.names).field("not_after", &self.not_after).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
