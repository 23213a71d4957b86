//! How the watches of a controller are doing, as rows.

use pintle::runtime::controller::Watched;
use pintle::runtime::watcher::Phase;

use super::view::model::WatchRow;

pub(super) fn rows(watches: &[Watched]) -> Vec<WatchRow> {
    watches.iter().map(row).collect()
}

fn row(watched: &Watched) -> WatchRow {
    let report = &watched.report;
    WatchRow {
        name: watched.name.clone(),
        phase: report.phase.label(),
        is_healthy: !matches!(report.phase, Phase::Failing | Phase::Refused | Phase::Ended),
        since: report.since,
        resource_version: report.resource_version.as_ref().map(ToString::to_string),
        lists: report.lists,
        failures: report.failures,
        last_error: report.last_error.as_deref().map(|error| in_short(error, report.code)),
        next_try: report.next_try,
    }
}

/// The server's own words, where the error has them: which watch failed is said beside it.
fn in_short(error: &str, code: Option<u16>) -> String {
    let words = error.rsplit_once("the API server refused: ").map_or(error, |(_, words)| words);
    code.map_or_else(|| words.to_owned(), |code| format!("{code} {words}"))
}
