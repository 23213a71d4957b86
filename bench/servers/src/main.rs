//! The two servers side by side: Pintle's API server, and kube-apiserver with its etcd, under the same load.
//!
//! ```text
//!  servers ─┬─► servers serve (Pintle)  ─┐   in turns; each a process of its own, over TLS on loopback
//!           └─► kube (real, no fsync)   ─┴─► start ─► memory ─► writes ─► lists ─► fan-out ─► medians ─► ratios
//! ```
//!
//! Both are asked by the same client (`connection`) with the same bytes (`objects`).

mod alone;
mod connection;
mod data;
mod definitions;
mod fanout;
mod inside;
mod kubectl;
mod load;
mod measure;
mod objects;
mod rules;
mod side;
mod watches;
mod webhooks;

use std::error::Error;
use std::path::{Path, PathBuf};

use crate::measure::Figures;
use crate::side::{Running, Side};

/// The allocator of `pintle serve`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type BoxError = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), BoxError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).enable_all().build()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", kubeconfig] => runtime.block_on(side::serve(PathBuf::from(kubeconfig), None)),
        ["serve", kubeconfig, data] => runtime.block_on(side::serve(kubeconfig.into(), Some(Path::new(data)))),
        ["data"] => runtime.block_on(data::compare()),
        ["data", side] => runtime.block_on(data::report(Side::named(side)?)),
        ["data-start"] => runtime.block_on(data::starts()),
        ["definitions"] => runtime.block_on(definitions::compare(&definitions::made())),
        ["definitions", "of", folder] => runtime.block_on(definitions::compare(&definitions::of_folder(folder)?)),
        ["definitions", side] => runtime.block_on(definitions::report(Side::named(side)?)),
        ["rules"] => runtime.block_on(rules::compare()),
        ["rules", side] => runtime.block_on(rules::report(Side::named(side)?)),
        ["webhooks"] => runtime.block_on(webhooks::compare()),
        ["webhooks", side] => runtime.block_on(webhooks::report(Side::named(side)?)),
        ["inside"] => inside::report(),
        ["fanout", turns] => runtime.block_on(burst(turns.parse()?)),
        ["alone", what, rounds] => single_threaded()?.block_on(alone::run(what, rounds.parse()?)),
        [] => inside::report().and_then(|()| runtime.block_on(compare())),
        [side] => runtime.block_on(measure(Side::named(side)?)).map(|figures| println!("{figures}")),
        _ => Err("run `servers [data|definitions|rules|webhooks] [pintle|kube]`, `servers data-start`, `servers inside`, `servers fanout` or `servers alone`".into()),
    }
}

fn single_threaded() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

async fn compare() -> Result<(), BoxError> {
    let (mut kube, mut pintle) = (Vec::new(), Vec::new());
    // In turns, so that whatever else the machine does falls on both.
    for _ in 0..ROUNDS {
        kube.push(measure(Side::Kube).await?);
        pintle.push(measure(Side::Pintle).await?);
    }
    let (kube, pintle) = (Figures::median(&kube), Figures::median(&pintle));
    println!("  kube: {kube}\npintle: {pintle}");
    for (name, ratio) in pintle.ratios(&kube) {
        println!("ratio {name} {ratio:.2}");
    }
    Ok(())
}

/// A burst of changes to Pintle's server, so many that a profiler sees little else.
async fn burst(turns: usize) -> Result<(), BoxError> {
    let running = Running::start(Side::Pintle).await?;
    println!("{} events/s to watchers", fanout::burst(&running, turns).await?);
    running.stop().await
}

/// One run of one side.
async fn measure(side: Side) -> Result<Figures, BoxError> {
    let running = Running::start(side).await?;
    let memory_at_start = running.resident_memory()?;
    let writes = load::writes(&running).await?;
    let list = load::lists(&running).await?;
    let memory_loaded = running.resident_memory()?;
    let fanout = fanout::measure(&running).await?;
    let figures = Figures { start: running.start, memory_at_start, memory_loaded, writes, list, fanout };
    running.stop().await?;
    Ok(figures)
}

/// Odd, so that the median is a measurement.
const ROUNDS: usize = 3;

/// As many as the machine that the published numbers come from has cores.
const THREADS: usize = 2;
