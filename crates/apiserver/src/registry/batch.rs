//! `batch`: pods that end when their work is done.

mod cron_jobs;
mod jobs;

use crate::registry::strategy::Strategies;

/// The kinds of the group that have rules of their own.
pub(super) const STRATEGIES: Strategies = &[("cronjobs", &cron_jobs::CronJobs), ("jobs", &jobs::Jobs)];
