//! Everything that replicas with shards wrote, objects and Leases, in the order in which the server stored it.
//!
//! Each write of an object carries its writer and when that was about to send it; each Lease has the claims of a replica and
//! when it sent them. All replicas have one machine's clock, and all versions come from one counter. So the guarantee can be
//! checked exactly, without any allowance for time: see [`History::check`].

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::stream::BoxStream;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use pintle::ResourceExt;
use pintle::api::Api;
use pintle::runtime::reflector::Key;
use pintle::runtime::sharding::{Shards, Share};
use pintle::runtime::watcher::{self, watcher};

use crate::cluster::{Cluster, value};

/// How long claims count after they were seen renewed, and for how long their replica relies on them after it sent them: as the
/// replicas have it.
const LEASE: Duration = Duration::from_secs(3);
const RENEW: Duration = Duration::from_secs(2);

/// What was written so far.
pub(crate) struct History {
    noted: Arc<Mutex<Noted>>,
    watching: [tokio::task::JoinHandle<()>; 2],
    shards: Shards,
    namespace: String,
}

#[derive(Default)]
struct Noted {
    /// As they were seen.
    entries: Vec<Entry>,
    /// The last of each object.
    writes: BTreeMap<String, Write>,
    /// The last of each replica.
    claims: BTreeMap<String, Option<Claims>>,
}

#[derive(Clone, Debug)]
struct Entry {
    version: u64,
    seen: Instant,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Object(Write),
    /// What a replica claims from here on; nothing if its Lease was deleted.
    Lease(String, Option<Claims>),
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Write {
    pub(crate) object: String,
    pub(crate) by: String,
    /// When it was about to be sent, since 1970.
    sent: Duration,
}

#[derive(Clone, Debug)]
struct Claims {
    slots: Vec<bool>,
    /// When they were about to be sent, since 1970.
    renewed: Duration,
}

impl History {
    /// Watches the objects and the Leases.
    pub(crate) fn watch(cluster: &Cluster) -> Self {
        let noted = Arc::<Mutex<Noted>>::default();
        let leases = Api::<Lease>::namespaced(cluster.client.clone(), &cluster.namespace);
        let of_objects = watcher(cluster.maps(), watcher::Config::default().labels("failover=object")).boxed();
        let of_leases = watcher(leases, watcher::Config::default().labels("pintle/shards=failover")).boxed();
        let watching = [
            tokio::spawn(note_all(of_objects, Arc::clone(&noted), object_entry)),
            tokio::spawn(note_all(of_leases, Arc::clone(&noted), lease_entry)),
        ];
        let shards = Shards::new(cluster.client.clone(), &cluster.namespace, "failover");
        Self { noted, watching, shards, namespace: cluster.namespace.clone() }
    }

    /// Who wrote each object last.
    pub(crate) fn owners(&self) -> BTreeMap<String, String> {
        let noted = self.noted.lock().unwrap();
        noted.writes.iter().map(|(object, write)| (object.clone(), write.by.clone())).collect()
    }

    /// The writes of objects that were seen since then, in order.
    pub(crate) fn writes_since(&self, begun: Instant) -> Vec<(Instant, Write)> {
        let noted = self.noted.lock().unwrap();
        let first = noted.entries.partition_point(|entry| entry.seen <= begun);
        let write = |entry: &Entry| match &entry.what {
            What::Object(write) => Some((entry.seen, write.clone())),
            What::Lease(..) => None,
        };
        noted.entries[first..].iter().filter_map(write).collect()
    }

    /// Whether these replicas have every slot once between them, and every object was last written by whom its slot belongs to.
    pub(crate) fn is_settled(&self, replicas: &[String]) -> bool {
        let noted = self.noted.lock().unwrap();
        let claims: Option<Vec<(&String, &Claims)>> =
            replicas.iter().map(|name| Some((name, noted.claims.get(name)?.as_ref()?))).collect();
        let Some(claims) = claims else { return false };
        let claimers = |slot: usize| claims.iter().filter(move |(_, claims)| claims.slots[slot]);
        let is_owned = |write: &Write| claimers(self.slot(&write.object)).all(|(claimer, _)| **claimer == write.by);
        (0..Share::SLOTS).all(|slot| claimers(slot).count() == 1) && noted.writes.values().all(is_owned)
    }

    /// Every write of a Lease that was seen since then, a line each.
    pub(crate) fn leases_since(&self, begun: Instant) -> String {
        let noted = self.noted.lock().unwrap();
        let first = noted.entries.partition_point(|entry| entry.seen <= begun);
        let print = |entry: &Entry| match &entry.what {
            What::Object(_) => None,
            What::Lease(holder, claims) => {
                let count = claims.as_ref().map(|claims| claims.slots.iter().filter(|is_claimed| **is_claimed).count());
                Some(format!("{:8.3?} {holder}: {count:?}\n", entry.seen - begun))
            }
        };
        noted.entries[first..].iter().filter_map(print).collect()
    }

    /// Whether the Lease of a replica is deleted, as far as that is seen within a second.
    pub(crate) async fn has_left(&self, replica: &str) -> bool {
        let begun = Instant::now();
        let is_gone = || matches!(self.noted.lock().unwrap().claims.get(replica), Some(None));
        while !is_gone() && begun.elapsed() < Duration::from_secs(1) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        is_gone()
    }

