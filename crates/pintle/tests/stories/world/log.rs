//! The log lines of a story, captured on its own thread.
//!
//! One subscriber serves the whole process and writes to the capture of the current thread. A subscriber per thread would
//! miss lines: tracing caches for each call site whether the first thread was interested.

use std::cell::RefCell;
use std::io::Write;
use std::sync::Once;

thread_local! {
    static CAPTURED: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

static SUBSCRIBED: Once = Once::new();

/// Captures the log of this thread until it is dropped.
pub(crate) struct Log(());

impl Log {
    pub(crate) fn catch() -> Self {
        SUBSCRIBED.call_once(|| tracing_subscriber::fmt().with_writer(|| CaptureWriter).with_ansi(false).init());
        CAPTURED.set(Some(Vec::new()));
        Self(())
    }

    /// The lines that contain `text`.
    pub(crate) fn lines_with(&self, text: &str) -> Vec<String> {
        let all = CAPTURED
            .with_borrow(|captured| String::from_utf8_lossy(captured.as_deref().unwrap_or_default()).into_owned());
        all.lines().filter(|line| line.contains(text)).map(str::to_owned).collect()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        CAPTURED.set(None);
    }
}

struct CaptureWriter;

impl Write for CaptureWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        CAPTURED.with_borrow_mut(|captured| captured.as_mut().map(|captured| captured.extend_from_slice(bytes)));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
