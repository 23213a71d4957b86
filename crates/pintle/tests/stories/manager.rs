//! The manager: what starts and stops when, who reconciles, which watches there are.

#[path = "manager/clusters.rs"]
mod clusters;
#[path = "manager/leadership.rs"]
mod leadership;
#[path = "manager/order.rs"]
mod order;
#[path = "manager/reader.rs"]
mod reader;
#[path = "manager/sharing.rs"]
mod sharing;

use std::sync::{Arc, Mutex};

use pintle::manager::{Error, Manager};
use pintle::runtime::controller::Action;
use pintle::{Resource, ResourceExt};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// What happened, in its order.
#[derive(Clone, Debug, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn note(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    fn count(&self, line: &str) -> usize {
        self.lines().iter().filter(|it| *it == line).count()
    }

    fn has(&self, line: &str) -> bool {
        self.count(line) > 0
    }
}

/// A manager that runs until it is asked to stop, or dropped as if its process had died.
struct Started {
    stop: oneshot::Sender<()>,
    running: JoinHandle<Result<(), Error>>,
}

impl Started {
    fn new(manager: &Manager) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let manager = manager.clone();
        let running = tokio::spawn(async move { manager.run_until(async { drop(stopped.await) }).await });
        Self { stop, running }
    }

    async fn stop(self) -> Result<(), Error> {
        let _ = self.stop.send(());
        self.running.await.unwrap()
    }

    async fn die(self) {
        self.running.abort();
        assert!(self.running.await.unwrap_err().is_cancelled());
    }
}

/// Notes the name of each object it reconciles.
async fn reconcile<K: Resource>(object: Arc<K>, log: Arc<Log>) -> Result<Action, pintle::Error> {
    log.note(object.name_any());
    Ok(Action::await_change())
}

fn again<K, C>(_: Arc<K>, _: &pintle::Error, _: C) -> Action {
    Action::backoff()
}
