//! What rustdoc says of a crate, as JSON, with the features and libraries cargo compiled it with.
//!
//! In: the arguments and the environment that `../remember` wrote down when cargo called rustc or rustdoc. Out: rustdoc's
//! JSON. Its format is unstable, so only what is needed is read, and by name.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::Result;

/// The documentation of one crate.
pub(crate) fn of(krate: &str, remembered: &Path) -> Result<Value> {
    let read = |what: &str| {
        let file = remembered.join(format!("{krate}.{what}"));
        std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))
    };
    let (arguments, environment) = (read("arguments")?, read("env")?);
    let folder = remembered.join("documentation");
    let mut rustdoc = Command::new(std::env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into()));
    for (name, value) in environment.split('\0').filter_map(|line| line.split_once('=')) {
        match name {
            "PWD" => rustdoc.current_dir(value),
            // Cargo is not waiting for this one.
            "CARGO_MAKEFLAGS" => rustdoc.env_remove(name),
            _ => rustdoc.env(name, value),
        };
    }
    // rustdoc's JSON is for nightly compilers; with this a stable one writes it too.
    rustdoc.env("RUSTC_BOOTSTRAP", "1").env_remove("MAKEFLAGS");
    rustdoc.args(["-Zunstable-options", "--output-format=json", "--cap-lints=allow", "--out-dir"]).arg(&folder);
    let status = rustdoc.args(for_rustdoc(&arguments)).status()?;
    if !status.success() {
        return Err(format!("rustdoc could not read {krate}").into());
    }
    Ok(serde_json::from_slice(&std::fs::read(folder.join(format!("{krate}.json")))?)?)
}

/// Those of the arguments that say what the crate is.
fn for_rustdoc(arguments: &str) -> Vec<&str> {
    let mut kept = Vec::new();
    let mut arguments = arguments.split_terminator('\0');
    while let Some(argument) = arguments.next() {
        match argument {
            "--crate-name" | "--crate-type" | "--cfg" | "--extern" | "-L" => {
                kept.push(argument);
                kept.extend(arguments.next());
            }
            "-A" | "-C" | "-D" | "-W" | "-o" | "--crate-version" | "--allow" | "--cap-lints" | "--check-cfg"
            | "--deny" | "--forbid" | "--out-dir" | "--warn" => {
                arguments.next();
            }
            _ if !argument.starts_with('-') || argument.starts_with("--edition") => kept.push(argument),
            _ => {}
        }
    }
    kept
}
