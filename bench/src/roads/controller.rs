//! A controller of the objects alone.

use std::convert::Infallible;
use std::fmt::Debug;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::{Stream, StreamExt};
use serde::de::DeserializeOwned;

use super::library::runtime::controller::{Action, Controller};
use super::library::{Resource, ResourceExt};
use crate::BoxError;
use crate::measure::{Figures, Meter, Moment};
use crate::source::Source;

/// Runs it through the history; each step ends once every object was reconciled.
pub(crate) async fn control<K>(
    source: &Source,
    controller: Controller<K>,
    mut meter: Meter,
) -> Result<Figures, BoxError>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned + Send + Sync + 'static,
{
    let Source { count, place, .. } = source;
    let store = controller.store();
    let ready = Arc::new(OnceLock::new());
    let mut reconciled = pin!(controller.run(reconcile, error_policy, Arc::clone(&ready)));
    wait_for(&mut reconciled, *count).await?;
    meter.reached("wall", Moment::now());
    let at_rest = Moment::at_rest();
    let is_ready = *ready.get().ok_or("the store was never ready")?;
    meter.reached("start", is_ready);
    meter.spent("sync", is_ready);
    meter.spent("first-reconcile", at_rest);
    meter.add("sync-and-reconcile", ["sync", "first-reconcile"]);
    meter.holds("memory")?;
    meter.held_at_most("sync-peak")?;
    assert_eq!(store.len(), *count, "every object is held");
    if !source.goes_on() {
        return Ok(meter.finish());
    }
    while !place.is_watched() {
        let early = tokio::time::timeout(Duration::from_millis(1), reconciled.next()).await;
        assert!(early.is_err(), "nothing has happened yet");
    }

    source.go_on(&mut meter, async |_| wait_for(&mut reconciled, *count).await).await?;
    Ok(meter.finish())
}

/// Until so many objects were reconciled. A watch that expired is an error on the way.
async fn wait_for<T, E>(
    reconciled: &mut (impl Stream<Item = Result<T, E>> + Unpin),
    count: usize,
) -> Result<(), BoxError> {
    let mut left = count;
    while left > 0 {
        let next = reconciled.next().await.ok_or("the controller ended early")?;
        left -= usize::from(next.is_ok());
    }
    Ok(())
}

/// Looks at the name of the object and at nothing else.
pub(crate) async fn reconcile<K: Resource>(object: Arc<K>, ready: Arc<OnceLock<Moment>>) -> Result<Action, Infallible> {
    // A controller reconciles nothing before its store is ready, and then at once: no task that waits for the store beside it
    // would be woken sooner.
    ready.get_or_init(Moment::now);
    assert!(!object.name_any().is_empty(), "every object has a name");
    Ok(Action::await_change())
}

pub(crate) fn error_policy<K>(_: Arc<K>, error: &Infallible, _: Arc<OnceLock<Moment>>) -> Action {
    match *error {}
}
