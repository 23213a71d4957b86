//! The life of a manager: stages start in order, one of them fails or all are asked to stop, stages stop in reverse.

use std::any::Any;
use std::collections::BTreeMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use crate::error::{BoxError, Error};
use crate::runnable::Runnable;
use crate::stage::{START_ORDER, Stage};
use crate::stop::StopSender;

/// Everything that runs.
pub(super) struct Running {
    added: mpsc::UnboundedReceiver<Runnable>,
    /// What was added for a stage that has not begun.
    waiting: BTreeMap<Stage, Vec<Runnable>>,
    begun: BTreeMap<Stage, StopSender>,
    tasks: JoinSet<Ended>,
    /// What runs, by number.
    running: BTreeMap<u64, Task>,
    next_number: u64,
    stops: BTreeMap<Stage, StopSender>,
    timeout: Duration,
}

struct Task {
    stage: Stage,
    name: String,
    abort: AbortHandle,
}

struct Ended {
    number: u64,
    result: Result<Result<(), BoxError>, Box<dyn Any + Send>>,
}

/// Why it is time to stop.
enum Cause {
    Asked,
    Failed(Error),
}

impl Running {
    pub(super) fn new(added: mpsc::UnboundedReceiver<Runnable>, controllers: StopSender, timeout: Duration) -> Self {
        let mut stops: BTreeMap<_, _> = START_ORDER.iter().map(|stage| (*stage, StopSender::new())).collect();
        stops.insert(Stage::Controllers, controllers);
        Self {
            added,
            waiting: BTreeMap::new(),
            begun: BTreeMap::new(),
            tasks: JoinSet::new(),
            running: BTreeMap::new(),
            next_number: 0,
            stops,
            timeout,
        }
    }

    pub(super) async fn run(mut self, stop: impl Future<Output = ()>) -> Result<(), Error> {
        let mut stop = pin!(stop);
        let cause = self.live(stop.as_mut()).await;
        let stopped = self.stop().await;
        match cause {
            Cause::Asked => stopped,
            Cause::Failed(error) => Err(error),
        }
    }

    /// Starts every stage and goes on until it is time to stop.
    async fn live(&mut self, mut stop: Pin<&mut impl Future<Output = ()>>) -> Cause {
        for stage in START_ORDER {
            self.take_added();
            let ready: Vec<_> = self.begin(stage);
            let ready = futures::future::join_all(ready);
            if let Some(cause) = self.until(ready, stop.as_mut()).await {
                return cause;
            }
        }
        match self.until(std::future::pending::<()>(), stop).await {
            Some(cause) => cause,
            None => unreachable!("what is pending does not end"),
        }
    }

    /// Starts what was added for `stage`; returns what to wait for before the next.
    fn begin(&mut self, stage: Stage) -> Vec<BoxFuture<'static, ()>> {
        let Some(stop) = self.stops.remove(&stage) else { return Vec::new() };
        self.begun.insert(stage, stop);
        let waiting = self.waiting.remove(&stage).unwrap_or_default();
        waiting.into_iter().filter_map(|runnable| self.start(runnable)).collect()
    }

    fn take_added(&mut self) {
        while let Ok(runnable) = self.added.try_recv() {
            self.take(runnable);
        }
    }

    /// Starts a runnable whose stage has begun; others wait for theirs.
    fn take(&mut self, runnable: Runnable) {
        if self.begun.contains_key(&runnable.stage) {
            drop(self.start(runnable));
        } else {
            self.waiting.entry(runnable.stage).or_default().push(runnable);
        }
    }

    fn start(&mut self, runnable: Runnable) -> Option<BoxFuture<'static, ()>> {
        let Runnable { name, stage, run, ready } = runnable;
        let stop = self.begun.get(&stage)?.subscribe();
        let number = self.next_number;
        self.next_number += 1;
        tracing::debug!(%stage, name, "started");
        let task = async move {
            let result = AssertUnwindSafe(async move { run(stop).await }).catch_unwind().await;
            Ended { number, result }
        };
        let abort = self.tasks.spawn(task);
        self.running.insert(number, Task { stage, name, abort });
        ready
    }

    /// Waits for `ready`; returns why it is time to stop, if that comes first.
    async fn until<T>(
        &mut self,
        ready: impl Future<Output = T>,
        mut stop: Pin<&mut impl Future<Output = ()>>,
    ) -> Option<Cause> {
        let mut ready = pin!(ready);
        loop {
            // To stop is the first wish, and a failure is one, too.
            tokio::select! {
                biased;
                () = stop.as_mut() => return Some(Cause::Asked),
                Some(ended) = self.tasks.join_next(), if !self.tasks.is_empty() => {
                    if let Some(error) = ended.ok().and_then(|ended| self.ended(ended)) {
                        return Some(Cause::Failed(error));
                    }
                }
                Some(runnable) = self.added.recv() => self.take(runnable),
                _ = ready.as_mut() => return None,
            }
        }
    }

    /// Takes note of what has ended; returns its error.
    fn ended(&mut self, ended: Ended) -> Option<Error> {
        let task = self.running.remove(&ended.number)?;
        let Task { name, stage, .. } = task;
        match ended.result {
            Ok(Ok(())) => {
                tracing::debug!(%stage, name, "ended");
                None
            }
            Ok(Err(source)) => Some(Error::Failed { name, source }),
            Err(panic) => Some(Error::Panicked { name, message: message(panic.as_ref()) }),
        }
    }

    /// Stops what runs, stage by stage, all of it before the deadline.
    async fn stop(&mut self) -> Result<(), Error> {
        self.added.close();
        let (begun, mut late) = (Instant::now(), Vec::new());
        let mut first_error = None;
        for stage in START_ORDER.into_iter().rev() {
            let Some(stop) = self.begun.remove(&stage) else { continue };
            stop.send();
            let deadline =
                begun + self.timeout - if stage.is_last_to_stop() { Duration::ZERO } else { reserve(self.timeout) };
            while self.has_any(stage) {
                match tokio::time::timeout_at(deadline, self.tasks.join_next()).await {
                    Ok(Some(ended)) => {
                        let error = ended.ok().and_then(|ended| self.ended(ended));
                        first_error = first_error.or(error);
                    }
                    Ok(None) => break,
                    Err(_) => late.extend(self.drop_all(stage)),
                }
            }
        }
        match first_error {
            Some(error) => Err(error),
            None if late.is_empty() => Ok(()),
            None => Err(Error::NotStopped { names: late, timeout: self.timeout }),
        }
    }

    fn has_any(&self, stage: Stage) -> bool {
        self.running.values().any(|task| task.stage == stage)
    }

    fn drop_all(&mut self, stage: Stage) -> Vec<String> {
        let (late, others) = std::mem::take(&mut self.running).into_iter().partition(|(_, task)| task.stage == stage);
        self.running = others;
        let drop = |(_, task): (u64, Task)| {
            task.abort.abort();
            task.name
        };
        BTreeMap::into_iter(late).map(drop).collect()
    }
}

/// What of `timeout` is left for the last stages when one before them does not stop: enough to close a connection.
pub(super) fn reserve(timeout: Duration) -> Duration {
    (timeout / 5).min(Duration::from_secs(2))
}

/// What a panic said.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
