//! Servers on a disk that crashes at every sync there is, fills up, or belongs to the future.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures::future::join_all;
use http::Request;
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::DataDirectory;
use super::database::Database;
use super::error::FORMAT;
use super::faulty_disk::{FaultyDisk, Unsynced};
use crate::Server;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// A prepared disk: a database is made beside its place and moved there, so nobody meets it half made.
fn disk() -> FaultyDisk {
    let disk = FaultyDisk::default();
    Database::on(disk.clone()).unwrap();
    disk
}

fn open(disk: &FaultyDisk) -> Result<Server, super::DataError> {
    Server::builder().seed(7).open_in(DataDirectory::of(Database::on(disk.clone())?))
}

async fn send(server: &Server, method: &str, path: &str, body: Value) -> (u16, Value) {
    let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    let response = server.clone().oneshot(request.body(Full::new(body)).unwrap()).await.unwrap();
    let code = response.status().as_u16();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (code, serde_json::from_slice(&bytes).unwrap_or_default())
}

fn version(object: &Value) -> u64 {
    object["metadata"]["resourceVersion"].as_str().unwrap_or_default().parse().unwrap_or_default()
}

/// What somebody outside knows of a server: each name's last acknowledged state, and every event that was seen.
#[derive(Default)]
struct Witness {
    /// The object, or that it is gone; and whether a later write may have come through.
    acknowledged: BTreeMap<String, Known>,
    events: Arc<Mutex<Vec<Value>>>,
    newest: u64,
}

#[derive(Clone, Default)]
struct Known {
    object: Option<Value>,
    /// What was asked for and never answered: its data, or a deletion.
    unanswered: Option<Option<Value>>,
}

impl Witness {
    fn watch(&self, server: &Server) -> tokio::task::JoinHandle<()> {
        let (server, events) = (server.clone(), Arc::clone(&self.events));
        tokio::spawn(async move {
            let request = Request::get(format!("{MAPS}?watch=true")).body(Full::<Bytes>::default()).unwrap();
            let mut body = server.oneshot(request).await.unwrap().into_body();
            while let Some(Ok(frame)) = body.frame().await {
                let lines = String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap();
                let seen = lines.lines().map(|line| serde_json::from_str(line).unwrap());
                events.lock().unwrap().extend(seen);
            }
        })
    }

    /// A round of writes at once, so that they share syncs: creates, changes and deletes by turns.
    async fn write(&mut self, server: &Server, round: usize) {
        let writes = (0..WRITERS).map(|writer| {
            let (name, data) = (format!("map-{writer}"), json!({"round": round.to_string()}));
            let path = format!("{MAPS}/{name}");
            let body = json!({"metadata": {"name": name}, "data": data});
            async move {
                let (sent, answer) = match (round + writer) % 3 {
                    0 => (Some(data), send(server, "POST", MAPS, body).await),
                    1 => (Some(data), send(server, "PUT", &path, body).await),
                    _ => (None, send(server, "DELETE", &path, Value::Null).await),
                };
                (name, sent, answer)
            }
        });
        for (name, sent, (code, answer)) in join_all(writes).await {
            let known = self.acknowledged.entry(name).or_default();
            match (code, sent) {
                (500, sent) => known.unanswered = Some(sent),
                (200 | 201, Some(_)) => {
                    self.newest = self.newest.max(version(&answer));
                    known.object = Some(answer);
                }
                (200, None) => known.object = None,
                (code, _) => assert!(matches!(code, 404 | 409), "{code}: {answer}"),
            }
        }
    }

    async fn check(&self, server: &Server, what: &str) {
        for (name, known) in &self.acknowledged {
            let (code, found) = send(server, "GET", &format!("{MAPS}/{name}"), Value::Null).await;
            let found = (code == 200).then_some(found);
            let is_unanswered = known.unanswered.as_ref().is_some_and(|wanted| match (wanted, &found) {
                (Some(data), Some(found)) => found["data"] == *data && version(found) > self.newest,
                (None, None) => true,
                _ => false,
            });
            assert!(found == known.object || is_unanswered, "{what}: {name}: {found:?} and not {:?}", known.object);
        }
        let revision = server.revision();
        assert!(revision >= self.newest, "{what}: {revision} is before {}", self.newest);
        for event in self.events.lock().unwrap().iter().filter(|event| event["type"] != "BOOKMARK") {
            let (name, at) = (event["object"]["metadata"]["name"].as_str().unwrap(), version(&event["object"]));
            assert!(at <= revision, "{what}: an event of {name} at {at} was seen, and the server is at {revision}");
        }
    }
}

