//! `pintle serve --data` and `pintle snapshot`: a server that is killed, over and over, while it is written to.
//!
//! `PINTLE_KILLS=300` kills it that often; `PINTLE_SEED` is the seed of the moments and of what is written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::StreamExt;
use futures::future::join_all;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::api::{Api, DeleteParams, ListParams, ObjectMeta, PostParams, WatchEvent, WatchParams};
use pintle::{Client, Error, ResourceExt};
use tokio::sync::watch;

use crate::process::{Folder, Process, client};

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

fn data_in(folder: &Folder) -> PathBuf {
    folder.kubeconfig().with_file_name("data")
}

fn serve(folder: &Folder) -> Process {
    let (kubeconfig, data) = (folder.kubeconfig(), data_in(folder));
    Process::start(["serve", "--data", text(&data), "--kubeconfig", text(&kubeconfig)])
}

fn map(name: &str, value: &str) -> ConfigMap {
    let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
    ConfigMap { metadata, data: Some([("value".to_owned(), value.to_owned())].into()), ..ConfigMap::default() }
}

fn value_of(map: &ConfigMap) -> Option<String> {
    map.data.as_ref()?.get("value").cloned()
}

fn version_of(map: &ConfigMap) -> u64 {
    map.resource_version().and_then(|version| version.parse().ok()).expect("every object has a version")
}

/// What is known of a name from outside.
#[derive(Clone, Debug, Default, PartialEq)]
struct Known {
    /// Its value and its version, if it is there.
    state: Option<(String, u64)>,
    /// What was asked for and not answered: a value, or a deletion.
    unanswered: Option<Option<String>>,
}

/// By version: the name and the value of an event, or that it was a deletion.
type Events = BTreeMap<u64, (String, Option<String>)>;

/// What clients were told: the answers to their writes, and the events of a watch.
#[derive(Clone, Default)]
struct Witness {
    names: Arc<Mutex<BTreeMap<String, Known>>>,
    events: Arc<Mutex<Events>>,
}

impl Witness {
    fn names(&self) -> MutexGuard<'_, BTreeMap<String, Known>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn events(&self) -> MutexGuard<'_, Events> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes to names of its own until it is stopped; a write that is cut off stays unanswered.
    async fn write(
        self,
        maps: Api<ConfigMap>,
        writer: usize,
        mut random: fastrand::Rng,
        mut stop: watch::Receiver<bool>,
    ) {
        for count in 0.. {
            let name = format!("w{writer}-{}", random.u8(0..4));
            let known = self.names().get(&name).cloned().unwrap_or_default();
            let is_deletion = known.state.is_some() && random.u8(0..4) == 0;
            let value = format!("{writer}-{count}-{}", random.u64(..));
            let wanted = (!is_deletion).then(|| value.clone());
            self.names().entry(name.clone()).or_default().unanswered = Some(wanted);
            let writing = async {
                match (&known.state, is_deletion) {
                    (Some(_), true) => maps.delete(&name, &DeleteParams::default()).await.map(|_| None),
                    (Some(_), false) => {
                        maps.replace(&name, &PostParams::default(), &map(&name, &value)).await.map(Some)
                    }
                    (None, _) => maps.create(&PostParams::default(), &map(&name, &value)).await.map(Some),
                }
            };
            let answer = tokio::select! {
                biased;
                // First: an answer that comes after the kill is not one.
                _ = stop.wait_for(|stop| *stop) => return,
                answer = writing => answer,
            };
            match answer {
                Ok(written) => {
                    let state = written.map(|map| (value, version_of(&map)));
                    self.names().insert(name, Known { state, unanswered: None });
                }
                Err(Error::Api(status)) => panic!("{name}: {status:?}"),
                Err(_) => return,
            }
        }
    }

    /// Sees every event from a version on; the same version is always the same event.
    async fn watch(self, maps: Api<ConfigMap>, from: String) {
        let Ok(stream) = maps.watch(&WatchParams::default(), &from).await else { return };
        let mut stream = Box::pin(stream);
        while let Some(Ok(event)) = stream.next().await {
            let (map, value) = match &event {
                WatchEvent::Added(map) | WatchEvent::Modified(map) => (map, value_of(map)),
                WatchEvent::Deleted(map) => (map, None),
                _ => continue,
            };
            let seen = (map.name_any(), value);
            let before = self.events().insert(version_of(map), seen.clone());
            assert!(before.as_ref().is_none_or(|before| *before == seen), "{before:?} and {seen:?} have one version");
        }
    }

    /// Compares what clients were told with what is there, and goes on from that.
    async fn check(&self, maps: &Api<ConfigMap>, what: &str) {
        let list = maps.list(&ListParams::default()).await.expect("it is up again");
        let revision: u64 = list.metadata.resource_version.expect("a list has one").parse().expect("a number");
        let found = list.items.iter().filter_map(|map| Some((map.name_any(), (value_of(map)?, version_of(map)))));
        let found: BTreeMap<String, (String, u64)> = found.collect();
        let mut last = BTreeMap::new();
        for (at, (name, value)) in self.events().iter() {
            assert!(*at <= revision, "{what}: an event at {at} was seen, and the server is at {revision}");
            last.insert(name.clone(), (*at, value.clone()));
        }
        for (name, known) in self.names().iter_mut() {
            let (now, event) = (found.get(name).cloned(), last.get(name));
            let is_late =
                known.unanswered.as_ref().is_some_and(|wanted| *wanted == now.clone().map(|(value, _)| value));
            // A write whose answer was cut off counts as acknowledged if its event was seen.
            let is_expected = if known.was_seen(event) { is_late } else { now == known.state || is_late };
            assert!(is_expected, "{what}: {name} is {now:?}, and this is known of it: {known:?}, {event:?}");
            if let (Some((value, version)), Some((at, seen))) = (&now, event) {
                let is_newer = version > at || (version == at && Some(value) == seen.as_ref());
                assert!(is_newer, "{what}: {name} was seen at {at} as {seen:?}, and is {value:?} at {version}");
            }
            *known = Known { state: now, unanswered: None };
        }
    }
}

