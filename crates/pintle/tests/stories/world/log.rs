//! What is told to the log, caught for a story on its own thread.
//!
//! One subscriber serves the whole process and writes to whatever the thread at hand catches: a subscriber per thread
//! would miss lines whose call site another thread has seen first.

use std::cell::RefCell;
use std::io::Write;
use std::sync::Once;

thread_local! {
    static CAUGHT: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

static SUBSCRIBED: Once = Once::new();

/// The log of this thread while it lives.
pub(crate) struct Log(());

impl Log {
    pub(crate) fn catch() -> Self {
        SUBSCRIBED.call_once(|| tracing_subscriber::fmt().with_writer(|| Page).with_ansi(false).init());
        CAUGHT.set(Some(Vec::new()));
        Self(())
    }

    /// The lines that contain `text`.
    pub(crate) fn lines_with(&self, text: &str) -> Vec<String> {
        let all =
            CAUGHT.with_borrow(|caught| String::from_utf8_lossy(caught.as_deref().unwrap_or_default()).into_owned());
        all.lines().filter(|line| line.contains(text)).map(str::to_owned).collect()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        CAUGHT.set(None);
    }
}

struct Page;

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        CAUGHT.with_borrow_mut(|caught| caught.as_mut().map(|caught| caught.extend_from_slice(bytes)));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
