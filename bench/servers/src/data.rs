//! Both servers where every write is on the disk before it is answered, and how long Pintle takes to start with much data.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pintle_apiserver::Server;

use crate::BoxError;
use crate::load;
use crate::measure::Rate;
use crate::side::{Running, Side};

/// Measures both in turns and prints each round and the ratio of their medians.
pub(crate) async fn compare() -> Result<(), BoxError> {
    let (mut kube, mut pintle) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        kube.push(measure(Side::Kube).await?);
        pintle.push(measure(Side::Pintle).await?);
    }
    for (side, rounds) in [("kube", &kube), ("pintle", &pintle)] {
        rounds.iter().for_each(|round| println!("{side}: {round}"));
    }
    for (at, writers) in WRITERS.into_iter().enumerate() {
        let median = |rounds: &[Figures]| middle(rounds.iter().map(|round| round.0[at].by_clock).collect());
        println!("ratio data-writes-{writers} {:.2}", median(&pintle) / median(&kube));
    }
    Ok(())
}

/// Measures one side and prints what it came to.
pub(crate) async fn report(side: Side) -> Result<(), BoxError> {
    measure(side).await.map(|figures| println!("{figures}"))
}

/// Writes in a second, by the number of writers.
struct Figures([Rate; WRITERS.len()]);

impl fmt::Display for Figures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = WRITERS.into_iter().zip(self.0);
        let each: Vec<String> = each.map(|(writers, rate)| format!("{writers} writers {rate} writes/s")).collect();
        formatter.write_str(&each.join(", "))
    }
}

async fn measure(side: Side) -> Result<Figures, BoxError> {
    let folder = Folder::new();
    let running = Running::start_on(side, Some(&folder.0)).await?;
    let mut rates = Vec::new();
    for (at, writers) in WRITERS.into_iter().enumerate() {
        // One writer waits for the disk each time, so it gets less to do.
        let (begin, pods) = (10_000 * at, PODS * writers.min(8) / 8);
        rates.push(load::writes_by(&running, writers, begin..begin + pods).await?);
    }
    running.stop().await?;
    Ok(Figures(rates.try_into().map_err(|_| "a rate is missing")?))
}

/// Starts Pintle on a directory with much in it.
pub(crate) async fn starts() -> Result<(), BoxError> {
    let folder = Folder::new();
    fill(&folder.0)?;
    let mut times: [Vec<Duration>; 2] = Default::default();
    for round in 0..2 * ROUNDS {
        let running = Running::start_on(Side::Pintle, Some(&folder.0)).await?;
        // The first is after a clean end, the next after a kill, and so on.
        times[round % 2].push(running.start);
        if round % 2 == 0 { running.kill().await? } else { running.stop().await? }
    }
    let [clean, killed] = times.map(middle);
    println!("start with {OBJECTS} objects: {clean:.0?} after a clean end, {killed:.0?} after a kill");
    Ok(())
}

fn fill(directory: &Path) -> Result<(), BoxError> {
    let server = Server::open(directory)?;
    let filling = "x".repeat(800);
    for chunk in (0..OBJECTS).step_by(CHUNK) {
        let maps = (chunk..chunk + CHUNK).map(|number| {
            format!(
                "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map-{number}\n  labels: {{app: a-{}}}\n\
                 data:\n  filling: {filling}\n",
                number % 40
            )
        });
        server.load(&maps.collect::<String>())?;
    }
    Ok(())
}

/// A directory that is gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        Folder(std::env::temp_dir().join(format!("pintle-bench-data-{}", std::process::id())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            eprintln!("{} is left behind: {error}", self.0.display());
        }
    }
}

fn middle<T: PartialOrd + Copy>(mut values: Vec<T>) -> T {
    values.sort_by(|one, other| one.partial_cmp(other).expect("times and rates are numbers"));
    values[values.len() / 2]
}

/// One waits for each sync alone; 8 are a few controllers; 64 show what shared syncs are worth.
const WRITERS: [usize; 3] = [1, 8, 64];

/// For eight writers and more.
const PODS: usize = 1000;

/// Odd, so that the median is a measurement.
const ROUNDS: usize = 3;

const OBJECTS: usize = 50_000;
const CHUNK: usize = 5_000;
