//! `pintle new`: a folder with an operator that compiles, is tested without a cluster, and can be deployed.
//!
//! In: names that were checked. Out: the files of `templates/operator` with these names in them. Nothing that exists is
//! changed: the folder must be new, and is gone again if it could not be filled.

pub(crate) mod names;
mod template;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use names::Names;
use template::Template;

use crate::args::NewArgs;
use crate::failure::Failure;
use crate::narrator::Narrator;

pub(crate) fn run(args: NewArgs, narrator: &Narrator) -> Result<(), Failure> {
    let dependency = match &args.pintle_path {
        None => format!("version = \"{}\"", env!("CARGO_PKG_VERSION")),
        Some(checkout) => format!("path = {:?}", library(checkout)?.display().to_string()),
    };
    let name = args.name;
    let what = || format!("no project {name} was made");
    let names = Names::new(&name, args.kind.as_deref(), &args.group).map_err(|error| Failure::new(what(), error))?;
    let files = Template::new(&names, dependency).files();
    let folder = Path::new(&name);
    match fs::create_dir(folder) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let why = format!("{name} already exists here: choose another name, or move it away first");
            return Err(Failure::new(what(), why));
        }
        Err(error) => return Err(Failure::new(format!("cannot make the folder {name}"), error)),
    }
    if let Err(failure) = write(folder, &files) {
        drop(fs::remove_dir_all(folder));
        return Err(failure);
    }
    format_sources(folder, &files);
    narrator.announce(next_steps(&names, files.len()));
    Ok(())
}

/// The library's folder in a checkout of Pintle, for a dependency by path.
fn library(checkout: &Path) -> Result<PathBuf, Failure> {
    let wrong = |why: String| Failure::new(format!("--pintle-path {}", checkout.display()), why);
    let library = checkout.join("crates/pintle");
    if !library.join("Cargo.toml").is_file() {
        return Err(wrong("is not a checkout of Pintle: it has no crates/pintle/Cargo.toml".to_owned()));
    }
    fs::canonicalize(library).map_err(|error| wrong(error.to_string()))
}

fn write(folder: &Path, files: &[(&str, String)]) -> Result<(), Failure> {
    for (path, content) in files {
        let path = folder.join(path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, content))
            .map_err(|error| Failure::new(format!("cannot write {}", path.display()), error))?;
    }
    Ok(())
}

/// A long or short kind moves line breaks. Without rustfmt the sources stay as they are, which compiles as well.
fn format_sources(folder: &Path, files: &[(&str, String)]) {
    let sources =
        files.iter().map(|(path, _)| folder.join(path)).filter(|path| path.extension().is_some_and(|it| it == "rs"));
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024"]).args(sources).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    drop(rustfmt.status());
}

fn next_steps(names: &Names, count: usize) -> String {
    let Names { project, kind, plural, group } = names;
    format!(
        "created {project}: {count} files, kind {kind} ({plural}.{group})\n\n  \
         cd {project} && cargo test\n      \
         test the operator without a cluster\n  \
         pintle serve --simulated-workloads --load deploy/crd.yaml --kubeconfig dev.kubeconfig\n      \
         start an API server to try it on, in another terminal\n  \
         KUBECONFIG=dev.kubeconfig cargo run\n      \
         run the operator on that server\n\n\
         {project}/README.md has more."
    )
}
