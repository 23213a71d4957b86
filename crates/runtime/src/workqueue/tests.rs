use super::*;
use crate::metrics::Value;
use crate::queue::PRIORITY_LOW;
use futures::FutureExt;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// What is given out now, in order, each item done before the next.
fn due(queue: &WorkQueue<u32>) -> Vec<u32> {
    std::iter::from_fn(|| queue.get().now_or_never().flatten().map(|item| *item)).collect()
}

#[tokio::test(start_paused = true)]
async fn what_is_added_twice_is_given_out_once() {
    let queue = WorkQueue::new();
    for item in [3, 1, 3, 2, 1] {
        queue.add(item);
    }
    assert_eq!(due(&queue), [3, 1, 2]);
    assert_eq!((queue.metrics().adds, queue.is_empty()), (3, true));
}

#[tokio::test(start_paused = true)]
async fn what_is_added_while_it_is_worked_on_comes_again_after_that_and_never_at_once() {
    let queue = WorkQueue::new();
    queue.add(1);
    let item = queue.get().await.unwrap();
    queue.add(1);
    assert!(queue.get().now_or_never().is_none(), "it is being worked on");
    drop(item);
    assert_eq!(due(&queue), [1]);
}

#[tokio::test(start_paused = true)]
async fn the_earlier_time_counts() {
    let (queue, start) = (WorkQueue::new(), Instant::now());
    queue.add_after(1, seconds(9));
    queue.add_after(2, seconds(5));
    queue.add_after(1, seconds(3));
    let mut times = Vec::new();
    for _ in 0..2 {
        let item = queue.get().await.unwrap();
        times.push((*item, start.elapsed().as_secs()));
    }
    assert_eq!(times, [(1, 3), (2, 5)]);
}

#[tokio::test(start_paused = true)]
async fn what_matters_more_comes_first() {
    let queue = WorkQueue::new();
    (0..3).for_each(|item| queue.add_with(item, Options::new().priority(PRIORITY_LOW)));
    queue.add(7);
    assert_eq!(due(&queue), [7, 0, 1, 2]);
}

