//! The stories of `crates/pintle/tests/stories`, told to a real Kubernetes: the same `World`, another cluster.

use std::process::Command;

use super::{Problem, Process, workspace};

/// Tells every story to a server with a watch cache, and those about forgotten history to one without: only there is
/// what etcd has forgotten forgotten.
pub(super) fn tell(report: &dyn Fn(&str)) -> Result<(), Problem> {
    report("every story, with a watch cache");
    tell_to(&Process::start(true)?, &[], false)?;
    report("stories about forgotten history, without a watch cache");
    tell_to(&Process::start(false)?, &["relist", "expired", "nobody_watches"], true)
}

fn tell_to(server: &Process, which: &[&str], forgets: bool) -> Result<(), Problem> {
    let mut command = Command::new("cargo");
    command
        .current_dir(workspace())
        .args(["test", "--quiet", "--package", "pintle", "--test", "stories", "--"])
        // They mostly wait for a server that has two processors too.
        .args(["--test-threads", "64", "--include-ignored"])
        // It is about milliseconds of the embedded server, which nobody has while 64 stories wait.
        .args(["--skip", "within_ten_milliseconds"])
        .args(which)
        .env("PINTLE_STORIES_KUBECONFIG", server.kubeconfig())
        .env("PINTLE_STORIES_CONTROL", server.control().to_string());
    if forgets {
        command.env("PINTLE_STORIES_FORGETS", "yes");
    }
    let status = command.status().map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err("its own words are above".to_owned()) }
}