#[tokio::test]
async fn what_was_acknowledged_or_seen_survives_a_crash_at_every_sync() {
    let prepared = disk();
    for crash in 1.. {
        let disk = prepared.after_crash(Unsynced::Lost);
        disk.crash_at(crash);
        let mut witness = Witness::default();
        if let Ok(server) = open(&disk) {
            let watching = witness.watch(&server);
            tokio::task::yield_now().await;
            for round in 0..ROUNDS {
                witness.write(&server, round).await;
                if disk.is_crashed() {
                    break;
                }
            }
            watching.abort();
        }
        let torn = (0..TORN).map(|seed| Unsynced::Torn(seed + 1000 * crash as u64));
        for unsynced in [Unsynced::Lost, Unsynced::Kept].into_iter().chain(torn) {
            let what = format!("a crash at sync {crash}, {unsynced:?}");
            let next = open(&disk.after_crash(unsynced)).unwrap_or_else(|error| panic!("{what}: {error}"));
            witness.check(&next, &what).await;
            let (code, made) = send(&next, "POST", MAPS, json!({"metadata": {"name": "next"}})).await;
            assert_eq!(code, 201, "{what}: {made}");
            assert!(version(&made) > witness.newest, "{what}: a revision is given out twice");
        }
        if !disk.is_crashed() {
            assert!(crash > ROUNDS, "there were only {crash} syncs");
            assert!(witness.events.lock().unwrap().len() > ROUNDS, "the watch saw nothing");
            return;
        }
    }
}

/// That the check above can fail.
#[tokio::test]
#[should_panic(expected = "a disk that lies: map-0: None and not Some")]
async fn a_disk_that_only_says_it_has_synced_is_noticed() {
    let (disk, mut witness) = (disk(), Witness::default());
    let server = open(&disk).unwrap();
    disk.lie();
    witness.write(&server, 0).await;
    let next = open(&disk.after_crash(Unsynced::Lost)).unwrap();
    witness.check(&next, "a disk that lies").await;
}

#[tokio::test]
async fn writers_that_come_together_share_a_sync() {
    let disk = disk();
    let server = open(&disk).unwrap();
    send(&server, "GET", MAPS, Value::Null).await;
    let before = disk.syncs();
    let bodies = (0..200).map(|at| json!({"metadata": {"name": format!("m{at}")}}));
    let writes = join_all(bodies.map(|body| send(&server, "POST", MAPS, body)));
    // All of them are committed, and wait, when the first sync comes back.
    disk.hold(true);
    let (made, ()) = futures::future::join(writes, async { disk.hold(false) }).await;
    assert!(made.iter().all(|(code, _)| *code == 201));
    let syncs = disk.syncs() - before;
    assert!(syncs < 20, "200 writes took {syncs} syncs");
}

#[tokio::test]
async fn a_full_disk_is_an_error_that_says_so_and_loses_nothing() {
    let disk = disk();
    let server = open(&disk).unwrap();
    let (_, kept) = send(&server, "POST", MAPS, json!({"metadata": {"name": "kept"}})).await;
    let witness = Witness::default();
    let watching = witness.watch(&server);
    disk.fill(true);
    let (code, refused) = send(&server, "POST", MAPS, json!({"metadata": {"name": "lost"}})).await;
    let message = refused["message"].as_str().unwrap();
    assert!(code == 500 && message.contains("storage") && message.contains("free some space"), "{code} {message}");
    // What memory has is ahead of the disk, so it is not shown.
    assert_eq!(send(&server, "GET", &format!("{MAPS}/lost"), Value::Null).await.0, 500);
    assert_eq!(send(&server, "GET", "/healthz", Value::Null).await.0, 500);
    assert!(server.data_failure().await.to_string().contains("free some space"));
    watching.abort();
    assert!(!witness.events.lock().unwrap().iter().any(|event| event["object"]["metadata"]["name"] == "lost"));
    drop(server);
    disk.fill(false);
    let next = open(&disk.after_crash(Unsynced::Kept)).unwrap();
    assert_eq!(send(&next, "GET", &format!("{MAPS}/kept"), Value::Null).await.1, kept);
    assert_eq!(send(&next, "GET", &format!("{MAPS}/lost"), Value::Null).await.0, 404);
}

#[test]
fn a_directory_of_a_newer_format_is_refused() {
    let disk = disk();
    Database::on(disk.clone()).unwrap().keep("format", &(FORMAT + 1).to_be_bytes()).unwrap();
    let refusal = open(&disk).map(drop).unwrap_err().to_string();
    assert!(refusal.contains("newer Pintle (its format is 2, this version knows up to 1)"), "{refusal}");
}

/// Enough for creates, changes and deletes of every name.
const ROUNDS: usize = 7;
const WRITERS: usize = 4;

/// How many ways of tearing are tried for each crash.
const TORN: u64 = 4;
