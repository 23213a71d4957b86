//! The stories of `crates/pintle/tests/stories`, run on a real Kubernetes: the same `World`, another cluster.

use std::sync::Arc;
use std::thread;

use pintle_real::{Options, RealServer};

use super::{Problem, control};
use crate::programs::{Report, succeed, tests};

/// Themes and stories that play on an embedded server wherever they are run: of faults by rule, and of that server itself.
/// Every `cargo test` runs them; here they would only take the processors from the others.
const ELSEWHERE: [&str; 8] = [
    "schedules::",
    "trouble::",
    "guide::",
    "regressions::",
    "traps::",
    "leading::whatever_happens",
    "one_that_panics_hangs_or_fails_for_ever",
    // About milliseconds of the embedded server, which nobody has while 64 stories wait.
    "within_ten_milliseconds",
];

/// Runs every other story on a server with a watch cache, and those about forgotten history on one without: only there is
/// what etcd has forgotten forgotten.
pub(super) fn run(report: Report<'_>) -> Result<(), Problem> {
    thread::scope(|scope| {
        let forgotten = scope.spawn(|| {
            report("stories about forgotten history, without a watch cache");
            let uncached = Options { watch_cache: false, ..Options::default() };
            run_on(uncached, &["relist", "expired", "nobody_watches"], report)
        });
        report("every story that can run on another server, with a watch cache");
        let rest = run_on(Options::default(), &[], report);
        rest.and(forgotten.join().unwrap_or_else(|_| Err("the stories of forgotten history panicked".to_owned())))
    })
}

/// Runs stories on a server of their own.
fn run_on(options: Options, which: &[&str], report: Report<'_>) -> Result<(), Problem> {
    let name = if options.watch_cache { "stories" } else { "stories-uncached" };
    let server = Arc::new(RealServer::start(name, options)?);
    let control = control::listen(&server)?.to_string();
    let mut command = tests("stories");
    command
        // They mostly wait for a server that has two processors too.
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
