//! Every section has a behaviour, or a reason and a script in its place.

use std::collections::BTreeSet;
use std::path::Path;

use pintle_suite::{Behaviour, gaps};

const README: &str = include_str!("../../../scripts/README.md");

/// The rows of the table of sections: number and scripts.
fn sections() -> Vec<(&'static str, &'static str)> {
    let rows = README.lines().filter(|line| line.starts_with("| 1."));
    let cells = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    cells.map(|cells| (cells[1], cells[3])).collect()
}

#[test]
fn every_section_has_a_behaviour_or_is_named_as_one_without() {
    let missing: Vec<String> = gaps().into_iter().map(|gap| gap.section).collect();
    let behaviours = pintle_suite::all();
    let shown = behaviours.iter().map(|Behaviour { fact, .. }| *fact);
    let listed: BTreeSet<&str> = shown.clone().chain(missing.iter().map(String::as_str)).collect();
    assert_eq!(listed, sections().into_iter().map(|(section, _)| section).collect());
    let shown: BTreeSet<&str> = shown.collect();
    assert!(missing.iter().all(|section| !shown.contains(section.as_str())), "{missing:?}");
}

#[test]
fn a_section_without_a_behaviour_has_a_reason_and_all_its_scripts() {
    for gap in gaps() {
        let why = gap.why.unwrap_or_else(|| panic!("{} has neither behaviour nor reason", gap.section));
        let (_, scripts) = sections().into_iter().find(|(section, _)| *section == gap.section).expect("it is listed");
        assert!(!scripts.is_empty() && why.contains(scripts), "{}: {why:?} does not name {scripts:?}", gap.section);
        for script in scripts.split(' ') {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../scripts/{script}.http"));
            assert!(file.is_file(), "{}", file.display());
        }
    }
}
