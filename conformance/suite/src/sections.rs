//! The sections of the facts about kube-apiserver, and those that no behaviour shows.
//!
//! `conformance/scripts/README.md` says what each is about.

use std::collections::BTreeSet;

use crate::behaviours;

/// A section without a behaviour.
pub struct Gap {
    /// Its number, such as `1.5`.
    pub section: String,
    /// Why it has none, and what shows it instead.
    pub why: Option<&'static str>,
}

/// The sections that no behaviour shows, in their order.
pub fn gaps() -> Vec<Gap> {
    let shown: BTreeSet<&str> = behaviours::all().iter().map(|behaviour| behaviour.fact).collect();
    let sections = (1..=LAST).map(|number| format!("1.{number}"));
    let missing = sections.filter(|section| !shown.contains(section.as_str()));
    missing.map(|section| Gap { why: why(&section), section }).collect()
}

fn why(section: &str) -> Option<&'static str> {
    REASONS.iter().find(|(known, _)| *known == section).map(|(_, why)| *why)
}

/// The number of the last section: 1.24.
const LAST: u32 = 24;

const REASONS: &[(&str, &str)] = &[];
