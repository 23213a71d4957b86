//! What objects take in a store that keeps none of them decoded: their bodies, compressed, and what is kept beside those.

use std::fmt::Debug;
use std::pin::pin;
use std::time::Duration;

use futures::StreamExt;
use pintle::runtime::reflector::{DecodedBudget, StoreUsage, Writer};
use pintle::runtime::{WatchStreamExt, watcher};
use pintle::{Api, Client, Resource};
use serde::de::DeserializeOwned;

use crate::BoxError;
use crate::allocations::held_bytes;
use crate::answer::Encoding;
use crate::cluster::Cluster;
use crate::objects::Kind;
use crate::road::Road;

/// Enough that the dictionary and what is there once count for little.
const COUNT: usize = 50_000;
/// How long compressing them may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Prints a line.
pub(super) fn weigh_stored<K>(kind: Kind, encoding: Encoding) -> Result<(), BoxError>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
{
    let cluster = Cluster::new(Road::Reflect, kind, COUNT, encoding)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (held, usage) = runtime.block_on(fill::<K>(cluster))?;
    let each = |bytes: usize| bytes as f64 / usage.objects as f64;
    let (body, all) = (each(usage.compressed_bytes + usage.packed_bytes), each(held));
    println!("| {} | {} | {all:.0} | {body:.0} | {:.0} |", kind.name(), encoding.name(), all - body);
    Ok(())
}

/// Fills a store, waits until everything is compressed, and says how much is held for it.
async fn fill<K>(cluster: Cluster) -> Result<(usize, StoreUsage), BoxError>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
{
    let before = held_bytes();
    let writer = Writer::<K>::new(()).with_budget(&DecodedBudget::new(0));
    let store = writer.as_reader();
    let initial_list_strategy = watcher::InitialListStrategy::ListWatch;
    let config = watcher::Config { initial_list_strategy, ..watcher::Config::default() };
    let events = watcher(Api::<K>::all(Client::new(cluster, "default")), config);
    let mut events = pin!(events.default_backoff().reflect(writer));
    while !matches!(events.next().await.ok_or("the watch ended early")??, watcher::Event::InitDone) {}
    let begun = std::time::Instant::now();
    // The few bodies that cannot be compressed stay as they came.
    while store.usage().packed_bytes > store.usage().compressed_bytes / 10 {
        if begun.elapsed() > PATIENCE {
            return Err("most objects are not compressed after a minute".into());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok((usize::try_from(held_bytes() - before)?, store.usage()))
}
