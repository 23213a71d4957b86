//! When a controller stops: gently first, then at once.

use std::future::Future;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use tokio::time::Instant;

use crate::scheduler::DELAY_MAX;

/// What may stop a controller, and how far that has come.
pub(super) struct Shutdown {
    gentle: FuturesUnordered<BoxFuture<'static, ()>>,
    prompt: FuturesUnordered<BoxFuture<'static, ()>>,
    grace: Duration,
    phase: Phase,
}

impl Default for Shutdown {
    fn default() -> Self {
        Self { gentle: FuturesUnordered::new(), prompt: FuturesUnordered::new(), grace: GRACE, phase: Phase::default() }
    }
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Phase {
    /// Nothing has asked to stop.
    #[default]
    Running,
    /// No new reconciles; running ones have until then.
    Stopping(Instant),
    /// Nothing more.
    Stopped,
}

/// How long running reconciles have to end unless said otherwise: what Kubernetes gives a pod by default.
const GRACE: Duration = Duration::from_secs(30);

impl Shutdown {
    pub(super) fn gently_on(&mut self, cause: impl Future<Output = ()> + Send + 'static) {
        self.gentle.push(cause.boxed());
    }

    pub(super) fn promptly_on(&mut self, cause: impl Future<Output = ()> + Send + 'static) {
        self.prompt.push(cause.boxed());
    }

    /// Gives running reconciles so long to end.
    pub(super) fn within(&mut self, grace: Duration) {
        self.grace = grace.min(DELAY_MAX);
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    /// Waits until the next phase has come.
    pub(super) async fn advance(&mut self) {
        let phase = match self.phase {
            Phase::Stopped => std::future::pending().await,
            Phase::Running => tokio::select! {
                biased;
                // The stronger wish first, in case both come at once.
                Some(()) = self.prompt.next(), if !self.prompt.is_empty() => Phase::Stopped,
                Some(()) = self.gentle.next(), if !self.gentle.is_empty() => Phase::Stopping(Instant::now() + self.grace),
                else => std::future::pending().await,
            },
            Phase::Stopping(until) => tokio::select! {
                biased;
                Some(()) = self.prompt.next(), if !self.prompt.is_empty() => Phase::Stopped,
                () = tokio::time::sleep_until(until) => Phase::Stopped,
            },
        };
        self.phase = phase;
    }
}

/// Ends with the `count`th SIGINT or SIGTERM from now on: 1 to stop, 2 to stop at once. Elsewhere than on Unix it is Ctrl-C.
#[cfg(unix)]
pub async fn signals(count: usize) {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = match (signal(SignalKind::interrupt()), signal(SignalKind::terminate())) {
        (Ok(interrupt), Ok(terminate)) => (interrupt, terminate),
        (Err(error), _) | (_, Err(error)) => return cannot_listen(&error).await,
    };
    for _ in 0..count {
        // Either will do; the order is that of how often they come.
        tokio::select! {
            biased;
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }
}

/// Ends with the `count`th Ctrl-C from now on.
#[cfg(not(unix))]
pub async fn signals(count: usize) {
    for _ in 0..count {
        if let Err(error) = tokio::signal::ctrl_c().await {
            return cannot_listen(&error).await;
        }
    }
}

async fn cannot_listen(error: &std::io::Error) {
    tracing::error!(%error, "cannot listen for signals: the program will not stop on one");
    std::future::pending::<()>().await;
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use tokio::time::sleep;

    use super::*;

    async fn after(seconds: u64) {
        sleep(Duration::from_secs(seconds)).await;
    }

    /// Each phase that comes, and after how many seconds.
    async fn phases(mut shutdown: Shutdown) -> Vec<(&'static str, u64)> {
        let (start, mut phases) = (Instant::now(), Vec::new());
        while shutdown.phase() != Phase::Stopped {
            shutdown.advance().await;
            let name = if shutdown.phase() == Phase::Stopped { "stopped" } else { "stopping" };
            phases.push((name, start.elapsed().as_secs()));
        }
        phases
    }

    #[tokio::test(start_paused = true)]
    async fn what_runs_has_half_a_minute_and_a_second_wish_ends_it_at_once() {
        let mut gentle = Shutdown::default();
        gentle.gently_on(pending());
        gentle.gently_on(after(5));
        assert_eq!(phases(gentle).await, [("stopping", 5), ("stopped", 35)]);

        for (grace, seconds) in [(Duration::ZERO, 5), (Duration::from_secs(300), 305)] {
            let mut limited = Shutdown::default();
            limited.within(grace);
            limited.gently_on(after(5));
            assert_eq!(phases(limited).await, [("stopping", 5), ("stopped", seconds)]);
        }

        let mut twice = Shutdown::default();
        twice.gently_on(after(5));
        twice.promptly_on(after(7));
        assert_eq!(phases(twice).await, [("stopping", 5), ("stopped", 7)]);

        let mut both = Shutdown::default();
        both.gently_on(ready(()));
        both.promptly_on(ready(()));
        assert_eq!(phases(both).await, [("stopped", 0)]);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_wish_it_runs_for_ever() {
        let mut shutdown = Shutdown::default();
        let advanced = tokio::time::timeout(Duration::from_secs(1_000_000), shutdown.advance()).await;
        assert!(advanced.is_err() && shutdown.phase() == Phase::Running);
    }
}
