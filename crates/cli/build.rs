//! Has the linker put the functions that a start of `pintle serve` runs side by side, in the order of `start-order.ld`.
//!
//! The kernel maps sixteen pages of a program around each that is touched, so functions that lie apart have most of the program
//! resident (`bench/servers/README.md` says how much). Only the order changes. Where the linker does not take it (gold does not read
//! such scripts), on platforms where it was not measured, and where nothing is optimised anyway, the program is linked as usual.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// Written by `cargo xtask start-order`.
const ORDER: &str = include_str!("start-order.ld");

fn main() {
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    if env::var("TARGET").as_deref() != Ok("x86_64-unknown-linux-gnu") || env::var("OPT_LEVEL").as_deref() == Ok("0") {
        return;
    }
    let folder = PathBuf::from(variable("OUT_DIR"));
    let order = folder.join("start-order.ld");
    fs::write(&order, ORDER).expect("a build script may write to OUT_DIR");
    let argument = format!("-T{}", order.display());
    if is_linked_with(&argument, &folder) {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}

/// Whether an empty program can be linked so, by the compiler, linker and flags of this build.
fn is_linked_with(argument: &str, folder: &Path) -> bool {
    let source = folder.join("empty.rs");
    fs::write(&source, "fn main() {}").expect("a build script may write to OUT_DIR");
    let mut rustc = Command::new(variable("RUSTC"));
    rustc.arg(source).arg("-o").arg(folder.join("empty")).arg("--target").arg(variable("TARGET"));
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        rustc.arg("-C").arg(with("linker=", linker));
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    rustc.arg("-C").arg(with("link-arg=", argument.into()));
    rustc.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn with(name: &str, value: OsString) -> OsString {
    let mut option = OsString::from(name);
    option.push(value);
    option
}

fn variable(name: &str) -> OsString {
    env::var_os(name).unwrap_or_else(|| panic!("cargo gives {name} to a build script"))
}
