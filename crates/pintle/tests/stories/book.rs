//! The book (`docs`): its pages are in order, its links lead somewhere, its programs are compiled, and what it claims is
//! shown by a test that exists.
//!
//! A page that `crates/pintle/src/book.rs` or `crates/types/src/lib.rs` includes is compiled with the documentation. A block of
//! Rust on any other page has to stand in some Rust file of this repository, which the compiler sees there.

#[path = "book/proofs.rs"]
mod proofs;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// Pages that are tables of tests or words and have a test of their own.
const TABLES: [&str; 5] = ["checks.md", "glossary.md", "kubernetes-facts.md", "regressions.md", "traps.md"];
/// Lists of pages, and of what a person does.
const LISTS: [&str; 2] = ["SUMMARY.md", "releasing.md"];

#[test]
fn every_page_is_in_the_summary_once() {
    let summary = read(&docs().join("SUMMARY.md"));
    let listed = links(&summary);
    let unique: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(unique.len(), listed.len(), "a page is listed twice");
    let pages: BTreeSet<String> = pages().iter().map(|page| name(page)).filter(|page| page != "SUMMARY.md").collect();
    assert_eq!(unique.into_iter().cloned().collect::<BTreeSet<_>>(), pages, "left is listed, right is there");
}

#[test]
fn every_link_leads_to_a_file_and_a_heading_that_exist() {
    let mut pages = Vec::new();
    markdown_below(Path::new(REPOSITORY), &mut pages);
    assert!(pages.len() > 60, "only {} pages were found", pages.len());
    for page in pages {
        let text = read(&page);
        for target in links(&text).into_iter().filter(|target| !target.contains("://")) {
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let file = if path.is_empty() { page.clone() } else { page.with_file_name(path) };
            assert!(file.exists(), "{} leads to {target}, which does not exist", page.display());
            let found = anchor.is_empty() || anchors(&read(&file)).contains(anchor);
            assert!(found, "{} leads to {target}, and there is no such heading", page.display());
        }
    }
}

#[test]
fn every_test_that_a_page_names_exists() {
    let mut tests = BTreeSet::new();
    for folder in ["crates", "examples", "conformance"] {
        tests_below(&Path::new(REPOSITORY).join(folder), &mut tests);
    }
    let mut named = 0;
    for page in pages() {
        // A sentence may be longer than a line.
        for test in shown_by(&read(&page).replace('\n', " ")) {
            assert!(tests.contains(test), "{} names {test}, which is not a test", page.display());
            named += 1;
        }
    }
    assert!(named > 100, "only {named} tests are named");
}

#[test]
fn every_paragraph_of_a_chapter_is_beside_a_program_or_names_a_test() {
    let chapters = pages().into_iter().filter(|page| !TABLES.iter().chain(&LISTS).any(|other| page.ends_with(other)));
    let found: Vec<_> = chapters
        .flat_map(|page| {
            let text = read(&page);
            proofs::unproven(&text).into_iter().map(|line| format!("{}: {line}", name(&page))).collect::<Vec<_>>()
        })
        .collect();
    assert!(found.is_empty(), "nothing beside these shows that they are so:\n{}", found.join("\n"));
}

#[test]
fn every_block_of_rust_is_compiled() {
    let including = ["crates/pintle/src/book.rs", "crates/types/src/lib.rs"];
    let compiled: String = including.iter().map(|file| read(&Path::new(REPOSITORY).join(file))).collect();
    let mut sources = Vec::new();
    for folder in ["crates", "examples"] {
        rust_files_below(&Path::new(REPOSITORY).join(folder), &mut |text| sources.push(lines_of(text)));
    }
    for page in pages() {
        let is_compiled = compiled.contains(&format!("docs/{}\"", name(&page)));
        for (language, block) in blocks(&read(&page)) {
            if !language.starts_with("rust") || (is_compiled && !language.contains("ignore")) {
                continue;
            }
            // A page may show its imports above the program; in a file they are at the top.
            let shown = block
                .split_once("\n\n")
                .filter(|(first, _)| first.starts_with("use "))
                .map_or(&*block, |(_, rest)| rest);
            let wanted = lines_of(shown);
            let is_somewhere = sources.iter().any(|source| source.contains(&wanted));
            assert!(
                is_somewhere,
                "{}: this is in no Rust file, and the page is not in crates/pintle/src/book.rs:\n{block}",
                page.display()
            );
        }
    }
}

