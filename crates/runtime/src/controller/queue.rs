//! Which key is due, each at most once at a time.
//!
//! ```text
//!   add(key, due) ──► waiting ──pop(now)──► running ──done(key)──► gone, or waiting again if it was added meanwhile
//! ```
//!
//! A key that is waiting is not added twice: the earlier time counts. A running key is not popped until it is done.
//! Keys due at the same time come out in the order they were added. It is pure: it is told the time.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use tokio::time::Instant;

/// Keys and when they are due.
#[derive(Clone, Debug)]
pub struct Queue<T> {
    waiting: BTreeMap<(Instant, u64), T>,
    places: HashMap<T, Place>,
    next_ticket: u64,
}

/// Where a key is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Place {
    Waiting(Instant, u64),
    Running { again: Option<Instant> },
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { waiting: BTreeMap::new(), places: HashMap::new(), next_ticket: 0 }
    }
}

impl<T: Clone + Eq + Hash> Queue<T> {
    /// Makes `key` due at `due`, or earlier if it already is.
    pub fn add(&mut self, key: T, due: Instant) {
        match self.places.get_mut(&key) {
            Some(Place::Running { again }) => *again = Some(again.map_or(due, |earlier| earlier.min(due))),
            Some(Place::Waiting(earlier, _)) if *earlier <= due => {}
            Some(Place::Waiting(later, ticket)) => {
                self.waiting.remove(&(*later, *ticket));
                self.wait(key, due);
            }
            None => self.wait(key, due),
        }
    }

    /// Takes the key that has been due for longest at `now`; it runs until [`done`](Self::done).
    pub fn pop(&mut self, now: Instant) -> Option<T> {
        let first = self.waiting.first_entry().filter(|entry| entry.key().0 <= now)?;
        let key = first.remove();
        self.places.insert(key.clone(), Place::Running { again: None });
        Some(key)
    }

    /// Says that `key` has run.
    pub fn done(&mut self, key: &T) {
        if let Some(Place::Running { again }) = self.places.get(key).copied() {
            self.places.remove(key);
            if let Some(due) = again {
                self.wait(key.clone(), due);
            }
        }
    }

    /// When the next key is due.
    pub fn next_due(&self) -> Option<Instant> {
        self.waiting.first_key_value().map(|((due, _), _)| *due)
    }

    /// How many keys are waiting.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether no key is waiting.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    fn wait(&mut self, key: T, due: Instant) {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.places.insert(key.clone(), Place::Waiting(due, ticket));
        self.waiting.insert((due, ticket), key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// The same promises, kept by looking through a list.
    #[derive(Clone, Default)]
    struct Model {
        waiting: Vec<(u8, u64)>,
        running: Vec<u8>,
        again: Vec<(u8, u64)>,
    }

    impl Model {
        fn add(&mut self, key: u8, due: u64) {
            let list = if self.running.contains(&key) { &mut self.again } else { &mut self.waiting };
            match list.iter().position(|(known, _)| *known == key) {
                Some(at) if list[at].1 <= due => {}
                Some(at) => {
                    list.remove(at);
                    list.push((key, due));
                }
                None => list.push((key, due)),
            }
        }

        fn pop(&mut self, now: u64) -> Option<u8> {
            let earliest = self.waiting.iter().map(|(_, due)| *due).min().filter(|due| *due <= now)?;
            let at = self.waiting.iter().position(|(_, due)| *due == earliest)?;
            let (key, _) = self.waiting.remove(at);
            self.running.push(key);
            Some(key)
        }

        fn done(&mut self, key: u8) {
            if let Some(at) = self.running.iter().position(|running| *running == key) {
                self.running.remove(at);
                if let Some(at) = self.again.iter().position(|(known, _)| *known == key) {
                    let (key, due) = self.again.remove(at);
                    self.waiting.push((key, due));
                }
            }
        }
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Add(u8, u64),
        Pop(u64),
        Done(u8),
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
                Step::Add(key, due) => {
                    queue.add(key, at(due));
                    model.add(key, due);
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
            }
            assert_eq!(queue.len(), model.waiting.len());
            assert_eq!(queue.next_due(), model.waiting.iter().map(|(_, due)| at(*due)).min());
            walk(&queue, &model, start, depth - 1, steps, walked);
        }
    }

    #[test]
    fn every_sequence_of_six_steps_with_two_keys_agrees_with_the_model() {
        let steps = [
            Step::Add(1, 0),
            Step::Add(1, 2),
            Step::Add(2, 1),
            Step::Add(2, 0),
            Step::Pop(0),
            Step::Pop(3),
            Step::Done(1),
            Step::Done(2),
        ];
        let mut walked = 0;
        walk(&Queue::default(), &Model::default(), Instant::now(), 6, &steps, &mut walked);
        assert!(walked > 250_000, "only {walked} steps were walked");
    }

    #[test]
    fn keys_due_together_come_in_the_order_they_were_added() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        for key in [3, 1, 2, 3, 1] {
            queue.add(key, now);
        }
        assert_eq!(std::iter::from_fn(|| queue.pop(now)).collect::<Vec<_>>(), [3, 1, 2]);
    }
}
