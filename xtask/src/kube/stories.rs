//! The stories of `crates/pintle/tests/stories`, told to a real Kubernetes: the same `World`, another cluster.

use std::sync::Arc;
use std::thread;

use pintle_real::{Options, RealServer};

use super::{Problem, control};
use crate::programs::{Report, succeed, tests};

/// Themes and stories that play on an embedded server wherever they are told: of faults by rule, and of that server itself.
/// Every `cargo test` tells them; here they would only take the processors from the others.
const ELSEWHERE: [&str; 8] = [
    "random_faults::",
    "watcher_recovery::",
    "testing_guide::",
    "regressions_page::",
    "traps_page::",
    "leader_election::under_random_faults",
    "an_object_that_panics_hangs_or_fails_forever",
    // About milliseconds of the embedded server, which nobody has while 64 stories wait.
    "within_ten_milliseconds",
];

/// Tells every other story to a server with a watch cache, and those about forgotten history to one without: only there is
/// what etcd has forgotten forgotten.
pub(super) fn tell(report: Report<'_>) -> Result<(), Problem> {
    thread::scope(|scope| {
        let forgotten = scope.spawn(|| {
            report("stories about forgotten history, without a watch cache");
            let uncached = Options { watch_cache: false, ..Options::default() };
            tell_to(uncached, &["relist", "expired", "nobody_watches"], report)
        });
        report("every story that can be told to another server, with a watch cache");
        let told = tell_to(Options::default(), &[], report);
        told.and(forgotten.join().unwrap_or_else(|_| Err("whoever told of forgotten history panicked".to_owned())))
    })
}

/// Tells stories to a server of their own.
fn tell_to(options: Options, which: &[&str], report: Report<'_>) -> Result<(), Problem> {
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
