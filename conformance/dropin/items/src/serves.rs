//! Whether what Pintle has does for a program what kube's does.
//!
//! In: two facts about one thing. Out: a yes or no. Conditions on types may be fewer than kube's, never more; some follow
//! from others.

use std::collections::BTreeSet;

use public_items::Fact;

/// Whether a program that counts on `wanted` can count on `found`: it says the same and asks no more.
pub(crate) fn serves_for(found: &Fact, wanted: &Fact) -> bool {
    let asks_no_more = found.conditions.iter().all(|condition| is_given(condition, &wanted.conditions));
    // `?Sized` is the condition that asks for less.
    let mut unsized_ = wanted.conditions.iter().filter(|condition| condition.ends_with("?core::marker::Sized"));
    found.text == wanted.text && asks_no_more && unsized_.all(|condition| found.conditions.contains(condition))
}

/// Whether a condition stands among others, or follows from one of them.
fn is_given(condition: &str, given: &BTreeSet<String>) -> bool {
    if given.contains(condition) {
        return true;
    }
    let Some((subject, bound)) = condition.split_once(": ") else {
        return false;
    };
    let has = |bound: &str| given.iter().any(|it| it.starts_with(&format!("{subject}: {bound}")));
    match bound {
        "?core::marker::Sized" => true,
        "core::marker::Sized" => subject.ends_with("::DynamicType"),
        "kube::runtime::reflector::Lookup" => has("kube::Resource"),
        "kube::Resource" => has("kube::Resource"),
        // A list of what can be read can be read.
        "serde_core::de::Deserialize" => given.contains(&format!("alloc::vec::Vec<{subject}>: {bound}")),
        // The kind that an object is described with is always of this sort, if the object is a resource.
        "core::marker::Send" | "core::marker::Sync" => subject.ends_with("::DynamicType"),
        _ => false,
    }
}
