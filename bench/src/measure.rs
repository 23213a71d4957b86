//! What is measured of a process: CPU time and resident memory.
//!
//! In: two moments of this process. Out: [`Figures`], which travel from child to parent as one line of text.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::BoxError;

/// What one run of one side cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figures {
    /// User and system time of the process from the controller's start until its store was ready.
    pub(crate) cpu_until_ready: Duration,
    /// Bytes of resident memory that were added until every object had been reconciled once.
    pub(crate) memory_growth: u64,
}

impl Figures {
    /// The median of each figure by itself.
    pub(crate) fn median(runs: &[Self]) -> Self {
        Self {
            cpu_until_ready: median(runs.iter().map(|run| run.cpu_until_ready)),
            memory_growth: median(runs.iter().map(|run| run.memory_growth)),
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.cpu_until_ready.as_nanos(), self.memory_growth)
    }
}

impl FromStr for Figures {
    type Err = BoxError;

    fn from_str(line: &str) -> Result<Self, BoxError> {
        let (nanoseconds, bytes) = line.split_once(' ').ok_or_else(|| format!("not two figures: {line}"))?;
        Ok(Self {
            cpu_until_ready: Duration::from_nanos(nanoseconds.parse()?),
            memory_growth: bytes.parse()?,
        })
    }
}

/// The CPU time this process has used so far, all its threads together.
pub(crate) fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).expect("a process has not used less than no time")
}

/// The bytes of memory that this process has in RAM.
pub(crate) fn resident_memory() -> Result<u64, BoxError> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .ok_or("this system does not report VmRSS")?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kibibytes * 1024)
}

fn median<T: Ord>(values: impl Iterator<Item = T>) -> T {
    let mut values: Vec<T> = values.collect();
    values.sort();
    let middle = values.len() / 2;
    values.swap_remove(middle)
}
