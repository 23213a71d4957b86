//! Status conditions that stay the same while nothing changes.
//!
//! `lastTransitionTime` says since when a condition has its status. Written anew at each reconcile it would make every
//! status different from the last, wake the reconciler again, and so on for ever; [`set_condition`] keeps it.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum ConditionStatus {
    /// It does.
    True,
    /// It does not.
    False,
    /// Unknown.
    Unknown,
}

impl ConditionStatus {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

impl From<bool> for ConditionStatus {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

/// A condition that begins now. `reason` is one word of `PascalCase`, `message` is for people.
///
/// ```
/// use pintle_runtime::status::{condition, set_condition};
/// let mut conditions = Vec::new();
/// assert!(set_condition(&mut conditions, condition("Ready", true, "AllWell", "")));
/// assert!(!set_condition(&mut conditions, condition("Ready", true, "AllWell", "")), "nothing to write");
/// ```
pub fn condition(type_: &str, status: impl Into<ConditionStatus>, reason: &str, message: &str) -> Condition {
    Condition {
        type_: type_.to_owned(),
        status: status.into().as_str().to_owned(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        observed_generation: None,
        last_transition_time: Time(Timestamp::now()),
    }
}

/// Puts `new` in the place of the condition of its type, or at the end; says whether that changed anything, so that a
/// status which is the same need not be written. The time of the last transition is kept while the status is the same.
pub fn set_condition(conditions: &mut Vec<Condition>, mut new: Condition) -> bool {
    let Some(known) = conditions.iter_mut().find(|known| known.type_ == new.type_) else {
        conditions.push(new);
        return true;
    };
    if known.status == new.status {
        new.last_transition_time = known.last_transition_time.clone();
    }
    let has_changed = *known != new;
    *known = new;
    has_changed
}

/// The condition of this type.
pub fn find_condition<'a>(conditions: &'a [Condition], type_: &str) -> Option<&'a Condition> {
    conditions.iter().find(|condition| condition.type_ == type_)
}

/// Whether the condition of this type holds.
pub fn is_condition_true(conditions: &[Condition], type_: &str) -> bool {
    find_condition(conditions, type_).is_some_and(|it| it.status == ConditionStatus::True.as_str())
}

/// Takes the condition of this type away; says whether there was one.
pub fn remove_condition(conditions: &mut Vec<Condition>, type_: &str) -> bool {
    let before = conditions.len();
    conditions.retain(|condition| condition.type_ != type_);
    conditions.len() < before
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64, condition: Condition) -> Condition {
        Condition { last_transition_time: Time(Timestamp::from_second(second).unwrap()), ..condition }
    }

    #[test]
    fn the_time_of_the_last_transition_changes_with_the_status_alone() {
        let mut conditions = vec![at(1, condition("Other", false, "R", ""))];
        let steps = [
            (10, true, "A", true, 10),
            (20, true, "A", false, 10),
            (30, true, "B", true, 10),
            (40, false, "B", true, 40),
            (50, false, "B", false, 40),
        ];
        for (now, holds, reason, changes, since) in steps {
            let has_changed = set_condition(&mut conditions, at(now, condition("Ready", holds, reason, "")));
            let ready = find_condition(&conditions, "Ready").unwrap();
            assert_eq!((has_changed, ready.last_transition_time.0.as_second()), (changes, since), "at {now}");
            assert_eq!(is_condition_true(&conditions, "Ready"), holds);
        }
        assert_eq!(conditions.len(), 2);
        assert!(remove_condition(&mut conditions, "Ready") && !remove_condition(&mut conditions, "Ready"));
        assert_eq!(conditions[0].type_, "Other", "the order stays");
    }

    #[test]
    fn a_generation_that_was_observed_later_is_a_change() {
        let mut conditions = vec![condition("Ready", ConditionStatus::Unknown, "R", "")];
        let observed =
            Condition { observed_generation: Some(2), ..condition("Ready", ConditionStatus::Unknown, "R", "") };
        assert!(set_condition(&mut conditions, observed));
    }
}
