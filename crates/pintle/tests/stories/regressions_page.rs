//! `docs/regressions.md` names tests for each regression; this checks that they exist.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Every function that is marked as a test in the Rust files below `folder`.
fn tests_below(folder: &Path, tests: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        if path.is_dir() {
            tests_below(&path, tests);
        } else if path.extension().is_some_and(|it| it == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let mut is_marked = false;
            for line in text.lines().map(str::trim) {
                if is_marked && let Some((_, after)) = line.split_once("fn ") {
                    tests.insert(after.chars().take_while(|it| it.is_alphanumeric() || *it == '_').collect());
                }
                let is_mark = line.starts_with("#[") && line.contains("test");
                is_marked = is_mark || (is_marked && line.starts_with(['#', '/']));
            }
        }
    }
}

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
