//! The stories of `crates/pintle/tests/stories`, told to a real Kubernetes: the same `World`, another cluster.

use std::cell::RefCell;
use std::sync::Arc;

use pintle_real::{Options, RealServer};

use super::{Problem, control};
use crate::programs::{Report, succeed, tests};

/// Themes that play on an embedded server wherever they are told: of faults by rule, and of that server itself. Every
/// `cargo test` tells them; here they would only take the processors from the others.
const ELSEWHERE: [&str; 5] = ["schedules::", "trouble::", "guide::", "regressions::", "traps::"];

/// Tells every other story to a server with a watch cache, and those about forgotten history to one without: only there is
/// what etcd has forgotten forgotten.
pub(super) fn tell(report: Report<'_>) -> Result<(), Problem> {
    report("every story that can be told to another server, with a watch cache");
    tell_to(Options::default(), &[], report)?;
    report("stories about forgotten history, without a watch cache");
    let uncached = Options { watch_cache: false, ..Options::default() };
    tell_to(uncached, &["relist", "expired", "nobody_watches"], report)
}

/// Tells stories to a server of their own. One that is not true is told once more, alone: here time is real and shared by
/// everybody, and a story that fails for that reason alone is named, not held against the others.
fn tell_to(options: Options, which: &[&str], report: Report<'_>) -> Result<(), Problem> {
    let server = Arc::new(RealServer::start("stories", options)?);
    let control = control::listen(&server)?.to_string();
    let command = |which: &[&str]| {
        let mut command = tests("stories");
        command
            // They mostly wait for a server that has two processors too.
            .args(["--test-threads", "64", "--include-ignored"])
            .args(which)
            .env("PINTLE_STORIES_KUBECONFIG", server.kubeconfig())
            .env("PINTLE_STORIES_CONTROL", &control);
        if !options.watch_cache {
            command.env("PINTLE_STORIES_FORGETS", "yes");
        }
        command
    };
    let failed = RefCell::new(Vec::new());
    let listen = |line: &str| {
        failed.borrow_mut().extend(line.strip_suffix(" --- FAILED").map(str::to_owned));
        report(line);
    };
    // It is about milliseconds of the embedded server, which nobody has while 64 stories wait.
    let elsewhere = ELSEWHERE.iter().chain(&["within_ten_milliseconds"]).flat_map(|theme| ["--skip", theme]);
    let told = succeed(command(which).args(elsewhere), &listen);
    let failed = failed.take();
    if told.is_ok() || failed.is_empty() || failed.len() > AGAIN_MAX {
        return told;
    }
    let names: Vec<&str> = failed.iter().map(String::as_str).collect();
    report(&format!("NOT TRUE at first, told once more: {}", names.join(", ")));
    succeed(command(&names).arg("--exact"), report)
}

/// More than this are not bad luck.
const AGAIN_MAX: usize = 3;
