//! `batch`: pods that end when their work is done.

mod cron_jobs;
mod jobs;

use crate::registry::strategy::Strategy;

/// The strategy of a kind of the group, if it has one of its own.
pub(super) fn strategy(plural: &str) -> Option<&'static dyn Strategy> {
    Some(match plural {
        "cronjobs" => &cron_jobs::CronJobs,
        "jobs" => &jobs::Jobs,
        _ => return None,
    })
}
