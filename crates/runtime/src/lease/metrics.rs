//! What is counted of a candidate, under client-go's names.

use std::sync::Arc;

use super::standing::Standing;
use crate::metrics::{Number, Sample, Samples};

/// What is counted of a [`Candidate`](super::Candidate); from [`Candidate::metrics`](super::Candidate::metrics).
#[derive(Clone, Debug)]
pub struct Metrics {
    name: Arc<str>,
    standing: Standing,
    slow_renewals: Arc<Number>,
}

impl Metrics {
    pub(super) fn new(name: &str, standing: Standing, slow_renewals: Arc<Number>) -> Self {
        Self { name: name.into(), standing, slow_renewals }
    }

    /// Everything for an exporter of metrics: `leader_election_master_status` is 1 where this one leads, and
    /// `leader_election_slowpath_total` counts renewals that had to look at the lease first.
    pub fn samples(&self) -> Vec<Sample> {
        let mut samples = Samples::with_labels(&[("name", &self.name)]);
        let help = "1 if this one leads, 0 if it stands by.";
        samples.gauge("leader_election_master_status", help, u64::from(self.standing.is_leading()));
        let help = "Renewals that had to read the lease because it was not as it was left.";
        samples.counter("leader_election_slowpath_total", help, self.slow_renewals.get());
        samples.into_vec()
    }
}