impl Known {
    /// Whether this event, the last of its name, is that of the write that was not answered.
    fn was_seen(&self, event: Option<&(u64, Option<String>)>) -> bool {
        let is_newer = |at: u64| self.state.as_ref().is_none_or(|(_, version)| at > *version);
        event.is_some_and(|(at, value)| self.unanswered.as_ref() == Some(value) && is_newer(*at))
    }
}

/// One life of the server, from its start to a kill in the middle of writes.
async fn live(folder: &Folder, witness: &Witness, random: &mut fastrand::Rng, what: &str) -> String {
    let mut server = serve(folder);
    server.line_with("ready").await;
    let client: Client = client(&folder.kubeconfig()).await;
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    witness.check(&maps, what).await;
    let from = maps.list(&ListParams::default()).await.expect("it is up").metadata.resource_version.unwrap_or_default();
    let (stop, stopped) = watch::channel(false);
    let watching = tokio::spawn(witness.clone().watch(maps.clone(), from));
    let writers = (0..WRITERS)
        .map(|writer| tokio::spawn(witness.clone().write(maps.clone(), writer, random.fork(), stopped.clone())));
    let writers: Vec<_> = writers.collect();
    tokio::time::sleep(Duration::from_millis(random.u64(1..400))).await;
    server.kill().await;
    stop.send_replace(true);
    for ended in join_all(writers).await {
        ended.expect("a writer was told something that is wrong");
    }
    // What was on its way is still an event that somebody saw.
    tokio::time::timeout(Duration::from_secs(5), watching)
        .await
        .expect("the connection is gone")
        .expect("its events agree");
    std::fs::read_to_string(folder.kubeconfig()).expect("it was written")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_killed_while_it_is_written_to_has_every_write_it_acknowledged() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (kills, seed) = (number("PINTLE_KILLS").unwrap_or(KILLS), number("PINTLE_SEED").unwrap_or(7));
    let (folder, witness, mut random) = (Folder::new(), Witness::default(), fastrand::Rng::with_seed(seed));
    let mut kubeconfig = None;
    for kill in 0..kills {
        let written = live(&folder, &witness, &mut random, &format!("seed {seed}, after kill {kill}")).await;
        let first = kubeconfig.get_or_insert_with(|| written.clone());
        assert_eq!(*first, written, "port, authority and token stay the same");
    }
    let mut server = serve(&folder);
    server.line_with("ready").await;
    let maps = Api::default_namespaced(client(&folder.kubeconfig()).await);
    witness.check(&maps, &format!("seed {seed}, at the end")).await;
    assert!(witness.events().len() as u64 > kills, "only {} events were seen", witness.events().len());
    assert!(witness.names().len() > WRITERS, "hardly anything was written");
}

#[tokio::test]
async fn a_second_server_on_the_same_directory_is_refused() {
    let folder = Folder::new();
    let mut first = serve(&folder);
    first.line_with("ready").await;
    let ended = serve(&folder).end().await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.errors.contains("is in use by another process (its id is"), "{ended:?}");
}

#[tokio::test]
async fn a_snapshot_of_a_running_server_is_restored_into_a_directory() {
    let folder = Folder::new();
    let mut server = serve(&folder);
    server.line_with("ready").await;
    let maps: Api<ConfigMap> = Api::default_namespaced(client(&folder.kubeconfig()).await);
    let made = maps.create(&PostParams::default(), &map("a", "1")).await.expect("it is new");
    let (kubeconfig, data) = (folder.kubeconfig(), data_in(&folder));
    let (file, other) = (kubeconfig.with_file_name("snapshot"), kubeconfig.with_file_name("other"));
    let save = ["snapshot", "save", text(&file), "--kubeconfig", text(&kubeconfig)];
    Process::start(save).line_with("saved").await;

    let offline = ["snapshot", "save", text(&file), "--data", text(&data)];
    let ended = Process::start(offline).end().await;
    assert!(ended.code == Some(1) && ended.errors.contains("in use"), "{ended:?}");
    server.interrupt().await;
    assert_eq!(server.end().await.code, Some(0));
    Process::start(offline).line_with("saved").await;

    let restore = ["snapshot", "restore", text(&file), "--data", text(&other)];
    Process::start(restore).line_with("restored").await;
    let ended = Process::start(restore).end().await;
    assert!(ended.code == Some(1) && ended.errors.contains("give --force"), "{ended:?}");
    Process::start(restore.into_iter().chain(["--force"])).line_with("restored").await;

    let mut restored = Process::start(["serve", "--data", text(&other), "--kubeconfig", text(&kubeconfig)]);
    restored.line_with("ready").await;
    let maps: Api<ConfigMap> = Api::default_namespaced(client(&kubeconfig).await);
    assert_eq!(maps.get("a").await.expect("it was in the snapshot"), made);
}

/// A sample; the rest is behind `PINTLE_KILLS`.
const KILLS: u64 = 8;
const WRITERS: usize = 4;
