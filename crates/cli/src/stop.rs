//! When to end: on Ctrl-C, on SIGTERM, when the time is up, or when somebody asks for it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

/// The signal to stop, received by everything that runs; a clone receives it, too.
#[derive(Clone, Debug)]
pub(crate) struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// Listens from now on.
    pub(crate) fn listen(duration: Option<Duration>) -> Self {
        let stop = Self(Arc::new(watch::Sender::new(false)));
        let to_stop = stop.clone();
        tokio::spawn(async move {
            // A signal is the stronger wish, in case both come at once.
            tokio::select! {
                biased;
                () = signal() => {}
                () = expire(duration) => {}
            }
            to_stop.now();
        });
        stop
    }

    /// It is time.
    pub(crate) fn now(&self) {
        self.0.send_replace(true);
    }

    /// Ends when it is time to stop.
    pub(crate) async fn wait(self) {
        drop(self.0.subscribe().wait_for(|is_time| *is_time).await);
    }
}

async fn expire(duration: Option<Duration>) {
    match duration {
        Some(duration) => tokio::time::sleep(duration).await,
        None => std::future::pending().await,
    }
}

#[cfg(unix)]
async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let terminate = async {
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => drop(terminate.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        _ = tokio::signal::ctrl_c() => {}
        () = terminate => {}
    }
}

#[cfg(not(unix))]
async fn signal() {
    drop(tokio::signal::ctrl_c().await);
}
