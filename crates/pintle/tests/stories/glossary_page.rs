//! `docs/glossary.md` says where each word lives; this checks that every path on it exists.

use std::path::Path;

/// The page, as people read it.
const PAGE: &str = include_str!("../../../../docs/glossary.md");

/// Each row's first cell, and the paths of its last cell.
fn rows() -> Vec<(&'static str, Vec<&'static str>)> {
    let rows = PAGE.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| Pintle |"));
    rows.map(|row| {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let [_, word, _, _, _, paths, _] = cells.as_slice() else { panic!("not five cells: {row}") };
        (*word, paths.split('`').skip(1).step_by(2).collect())
    })
    .collect()
}

#[test]
fn every_path_of_the_glossary_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let rows = rows();
    assert!(rows.len() >= 40, "only {} words are listed", rows.len());
    for (word, paths) in rows {
        assert!(!paths.is_empty(), "no path for: {word}");
        for path in paths {
            assert!(root.join(path).exists(), "{path} does not exist, for: {word}");
        }
    }
}
