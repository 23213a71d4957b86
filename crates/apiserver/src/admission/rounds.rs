//! Who is asked again: mutating webhooks and policies after which something changed the object.
//!
//! Each of the two is asked in one round, and once more in a second where anything changed the object in the first. In the
//! second round only those are asked that want it (`reinvocationPolicy: IfNeeded`) and after which the object was changed.

use std::collections::BTreeSet;

use serde_json::Value;

/// Whether a webhook or policy is asked again where something changed the object after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reinvocation {
    Never,
    IfNeeded,
}

/// Who was asked about a write, and who is asked again.
#[derive(Debug)]
pub(super) struct Rounds<K> {
    is_second: bool,
    /// Those that were asked and want to be again.
    reinvocable: BTreeSet<K>,
    /// Those of them after which the object was changed.
    again: BTreeSet<K>,
    /// Whether one of them changed the object.
    pub(super) has_changed: bool,
}

impl Reinvocation {
    /// What a webhook, or the spec of a policy, says.
    pub(super) fn read(value: &Value) -> Reinvocation {
        match value.get("reinvocationPolicy").and_then(Value::as_str) {
            Some("IfNeeded") => Reinvocation::IfNeeded,
            _ => Reinvocation::Never,
        }
    }
}

impl<K: Ord + Clone> Rounds<K> {
    /// Begins the round of those that are asked again; `is_changed` says whether others changed what these left.
    pub(super) fn begin_second(&mut self, is_changed: bool) {
        self.is_second = true;
        if is_changed {
            self.require_all();
        }
    }

    /// Whether one is asked in this round.
    pub(super) fn is_due(&self, key: &K) -> bool {
        !self.is_second || self.again.contains(key)
    }

    /// Notes that one was asked.
    pub(super) fn note(&mut self, key: K, reinvocation: Reinvocation, has_changed: bool) {
        if has_changed {
            self.has_changed = true;
            self.require_all();
        }
        if reinvocation == Reinvocation::IfNeeded {
            self.reinvocable.insert(key);
        }
    }

    /// Has everybody asked again who wants to be.
    pub(super) fn require_all(&mut self) {
        self.again.append(&mut self.reinvocable.clone());
    }
}

impl<K> Default for Rounds<K> {
    fn default() -> Rounds<K> {
        Rounds { is_second: false, reinvocable: BTreeSet::new(), again: BTreeSet::new(), has_changed: false }
    }
}
