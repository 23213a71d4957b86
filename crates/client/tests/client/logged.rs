//! Everything that is logged on the threads of a test, at TRACE: by `tracing`, and by `log`, which rustls uses.

use std::cell::RefCell;
use std::io::Write;
use std::sync::{Arc, Mutex, Once};

use tracing::subscriber::DefaultGuard;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::FmtSpan;

/// What was logged.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Records on this thread until what it gives back is dropped.
    pub(crate) fn record(&self) -> Recording {
        listen_to_log();
        RECORDING.set(Some(self.clone()));
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_span_events(FmtSpan::FULL)
            .with_ansi(false)
            .with_writer(self.clone());
        Recording { _tracing: tracing::subscriber::set_default(subscriber.finish()) }
    }

    /// All of it.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// A thread whose log is recorded.
pub(crate) struct Recording {
    _tracing: DefaultGuard,
}

impl Drop for Recording {
    fn drop(&mut self) {
        // A thread that ends may have none any more.
        let _ = RECORDING.try_with(RefCell::take);
    }
}

thread_local! {
    static RECORDING: RefCell<Option<Log>> = const { RefCell::new(None) };
}

/// The logger of the process: hands on to the recorder of the thread.
struct PerThread;

fn listen_to_log() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        log::set_logger(&PerThread).unwrap();
        log::set_max_level(log::LevelFilter::Trace);
    });
}

impl log::Log for PerThread {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        if let Some(mut log) = RECORDING.with_borrow(Clone::clone) {
            writeln!(log, "{} {}: {}", record.level(), record.target(), record.args()).unwrap();
        }
    }

    fn flush(&self) {}
}
