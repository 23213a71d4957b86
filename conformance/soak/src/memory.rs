//! Whether memory stays flat.
//!
//! In: the resident memory at so many events. Out: how much it grows over the run, by a line through the samples after the
//! warm-up (least squares, so that no single sample decides), and whether that is too much.
//!
//! The bound: [`NOISE_MAX`] and a tenth of the level, which is what an allocator's fragments come to. In the full run some
//! 600,000 objects come and go under two kinds, and the smallest entry that a table could keep for one, a key of two pointers with
//! its name, takes 64 bytes: 77 MB in all, several times the bound. In a run that is no longer than the warm-up nothing is seen here; there the
//! tables are what is looked at ([`checks`](crate::checks)).

use std::fs;

use crate::Problem;

/// So much the memory of an idle process varies, with what the allocator keeps.
const NOISE_MAX: f64 = 8.0 * MEBIBYTE;
/// The first part of the samples, in which stores, histories and buffers grow to their sizes.
const WARM_UP: f64 = 0.25;
/// And so many events at least: the server's history and trace are full by then.
const WARM_UP_EVENTS: f64 = 60_000.0;
const MEBIBYTE: f64 = 1024.0 * 1024.0;

/// Samples of the resident memory.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// At so many events, so many bytes.
    samples: Vec<(f64, f64)>,
}

/// The line through the samples after the warm-up.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    /// In bytes, on average.
    level: f64,
    /// In bytes per event.
    slope: f64,
    /// In bytes, over the samples.
    growth: f64,
}

impl Memory {
    /// Takes a sample; returns it as text. A system that does not say how much memory a process has gives none.
    pub(crate) fn sample(&mut self, events: u64) -> String {
        let Some(bytes) = resident() else { return "memory unknown".to_owned() };
        self.samples.push((events as f64, bytes));
        mebibytes(bytes)
    }

    /// Fails if it grows with the events.
    pub(crate) fn is_flat(&self) -> Result<(), Problem> {
        match self.line() {
            Some(line) if line.growth > line.growth_max() => {
                Err(format!("memory is not flat: {}, more than {}", line.describe(), mebibytes(line.growth_max())))
            }
            _ => Ok(()),
        }
    }

    /// How it went.
    pub(crate) fn describe(&self) -> String {
        self.line().map_or_else(|| "memory is judged in longer runs only".to_owned(), |line| line.describe())
    }

    fn line(&self) -> Option<Line> {
        let warm_up = self.samples.partition_point(|(events, _)| *events < WARM_UP_EVENTS);
        let warm_up = warm_up.max((self.samples.len() as f64 * WARM_UP) as usize);
        let samples = &self.samples[warm_up..];
        let ((first, _), (last, _)) = (samples.first()?, samples.last()?);
        let count = samples.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| samples.iter().map(of).sum::<f64>() / count;
        let (middle, level) = (mean(|sample| sample.0), mean(|sample| sample.1));
        let spread: f64 = samples.iter().map(|(events, _)| (events - middle).powi(2)).sum();
        let together: f64 = samples.iter().map(|(events, bytes)| (events - middle) * (bytes - level)).sum();
        // One sample has no slope.
        let slope = if spread > 0.0 { together / spread } else { 0.0 };
        Some(Line { level, slope, growth: slope * (last - first) })
    }
}

impl Line {
    fn growth_max(&self) -> f64 {
        NOISE_MAX + self.level / 10.0
    }

    fn describe(&self) -> String {
        let (level, growth, slope) = (mebibytes(self.level), mebibytes(self.growth), self.slope);
        format!("memory {level} on average after the warm-up, {growth} of growth ({slope:.3} bytes per event)")
    }
}

fn resident() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.trim().strip_suffix("kB")?;
    Some(kilobytes.trim().parse::<f64>().ok()? * 1024.0)
}

fn mebibytes(bytes: f64) -> String {
    format!("{:.1} MiB", bytes / MEBIBYTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(bytes: impl Fn(f64) -> f64) -> Memory {
        Memory { samples: (0..100).map(|at| (f64::from(at) * 1e5, bytes(f64::from(at)))).collect() }
    }

    #[test]
    fn a_level_with_noise_is_flat_and_so_is_what_grows_only_in_the_beginning() {
        let noisy = memory(|at| 80.0 * MEBIBYTE + (at % 7.0) * MEBIBYTE);
        noisy.is_flat().unwrap();
        let warmed_up = memory(|at| 80.0 * MEBIBYTE + at.min(20.0) * 10.0 * MEBIBYTE);
        warmed_up.is_flat().unwrap();
        assert_eq!(
            warmed_up.describe(),
            "memory 280.0 MiB on average after the warm-up, 0.0 MiB of growth (0.000 bytes per event)"
        );
    }

    #[test]
    fn four_bytes_an_event_are_not_flat_although_they_are_noisy() {
        let leaking = memory(|at| 80.0 * MEBIBYTE + at * 4e5 + (at % 7.0) * MEBIBYTE);
        let problem = leaking.is_flat().unwrap_err();
        assert!(problem.starts_with("memory is not flat: memory 1"), "{problem}");
    }

    #[test]
    fn too_few_samples_say_nothing() {
        Memory::default().is_flat().unwrap();
        Memory { samples: vec![(1.0, 1e12)] }.is_flat().unwrap();
        assert_eq!(Memory::default().describe(), "memory is judged in longer runs only");
    }
}
