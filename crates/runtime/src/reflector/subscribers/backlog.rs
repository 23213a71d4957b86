//! What a listener has not received yet.
//!
//! In: changes, as the shelf returned them. Out: the same in order, but each object at most once: what happened to an
//! object while its listener was busy is one change, from the first old to the last new. So a slow listener costs at
//! most one entry per object and stalls no other listener. It is pure.

use std::collections::{HashMap, VecDeque};

use crate::reflector::shelf::{Change, Key};

/// The pending changes of one listener.
#[derive(Clone, Debug)]
pub(crate) struct Backlog<E> {
    order: VecDeque<Key>,
    pending: HashMap<Key, Pending<E>>,
}

/// A change, and whether it is of what was there from the beginning.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pending<E> {
    pub(crate) old: Option<E>,
    pub(crate) new: Option<E>,
    pub(crate) is_initial: bool,
}

impl<E> Default for Backlog<E> {
    fn default() -> Self {
        Self { order: VecDeque::new(), pending: HashMap::new() }
    }
}

impl<E> Backlog<E> {
    /// Takes one more change, which comes after all before it.
    pub(crate) fn push(&mut self, change: Change<E>, is_initial: bool) {
        let Change { key, old, new } = change;
        if let Some(pending) = self.pending.get_mut(&key) {
            pending.new = new;
            return;
        }
        self.order.push_back(key.clone());
        self.pending.insert(key, Pending { old, new, is_initial });
    }

    /// The oldest change that is still one: what came and went in between is left out.
    pub(crate) fn pop(&mut self) -> Option<(Key, Pending<E>)> {
        while let Some(key) = self.order.pop_front() {
            let pending = self.pending.remove(&key).expect("every key in order has its pending change");
            if pending.old.is_some() || pending.new.is_some() {
                return Some((key, pending));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(name: &str, old: Option<u8>, new: Option<u8>) -> Change<u8> {
        Change { key: Key { namespace: None, name: name.into() }, old, new }
    }

    fn drain(backlog: &mut Backlog<u8>) -> Vec<(String, Option<u8>, Option<u8>)> {
        std::iter::from_fn(|| backlog.pop()).map(|(key, it)| (key.name.to_string(), it.old, it.new)).collect()
    }

    #[test]
    fn what_happens_to_an_object_while_its_listener_is_busy_is_one_change() {
        let mut backlog = Backlog::default();
        backlog.push(change("a", Some(1), Some(2)), false);
        backlog.push(change("b", None, Some(1)), false);
        backlog.push(change("a", Some(2), Some(3)), false);
        assert_eq!(drain(&mut backlog), [("a".into(), Some(1), Some(3)), ("b".into(), None, Some(1))]);
        backlog.push(change("a", Some(3), None), false);
        assert_eq!(drain(&mut backlog), [("a".into(), Some(3), None)], "a later change comes again");
    }

    #[test]
    fn what_came_and_went_while_its_listener_was_busy_is_left_out() {
        let mut backlog = Backlog::default();
        backlog.push(change("a", None, Some(1)), false);
        backlog.push(change("a", Some(1), None), false);
        assert!(drain(&mut backlog).is_empty());
        backlog.push(change("b", Some(1), None), false);
        backlog.push(change("b", None, Some(2)), false);
        assert_eq!(drain(&mut backlog), [("b".into(), Some(1), Some(2))], "gone and back is an update");
    }

    /// Every sequence of six changes of two objects, with a listener that looks at any moments: what it receives, played
    /// back, is what is there.
    #[test]
    fn received_changes_played_back_are_the_state_in_every_sequence_of_six() {
        fn walk(
            live: [Option<u8>; 2],
            received: [Option<u8>; 2],
            backlog: &Backlog<u8>,
            depth: u8,
            walked: &mut usize,
        ) {
            *walked += 1;
            let (mut replayed, mut rest) = (received, backlog.clone());
            while let Some((key, it)) = rest.pop() {
                let place = usize::from(key.name.as_ref() == "b");
                assert_eq!(replayed[place], it.old, "old is what the listener knew");
                replayed[place] = it.new;
            }
            assert_eq!(replayed, live);
            if depth == 0 {
                return;
            }
            walk(live, replayed, &Backlog::default(), depth - 1, walked);
            for (place, name) in ["a", "b"].into_iter().enumerate() {
                for new in [None, Some(depth)] {
                    let (mut live, mut backlog) = (live, backlog.clone());
                    backlog.push(change(name, live[place], new), false);
                    live[place] = new;
                    walk(live, received, &backlog, depth - 1, walked);
                }
            }
        }
        let mut walked = 0;
        walk([None; 2], [None; 2], &Backlog::default(), 6, &mut walked);
        assert!(walked > 10_000, "only {walked} states were looked at");
    }
}
