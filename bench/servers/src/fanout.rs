//! One object changes, and a thousand watchers receive it.
//!
//! First as fast as it goes: no more than a few changes ahead of the slowest watcher, or kube-apiserver would cut it
//! off. Then at a steady pace, and how long each event took is noted.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use crate::BoxError;
use crate::connection::Connection;
use crate::measure::{Fanout, Rate, Stretch};
use crate::objects;
use crate::side::Running;
use crate::watches::Watches;

/// Measures both phases.
pub(crate) async fn measure(running: &Running) -> Result<Fanout, BoxError> {
    measure_with(running, Turns { burst: BURST, paced: PACED }).await
}

/// The first phase alone and so many changes long: what a profiler looks at.
pub(crate) async fn burst(running: &Running, burst: usize) -> Result<Rate, BoxError> {
    Ok(measure_with(running, Turns { burst, paced: 1 }).await?.events)
}

async fn measure_with(running: &Running, turns: Turns) -> Result<Fanout, BoxError> {
    let mut writer = Connection::open(&running.address).await?;
    writer.send("POST", MAPS, "application/json", objects::config_map()).await?;
    let tally = Arc::new(Tally::new(turns));
    let (stop, stopped) = watch::channel(());
    let mut clients = JoinSet::new();
    let path = format!("{MAPS}?watch=true&fieldSelector=metadata.name%3Dwatched&timeoutSeconds=600");
    for _ in 0..CLIENTS {
        let watches = Watches::open(&running.address, &path, WATCHERS / CLIENTS).await?;
        clients.spawn(follow(watches, Arc::clone(&tally), stopped.clone()));
    }
    // Each first receives that the object exists.
    tally.reached(0, &mut clients).await?;
    let stretch = Stretch::begin(running.process()?)?;
    for turn in 1..=turns.burst {
        tally.reached(turn.saturating_sub(AHEAD), &mut clients).await?;
        change(&mut writer, &tally, turn).await?;
    }
    tally.reached(turns.burst, &mut clients).await?;
    let events = stretch.end((turns.burst * WATCHERS) as f64)?;
    for turn in turns.burst + 1..=turns.all() {
        change(&mut writer, &tally, turn).await?;
        tokio::time::sleep(PACE).await;
    }
    tally.reached(turns.all(), &mut clients).await?;
    drop(stop);
    let mut times = Vec::new();
    while let Some(done) = clients.join_next().await {
        times.extend(done??);
    }
    times.sort_unstable();
    Ok(Fanout { events, p99: times[times.len() * 99 / 100] })
}

async fn change(writer: &mut Connection, tally: &Tally, turn: usize) -> Result<(), BoxError> {
    tally.sent[turn].set(Instant::now()).unwrap_or_default();
    let path = format!("{MAPS}/watched");
    writer.send("PATCH", &path, "application/merge-patch+json", objects::config_map_patch(turn)).await?;
    Ok(())
}

/// Reads the watches of a client and notes how long the events of the steady phase took.
async fn follow(
    mut watches: Watches,
    tally: Arc<Tally>,
    mut stopped: watch::Receiver<()>,
) -> Result<Vec<Duration>, BoxError> {
    let mut times = Vec::with_capacity(tally.turns.paced * WATCHERS / CLIENTS);
    let mut received = [0; WATCHERS / CLIENTS];
    let mut stopped = std::pin::pin!(stopped.changed());
    loop {
        let read = watches.next(|watch, now| {
            let turn = received[watch];
            received[watch] += 1;
            if let Some(sent) = tally.sent[turn].get().filter(|_| turn > tally.turns.burst) {
                times.push(now.duration_since(*sent));
            }
            tally.note(turn);
        });
        tokio::select! {
            read = read => read?,
            _ = &mut stopped => return Ok(times),
        }
    }
}

/// How many changes there are.
#[derive(Clone, Copy)]
struct Turns {
    /// As fast as it goes.
    burst: usize,
    /// And then at a pace.
    paced: usize,
}

impl Turns {
    fn all(self) -> usize {
        self.burst + self.paced
    }
}

/// Who has received what.
struct Tally {
    turns: Turns,
    sent: Vec<std::sync::OnceLock<Instant>>,
    received: Vec<AtomicUsize>,
    changed: Notify,
}

impl Tally {
    fn new(turns: Turns) -> Self {
        let sent = (0..=turns.all()).map(|_| std::sync::OnceLock::new()).collect();
        let received = (0..=turns.all()).map(|_| AtomicUsize::new(0)).collect();
        Self { turns, sent, received, changed: Notify::new() }
    }

    fn note(&self, turn: usize) {
        if self.received[turn].fetch_add(1, Ordering::AcqRel) + 1 == WATCHERS {
            self.changed.notify_one();
        }
    }

    /// Waits until every watcher has received a change; fails with the first client that does.
    async fn reached(&self, turn: usize, clients: &mut Clients) -> Result<(), BoxError> {
        while self.received[turn].load(Ordering::Acquire) < WATCHERS {
            tokio::select! {
                () = self.changed.notified() => {}
                Some(ended) = clients.join_next() => drop(ended??),
            }
        }
        Ok(())
    }
}

/// All watchers.
type Clients = JoinSet<Result<Vec<Duration>, BoxError>>;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

const WATCHERS: usize = 1000;

/// Each has its watches on one connection, over HTTP/2, as every client of Kubernetes has.
const CLIENTS: usize = 50;

/// How many changes the writer may be ahead of the slowest watcher: what kube-apiserver keeps for one.
const AHEAD: usize = 10;

/// Changes as fast as it goes, and then at a pace.
const BURST: usize = 100;
const PACED: usize = 40;

/// Slow enough that either server is done with one change before the next.
const PACE: Duration = Duration::from_millis(200);
