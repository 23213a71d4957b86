//! Something that a manager starts, watches and stops.

use std::fmt;
use std::future::Future;

use futures::FutureExt;
use futures::future::BoxFuture;

use crate::error::BoxError;
use crate::stage::Stage;
use crate::stop::Stop;

/// Something that a manager starts in its [stage](Stage), stops, and whose failure ends the manager.
///
/// It returns `Ok` when it is done, before or after it was asked to stop; what does not return in time is dropped.
#[must_use = "a runnable does nothing until it is added to a manager"]
pub struct Runnable {
    pub(crate) name: String,
    pub(crate) stage: Stage,
    pub(crate) run: Box<dyn FnOnce(Stop) -> BoxFuture<'static, Result<(), BoxError>> + Send>,
    pub(crate) ready: Option<BoxFuture<'static, ()>>,
}

impl Runnable {
    /// Runs `run` in `stage`; it gets the word to stop.
    pub fn new<F, E>(name: &str, stage: Stage, run: impl FnOnce(Stop) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        let run = move |stop| run(stop).map(|ended| ended.map_err(Into::into)).boxed();
        Self { name: name.to_owned(), stage, run: Box::new(run), ready: None }
    }

    /// An HTTP server, which starts before and stops after everything else.
    pub fn server<F, E>(name: &str, run: impl FnOnce(Stop) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self::new(name, Stage::Servers, run)
    }

    /// Lets the next stage wait until `ready` ends.
    pub fn ready_when(mut self, ready: impl Future<Output = ()> + Send + 'static) -> Self {
        self.ready = Some(ready.boxed());
        self
    }
}

impl fmt::Debug for Runnable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runnable").field("name", &self.name).field("stage", &self.stage).finish_non_exhaustive()
    }
}