    /// How long after `begun` others than `victim` claimed all these objects.
    pub(crate) fn claimed_after(&self, begun: Instant, objects: &[&String], victim: &str) -> Option<Duration> {
        let noted = self.noted.lock().unwrap();
        let claims = |object: &&String| {
            noted.entries.iter().find_map(|entry| match &entry.what {
                What::Lease(holder, Some(claims)) if entry.seen > begun && holder != victim => {
                    claims.slots[self.slot(object)].then_some(entry.seen - begun)
                }
                _ => None,
            })
        };
        objects.iter().filter_map(claims).max()
    }

    /// Checks every write in the order of the versions, and returns how many there were:
    ///
    /// - its writer claimed the object's slot in its Lease at that moment, and was about to send it before its guard closed;
    /// - if another replica wrote the object before, that one did not claim the slot any more, or had not renewed its claims
    ///   for as long as they count.
    pub(crate) fn check(&self) -> usize {
        let mut entries = self.noted.lock().unwrap().entries.clone();
        entries.sort_by_key(|entry| entry.version);
        let mut claims: BTreeMap<String, Option<Claims>> = BTreeMap::new();
        let mut last: BTreeMap<String, String> = BTreeMap::new();
        let mut count = 0;
        for Entry { version, what, .. } in entries {
            let write = match what {
                What::Lease(holder, claimed) => {
                    claims.insert(holder, claimed);
                    continue;
                }
                What::Object(write) => write,
            };
            let slot = self.slot(&write.object);
            let claim_of = |name: &String| claims.get(name)?.as_ref().filter(|claims| claims.slots[slot]);
            let own = claim_of(&write.by);
            let own = own.unwrap_or_else(|| panic!("{write:?} at {version}: its writer does not claim slot {slot}"));
            assert!(
                write.sent < own.renewed + RENEW,
                "{write:?} at {version} was sent after the guard closed: {own:?}"
            );
            let before = last.insert(write.object.clone(), write.by.clone()).filter(|before| *before != write.by);
            if let Some((before, claims)) = before.and_then(|before| Some((before.clone(), claim_of(&before)?))) {
                let is_over = write.sent >= claims.renewed + LEASE;
                assert!(is_over, "{write:?} at {version}, while {before} claims it since {:?}", claims.renewed);
            }
            count += 1;
        }
        count
    }

    pub(crate) fn slot(&self, object: &str) -> usize {
        self.shards.slot(&Key { namespace: Some(self.namespace.as_str().into()), name: object.into() })
    }
}

impl Drop for History {
    fn drop(&mut self) {
        self.watching.iter().for_each(tokio::task::JoinHandle::abort);
    }
}

impl Noted {
    fn note(&mut self, entry: Entry) {
        match &entry.what {
            // Somebody else changed the object.
            What::Object(write) if self.writes.get(&write.object) == Some(write) => return,
            What::Object(write) => drop(self.writes.insert(write.object.clone(), write.clone())),
            What::Lease(holder, claims) => drop(self.claims.insert(holder.clone(), claims.clone())),
        }
        self.entries.push(Entry { seen: Instant::now(), ..entry });
    }
}

/// Notes what a watch shows. It is open before the first replica starts, so no list hides the order.
async fn note_all<K: 'static>(
    mut events: BoxStream<'static, watcher::Result<watcher::Event<K>>>,
    noted: Arc<Mutex<Noted>>,
    entry: fn(watcher::Event<K>) -> Option<Entry>,
) {
    while let Some(event) = events.next().await {
        if let Some(entry) = event.ok().and_then(entry) {
            noted.lock().unwrap().note(entry);
        }
    }
}

/// A write of an object by a replica.
fn object_entry(event: watcher::Event<ConfigMap>) -> Option<Entry> {
    let watcher::Event::Apply(map) = event else { return None };
    let sent = Duration::from_micros(value(&map, "sent")?.parse().unwrap());
    let write = Write { object: map.name_any(), by: value(&map, "by")?.to_owned(), sent };
    Some(Entry::now(&map, What::Object(write)))
}

fn lease_entry(event: watcher::Event<Lease>) -> Option<Entry> {
    let (lease, is_there) = match event {
        watcher::Event::Apply(lease) => (lease, true),
        watcher::Event::Delete(lease) => (lease, false),
        _ => return None,
    };
    let spec = lease.spec.clone().unwrap();
    let claims = is_there.then(|| Claims {
        slots: slots(&lease.annotations()["pintle/slots"]),
        renewed: Duration::from_micros(spec.renew_time.unwrap().0.as_microsecond().try_into().unwrap()),
    });
    Some(Entry::now(&lease, What::Lease(spec.holder_identity.unwrap(), claims)))
}

impl Entry {
    fn now(object: &impl ResourceExt, what: What) -> Self {
        Self { version: object.resource_version().unwrap().parse().unwrap(), seen: Instant::now(), what }
    }
}

/// The claims as a Lease has them: words of 64 slots, each in sixteen hexadecimal digits.
fn slots(text: &str) -> Vec<bool> {
    let words = text.as_bytes().chunks(16).map(|word| u64::from_str_radix(str::from_utf8(word).unwrap(), 16).unwrap());
    words.flat_map(|word| (0..64).map(move |bit| word >> bit & 1 == 1)).collect()
}
