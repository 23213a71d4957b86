//! `pintle assets`: a folder for `KUBEBUILDER_ASSETS`, so that tests in Go that use envtest run on this server unchanged.
//!
//! In: a folder. Out: `kube-apiserver`, a copy of this program, and links to it called `etcd` and `kubectl`. This program acts as
//! the one it is called by ([`Program::called`]). The copy keeps the folder whole when it is moved or packed, and when
//! another version of Pintle is installed.

mod etcd;
mod flags;
mod kept_state;
mod kube_apiserver;
mod kubectl;

use std::ffi::{OsStr, OsString};
use std::future::Future;
use std::io;
use std::path::Path;

use crate::args::AssetsArgs;
use crate::failure::Failure;
use crate::narrator::Narrator;

/// A program of the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    KubeApiserver,
    Etcd,
    Kubectl,
}

impl Program {
    /// Whom this program was called by the name of, if by one of these.
    pub(crate) fn called(name: &OsStr) -> Option<Program> {
        match Path::new(name).file_stem()?.to_str()? {
            "kube-apiserver" => Some(Program::KubeApiserver),
            "etcd" => Some(Program::Etcd),
            "kubectl" => Some(Program::Kubectl),
            _ => None,
        }
    }

    /// Acts as this program until it ends.
    pub(crate) fn run(self, args: impl Iterator<Item = OsString>, narrator: &Narrator) -> Result<(), Failure> {
        match self {
            Program::KubeApiserver => {
                let runtime = tokio::runtime::Builder::new_multi_thread();
                block_on(runtime, kube_apiserver::run(words(args)?, narrator))
            }
            Program::Etcd => {
                // It answers one question; a thread is enough.
                let runtime = tokio::runtime::Builder::new_current_thread();
                block_on(runtime, etcd::run(words(args)?, narrator))
            }
            Program::Kubectl => kubectl::run(args),
        }
    }
}

/// Makes the folder, or makes it anew.
pub(crate) fn lay_out(args: &AssetsArgs, narrator: &Narrator) -> Result<(), Failure> {
    let folder = &args.folder;
    let done = std::fs::create_dir_all(folder).and_then(|()| std::path::absolute(folder)).and_then(|folder| {
        let this = std::env::current_exe()?;
        copy(&this, &folder.join(file_name("kube-apiserver")))?;
        for name in ["etcd", "kubectl"] {
            link(Path::new(&file_name("kube-apiserver")), &folder.join(file_name(name)))?;
        }
        Ok(folder)
    });
    let folder = done.map_err(|error| Failure::new(format!("cannot lay out {}", folder.display()), error))?;
    // A shell can evaluate it, as the output of `setup-envtest use -p env`.
    narrator.announce(format_args!("export KUBEBUILDER_ASSETS='{}'", folder.display()));
    Ok(())
}

fn file_name(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// Under another name first: a program that runs cannot be written to, but it can be replaced.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let aside = to.with_extension("new");
    std::fs::copy(from, &aside)?;
    std::fs::rename(&aside, to)
}

/// A link to a file of the same folder.
#[cfg(unix)]
fn link(name: &Path, at: &Path) -> io::Result<()> {
    let aside = at.with_extension("new");
    drop(std::fs::remove_file(&aside));
    std::os::unix::fs::symlink(name, &aside)?;
    std::fs::rename(&aside, at)
}

/// Links are for administrators there.
#[cfg(not(unix))]
fn link(name: &Path, at: &Path) -> io::Result<()> {
    copy(&at.with_file_name(name), at)
}

/// Flags are text.
fn words(args: impl Iterator<Item = OsString>) -> Result<Vec<String>, Failure> {
    args.map(OsString::into_string)
        .collect::<Result<_, _>>()
        .map_err(|word| Failure::new(format!("the argument {}", word.to_string_lossy()), "it is not UTF-8"))
}

fn block_on(
    mut runtime: tokio::runtime::Builder,
    program: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    let runtime =
        runtime.enable_all().build().map_err(|error| Failure::new("cannot start the async runtime", error))?;
    runtime.block_on(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_it_is_called_by_says_what_it_is() {
        let called = |name: &str| Program::called(OsStr::new(name));
        assert_eq!(called("/assets/kube-apiserver"), Some(Program::KubeApiserver));
        assert_eq!(called("./etcd"), Some(Program::Etcd));
        assert_eq!(called("kubectl.exe"), Some(Program::Kubectl));
        assert_eq!((called("/usr/bin/pintle"), called("etcdctl"), called("")), (None, None, None));
    }
}
