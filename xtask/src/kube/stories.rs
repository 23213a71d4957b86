//! The stories of `crates/pintle/tests/stories`, run on a real Kubernetes: the same `World`, another cluster.

use std::sync::Arc;
use std::thread;

use pintle_real::{Options, RealServer};

use super::{Problem, control};
use crate::programs::{Report, succeed, tests};

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
pub(super) fn run(report: Report<'_>) -> Result<(), Problem> {
    thread::scope(|scope| {
        let expired = scope.spawn(|| {
            report("stories about expired history, without a watch cache");
            let uncached = Options { watch_cache: false, ..Options::default() };
            run_on(uncached, &["relist", "expired", "no_watch_is_open"], report)
        });
        report("every story that can run on another server, with a watch cache");
        let others = run_on(Options::default(), &[], report);
        others.and(
            expired
                .join()
                .unwrap_or_else(|_| Err("the thread of the stories about expired history panicked".to_owned())),
        )
    })
}

/// Runs stories on a new server.
fn run_on(options: Options, which: &[&str], report: Report<'_>) -> Result<(), Problem> {
    let name = if options.watch_cache { "stories" } else { "stories-uncached" };
    let server = Arc::new(RealServer::start(name, options)?);
    let control = control::listen(&server)?.to_string();
    let mut command = tests("stories");
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
    succeed(&mut command, report)
}
