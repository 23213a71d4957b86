//! A stream of a watcher's events.

use std::pin::pin;
use std::time::Duration;

use futures::{Stream, StreamExt};

use super::library::runtime::watcher;
use super::library::{Resource, ResourceExt};
use crate::BoxError;
use crate::history::Step;
use crate::measure::{Figures, Meter, Moment};
use crate::source::Source;

/// Reads the stream through the history, and then does what is left to do while it is there.
pub(crate) async fn follow<K>(
    source: &Source,
    events: impl Stream<Item = watcher::Result<watcher::Event<K>>>,
    mut meter: Meter,
    at_last: impl FnOnce(&mut Meter) -> Result<(), BoxError>,
) -> Result<Figures, BoxError>
where
    K: Resource<DynamicType = ()>,
{
    let Source { count, place, .. } = source;
    let mut events = pin!(events);
    read_list(&mut events, *count).await?;
    meter.reached("wall", Moment::now());
    meter.spent("sync", Moment::at_rest());
    meter.holds("memory")?;
    meter.held_at_most("sync-peak")?;

    if source.goes_on() {
        // The watch is opened by whoever waits for its first event, and by kube in a task of its own.
        while !place.is_watched() {
            let early = tokio::time::timeout(Duration::from_millis(1), events.next()).await;
            assert!(early.is_err(), "nothing has happened yet");
        }
        let taken_in = async |step| match step {
            Step::Events => read_changes(&mut events, *count).await,
            Step::Relist => read_list(&mut events, *count).await,
        };
        source.go_on(&mut meter, taken_in).await?;
    }
    at_last(&mut meter)?;
    Ok(meter.finish())
}

/// Until so many changes have come.
async fn read_changes<K: Resource>(
    events: &mut (impl Stream<Item = watcher::Result<watcher::Event<K>>> + Unpin),
    count: usize,
) -> Result<(), BoxError> {
    for _ in 0..count {
        let event = events.next().await.ok_or("the watch ended early")??;
        let watcher::Event::Apply(object) = event else { return Err("not a change".into()) };
        assert!(!object.name_any().is_empty(), "every object has a name");
    }
    Ok(())
}

/// Until a list of so many objects is complete. A watch that expired is an error on the way.
async fn read_list<K: Resource>(
    events: &mut (impl Stream<Item = watcher::Result<watcher::Event<K>>> + Unpin),
    count: usize,
) -> Result<(), BoxError> {
    let mut listed = 0;
    loop {
        match events.next().await.ok_or("the watch ended early")? {
            Ok(watcher::Event::InitApply(object)) => {
                assert!(!object.name_any().is_empty(), "every object has a name");
                listed += 1;
            }
            Ok(watcher::Event::InitDone) if listed == count => return Ok(()),
            Ok(watcher::Event::InitDone) => return Err("the list is not complete".into()),
            Ok(_) | Err(_) => {}
        }
    }
}
