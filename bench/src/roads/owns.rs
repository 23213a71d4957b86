//! A controller whose objects each own a Secret: when that changes, its owner is reconciled.
//!
//! Both libraries watch the metadata of what is owned and nothing else of it.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::{Stream, StreamExt};
use serde::de::DeserializeOwned;

use super::controller::{error_policy, reconcile};
use super::library::Resource;
use super::library::runtime::controller::Controller;
use crate::BoxError;
use crate::measure::{Figures, Meter, Moment};
use crate::source::Source;

/// Runs it through the history, in which only what is owned changes; each step ends once every owner was reconciled.
pub(crate) async fn control_owners<K>(
    source: &Source,
    controller: Controller<K>,
    mut meter: Meter,
) -> Result<Figures, BoxError>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
{
    let Source { count, place, .. } = source;
    let mut reconciled = pin!(controller.run(reconcile, error_policy, Arc::new(OnceLock::new())));
    wait_for_each(&mut reconciled, *count).await?;
    while !place.is_watched() {
        settle(&mut reconciled).await;
    }
    settle(&mut reconciled).await;
    meter.spent("sync", Moment::at_rest());
    meter.holds("memory")?;

    if source.goes_on() {
        source.go_on(&mut meter, async |_| wait_for_each(&mut reconciled, *count).await).await?;
    }
    Ok(meter.finish())
}

/// Until so many different objects were reconciled: one that is woken by both lists may be so twice.
async fn wait_for_each<R: Eq + Hash, T, E>(
    reconciled: &mut (impl Stream<Item = Result<(R, T), E>> + Unpin),
    count: usize,
) -> Result<(), BoxError> {
    let mut seen = HashSet::with_capacity(count);
    while seen.len() < count {
        // A watch that expired is an error on the way.
        if let Ok((object, _)) = reconciled.next().await.ok_or("the controller ended early")? {
            seen.insert(object);
        }
    }
    Ok(())
}

/// Until nothing more is reconciled for a moment.
async fn settle(reconciled: &mut (impl Stream + Unpin)) {
    while tokio::time::timeout(PAUSE, reconciled.next()).await.is_ok() {}
}

/// Longer than a controller waits between two reconciles of which it knows.
const PAUSE: Duration = Duration::from_millis(50);
