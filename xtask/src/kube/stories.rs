//! The stories of `crates/pintle/tests/stories`, told to a real Kubernetes: the same `World`, another cluster.

use super::{Problem, Process};
use crate::programs::{Report, cargo, succeed};

/// Tells every story to a server with a watch cache, and those about forgotten history to one without: only there is
/// what etcd has forgotten forgotten.
pub(super) fn tell(report: Report<'_>) -> Result<(), Problem> {
    report("every story, with a watch cache");
    tell_to(&Process::start(true)?, &[], false, report)?;
    report("stories about forgotten history, without a watch cache");
    tell_to(&Process::start(false)?, &["relist", "expired", "nobody_watches"], true, report)
}

fn tell_to(server: &Process, which: &[&str], forgets: bool, report: Report<'_>) -> Result<(), Problem> {
    let mut command = cargo(&["test", "--quiet", "--package", "pintle", "--test", "stories", "--"]);
    command
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
    succeed(&mut command, report)
}
