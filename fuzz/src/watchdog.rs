//! Notices a run that does not end, and keeps its input.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::target::Print;

/// No run of a few kilobytes takes this long unless it takes for ever.
const RUN_MAX: Duration = Duration::from_secs(20);

/// Knows what runs now.
pub(crate) struct Watchdog {
    now: Arc<Mutex<Running>>,
}

#[derive(Default)]
struct Running {
    number: u64,
    input: Vec<u8>,
}

impl Watchdog {
    /// Watches from a thread of its own until the process ends.
    pub(crate) fn start(target: &'static str) -> Self {
        let now = Arc::new(Mutex::new(Running::default()));
        let watched = Arc::clone(&now);
        std::thread::spawn(move || watch(target, &watched));
        Self { now }
    }

    /// The input that runs next.
    pub(crate) fn note(&self, input: &[u8]) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.number += 1;
        now.input.clear();
        now.input.extend_from_slice(input);
    }
}

fn watch(target: &str, now: &Mutex<Running>) {
    let mut last = 0;
    loop {
        std::thread::sleep(RUN_MAX);
        let now = now.lock().unwrap_or_else(PoisonError::into_inner);
        if now.number == last && last > 0 {
            let saved =
                save(target, &now.input).map_or_else(|error| error.to_string(), |path| path.display().to_string());
            crate::say(&format!("{target}: FOUND a run that does not end; its input: {saved}"));
            std::process::exit(1);
        }
        last = now.number;
    }
}

/// Keeps an input where `--replay` finds it.
pub(crate) fn save(target: &str, input: &[u8]) -> std::io::Result<PathBuf> {
    let folder = PathBuf::from("target/fuzz");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{target}-{:016x}", Print::of(input).0));
    std::fs::write(&path, input)?;
    Ok(path)
}
