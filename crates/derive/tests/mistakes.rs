//! What rustc says to whoever makes a mistake: every mistake of a file at once, each at the line and column it stands.
//!
//! The files in `mistakes/` do not compile. What rustc prints for each, one line per error, stands beside it in a
//! `.txt`; with `PINTLE_BLESS=1` the answers are written anew, to be read before they are committed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn mistakes_are_all_told_and_each_at_its_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    let mut sources: Vec<_> = files_of(&folder).filter(|it| it.extension().is_some_and(|it| it == "rs")).collect();
    sources.sort();
    assert!(!sources.is_empty(), "there is nothing to compile in {}", folder.display());
    for source in sources {
        let (errors, expected) = (errors_of(&source), source.with_extension("txt"));
        if std::env::var_os("PINTLE_BLESS").is_some() {
            fs::write(&expected, &errors).expect("the answer can be written");
        }
        let expected = fs::read_to_string(&expected).unwrap_or_default();
        assert_eq!(errors, expected, "{} (PINTLE_BLESS=1 accepts what rustc reports now)", source.display());
    }
}

/// One line per error: `file:line:column: error: message`.
fn errors_of(source: &Path) -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .current_dir(source.parent().expect("the file is in a folder"))
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "--error-format", "short"])
        .args(["--out-dir", env!("CARGO_TARGET_TMPDIR"), "--extern"])
        .arg(format!("pintle_derive={}", the_macros().display()))
        .arg(source.file_name().expect("the file has a name"))
        .output()
        .expect("rustc runs");
    assert!(!output.status.success(), "{} compiles", source.display());
    let errors = String::from_utf8(output.stderr).expect("rustc speaks UTF-8");
    errors.lines().filter(|line| line.contains(": error")).flat_map(|line| [line, "\n"]).collect()
}

/// The macros as cargo built them for this test: the newest library of that name beside it.
fn the_macros() -> PathBuf {
    let this = std::env::current_exe().expect("the test has a path");
    let name = format!("{}pintle_derive-", std::env::consts::DLL_PREFIX);
    files_of(this.parent().expect("it is in a folder"))
        .filter(|it| it.to_string_lossy().ends_with(std::env::consts::DLL_SUFFIX))
        .filter(|it| it.file_name().is_some_and(|it| it.to_string_lossy().starts_with(&name)))
        .max_by_key(|it| fs::metadata(it).and_then(|it| it.modified()).ok())
        .expect("cargo builds the macros before their tests")
}

fn files_of(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).expect("the folder can be read").flatten().map(|entry| entry.path())
}
