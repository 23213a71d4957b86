//! How many pods each ReplicaSet of a Deployment gets next.
//!
//! In: what the sets are to have and what of it is available. Out: the next sizes. Invariants of a rolling update: never
//! more pods than wanted and surge, and never fewer available ones than wanted less unavailable, as far as it is this that
//! decides about them.

use serde_json::Value;

use super::super::plan::Plan;
use super::super::replica_set::SETS;
use super::sets::Sets;
use super::{count, limits, replicas, revisions, wanted};
use crate::codec::object::Object;

/// How many pods there may be beside each other, and how many may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    pub(super) surge: i64,
    pub(super) unavailable: i64,
}

impl Limits {
    /// Numbers or percentages: those of the surge are rounded up, the others down. Both 0 would be no rollout at all.
    pub(super) fn of(surge: Option<&Value>, unavailable: Option<&Value>, wanted: i64) -> Limits {
        let surge = resolved(surge, wanted, Rounding::Up);
        let unavailable = resolved(unavailable, wanted, Rounding::Down).min(wanted);
        let unavailable = if surge == 0 && unavailable == 0 { 1 } else { unavailable };
        Limits { surge, unavailable }
    }

    /// The most pods that there may be.
    pub(super) fn most(self, wanted: i64) -> i64 {
        if wanted == 0 { 0 } else { wanted + self.surge }
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Rounding {
    Up,
    Down,
}

/// A number, or a percentage of another.
pub(crate) fn resolved(value: Option<&Value>, of: i64, rounding: Rounding) -> i64 {
    match value {
        Some(Value::String(text)) => {
            let percent: i64 = text.trim_end_matches('%').parse().unwrap_or_default();
            let product = percent.saturating_mul(of);
            match rounding {
                Rounding::Up => (product + 99) / 100,
                Rounding::Down => product / 100,
            }
        }
        Some(number) => number.as_i64().unwrap_or_default(),
        None => 0,
    }
}

/// Makes the next move of a rolling update: the new set up, else the old ones down.
pub(super) fn roll(deployment: &Object, sets: &Sets, new: &Object, plan: &mut Plan) {
    let (wanted, limits) = (wanted(deployment), limits(deployment));
    let all: i64 = sets.all().map(replicas).sum();
    let next = match replicas(new) {
        now if now > wanted => wanted,
        now => now + (limits.most(wanted) - all).clamp(0, wanted - now),
    };
    if next != replicas(new) {
        return scale(deployment, new, next, plan);
    }
    shrink_old(deployment, sets, new, wanted - limits.unavailable, plan);
}

/// Takes pods from old sets: those that are not available anyway first.
fn shrink_old(deployment: &Object, sets: &Sets, new: &Object, least: i64, plan: &mut Plan) {
    let all: i64 = sets.all().map(replicas).sum();
    let missing = replicas(new) - count(new, "availableReplicas");
    let mut may_go = (all - least - missing).max(0);
    let mut sizes: Vec<(&Object, i64)> = sets.old.iter().map(|set| (set, replicas(set))).collect();
    for (set, size) in &mut sizes {
        let unhealthy = (*size - count(set, "availableReplicas")).clamp(0, may_go);
        *size -= unhealthy;
        may_go -= unhealthy;
    }
    let available: i64 = sets.all().map(|set| count(set, "availableReplicas")).sum();
    let mut healthy = (available - least).clamp(0, may_go);
    for (_, size) in &mut sizes {
        let gone = (*size).min(healthy);
        *size -= gone;
        healthy -= gone;
    }
    for (set, size) in sizes {
        scale(deployment, set, size, plan);
    }
}

/// Whether the Deployment was scaled since its sets were.
pub(super) fn was_scaled(deployment: &Object, sets: &Sets) -> bool {
    let active = sets.all().filter(|set| replicas(set) > 0);
    active.filter_map(revisions::desired).any(|desired| desired != wanted(deployment))
}

/// Brings the sets to the size of the Deployment without rolling: in the middle of a rollout, each by its share.
pub(super) fn scale_in_proportion(deployment: &Object, sets: &Sets, plan: &mut Plan) {
    let wanted = wanted(deployment);
    let mut active: Vec<&Object> = sets.all().filter(|set| replicas(set) > 0).collect();
    let only = match (active.as_slice(), &sets.new) {
        ([only], _) => Some(*only),
        ([], new) => new.as_ref().or_else(|| sets.old.iter().max_by_key(|set| revisions::of(set))),
        _ => None,
    };
    if let Some(only) = only {
        return scale(deployment, only, wanted, plan);
    }
    let is_saturated = |new: &Object| replicas(new) == wanted && count(new, "availableReplicas") == wanted;
    if sets.new.as_ref().is_some_and(is_saturated) {
        sets.old.iter().for_each(|old| scale(deployment, old, 0, plan));
        return;
    }
    let allowed = limits(deployment).most(wanted);
    let total: i64 = active.iter().map(|set| replicas(set)).sum();
    let mut to_add = allowed - total;
    // The largest first; of the same size the newest first when growing, the oldest first when shrinking.
    active.sort_by_key(|set| (-replicas(set), if to_add > 0 { -revisions::of(set) } else { revisions::of(set) }));
    let mut sizes = Vec::new();
    for set in &active {
        let share = share(replicas(set), revisions::most(set).unwrap_or(total), allowed, to_add);
        sizes.push((*set, (replicas(set) + share).max(0)));
        to_add -= share;
    }
    if let Some((_, first)) = sizes.first_mut() {
        *first = (*first + to_add).max(0);
    }
    for (set, size) in sizes {
        scale(deployment, set, size, plan);
    }
}

/// What a set of this size gets of a change, rounded.
fn share(size: i64, most_before: i64, allowed: i64, to_add: i64) -> i64 {
    if most_before <= 0 || to_add == 0 {
        return 0;
    }
    let doubled = 2 * size * allowed;
    let fair = (doubled + most_before) / (2 * most_before) - size;
    if to_add > 0 { fair.clamp(0, to_add) } else { fair.clamp(to_add, 0) }
}

/// Scales a set, and notes for what.
pub(super) fn scale(deployment: &Object, set: &Object, size: i64, plan: &mut Plan) {
    let before = replicas(set);
    plan.update(SETS, set, revisions::described(deployment, set, size));
    if before != size {
        let direction = if size > before { "up" } else { "down" };
        let message = format!("Scaled {direction} replica set {} from {before} to {size}", set.name());
        plan.normal(deployment, "ScalingReplicaSet", message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn percentages_are_rounded_up_for_the_surge_and_down_for_what_is_missing() {
        let quarter = json!("25%");
        let of = |wanted| Limits::of(Some(&quarter), Some(&quarter), wanted);
        assert_eq!(of(10), Limits { surge: 3, unavailable: 2 });
        assert_eq!(of(1), Limits { surge: 1, unavailable: 0 });
        let none = json!(0);
        assert_eq!(Limits::of(Some(&none), Some(&none), 3), Limits { surge: 0, unavailable: 1 });
    }

    #[test]
    fn shares_never_exceed_what_there_is_to_share() {
        for size in 0..8 {
            for most in 0..8 {
                for allowed in 0..12 {
                    for to_add in -8..8 {
                        let share = share(size, most, allowed, to_add);
                        assert!(
                            share.abs() <= to_add.abs() && share * to_add >= 0,
                            "{size} {most} {allowed} {to_add}: {share}"
                        );
                    }
                }
            }
        }
    }
}
