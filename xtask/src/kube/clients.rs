//! Programs with client-go, the Python client and kube, each run on real Kubernetes and on the embedded server.
//!
//! ```text
//!   conformance/clients/{go,python,kube} ──► the real server ──► lines ─┐
//!                                       └──► pintle serve ────► lines ─┴─► the same?
//! ```
//! In: programs that do what their users do and print a line for each thing they see, without what differs by chance. Out: the
//! lines in which the servers differ. Where a language is not at hand its program is skipped, which the stage says aloud.

use std::path::Path;
use std::process::Command;

use pintle_real::{RealServer, Version};

use super::kubectl::Embedded;
use super::{Problem, folder, go, workspace, workspaces};
use crate::programs::{Report, built, cargo, succeed};

/// Runs every program on both servers.
pub(super) fn compare(report: Report<'_>) -> Result<(), Problem> {
    let source = workspace().join("conformance/clients");
    let real = RealServer::start("clients", Default::default())?;
    let embedded = Embedded::start(&built("pintle")?, "clients", &[])?;
    let mut different = Vec::new();
    let programs: [(&str, Prepare); 3] = [("client-go", of_go), ("Python", of_python), ("kube", of_kube)];
    for (name, prepare) in programs {
        let Some(command) = prepare(&source, report)? else { continue };
        let [left, right] = [real.kubeconfig(), embedded.kubeconfig()].map(|kubeconfig| lines(&command, kubeconfig));
        let (left, right) = (left?, right?);
        let others = differing(&left, &right);
        report(&format!("{name}: {} lines, {} differ", left.len(), others.len()));
        others.iter().for_each(|line| report(&format!("  {line}")));
        if !others.is_empty() {
            different.push(name);
        }
    }
    if different.is_empty() { Ok(()) } else { Err(format!("the servers differ for {}", different.join(", "))) }
}

/// The command of a program that is ready to run: its words.
type Prepare = fn(&Path, Report<'_>) -> Result<Option<Vec<String>>, Problem>;

fn of_go(source: &Path, _: Report<'_>) -> Result<Option<Vec<String>>, Problem> {
    let program = folder().join("client-go");
    if !go(Version::default(), &source.join("go"), &program, ".")?.success() {
        return Err("`go build` of conformance/clients/go failed; its own words are above".to_owned());
    }
    Ok(Some(vec![program.display().to_string()]))
}

fn of_python(source: &Path, report: Report<'_>) -> Result<Option<Vec<String>>, Problem> {
    let Some(python) = workspaces::environment(report) else { return Ok(None) };
    let words = [python.display().to_string(), "-B".to_owned(), source.join("python/session.py").display().to_string()];
    Ok(Some(words.to_vec()))
}

/// In the workspace of the drop-in comparison, which has kube.
fn of_kube(_: &Path, report: Report<'_>) -> Result<Option<Vec<String>>, Problem> {
    let dropin = workspace().join("conformance/dropin");
    succeed(cargo(&["build", "--quiet", "--bin", "session-kube"]).current_dir(&dropin), report)?;
    Ok(Some(vec![dropin.join("target/debug/session-kube").display().to_string()]))
}

/// What a program prints on a server.
fn lines(words: &[String], kubeconfig: &Path) -> Result<Vec<String>, Problem> {
    let output = Command::new(&words[0])
        .args(&words[1..])
        .env("KUBECONFIG", kubeconfig)
        .output()
        .map_err(|error| format!("cannot run {}: {error}", words[0]))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} ended with {}: {}", words.join(" "), output.status, said.trim_end()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// The lines that only one of the servers has, in their order.
fn differing(real: &[String], embedded: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for at in 0..real.len().max(embedded.len()) {
        let (left, right) = (real.get(at), embedded.get(at));
        if left != right {
            found.extend(left.map(|line| format!("real:     {line}")));
            found.extend(right.map(|line| format!("embedded: {line}")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_are_named_with_their_server() {
        let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(differing(&lines("a b"), &lines("a b")).is_empty());
        assert_eq!(differing(&lines("a b c"), &lines("a x")), ["real:     b", "embedded: x", "real:     c"]);
    }
}