/// client-go counts every one of them, and the wait grows though nothing failed.
#[tokio::test(start_paused = true)]
async fn news_about_an_item_that_waits_for_its_retry_do_not_lengthen_its_backoff() {
    let queue = WorkQueue::new();
    queue.add(1);
    for failure in 0..6_u32 {
        let (item, start) = (queue.get().await.unwrap(), Instant::now());
        item.failed();
        (0..10).for_each(|_| queue.add_rate_limited(1));
        assert_eq!(queue.retries(&1), failure + 1);
        let item = queue.get().await.unwrap();
        assert_eq!(start.elapsed().as_millis(), 5 << failure);
        queue.add(1);
        drop(item);
    }
    queue.get().await.unwrap().succeeded();
    assert_eq!((queue.retries(&1), queue.metrics().retries), (0, 6));
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_stops_waiting_loses_nothing() {
    let queue = WorkQueue::new();
    {
        let mut impatient = std::pin::pin!(queue.get());
        assert!(impatient.as_mut().now_or_never().is_none());
        queue.add(1);
    }
    assert_eq!(queue.get().now_or_never().flatten().map(|item| *item), Some(1));
}

#[tokio::test(start_paused = true)]
async fn many_workers_share_what_comes_due_and_none_oversleeps() {
    let queue = WorkQueue::new();
    let start = Instant::now();
    let times = Arc::new(Mutex::new(HashMap::new()));
    let note = Arc::clone(&times);
    let working = queue.clone();
    let workers = tokio::spawn(async move {
        working
            .work(4, move |item: u64| {
                note.lock().unwrap_or_else(PoisonError::into_inner).insert(item, start.elapsed().as_secs());
                async {
                    tokio::time::sleep(seconds(10)).await;
                    Ok::<_, fmt::Error>(())
                }
            })
            .await;
    });
    tokio::task::yield_now().await;
    for item in [4, 3, 2, 1] {
        queue.add_after(item, seconds(item));
    }
    tokio::time::sleep(seconds(20)).await;
    let times = times.lock().unwrap_or_else(PoisonError::into_inner).clone();
    assert_eq!(times, (1..5).map(|item| (item, item)).collect());
    queue.shut_down();
    workers.await.expect("they end");
}

#[tokio::test(start_paused = true)]
async fn a_shut_down_gives_out_what_is_due_drops_what_is_not_and_waits_for_the_rest() {
    let queue = WorkQueue::new();
    queue.add(1);
    queue.add(2);
    queue.add_after(3, seconds(60));
    let working = queue.get().await.unwrap();
    let draining = queue.clone();
    let drained = tokio::spawn(async move { draining.shut_down_with_drain().await });
    tokio::task::yield_now().await;
    queue.add(4);
    assert!(queue.is_shutting_down() && !drained.is_finished());
    assert_eq!(due(&queue), [2]);
    assert!(queue.get().now_or_never().flatten().is_none());
    tokio::task::yield_now().await;
    assert!(!drained.is_finished(), "one is still being worked on");
    drop(working);
    drained.await.expect("it ends");
    assert_eq!((queue.len(), queue.get().await.is_none()), (0, true));
}

#[tokio::test(start_paused = true)]
async fn an_item_whose_handler_fails_or_panics_comes_again_and_its_neighbours_go_on() {
    let queue = WorkQueue::new();
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let working = queue.clone();
    let workers = tokio::spawn(async move {
        working
            .work(1, move |item: u32| {
                let run = counted.fetch_add(1, Ordering::SeqCst);
                assert!(item != 1 || run > 0, "it panics before there is a future");
                async move {
                    assert!(item != 2 || run > 2, "it panics in it");
                    if item == 3 && run < 6 { Err("it fails") } else { Ok(()) }
                }
            })
            .await;
    });
    (1..=4).for_each(|item| queue.add(item));
    tokio::time::sleep(seconds(1)).await;
    assert!(queue.is_empty());
    assert!((7..=9).contains(&runs.load(Ordering::SeqCst)), "{runs:?}");
    queue.shut_down();
    workers.await.expect("no worker has panicked");
}

#[tokio::test(start_paused = true)]
async fn metrics_show_how_long_items_waited_and_took() {
    let queue = WorkQueue::new();
    queue.add(1);
    queue.add_after(2, seconds(1));
    queue.add_after(3, seconds(100));
    tokio::time::sleep(seconds(5)).await;
    let one = queue.get().await.unwrap();
    tokio::time::sleep(seconds(2)).await;
    let running = queue.metrics();
    assert_eq!((running.depth, running.working), (1, 1), "one is due, and another one later");
    assert_eq!((running.unfinished_work, running.longest_running), (seconds(2), seconds(2)));
    drop(one);
    drop(queue.get().await);
    let ended = queue.metrics();
    assert_eq!((ended.queue_duration.count(), ended.queue_duration.sum()), (2, seconds(5 + 6)));
    assert_eq!((ended.work_duration.count(), ended.work_duration.sum()), (2, seconds(2)));
    let samples = ended.samples("mine");
    let depth = samples.iter().find(|sample| sample.name == "workqueue_depth").unwrap();
    let labels =
        [("controller", "mine"), ("name", "mine"), ("priority", "0")].map(|(key, value)| (key, value.to_owned()));
    assert_eq!((&depth.labels[..], &depth.value), (&labels[..], &Value::Gauge(0.0)));
}

/// Every schedule of adds and drops by two workers: no item is given out twice at once, and none is lost.
#[tokio::test(start_paused = true)]
async fn random_use_loses_nothing_and_gives_nothing_out_twice() {
    for seed in 0..200 {
        let mut random = fastrand::Rng::with_seed(seed);
        let queue = WorkQueue::new();
        let mut held: Vec<Item<u32>> = Vec::new();
        let mut wanted = std::collections::BTreeSet::new();
        for _ in 0..100 {
            match random.u8(0..4) {
                0 | 1 => {
                    let item = random.u32(0..5);
                    queue.add(item);
                    wanted.insert(item);
                }
                2 => {
                    if let Some(item) = queue.get().now_or_never().flatten() {
                        assert!(held.iter().all(|other| **other != *item), "seed {seed}: twice at once");
                        assert!(wanted.remove(&*item), "seed {seed}: it was not asked for");
                        held.push(item);
                    }
                }
                _ if !held.is_empty() => drop(held.swap_remove(random.usize(..held.len()))),
                _ => {}
            }
        }
        held.clear();
        let rest: std::collections::BTreeSet<_> = due(&queue).into_iter().collect();
        assert_eq!(rest, wanted, "seed {seed}");
    }
}
