//! Who was reconciled lately, as far back as a watch may have been blind.
//!
//! A reconciler can know more than the watches: it has written, or it has asked the server. What came and went before a
//! watch had seen it leaves no trace in the list that follows, so nobody would be woken for it. Those who were reconciled
//! meanwhile look again; there are few of them. It is pure: it is told the time.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::reflector::Key;

/// How far a watch may lag behind what the server would have answered: much more than a healthy one ever does, and few
/// are reconciled in that time who do not want to be again.
const LAG: Duration = Duration::from_secs(60);
/// So many are remembered before anybody looks who can be forgotten.
const UNPRUNED: usize = 256;

/// Who was reconciled, and until when; `None` while it still is.
#[derive(Debug, Default)]
pub(super) struct Recent {
    runs: BTreeMap<Key, Option<Instant>>,
    /// How many were left when they were last looked through.
    pruned: usize,
}

impl Recent {
    /// A reconcile of `key` begins.
    pub(super) fn started(&mut self, key: &Key) {
        self.runs.insert(key.clone(), None);
    }

    /// It has ended. Nobody will ask for what ended long before `oldest`, the first moment of which a watch cannot be
    /// sure.
    pub(super) fn ended(&mut self, key: &Key, now: Instant, oldest: Option<Instant>) {
        self.runs.insert(key.clone(), Some(now));
        if self.runs.len() > 2 * self.pruned + UNPRUNED {
            self.runs.retain(|_, ended| is_since(*ended, oldest.unwrap_or(now)));
            self.pruned = self.runs.len();
        }
    }

    /// It is gone.
    pub(super) fn forget(&mut self, key: &Key) {
        self.runs.remove(key);
    }

    /// Who may have seen what a watch did not that is blind since then.
    pub(super) fn since(&self, blind: Instant) -> Vec<Key> {
        let recent = self.runs.iter().filter(|(_, ended)| is_since(**ended, blind));
        recent.map(|(key, _)| key.clone()).collect()
    }
}

fn is_since(ended: Option<Instant>, blind: Instant) -> bool {
    ended.is_none_or(|ended| ended + LAG >= blind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        Key { namespace: None, name: name.into() }
    }

    #[test]
    fn who_ran_since_or_shortly_before_or_still_runs_may_have_seen_it() {
        let (start, mut recent) = (Instant::now(), Recent::default());
        let at = |seconds| start + Duration::from_secs(seconds);
        for (name, ended) in [("long-ago", 39), ("lagging", 40), ("meanwhile", 200)] {
            recent.started(&key(name));
            recent.ended(&key(name), at(ended), None);
        }
        recent.started(&key("running"));
        recent.started(&key("gone"));
        recent.forget(&key("gone"));
        assert_eq!(recent.since(at(100)), [key("lagging"), key("meanwhile"), key("running")]);
    }

    #[test]
    fn who_is_of_no_interest_any_more_is_forgotten() {
        let (start, mut recent) = (Instant::now(), Recent::default());
        recent.started(&key("running"));
        for second in 0..5_000 {
            let now = start + Duration::from_secs(second);
            recent.ended(&key(&second.to_string()), now, Some(now));
            assert!(recent.runs.len() <= 2 * 62 + UNPRUNED, "{} are kept", recent.runs.len());
        }
        assert!(recent.since(start).contains(&key("running")));
    }
}
