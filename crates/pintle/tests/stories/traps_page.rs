//! `docs/traps.md` names tests for each trap; this checks that they exist.

use std::path::Path;

/// The page, as people read it.
const PAGE: &str = include_str!("../../../../docs/traps.md");

/// A row of the page: the trap, and the tests that show it is gone, as `file` and `name`.
fn rows() -> Vec<(String, Vec<(String, String)>)> {
    let mut rows = Vec::new();
    let mut file = String::new();
    for line in PAGE.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let [_, trap, _, tests, _] = cells.as_slice() else { panic!("not three cells: {line}") };
        if trap.starts_with("---") || *trap == "Trap" {
            continue;
        }
        let mut named = Vec::new();
        for word in tests.split('`').skip(1).step_by(2) {
            if word.contains('/') {
                file = word.to_owned();
            } else {
                named.push((file.clone(), word.to_owned()));
            }
        }
        rows.push(((*trap).to_owned(), named));
    }
    rows
}

#[test]
fn every_trap_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let rows = rows();
    assert!(rows.len() >= 20, "only {} traps are listed", rows.len());
    for (trap, tests) in rows {
        assert!(!tests.is_empty(), "no test for: {trap}");
        for (file, name) in tests {
            let source = std::fs::read_to_string(root.join(&file)).unwrap_or_else(|_| panic!("{file}, for: {trap}"));
            let lines: Vec<_> = source.lines().map(str::trim).collect();
            let place = lines.iter().position(|line| line.contains(&format!("fn {name}(")));
            let place = place.unwrap_or_else(|| panic!("{file} has no {name}, for: {trap}"));
            let is_test = lines[place.saturating_sub(3)..place].iter().any(|line| line.contains("test"));
            assert!(is_test, "{name} in {file} is not a test, for: {trap}");
        }
    }
}
