//! How the process is doing, from `/proc`, under the names that every Prometheus client library has for it.

use std::fmt;
use std::fs;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

/// Reads `/proc/self` when it is asked; what cannot be read is not exported.
#[derive(Debug)]
pub(super) struct Process;

/// Linux counts time for programs in hundredths of a second on every architecture that Rust supports.
const TICKS_PER_SECOND: f64 = 100.0;

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let numbers = Numbers::read();
        if let Some(seconds) = numbers.cpu_seconds {
            let (name, help) = ("process_cpu_seconds", "CPU time that the process has used.");
            encoder
                .encode_descriptor(name, help, None, MetricType::Counter)?
                .encode_counter::<NoLabelSet, _, u64>(&seconds, None)?;
        }
        for (name, help, value) in numbers.gauges() {
            if let Some(value) = value {
                encoder.encode_descriptor(name, help, None, MetricType::Gauge)?.encode_gauge(&value)?;
            }
        }
        Ok(())
    }
}

/// What `/proc` says.
#[derive(Debug, Default)]
struct Numbers {
    cpu_seconds: Option<f64>,
    start_time_seconds: Option<f64>,
    virtual_memory_bytes: Option<f64>,
    resident_memory_bytes: Option<f64>,
    open_fds: Option<f64>,
    max_fds: Option<f64>,
}

impl Numbers {
    fn read() -> Self {
        let read = |path: &str| fs::read_to_string(path).ok();
        let (stat, status) = (read("/proc/self/stat"), read("/proc/self/status"));
        let ticks = |field| fields(stat.as_deref()?)?.nth(field)?.parse::<f64>().ok();
        let kilobytes = |name| value(status.as_deref()?, name)?.trim_end_matches("kB").trim().parse::<f64>().ok();
        // Seconds since 1970 at which the system began, and from there.
        let boot = read("/proc/stat").and_then(|text| value(&text, "btime")?.parse::<f64>().ok());
        Self {
            cpu_seconds: ticks(UTIME).zip(ticks(STIME)).map(|(user, system)| (user + system) / TICKS_PER_SECOND),
            start_time_seconds: boot.zip(ticks(STARTTIME)).map(|(boot, start)| boot + start / TICKS_PER_SECOND),
            virtual_memory_bytes: kilobytes("VmSize:").map(|kilobytes| kilobytes * 1024.0),
            resident_memory_bytes: kilobytes("VmRSS:").map(|kilobytes| kilobytes * 1024.0),
            // The one that reads the folder is not counted.
            open_fds: fs::read_dir("/proc/self/fd").ok().map(|files| (files.count() as f64 - 1.0).max(0.0)),
            max_fds: read("/proc/self/limits").and_then(|text| {
                let limits = text.lines().find_map(|line| line.strip_prefix("Max open files"))?;
                limits.split_whitespace().next()?.parse().ok()
            }),
        }
    }

    fn gauges(&self) -> [(&'static str, &'static str, Option<f64>); 5] {
        [
            ("process_max_fds", "How many files the process may have open.", self.max_fds),
            ("process_open_fds", "How many files the process has open.", self.open_fds),
            ("process_resident_memory_bytes", "Memory that the process holds.", self.resident_memory_bytes),
            ("process_start_time_seconds", "When the process began, in seconds since 1970.", self.start_time_seconds),
            ("process_virtual_memory_bytes", "Memory that the process has reserved.", self.virtual_memory_bytes),
        ]
    }
}

/// The places of numbers in `/proc/self/stat`, counted from behind the program's name, which may hold spaces itself.
const UTIME: usize = 11;
const STIME: usize = 12;
const STARTTIME: usize = 19;

fn fields(stat: &str) -> Option<impl Iterator<Item = &str>> {
    Some(stat.rsplit_once(") ")?.1.split_whitespace())
}

fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_this_process_is_plausible() {
        let numbers = Numbers::read();
        let between = |number: Option<f64>, low: f64, high: f64| {
            assert!(number.is_some_and(|number| (low..=high).contains(&number)), "{numbers:?}");
        };
        between(numbers.cpu_seconds, 0.0, 1e6);
        // Since 2020 and until 2100.
        between(numbers.start_time_seconds, 1.577e9, 4.1e9);
        between(numbers.resident_memory_bytes, 1e5, 1e12);
        between(numbers.virtual_memory_bytes, numbers.resident_memory_bytes.unwrap(), 1e15);
        between(numbers.open_fds, 3.0, 1e6);
        between(numbers.max_fds, numbers.open_fds.unwrap(), 1e10);
    }

    #[test]
    fn a_program_whose_name_holds_spaces_and_brackets_is_read_rightly() {
        let stat = "7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 111 222 13 14 15 16 17 18 1919 20";
        let field = |at| fields(stat).unwrap().nth(at).unwrap();
        assert_eq!([field(UTIME), field(STIME), field(STARTTIME)], ["111", "222", "1919"]);
    }
}
