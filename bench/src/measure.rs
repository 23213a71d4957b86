//! What is measured of a process: CPU time and resident memory.
//!
//! In: moments of this process. Out: [`Figures`], which travel from child to parent as lines of text.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::BoxError;
use crate::allocations::allocations;

/// What one run of one side cost, by the name of what was done: microseconds of CPU per object, or bytes per object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Figures(pub(crate) BTreeMap<String, f64>);

impl Figures {
    /// The median of each figure by itself.
    pub(crate) fn median(runs: &[Self]) -> Self {
        let names = runs.first().into_iter().flat_map(|run| run.0.keys());
        Self(names.map(|name| (name.clone(), median(runs.iter().filter_map(|run| run.0.get(name).copied())))).collect())
    }

    pub(crate) fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(name, figure)| writeln!(formatter, "{name} {figure}"))
    }
}

impl FromStr for Figures {
    type Err = BoxError;

    fn from_str(lines: &str) -> Result<Self, BoxError> {
        let figure = |line: &str| {
            let (name, figure) = line.split_once(' ').ok_or_else(|| format!("not a figure: {line}"))?;
            Ok((name.to_owned(), figure.parse()?))
        };
        lines.lines().map(figure).collect::<Result<_, BoxError>>().map(Self)
    }
}

/// Takes the figures of one process, one after the other.
pub(crate) struct Meter {
    objects: f64,
    wall: Instant,
    cpu: Duration,
    allocations: u64,
    memory: u64,
    figures: Figures,
}

impl Meter {
    /// Begins; the figures are per object.
    pub(crate) fn start(objects: usize) -> Result<Self, BoxError> {
        Self::forget_peak()?;
        let memory = resident_memory()?;
        let (cpu, allocations) = (cpu_time(), allocations());
        let wall = Instant::now();
        Ok(Self { objects: objects as f64, wall, cpu, allocations, memory, figures: Figures::default() })
    }

    /// What came before is not measured.
    pub(crate) fn restart(&mut self) {
        (self.cpu, self.allocations) = (cpu_time(), allocations());
    }

    /// Notes the CPU time and the allocations since the last such reading, or up to the `moment` at which both were read.
    pub(crate) fn spent(&mut self, name: &str, moment: Moment) {
        self.note(name, (moment.cpu - self.cpu).as_secs_f64() * 1e6);
        self.note(&format!("{name}-allocations"), (moment.allocations - self.allocations) as f64);
        (self.cpu, self.allocations) = (moment.cpu, moment.allocations);
    }

    /// As [`spent`](Self::spent), for each of so many pieces of work and not for each object.
    pub(crate) fn spent_for(&mut self, name: &str, pieces: usize, moment: Moment) {
        let objects = std::mem::replace(&mut self.objects, pieces as f64);
        self.spent(name, moment);
        self.objects = objects;
    }

    /// Notes the time by the clock from the start of this to the `moment`, for all objects together: what a user waits.
    pub(crate) fn reached(&mut self, name: &str, moment: Moment) {
        self.note(name, (moment.wall - self.wall).as_secs_f64() * 1e6 * self.objects);
    }

    /// Notes the sum of figures that were noted before.
    pub(crate) fn add(&mut self, name: &str, parts: [&str; 2]) {
        let sum = parts.iter().filter_map(|part| self.figures.get(part)).sum::<f64>();
        self.note(name, sum * self.objects);
    }

    /// Notes how much memory has been added since the start.
    pub(crate) fn holds(&mut self, name: &str) -> Result<(), BoxError> {
        let memory = resident_memory()?.saturating_sub(self.memory);
        self.note(name, memory as f64);
        Ok(())
    }

    /// From now on the peak is measured.
    pub(crate) fn forget_peak() -> Result<(), BoxError> {
        // Kernel's documentation of clear_refs: 5 resets the peak.
        Ok(std::fs::write("/proc/self/clear_refs", "5")?)
    }

    /// Notes how much memory more than at the start there was at the peak.
    pub(crate) fn held_at_most(&mut self, name: &str) -> Result<(), BoxError> {
        let peak = status_bytes("self", "VmHWM:")?.saturating_sub(self.memory);
        self.note(name, peak as f64);
        Ok(())
    }

    /// The figures.
    pub(crate) fn finish(self) -> Figures {
        self.figures
    }

    fn note(&mut self, name: &str, figure: f64) {
        self.figures.0.insert(name.to_owned(), figure / self.objects);
    }
}

/// CPU time and allocations up to a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    wall: Instant,
    cpu: Duration,
    allocations: u64,
}

impl Moment {
    pub(crate) fn now() -> Self {
        Self { wall: Instant::now(), cpu: cpu_time(), allocations: allocations() }
    }

    /// Once the process does nothing any more: what it does behind the measured work is part of that.
    pub(crate) fn at_rest() -> Self {
        let mut last = Self::now();
        loop {
            std::thread::sleep(REST);
            let now = Self::now();
            if now.cpu - last.cpu < REST / 100 {
                return now;
            }
            last = now;
        }
    }
}

/// Long enough that a thread which has work gets to do some of it on a busy machine.
const REST: Duration = Duration::from_millis(100);

/// The CPU time this process has used so far, all its threads together.
pub(crate) fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).expect("a process has not used less than no time")
}

/// The CPU time that the processes have used which this one started and which have ended.
pub(crate) fn children_cpu_time() -> Result<Duration, BoxError> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The name of the program stands in brackets before the rest, and may hold anything.
    let (_, rest) = stat.rsplit_once(')').ok_or("this system reports no times")?;
    let numbers: Vec<&str> = rest.split_whitespace().collect();
    let ticks: u64 = CHILDREN_TICKS.iter().filter_map(|field| numbers.get(*field)?.parse::<u64>().ok()).sum();
    Ok(Duration::from_secs(1) * u32::try_from(ticks)? / u32::try_from(rustix::param::clock_ticks_per_second())?)
}

/// User's and system's time, as places in `/proc/PID/stat` behind the name, from zero.
const CHILDREN_TICKS: [usize; 2] = [13, 14];

/// The CPU time that the threads of another process have used so far: to the nanosecond, where ticks are 10 ms.
pub(crate) fn process_cpu_time(process: u32) -> Result<Duration, BoxError> {
    let mut nanoseconds = 0;
    for thread in std::fs::read_dir(format!("/proc/{process}/task"))? {
        let times = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        nanoseconds += times.split(' ').next().unwrap_or_default().parse::<u64>()?;
    }
    Ok(Duration::from_nanos(nanoseconds))
}

/// The bytes of memory that another process has in RAM.
pub(crate) fn process_memory(process: u32) -> Result<u64, BoxError> {
    status_bytes(&process.to_string(), "VmRSS:")
}

/// The bytes of memory that this process has in RAM.
fn resident_memory() -> Result<u64, BoxError> {
    status_bytes("self", "VmRSS:")
}

fn status_bytes(process: &str, name: &str) -> Result<u64, BoxError> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kibibytes = line.ok_or_else(|| format!("this system does not report {name}"))?;
    Ok(kibibytes.trim().trim_end_matches(" kB").parse::<u64>()? * 1024)
}

/// The middle one.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