#[test]
fn the_table_of_features_is_that_of_the_manifest() {
    let manifest = include_str!("../../Cargo.toml");
    let features = manifest.split("[features]").nth(1).unwrap().split("\n[").next().unwrap();
    let declared = features.lines().filter_map(|line| line.split_once(" = [")).map(|(name, _)| name);
    let page = read(&docs().join("features.md"));
    let table = page.split("## All of them").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.split('|').next());
    let listed: BTreeSet<&str> = rows.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    assert_eq!(listed, declared.filter(|name| *name != "default").collect());
}

/// Every function that is marked as a test in the Rust files below `folder`.
pub(crate) fn tests_below(folder: &Path, tests: &mut BTreeSet<String>) {
    rust_files_below(folder, &mut |text| {
        let mut is_marked = false;
        for line in text.lines().map(str::trim) {
            if is_marked && let Some((_, after)) = line.split_once("fn ") {
                tests.insert(after.chars().take_while(|it| it.is_alphanumeric() || *it == '_').collect());
            }
            let is_mark = line.starts_with("#[") && line.contains("test");
            is_marked = is_mark || (is_marked && line.starts_with(['#', '/']));
        }
    });
}

fn rust_files_below(folder: &Path, look: &mut impl FnMut(&str)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            rust_files_below(&path, look);
        } else if path.extension().is_some_and(|it| it == "rs") {
            look(&read(&path));
        }
    }
}

/// The tests that a page names: the words in backticks of the sentences that begin with "Shown by".
fn shown_by(page: &str) -> Vec<&str> {
    let sentences = page.split("Shown by ").skip(1).map(|after| after.split('.').next().unwrap_or_default());
    sentences.flat_map(|sentence| sentence.split('`').skip(1).step_by(2)).collect()
}

/// The targets of a page's links, outside of code.
fn links(page: &str) -> Vec<String> {
    let prose: String = page.split("```").step_by(2).collect();
    let prose = prose.split('`').step_by(2).collect::<Vec<_>>().join("code");
    prose.split("](").skip(1).filter_map(|after| after.split(')').next()).map(str::to_owned).collect()
}

/// The blocks of code of a page: what follows the fence, and what is inside.
fn blocks(page: &str) -> Vec<(String, String)> {
    let inside = page.split("```").skip(1).step_by(2);
    inside.filter_map(|block| block.split_once('\n')).map(|(first, rest)| (first.to_owned(), rest.to_owned())).collect()
}

/// A text without indentation and empty lines, to be found inside of another.
fn lines_of(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// What links to a page's headings may be called.
fn anchors(page: &str) -> BTreeSet<String> {
    let prose: String = page.split("```").step_by(2).collect();
    let headings = prose.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let mut anchors = BTreeSet::new();
    for anchor in headings.map(anchor_of) {
        let numbered = (1..).map(|number| format!("{anchor}-{number}"));
        let free = std::iter::once(anchor.clone()).chain(numbered).find(|anchor| !anchors.contains(anchor));
        anchors.extend(free);
    }
    anchors
}

/// How GitHub and mdBook name a heading in a link; one of the same name gets a number.
fn anchor_of(heading: &str) -> String {
    let kept = heading
        .to_lowercase()
        .chars()
        .filter(|it| it.is_alphanumeric() || matches!(it, ' ' | '-' | '_'))
        .collect::<String>();
    kept.replace(' ', "-")
}

/// Every page of the repository that people read. What `pintle new` copies has its links in another folder.
fn markdown_below(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_ours =
            !name(&path).starts_with('.') && !["target", "templates", "node_modules"].contains(&name(&path).as_str());
        if path.is_dir() && is_ours {
            markdown_below(&path, pages);
        } else if path.extension().is_some_and(|it| it == "md") {
            pages.push(path);
        }
    }
}

fn docs() -> PathBuf {
    Path::new(REPOSITORY).join("docs")
}

fn pages() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(docs()).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> = entries.filter(|path| path.extension().is_some_and(|it| it == "md")).collect();
    pages.sort();
    pages
}

fn name(page: &Path) -> String {
    page.file_name().unwrap().to_string_lossy().into_owned()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
