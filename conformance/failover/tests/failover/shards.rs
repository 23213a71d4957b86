//! Replicas that share the objects, and come and go.
//!
//! [`History::check`] proves of every write that no two had its object at once. Here it is checked that every object is
//! taken over in time, and that only what must move moves.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::cluster::Cluster;
use crate::history::History;
use crate::replicas::Replicas;

/// How many objects the replicas share: each of four has some.
const OBJECTS: usize = 12;
/// Claims count for 3 s after the last renewal, which is seen at once. The rest is for a busy machine: stories with paused time
/// check the bound itself.
const TAKEOVER_MAX: Duration = Duration::from_secs(3 + 5);
/// That a Lease is deleted is seen at once. The rest is for a busy machine.
const HANDOVER_MAX: Duration = Duration::from_secs(5);
/// One that comes waits until those who have its slots have written their claims without them.
const JOIN_MAX: Duration = Duration::from_secs(15);

/// What happens to the replicas.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Change {
    /// One comes.
    Joined,
    /// SIGKILL.
    Killed,
    /// SIGTERM.
    Terminated,
    /// SIGSTOP, and SIGCONT long after its claims have run out.
    Stopped,
    /// Several come and go before the others have noticed.
    Several,
}

#[tokio::test(flavor = "multi_thread")]
async fn no_object_has_two_writers_whatever_happens_to_the_replicas() {
    use Change::{Joined, Killed, Stopped, Terminated};
    suffer(&[Killed, Joined, Terminated, Stopped], 7).await;
}

/// The long form: fifty changes at random moments.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes six minutes"]
async fn no_object_has_two_writers_in_fifty_changes() {
    use Change::{Joined, Killed, Several, Stopped, Terminated};
    let changes = [Killed, Joined, Stopped, Joined, Terminated, Joined, Several, Killed, Joined, Stopped];
    suffer(&changes.repeat(5), fastrand::u64(..)).await;
}

async fn suffer(changes: &[Change], seed: u64) {
    println!("shards: seed {seed}");
    let cluster = Cluster::new().await;
    cluster.create_objects(OBJECTS).await;
    let mut test = Test {
        random: fastrand::Rng::with_seed(seed),
        history: History::watch(&cluster),
        replicas: Replicas::new(&cluster.kubeconfig, &cluster.namespace, "shards"),
        times: BTreeMap::new(),
    };
    (0..3).for_each(|_| drop(test.replicas.start()));
    test.settled(Duration::from_secs(30)).await;
    for change in changes {
        sleep(Duration::from_millis(test.random.u64(100..1100))).await;
        test.play(*change).await;
        test.settled(JOIN_MAX).await;
    }
    cluster.converges().await;
    test.replicas.stop();
    sleep(Duration::from_millis(500)).await;
    println!("shards: {} writes, no object by two at once; {}", test.history.check(), test.summary());
}

struct Test {
    random: fastrand::Rng,
    history: History,
    replicas: Replicas,
    /// How long it took until others had everything.
    times: BTreeMap<Change, Vec<Duration>>,
}

impl Test {
    async fn play(&mut self, change: Change) {
        let owners = self.history.owners();
        let names = self.replicas.names();
        let victim = names[self.random.usize(..names.len())].clone();
        let mut begun = Instant::now();
        match change {
            Change::Joined => {
                let newcomer = self.replicas.start();
                self.settled(JOIN_MAX).await;
                self.times.entry(change).or_default().push(begun.elapsed());
                self.check_moves(begun, &owners, |before, after| after == before || after == newcomer);
            }
            Change::Killed => {
                self.replicas.kill(&victim);
                self.taken_over(change, begun, &victim, &owners, TAKEOVER_MAX).await;
            }
            Change::Terminated => {
                self.replicas.terminate(&victim);
                // Its last reconciles may take their time.
                begun = Instant::now();
                assert!(self.history.has_left(&victim).await, "{victim} has stopped and left its Lease to run out");
                self.taken_over(change, begun, &victim, &owners, HANDOVER_MAX).await;
            }
            Change::Stopped => {
                self.replicas.signal(&victim, "STOP");
                self.taken_over(change, begun, &victim, &owners, TAKEOVER_MAX).await;
                // Past its claims, and also so long that the others have deleted its Lease.
                let stopped = Duration::from_millis(if self.random.bool() { 4500 } else { 8000 });
                sleep(stopped.saturating_sub(begun.elapsed())).await;
                self.replicas.signal(&victim, "CONT");
                self.settled(JOIN_MAX).await;
                assert_eq!(self.history.owners(), owners, "what it had it has again, and nothing else");
            }
            Change::Several => {
                for step in 0..4 {
                    match self.replicas.names() {
                        names if names.len() > 2 && step % 2 == 0 => self.replicas.kill(&names[0]),
                        names if names.len() > 2 && self.random.bool() => self.replicas.terminate(&names[1]),
                        _ => drop(self.replicas.start()),
                    }
                    sleep(Duration::from_millis(self.random.u64(0..800))).await;
                }
            }
        }
    }

    /// Waits until every object of `victim` was written by another, and no other object has moved.
    async fn taken_over(
        &mut self,
        change: Change,
        begun: Instant,
        victim: &str,
        owners: &BTreeMap<String, String>,
        limit: Duration,
    ) {
        let left: Vec<&String> =
            owners.iter().filter(|(_, owner)| *owner == victim).map(|(object, _)| object).collect();
        let mut after = Duration::ZERO;
        for object in &left {
            let seen = loop {
                let writes = self.history.writes_since(begun);
                if let Some((seen, _)) = writes.iter().find(|(_, write)| write.object == **object && write.by != victim)
                {
                    break *seen;
                }
                assert!(
                    begun.elapsed() < limit,
                    "{object} of {victim}, {change:?}: not taken over within {limit:?}; its slot is {}, and the Leases were\n{}",
                    self.history.slot(object),
                    self.history.leases_since(begun - limit)
                );
                sleep(Duration::from_millis(5)).await;
            };
            after = after.max(seen - begun);
        }
        println!(
            "shards: {change:?}: {} objects of {victim} taken over after {after:.1?}, claimed after {:.1?}",
            left.len(),
            self.history.claimed_after(begun, &left, victim)
        );
        if !left.is_empty() {
            self.times.entry(change).or_default().push(after);
        }
        self.check_moves(begun, owners, |before, after| after == before || before == victim);
    }

    /// Every write since then is by whom `may_have` allows it, who gets the owner before and the writer.
    fn check_moves(&self, begun: Instant, owners: &BTreeMap<String, String>, may_have: impl Fn(&str, &str) -> bool) {
        for (_, write) in self.history.writes_since(begun) {
            let before = &owners[&write.object];
            assert!(may_have(before, &write.by), "{} moved from {before} to {} for nothing", write.object, write.by);
        }
    }

    async fn settled(&self, limit: Duration) {
        let begun = Instant::now();
        while !self.history.is_settled(&self.replicas.names()) {
            assert!(begun.elapsed() < limit, "{:?} do not share everything", self.replicas.names());
            sleep(Duration::from_millis(10)).await;
        }
    }

    fn summary(&self) -> String {
        let of = |(change, times): (&Change, &Vec<Duration>)| {
            let (least, most) = (times.iter().min().unwrap(), times.iter().max().unwrap());
            format!("{change:?} {} times: {least:.1?} to {most:.1?}", times.len())
        };
        self.times.iter().map(of).collect::<Vec<_>>().join(", ")
    }
}
