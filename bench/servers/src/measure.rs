//! What is measured of a server, and how two of them compare.

use std::fmt;
use std::time::{Duration, Instant};

use crate::BoxError;

/// What one run of one side came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    /// From starting the process to the first answer to a request with a token.
    pub(crate) start: Duration,
    /// Bytes of resident memory after that answer.
    pub(crate) memory_at_start: u64,
    /// The same with every pod in it.
    pub(crate) memory_loaded: u64,
    /// Writes, creations and patches in turns.
    pub(crate) writes: Rate,
    /// Megabytes of lists.
    pub(crate) list: Rate,
    pub(crate) fanout: Fanout,
}

/// How much of something a server does in a second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    /// By the clock, which the client's own work and whatever else the machine does slow down.
    pub(crate) by_clock: f64,
    /// By the processor time of the server's process, which they do not.
    pub(crate) by_processor: f64,
    /// By the processor time of the client's process: what the clock could say at most of a server that needs no time.
    pub(crate) by_client: f64,
}

impl Rate {
    fn median(rates: impl Iterator<Item = Self> + Clone) -> Self {
        Self {
            by_clock: median(rates.clone().map(|rate| rate.by_clock)),
            by_processor: median(rates.clone().map(|rate| rate.by_processor)),
            by_client: median(rates.map(|rate| rate.by_client)),
        }
    }
}

/// How changes reach many watchers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fanout {
    /// Events delivered while writes never wait.
    pub(crate) events: Rate,
    /// From sending a write to its event's arrival, for all but a hundredth, while writes come at a steady pace.
    pub(crate) p99: Duration,
}

impl Figures {
    /// The median of each figure by itself.
    pub(crate) fn median(runs: &[Self]) -> Self {
        let fanout = Fanout {
            events: Rate::median(runs.iter().map(|run| run.fanout.events)),
            p99: median(runs.iter().map(|run| run.fanout.p99)),
        };
        Self {
            start: median(runs.iter().map(|run| run.start)),
            memory_at_start: median(runs.iter().map(|run| run.memory_at_start)),
            memory_loaded: median(runs.iter().map(|run| run.memory_loaded)),
            writes: Rate::median(runs.iter().map(|run| run.writes)),
            list: Rate::median(runs.iter().map(|run| run.list)),
            fanout,
        }
    }

    /// How many times better these are than those of the other, by name.
    pub(crate) fn ratios(&self, other: &Self) -> [(&'static str, f64); 10] {
        let less = |ours: f64, theirs: f64| theirs / ours;
        [
            ("server-start", less(self.start.as_secs_f64(), other.start.as_secs_f64())),
            ("server-memory", less(self.memory_at_start as f64, other.memory_at_start as f64)),
            ("server-memory-loaded", less(self.memory_loaded as f64, other.memory_loaded as f64)),
            ("server-writes", self.writes.by_clock / other.writes.by_clock),
            ("server-writes-cpu", self.writes.by_processor / other.writes.by_processor),
            ("server-list", self.list.by_clock / other.list.by_clock),
            ("server-list-cpu", self.list.by_processor / other.list.by_processor),
            ("server-fanout", self.fanout.events.by_clock / other.fanout.events.by_clock),
            ("server-fanout-cpu", self.fanout.events.by_processor / other.fanout.events.by_processor),
            ("server-fanout-p99", less(self.fanout.p99.as_secs_f64(), other.fanout.p99.as_secs_f64())),
        ]
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        write!(
            formatter,
            "start {:.1} ms, memory {:.1} MiB ({:.1} loaded), {} writes/s, {} MB/s of lists, {} events/s to watchers, \
             p99 {:.1} ms",
            milliseconds(self.start),
            mebibytes(self.memory_at_start),
            mebibytes(self.memory_loaded),
            self.writes,
            self.list,
            self.fanout.events,
            milliseconds(self.fanout.p99),
        )
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (clock, server, client) = (self.by_clock, self.by_processor, self.by_client);
        write!(formatter, "{clock:.0} ({server:.0} by the server's processor time, {client:.0} by the client's)")
    }
}

/// A stretch of work of a process.
pub(crate) struct Stretch {
    process: u32,
    begun: Instant,
    server: Duration,
    client: Duration,
}

impl Stretch {
    /// Begins one.
    pub(crate) fn begin(process: u32) -> Result<Self, BoxError> {
        let (server, client) = (processor_time(process)?, processor_time(std::process::id())?);
        Ok(Self { process, server, client, begun: Instant::now() })
    }

    /// Ends it; so much was done.
    pub(crate) fn end(self, amount: f64) -> Result<Rate, BoxError> {
        let by_clock = amount / self.begun.elapsed().as_secs_f64();
        let server = processor_time(self.process)? - self.server;
        let client = processor_time(std::process::id())? - self.client;
        Ok(Rate { by_clock, by_processor: amount / server.as_secs_f64(), by_client: amount / client.as_secs_f64() })
    }
}

/// User and system time of all threads of a process so far.
fn processor_time(process: u32) -> Result<Duration, BoxError> {
    let line = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name stands in parentheses and may hold anything; user and system time are the 12th and 13th word behind it.
    let rest = line.rsplit_once(')').ok_or("this system reports no processor time")?.1;
    let ticks: u64 = rest.split_whitespace().skip(11).take(2).map(str::parse::<u64>).sum::<Result<u64, _>>()?;
    Ok(Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
}

/// What Linux counts in here, on every platform.
const TICKS_PER_SECOND: u64 = 100;

/// The bytes of memory that a process has in RAM.
pub(crate) fn resident_memory(process: u32) -> Result<u64, BoxError> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("this system does not report VmRSS")?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kibibytes * 1024)
}

fn median<T: PartialOrd>(values: impl Iterator<Item = T>) -> T {
    let mut values: Vec<T> = values.collect();
    values.sort_by(|a, b| a.partial_cmp(b).expect("no measurement is NaN"));
    let middle = values.len() / 2;
    values.swap_remove(middle)
}
