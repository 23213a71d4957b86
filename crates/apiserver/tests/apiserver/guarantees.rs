//! What every watch guarantees, checked on every watch that is recorded while random traffic goes on.
//!
//! ```text
//!  traffic ─► server ─► watches ─► Recording ─┐
//!                 └───► lists ───► History ───┴─► VALIDATORS
//! ```
//!
//! The history is what lists say at each version, so a recording is judged by something that is not a watch.

pub(crate) mod history;
mod planted;
pub(crate) mod recording;
mod traffic;
pub(crate) mod validators;

use std::time::Duration;

use super::world::{DEFINITIONS, World, definition};
use history::History;
use pintle_apiserver::{Requests, Server};
use recording::{Asked, Recorder, Recording};
use traffic::Traffic;

const STEPS: usize = 120;
const PERIOD: Duration = Duration::from_secs(60);

/// A run of traffic with watches that begin, end and are resumed at random; afterwards everything is known.
pub(crate) async fn run(seed: u64, collection: &'static str) -> (History, Vec<Recording>) {
    let server = Server::builder().seed(seed).watch_cache(false).bookmark_period(PERIOD).build();
    let world = World { server };
    world.post(DEFINITIONS, definition()).await.expect(201);
    let mut traffic = Traffic::new(seed, collection);
    traffic.prepare(&world).await;
    let from = world.server.revision();
    let (mut open, mut done): (Vec<Recorder>, Vec<Recording>) = (Vec::new(), Vec::new());
    for _ in 0..STEPS {
        match traffic.random.u8(..10) {
            0 | 1 => {
                open.push(Recorder::open(&world, Asked::at_random(&mut traffic, from, world.server.revision())).await);
            }
            2 => drop(world.server.send_bookmarks(&Requests::watches())),
            3 => tokio::time::advance(PERIOD).await,
            4 if traffic.random.u8(..3) == 0 => drop(world.server.cut_watches(&Requests::watches())),
            _ => traffic.step(&world).await,
        }
        for recorder in &mut open {
            // A watch that is not read for a while sends the same, later.
            if traffic.random.bool() {
                recorder.read(&world).await;
            }
        }
        for ended in open.extract_if(.., |recorder| recorder.has_ended()).collect::<Vec<_>>() {
            done.push(ended.finish());
        }
    }
    for mut recorder in open {
        recorder.read(&world).await;
        done.push(recorder.finish());
    }
    for recording in &mut done {
        recording.resume_after_every(1, &world).await;
    }
    (History::read(&world, collection, from, world.server.revision()).await, done)
}

/// Runs every validator over a recording.
#[track_caller]
pub(crate) fn judge(recording: &Recording, history: &History) {
    for (name, validator) in validators::VALIDATORS {
        if let Err(why) = validator(recording, history) {
            panic!("{name}: {why}\nin {:?}\n{}", recording.asked, recording.print());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_guarantee_holds_for_every_watch_recorded_in_random_traffic() {
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    for seed in 0..8 {
        for collection in ["/api/v1/configmaps", "/apis/example.com/v1/documents"] {
            let (history, recordings) = run(seed, collection).await;
            for recording in &recordings {
                judge(recording, &history);
                for event in &recording.events {
                    *seen.entry(event.kind.clone()).or_default() += 1;
                }
            }
            *seen.entry("watch".to_owned()).or_default() += recordings.len();
            *seen.entry("resumed".to_owned()).or_default() +=
                recordings.iter().map(|recording| recording.resumed.len()).sum::<usize>();
        }
    }
    for (what, least) in
        [("watch", 200), ("resumed", 1000), ("ADDED", 500), ("MODIFIED", 500), ("DELETED", 200), ("BOOKMARK", 300)]
    {
        assert!(seen.get(what).copied().unwrap_or_default() >= least, "too little happened: {seen:?}");
    }
}
