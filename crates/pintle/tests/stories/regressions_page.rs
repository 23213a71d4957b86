//! `docs/regressions.md` names tests for each regression; this checks that they exist.

use std::collections::BTreeSet;
use std::path::Path;

use crate::book::tests_below;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The rows of the page's tables: what was seen, and the tests.
fn rows(page: &str) -> Vec<(&str, Vec<&str>)> {
    let is_heading = |line: &str| line.ends_with("| test |");
    let rows = page.lines().filter(|line| line.starts_with("| ") && !is_heading(line));
    rows.map(|row| (row, row.rsplit('|').nth(1).unwrap_or_default().split('`').skip(1).step_by(2).collect())).collect()
}

#[test]
fn every_regression_names_tests_that_exist() {
    let page = std::fs::read_to_string(format!("{REPOSITORY}/docs/regressions.md")).unwrap();
    let mut tests = BTreeSet::new();
    tests_below(&Path::new(REPOSITORY).join("crates"), &mut tests);
    let rows = rows(&page);
    assert!(rows.len() >= 50, "only {} rows were found", rows.len());
    for (row, named) in rows {
        assert!(!named.is_empty(), "no test is named: {row}");
        for test in named {
            assert!(tests.contains(test), "there is no test {test}: {row}");
        }
    }
}
