use super::*;
use std::cmp::Reverse;
use std::time::Duration;

/// The same promises, kept by looking through a list.
#[derive(Clone, Default)]
struct Model {
    waiting: Vec<Waiting>,
    running: Vec<u8>,
    again: Vec<(u8, u64, Priority)>,
    clock: u64,
    passed_over: u32,
}

#[derive(Clone, Copy)]
struct Waiting {
    key: u8,
    due: u64,
    priority: Priority,
    added: u64,
    ready: Option<u64>,
}

impl Model {
    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    fn add(&mut self, key: u8, due: u64, priority: Priority) {
        if self.running.contains(&key) {
            match self.again.iter_mut().find(|(known, ..)| *known == key) {
                Some((_, earlier, higher)) => (*earlier, *higher) = ((*earlier).min(due), (*higher).max(priority)),
                None => self.again.push((key, due, priority)),
            }
            return;
        }
        let added = self.tick();
        match self.waiting.iter_mut().find(|waiting| waiting.key == key) {
            Some(waiting) if waiting.ready.is_some() => waiting.priority = waiting.priority.max(priority),
            Some(waiting) if waiting.due <= due && waiting.priority >= priority => {}
            Some(waiting) => {
                waiting.due = waiting.due.min(due);
                waiting.priority = waiting.priority.max(priority);
                waiting.added = added;
            }
            None => self.waiting.push(Waiting { key, due, priority, added, ready: None }),
        }
    }

    fn add_due(&mut self, key: u8, now: u64, priority: Priority) {
        self.ripen(now);
        self.add(key, now, priority);
        self.ripen(now);
    }

    fn ripen(&mut self, now: u64) {
        let due = |waiting: &&mut Waiting| waiting.ready.is_none() && waiting.due <= now;
        while let Some(next) = self.waiting.iter_mut().filter(due).min_by_key(|it| (it.due, it.added)) {
            self.clock += 1;
            next.ready = Some(self.clock);
        }
    }

    fn pop(&mut self, now: u64) -> Option<u8> {
        self.ripen(now);
        let ready = || self.waiting.iter().filter(|waiting| waiting.ready.is_some());
        let oldest = ready().min_by_key(|waiting| waiting.ready)?.key;
        let first = ready().min_by_key(|waiting| (Reverse(waiting.priority), waiting.ready))?.key;
        self.passed_over = if first == oldest { 0 } else { self.passed_over + 1 };
        let key = if self.passed_over > PASSED_OVER_MAX { oldest } else { first };
        if self.passed_over > PASSED_OVER_MAX {
            self.passed_over = 0;
        }
        self.waiting.retain(|waiting| waiting.key != key);
        self.running.push(key);
        Some(key)
    }

    fn done(&mut self, key: u8) {
        if let Some(at) = self.running.iter().position(|running| *running == key) {
            self.running.remove(at);
            if let Some(at) = self.again.iter().position(|(known, ..)| *known == key) {
                let (key, due, priority) = self.again.remove(at);
                self.add(key, due, priority);
            }
        }
    }

    fn forget(&mut self, key: u8) {
        self.waiting.retain(|waiting| waiting.key != key);
        self.again.retain(|(known, ..)| *known != key);
    }

