//! Three replicas of which one leads; that one is killed, asked to stop, or stopped past its lease and continued.
//!
//! Each write carries its term and its writer, and one watch sees them all in the order of their versions: a term never
//! follows a higher one, and has one writer.

use std::time::{Duration, Instant};

use crate::cluster::Cluster;
use crate::replicas::Replicas;
use crate::writes::Writes;

/// How many objects the replicas work on.
const OBJECTS: usize = 5;
/// The lease is good for 3 s after its last renewal, which is seen at once. The rest is for a busy machine: stories with paused
/// time check the bound itself.
const TAKEOVER_MAX: Duration = Duration::from_secs(3 + 5);
/// That it is released is seen at once. The rest is for a busy machine.
const HANDOVER_MAX: Duration = Duration::from_secs(5);
/// Longer than the lease, and than anybody takes to notice.
const STOPPED: Duration = Duration::from_millis(4500);

/// What happens to the leader.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Blow {
    /// SIGKILL.
    Killed,
    /// SIGTERM.
    Terminated,
    /// SIGSTOP, and SIGCONT long after its lease has run out.
    Stopped,
}

#[tokio::test(flavor = "multi_thread")]
async fn never_two_write_at_once_whatever_happens_to_the_leader() {
    use Blow::{Killed, Stopped, Terminated};
    suffer(&[Killed, Terminated, Stopped], 7).await;
}

/// The long form: fifty times killed at random moments.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes six minutes"]
async fn never_two_write_at_once_in_fifty_killings() {
    let blows: Vec<_> = (0..70)
        .map(|round| match round % 7 {
            2 => Blow::Terminated,
            5 => Blow::Stopped,
            _ => Blow::Killed,
        })
        .collect();
    assert_eq!(blows.iter().filter(|blow| **blow == Blow::Killed).count(), 50);
    suffer(&blows, fastrand::u64(..)).await;
}

async fn suffer(blows: &[Blow], seed: u64) {
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let cluster = Cluster::new().await;
    cluster.create_objects(OBJECTS).await;
    let writes = Writes::watch(cluster.maps());
    let mut replicas = Replicas::new(&cluster.kubeconfig, &cluster.namespace, "leader");
    (0..3).for_each(|_| drop(replicas.start()));
    let mut term = writes.until(Duration::from_secs(30), |_| true).await.term;
    for blow in blows {
        tokio::time::sleep(Duration::from_millis(random.u64(100..1100))).await;
        let leader = writes.last();
        assert_eq!(leader.term, term, "nobody else began to lead by itself");
        let begun = Instant::now();
        let limit = match blow {
            Blow::Killed => {
                replicas.kill(&leader.by);
                replicas.start();
                TAKEOVER_MAX
            }
            Blow::Terminated => {
                replicas.terminate(&leader.by);
                replicas.start();
                HANDOVER_MAX
            }
            Blow::Stopped => {
                replicas.signal(&leader.by, "STOP");
                TAKEOVER_MAX
            }
        };
        let next = writes.until(limit, |write| write.term > term).await;
        println!("{blow:?}: {} leads after {:?}", next.by, begun.elapsed());
        assert_ne!(next.by, leader.by);
        if *blow == Blow::Stopped {
            tokio::time::sleep(STOPPED.saturating_sub(begun.elapsed())).await;
            replicas.signal(&leader.by, "CONT");
            // Whatever it was about to write it would write now.
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        term = next.term;
    }
    cluster.converges().await;
    println!("{} writes in {} terms, none by two at once", writes.count(), term + 1);
    replicas.stop();
}
