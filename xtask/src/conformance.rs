//! `cargo xtask conformance`: asks a server for the behaviours of `conformance/suite`.
//!
//! The embedded server, unless `--kube` asks for a real one, which is started for it, or `--kubeconfig` names a cluster.

use std::ffi::OsString;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use pintle_real::{RealServer, Version};

use crate::kube::differences::{Differences, Outcomes};
use crate::kube::{Problem, lock};
use crate::programs::{self, Report};

/// Which server, and what is handed on.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Start a real kube-apiserver (see `kube build`) and ask that.
    #[arg(long)]
    kube: bool,
    /// Ask for what controllers do; with `--kube` those of kube-controller-manager, otherwise the small ones.
    #[arg(long)]
    controllers: bool,
    /// Which Kubernetes `--kube` starts.
    #[arg(long, default_value_t)]
    version: Version,
    /// More for the suite: `--kubeconfig FILE`, `--list`, a part of a name; `-- --help` explains.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "MORE")]
    more: Vec<OsString>,
}

/// Asks a real server of `version`, and compares what does not hold with what is listed for it.
pub(crate) fn check(version: Version, report: Report<'_>) -> Result<(), Problem> {
    let options = Options { kube: true, controllers: false, version, more: Vec::new() };
    compare(&options, "behaviours", report)
}

/// Asks kube-controller-manager beside a real server for what the small controllers are asked for.
pub(crate) fn check_controllers(report: Report<'_>) -> Result<(), Problem> {
    let options = Options { kube: true, controllers: true, version: Version::default(), more: Vec::new() };
    compare(&options, "controllers", report)
}

fn compare(options: &Options, stage: &str, report: Report<'_>) -> Result<(), Problem> {
    let differences = Differences::of(options.version, stage)?;
    let outcomes = Mutex::new(Outcomes::default());
    let asked = ask(options, |command| {
        programs::hear(command, &|line| {
            if let Some((name, has_held)) = outcome(line) {
                lock(&outcomes).note(name, has_held);
            }
            report(line);
        })
    });
    let outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    if outcomes.has_failed() {
        differences.judge(&outcomes, report)
    } else {
        asked.and(differences.judge(&outcomes, report))
    }
}

/// The name of a behaviour, and whether it held, from the line that reports it.
fn outcome(line: &str) -> Option<(&str, bool)> {
    let (verdict, rest) = line.split_once("  ")?;
    let name = rest.split_whitespace().next()?;
    match verdict {
        "holds" => Some((name, true)),
        "FAILS" => Some((name, false)),
        _ => None,
    }
}

/// Asks for the behaviours by a program that `run` runs, and fails where one does not hold.
pub(crate) fn ask(options: &Options, run: impl Fn(&mut Command) -> Result<u8, Problem>) -> Result<(), Problem> {
    let how = pintle_real::Options { version: options.version, workloads: options.controllers, ..Default::default() };
    let name = if options.controllers { "controllers" } else { "behaviours" };
    let real = if options.kube { Some(RealServer::start(name, how)?) } else { None };
    let mut more = options.more.clone();
    if options.controllers {
        more.push("--controllers".into());
    }
    if let Some(real) = &real {
        more.extend(["--kubeconfig".into(), real.kubeconfig().into()]);
    }
    match run(&mut programs::program("conformance", &[], &more)?)? {
        0 => Ok(()),
        1 => Err("not every behaviour holds; which ones is printed above".to_owned()),
        _ => Err("its own words are above".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_suite_says_which_behaviour_held() {
        assert_eq!(outcome("holds  crd::a_kind_is_served"), Some(("crd::a_kind_is_served", true)));
        assert_eq!(outcome("FAILS  crd::a_kind_is_served (3.1): it is not"), Some(("crd::a_kind_is_served", false)));
        assert_eq!(outcome("7 behaviours, 6 hold, 1 do not"), None);
    }
}
