//! The stories of `crates/pintle/tests/stories`, run on a real Kubernetes: the same `World`, another cluster.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use pintle_real::{Options, RealServer, Version};

use super::differences::{Differences, Outcomes};
use super::{Problem, control, lock};
use crate::programs::{Report, hear, tests_by_name};

/// Themes and stories that use an embedded server in any case: for its faults, or because they test that server.
/// Every `cargo test` runs them; here they would only slow down the others.
const ELSEWHERE: [&str; 12] = [
    "random_faults::",
    "watcher_recovery::",
    "testing_guide::",
    "book::",
    "documented_fragments::",
    "glossary_page::",
    "regressions_page::",
    "traps_page::",
    // It has a stage of its own.
    "prometheus_reads_both_formats",
    "leader_election::under_random_faults",
    "an_object_that_panics_hangs_or_fails_forever",
    // It measures milliseconds, which is not possible while 64 stories run.
    "within_ten_milliseconds",
];

/// Runs every other story on a server with a watch cache, and those about expired history on one without: only there does
/// compaction of etcd expire watches.
pub(super) fn run(version: Version, report: Report<'_>) -> Result<(), Problem> {
    let differences = Differences::of(version, "stories")?;
    let outcomes = thread::scope(|scope| {
        let expired = scope.spawn(|| {
            report("stories about expired history, without a watch cache");
            let uncached = Options { version, watch_cache: false, ..Options::default() };
            run_on(uncached, &["relist", "expired", "no_watch_is_open"], report)
        });
        report("every story that can run on another server, with a watch cache");
        let others = run_on(Options { version, ..Options::default() }, &[], report);
        let expired = expired
            .join()
            .unwrap_or_else(|_| Err("the thread of the stories about expired history panicked".to_owned()));
        Ok::<_, Problem>(others?.and(expired?))
    })?;
    differences.judge(&outcomes, report)
}

/// Runs stories on a new server, and reports what is said about those that fail.
fn run_on(options: Options, which: &[&str], report: Report<'_>) -> Result<Outcomes, Problem> {
    let name = if options.watch_cache { "stories" } else { "stories-uncached" };
    let server = Arc::new(RealServer::start(name, options)?);
    let control = control::listen(&server)?.to_string();
    let mut command = tests_by_name("stories");
    command
        // They mostly wait for the server, which has two processors as well.
        .args(["--test-threads", "64", "--include-ignored"])
        .args(which)
        .args(ELSEWHERE.iter().flat_map(|theme| ["--skip", theme]))
        .env("PINTLE_STORIES_KUBECONFIG", server.kubeconfig())
        .env("PINTLE_STORIES_CONTROL", control);
    if !options.watch_cache {
        command.env("PINTLE_STORIES_FORGETS", "yes");
    }
    let outcomes = Mutex::new(Outcomes::default());
    let code = hear(&mut command, &|line| match outcome(line) {
        Some((name, has_held)) => lock(&outcomes).note(name, has_held),
        None => report(line),
    })?;
    let outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    if code == 0 || outcomes.has_failed() {
        return Ok(outcomes);
    }
    Err("the stories could not be run; what cargo said is above".to_owned())
}

/// The name of a test, and whether it held, from the line that reports it.
fn outcome(line: &str) -> Option<(&str, bool)> {
    let (name, end) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    match end {
        "ok" => Some((name, true)),
        "FAILED" => Some((name, false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_test_runner_says_which_story_held() {
        assert_eq!(outcome("test wait::a_pod_is_awaited ... ok"), Some(("wait::a_pod_is_awaited", true)));
        assert_eq!(outcome("test a - should panic ... FAILED"), Some(("a - should panic", false)));
        assert_eq!(outcome("test result: ok. 3 passed; 0 failed"), None);
        assert_eq!(outcome("thread 'a' panicked at b.rs:1:2:"), None);
    }
}
