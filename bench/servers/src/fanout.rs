//! One object changes, and a thousand watchers are told.
//!
//! First as fast as it goes: no more than a few changes ahead of the slowest watcher, or kube-apiserver would cut it
//! off. Then at a steady pace, and how long each event took is noted.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use crate::BoxError;
use crate::connection::{Connection, Protocol};
use crate::measure::{Fanout, Stretch};
use crate::objects;
use crate::side::Running;

/// Measures both phases.
pub(crate) async fn measure(running: &Running) -> Result<Fanout, BoxError> {
    let mut writer = Connection::open(&running.address).await?;
    writer.send("POST", MAPS, "application/json", objects::config_map()).await?;
    let tally = Arc::new(Tally::new());
    let (stop, stopped) = watch::channel(());
    let mut watchers = JoinSet::new();
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        let mut client = Connection::open_with(&running.address, Protocol::Many).await?;
        for _ in 0..WATCHERS / CLIENTS {
            let path = format!("{MAPS}?watch=true&fieldSelector=metadata.name%3Dwatched&timeoutSeconds=600");
            let body = client.begin("GET", &path, "", Bytes::new()).await?.into_body();
            watchers.spawn(follow(body, Arc::clone(&tally), stopped.clone()));
        }
        clients.push(client);
    }
    // Each is told first that the object exists.
    tally.reached(0).await;
    let stretch = Stretch::begin(running.process()?)?;
    for turn in 1..=BURST {
        tally.reached(turn.saturating_sub(AHEAD)).await;
        change(&mut writer, &tally, turn).await?;
    }
    tally.reached(BURST).await;
    let events = stretch.end((BURST * WATCHERS) as f64)?;
    for turn in BURST + 1..=TURNS {
        change(&mut writer, &tally, turn).await?;
        tokio::time::sleep(PACE).await;
    }
    tally.reached(TURNS).await;
    drop(stop);
    let mut times = Vec::new();
    while let Some(done) = watchers.join_next().await {
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

/// Reads a watch and notes how long the events of the steady phase took.
async fn follow(
    mut body: Incoming,
    tally: Arc<Tally>,
    mut stopped: watch::Receiver<()>,
) -> Result<Vec<Duration>, BoxError> {
    let mut times = Vec::with_capacity(TURNS - BURST);
    let mut turn = 0;
    loop {
        let frame = tokio::select! {
            frame = body.frame() => frame,
            _ = stopped.changed() => return Ok(times),
        };
        let frame = frame.ok_or("a watch ended")??;
        // An event is one line; a line may come in pieces.
        for _ in memchr::memchr_iter(b'\n', frame.data_ref().map_or(&[][..], |data| data)) {
            if let Some(sent) = tally.sent[turn].get().filter(|_| turn > BURST) {
                times.push(sent.elapsed());
            }
            tally.note(turn);
            turn += 1;
        }
    }
}

/// Who has been told of what.
struct Tally {
    sent: Vec<std::sync::OnceLock<Instant>>,
    told: Vec<AtomicUsize>,
    changed: Notify,
}

impl Tally {
    fn new() -> Self {
        let sent = (0..=TURNS).map(|_| std::sync::OnceLock::new()).collect();
        let told = (0..=TURNS).map(|_| AtomicUsize::new(0)).collect();
        Self { sent, told, changed: Notify::new() }
    }

    fn note(&self, turn: usize) {
        if self.told[turn].fetch_add(1, Ordering::AcqRel) + 1 == WATCHERS {
            self.changed.notify_one();
        }
    }

    /// Waits until everybody was told of a change.
    async fn reached(&self, turn: usize) {
        while self.told[turn].load(Ordering::Acquire) < WATCHERS {
            self.changed.notified().await;
        }
    }
}

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

const WATCHERS: usize = 1000;

/// Each has its watches on one connection, over HTTP/2, as every client of Kubernetes has.
const CLIENTS: usize = 50;

/// How many changes the writer may be ahead of the slowest watcher: what kube-apiserver keeps for one.
const AHEAD: usize = 10;

/// Changes as fast as it goes, and then until the end at a pace.
const BURST: usize = 100;
const TURNS: usize = BURST + 40;

/// Slow enough that either server is done with one change before the next.
const PACE: Duration = Duration::from_millis(200);
