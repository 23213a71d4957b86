//! A script: what to ask a server, in order.
//!
//! In: the text of a `.http` file. Out: a [`Script`], or every mistake in it with its line and what to write instead.
//! The language is described in `conformance/scripts/README.md`. Variables stay as written: what they stand for is
//! known only while the script runs.

mod parse;
mod step;
mod variables;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) use parse::{CA, NAMESPACE, WEBHOOK};
pub(crate) use variables::{Variables, expand};

/// One file of requests.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) path: PathBuf,
    /// Its path below the folder of scripts, without its ending: `list/exact`.
    pub(crate) name: String,
    /// The whole file: what stands in it is not a secret of a recording and is not masked.
    pub(crate) text: String,
    /// The sections it covers, as `1.5`.
    pub(crate) covers: Vec<String>,
    /// What it says about itself.
    pub(crate) about: String,
    pub(crate) needs: Needs,
    /// Whether no other script may run on the same server at the same time.
    pub(crate) is_alone: bool,
    pub(crate) shows: Shows,
    /// `@name = value`, in order.
    pub(crate) definitions: Vec<(String, String)>,
    /// `@hook name = answer`: what the script's webhooks answer, by the last part of their path.
    pub(crate) hooks: Vec<(String, serde_json::Value)>,
    pub(crate) steps: Vec<Step>,
}

/// The server that a script is written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Needs {
    /// The garbage collector and the controllers of namespaces, service accounts, aggregated roles, the protection of volumes
    /// and quotas.
    pub(crate) controllers: bool,
    /// No watch cache: what etcd has forgotten is then forgotten.
    pub(crate) no_watch_cache: bool,
    /// The versions too that a default server leaves off; the embedded server has them all.
    pub(crate) every_version: bool,
}

/// What a transcript shows beside the usual, and hides.
#[derive(Debug, Default)]
pub(crate) struct Shows {
    pub(crate) managed_fields: bool,
    /// Header names, in small letters.
    pub(crate) headers: Vec<String>,
    /// Keys whose values differ from machine to machine.
    pub(crate) hidden: Vec<String>,
}

/// One thing to do.
#[derive(Debug)]
pub(crate) struct Step {
    /// Where it begins in the file.
    pub(crate) line: usize,
    pub(crate) title: String,
    pub(crate) print: Print,
    pub(crate) until: Option<Until>,
    /// Whether events that say what there is are put in the order of names: servers have none.
    pub(crate) is_sorted: bool,
    /// How many events are waited for, where the answer is a watch.
    pub(crate) events: Option<usize>,
    pub(crate) action: Action,
    pub(crate) captures: Vec<Capture>,
}

/// How much of an answer is printed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Print {
    Whole,
    /// The status, and name and version of an object.
    Brief,
    /// Which objects, instead of the objects: the names in a list or in the events of a watch.
    Names,
    /// What JSON pointers lead to.
    Picked(Vec<String>),
}

/// What a request is repeated for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Until {
    Status(u16),
    /// What a JSON pointer leads to.
    Value(String, String),
}

#[derive(Debug)]
pub(crate) enum Action {
    Send(Request),
    /// Opens a watch that goes on while later steps run.
    Watch(String, Request),
    /// Reads from an open watch.
    Read(String, Reading),
    /// Makes the server forget its history.
    Compact,
    Wait(Duration),
}

/// When enough was read from a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Events(usize),
    For(Duration),
    ToTheEnd,
}

#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<String>,
}

/// A variable that takes its value from an answer.
#[derive(Debug)]
pub(crate) struct Capture {
    pub(crate) variable: String,
    pub(crate) pointer: String,
}

impl Script {
    /// Reads a script that is given by its name in `folder` or by a path.
    pub(crate) fn read(folder: &Path, given: &Path) -> Result<Script, String> {
        let path = if given.is_file() { given.to_owned() } else { named(folder, given) };
        let text = std::fs::read_to_string(&path).map_err(|error| {
            format!("cannot read {}: {error}; `cargo xtask diff --list` names the scripts", path.display())
        })?;
        let script = parse::script(&name(folder, &path), &text).map_err(|mistakes| {
            let place = |mistake: &parse::Mistake| format!("{}:{}: {}", path.display(), mistake.line, mistake.what);
            mistakes.iter().map(place).collect::<Vec<_>>().join("\n")
        })?;
        Ok(Script { path, ..script })
    }

    /// Where the committed transcript of a script is.
    pub(crate) fn golden(&self) -> PathBuf {
        self.path.with_extension("transcript")
    }
}

/// All scripts in the folders of a folder, sorted.
pub(crate) fn all(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut scripts = Vec::new();
    for area in entries(folder)?.into_iter().filter(|path| path.is_dir()) {
        let files = entries(&area)?.into_iter();
        scripts.extend(files.filter(|path| path.extension().is_some_and(|ending| ending == "http")));
    }
    scripts.sort();
    Ok(scripts)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let unreadable = |error| format!("cannot read the folder {}: {error}", folder.display());
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(unreadable)).collect()
}

/// Where the script of a name is.
fn named(folder: &Path, name: &Path) -> PathBuf {
    folder.join(name).with_extension("http")
}

/// The name of the script at a path.
fn name(folder: &Path, path: &Path) -> String {
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let below = absolute.strip_prefix(folder).unwrap_or(path).with_extension("");
    below.to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_has_scripts_and_the_readme_names_them() {
        let folder = crate::workspace().join("conformance/scripts");
        let paths = all(&folder).unwrap();
        let scripts: Vec<Script> = paths.iter().map(|path| Script::read(&folder, path).unwrap()).collect();
        let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
        for section in (1..=24).map(|number| format!("1.{number}")) {
            let covers = |script: &&Script| script.covers.contains(&section);
            let names: Vec<&str> = scripts.iter().filter(covers).map(|script| script.name.as_str()).collect();
            assert!(!names.is_empty(), "no script covers {section}");
            let row = readme.lines().find(|line| line.starts_with(&format!("| {section} |"))).unwrap();
            let named = row.trim_end_matches('|').rsplit('|').next().unwrap().split_whitespace();
            assert!(named.eq(names.iter().copied()), "the README's row of {section} should name {}", names.join(" "));
        }
    }

    #[test]
    fn every_script_has_a_transcript_with_an_answer_for_each_step() {
        let folder = crate::workspace().join("conformance/scripts");
        for path in all(&folder).unwrap() {
            let script = Script::read(&folder, &path).unwrap();
            let transcript = std::fs::read_to_string(script.golden()).unwrap_or_default();
            let answers = transcript.lines().filter(|line| line.starts_with("###") && *line != "### versions").count();
            assert_eq!(answers, script.steps.len(), "record it: cargo xtask record {} --kube --write", script.name);
        }
    }
}