    fn next_due(&self) -> Option<u64> {
        let ready = self.waiting.iter().filter(|it| it.ready.is_some()).min_by_key(|it| it.ready);
        ready.map(|it| it.due).or_else(|| self.waiting.iter().map(|it| it.due).min())
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Add(u8, u64, Priority),
    AddDue(u8, u64, Priority),
    Pop(u64),
    Done(u8),
    Forget(u8),
}

fn walk(queue: &Queue<u8>, model: &Model, start: Instant, depth: usize, steps: &[Step], walked: &mut usize) {
    if depth == 0 {
        return;
    }
    let at = |seconds: u64| start + Duration::from_secs(seconds);
    for step in steps {
        let (mut queue, mut model) = (queue.clone(), model.clone());
        *walked += 1;
        match *step {
            Step::Add(key, due, priority) => {
                queue.add_with(key, at(due), priority);
                model.add(key, due, priority);
            }
            Step::AddDue(key, now, priority) => {
                queue.add_due(key, at(now), priority);
                model.add_due(key, now, priority);
            }
            Step::Pop(now) => {
                let is_running = |key: &u8| model.running.contains(key);
                let popped = queue.pop(at(now));
                assert!(!popped.as_ref().is_some_and(is_running), "a key ran twice at once");
                assert_eq!(popped, model.pop(now));
            }
            Step::Done(key) => {
                queue.done(&key);
                model.done(key);
            }
            Step::Forget(key) => {
                queue.forget(&key);
                model.forget(key);
            }
        }
        assert_eq!(queue.len(), model.waiting.len());
        assert_eq!(queue.next_due(), model.next_due().map(at));
        walk(&queue, &model, start, depth - 1, steps, walked);
    }
}

#[test]
fn every_sequence_of_six_steps_with_two_keys_agrees_with_the_model() {
    let steps = [
        Step::Add(1, 0, 0),
        Step::Add(1, 2, 5),
        Step::Add(2, 1, 0),
        Step::Add(2, 0, -5),
        Step::AddDue(1, 1, -5),
        Step::Pop(0),
        Step::Pop(3),
        Step::Done(1),
        Step::Done(2),
        Step::Forget(1),
    ];
    let mut walked = 0;
    walk(&Queue::default(), &Model::default(), Instant::now(), 6, &steps, &mut walked);
    assert!(walked > 1_000_000, "only {walked} steps were walked");
}

#[test]
fn keys_due_together_come_in_the_order_they_were_added() {
    let (mut queue, now) = (Queue::default(), Instant::now());
    for key in [3, 1, 2, 3, 1] {
        queue.add(key, now);
    }
    assert_eq!(std::iter::from_fn(|| queue.pop(now)).collect::<Vec<_>>(), [3, 1, 2]);
}

#[test]
fn a_live_change_comes_before_ten_thousand_of_the_first_list() {
    let (mut queue, now) = (Queue::default(), Instant::now());
    (0..10_000).for_each(|key| queue.add_with(key, now, PRIORITY_LOW));
    queue.pop(now);
    queue.add(99_999, now);
    assert_eq!(queue.pop(now), Some(99_999));
    queue.add(5_000, now);
    assert_eq!(queue.pop(now), Some(5_000), "one of the list that changes matters more");
}

#[test]
fn an_endless_flood_of_what_matters_more_starves_no_key() {
    let (mut queue, now) = (Queue::default(), Instant::now());
    (0..100).for_each(|key| queue.add_with(key, now, PRIORITY_LOW));
    let mut pops = 0;
    let mut old = 0;
    while old < 100 {
        // Two more of the important ones for each that is taken.
        queue.add(1000 + 2 * pops, now);
        queue.add(1001 + 2 * pops, now);
        let key = queue.pop(now).expect("there is always one");
        queue.done(&key);
        old += usize::from(key < 100);
        pops += 1;
        assert!(pops <= 1010, "{old} of 100 old keys after {pops} pops");
    }
}

/// What this thread has worked so far: unlike the time of day it is not changed by neighbours on a busy machine, and exact to
/// a few milliseconds. Where the system does not count it, the time of day has to do.
fn worked(since: std::time::Instant) -> Duration {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = statistics.and_then(|text| text.split_whitespace().next()?.parse().ok()).filter(|time| *time > 0);
    nanoseconds.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

/// Adds so many keys, changes when they are due and how much they matter, and takes them out.
fn work_on(keys: u64) {
    let (mut queue, now) = (Queue::default(), Instant::now());
    let at = |key: u64| now + Duration::from_millis(key % 977);
    (0..keys).for_each(|key| queue.add_with(key, at(key), (key % 3) as Priority));
    (0..keys).for_each(|key| queue.add_with(key, at(key / 2), ((key + 1) % 3) as Priority));
    assert_eq!(queue.len() as u64, keys);
    let late = now + Duration::from_secs(1);
    let mut popped = 0;
    while let Some(key) = queue.pop(late) {
        assert!(queue.next_due().is_some() || queue.is_empty());
        queue.done(&key);
        popped += 1;
    }
    assert_eq!((popped, queue.len()), (keys, 0));
}

/// What it takes to work on so many queues of so many keys; the least of three runs.
fn work_of(queues: u64, keys: u64) -> Duration {
    let run = |_| {
        let begun = std::time::Instant::now();
        let before = worked(begun);
        (0..queues).for_each(|_| work_on(keys));
        worked(begun).saturating_sub(before)
    };
    (0..3).map(run).min().unwrap_or_default()
}

/// A step that looked at every key would cost a hundred times as much among a hundred times as many; one that costs O(log n)
/// costs not twice as much, and a few times with what a processor's caches do not hold.
#[test]
fn each_of_a_hundred_thousand_pending_keys_costs_little_more_than_each_of_a_thousand() {
    let (few, many) = (work_of(100, 1_000), work_of(1, 100_000));
    println!("100,000 keys take {few:?} in a hundred queues, {many:?} in one");
    assert!(many < few * 10, "{few:?} in a hundred queues, {many:?} in one");
}

#[test]
fn what_is_due_and_what_is_not_yet_are_counted_apart() {
    let (start, mut queue) = (Instant::now(), Queue::default());
    let later = start + Duration::from_secs(10);
    queue.add("now", start);
    queue.add("later", later);
    assert_eq!((queue.due_len(start), queue.delayed_len(), queue.next_delayed()), (1, 1, Some(later)));
    assert_eq!(queue.pop(start), Some("now"));
    assert_eq!((queue.due_len(start), queue.due_len(later), queue.next_delayed()), (0, 1, None));
}
