//! Keys that wait to be reconciled: so many at once, taken one after the other. There is no cluster.

use std::pin::pin;

use futures::{StreamExt, stream};
use k8s_openapi::api::core::v1::Pod;

use super::library::runtime::reflector::ObjectRef;
use super::library::runtime::scheduler;
use super::library::runtime::scheduler::ScheduleRequest;
use super::own_ways;
use crate::BoxError;
use crate::measure::{Figures, Meter, Moment};

/// By `scheduler(…)`, which both have.
pub(crate) fn by_scheduler(count: usize) -> Result<Figures, BoxError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut meter = Meter::start(count)?;
    runtime.block_on(schedule(count, &mut meter))?;
    Ok(meter.finish())
}

/// By the queue that a controller has: kube's is `scheduler(…)`.
pub(crate) fn by_controllers_queue(count: usize) -> Result<Figures, BoxError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut meter = Meter::start(count)?;
    runtime.block_on(async {
        if !own_ways::measure_queue(count, &mut meter).await? {
            schedule(count, &mut meter).await?;
        }
        Ok(meter.finish())
    })
}

async fn schedule(count: usize, meter: &mut Meter) -> Result<(), BoxError> {
    let run_at = tokio::time::Instant::now();
    let key = |index| ObjectRef::<Pod>::new(&format!("pod-{index}")).within("team-0");
    let requests = (0..count).map(move |index| ScheduleRequest { message: key(index), run_at });
    // It does not end, so that what waits is taken while the queue could still grow.
    let mut keys = pin!(scheduler(stream::iter(requests).chain(stream::pending())));
    let first = keys.next().await;
    assert!(first.is_some(), "it does not end");
    meter.spent("file", Moment::now());
    meter.holds("memory")?;
    for _ in 1..count {
        assert!(keys.next().await.is_some(), "it does not end");
    }
    meter.spent("take", Moment::now());
    Ok(())
}
