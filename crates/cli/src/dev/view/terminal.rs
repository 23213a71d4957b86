//! The terminal: taken for the view, and given back whatever ends it.
//!
//! At the end of the view and at an error the guard gives it back; at a panic the hook does, before the panic is printed, so
//! that it can be read. Signals end the view as `q` does.

use std::io::{IsTerminal, Stdout, stdin, stdout};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::Show;
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use crate::failure::Failure;

/// Whether the terminal is to be given back.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);
/// Whether something has panicked since the terminal was taken: what is drawn after that would go over the message.
static HAS_PANICKED: AtomicBool = AtomicBool::new(false);

/// The terminal, taken until this is dropped.
pub(crate) struct TakenTerminal {
    pub(crate) terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl TakenTerminal {
    pub(crate) fn take() -> Result<Self, Failure> {
        restore_before_panics(restore, &HAS_PANICKED);
        IS_TAKEN.store(true, Ordering::Release);
        let taken = enable_raw_mode()
            .and_then(|()| execute!(stdout(), EnterAlternateScreen))
            .and_then(|()| Terminal::new(CrosstermBackend::new(stdout())));
        let terminal = taken.map_err(|error| {
            restore();
            Failure::new("cannot show the view on this terminal (--plain prints lines)", error)
        })?;
        Ok(Self { terminal })
    }
}

impl Drop for TakenTerminal {
    fn drop(&mut self) {
        restore();
    }
}

/// Whether there is a terminal on both ends, and one that can do more than lines.
pub(crate) fn is_there(term: Option<&str>) -> bool {
    stdin().is_terminal() && stdout().is_terminal() && term != Some("dumb")
}

pub(crate) fn has_panicked() -> bool {
    HAS_PANICKED.load(Ordering::Acquire)
}

/// Every panic first gives the terminal back and is then printed as usual.
fn restore_before_panics(restore: impl Fn() + Send + Sync + 'static, has_panicked: &'static AtomicBool) {
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        restore();
        has_panicked.store(true, Ordering::Release);
        print(info);
    }));
}

/// Once only: a second time would put the cursor back to where it was before the view, over what was printed since. A
/// terminal that is gone cannot be given back, and there is nobody to report that to.
fn restore() {
    if IS_TAKEN.swap(false, Ordering::AcqRel) {
        drop(disable_raw_mode());
        drop(execute!(stdout(), LeaveAlternateScreen, Show));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn a_panic_gives_the_terminal_back_before_it_is_printed() {
        static SEEN: AtomicBool = AtomicBool::new(false);
        let restored = Arc::new(AtomicUsize::new(0));
        let before = panic::take_hook();
        let seen = Arc::clone(&restored);
        // Stands for printing.
        panic::set_hook(Box::new(move |_| assert_eq!(seen.load(Ordering::Acquire), 1)));
        let count = Arc::clone(&restored);
        let restore = move || {
            count.fetch_add(1, Ordering::AcqRel);
        };
        restore_before_panics(restore, &SEEN);
        let ended = std::thread::spawn(|| panic!("on purpose")).join();
        panic::set_hook(before);
        assert!(ended.is_err() && SEEN.load(Ordering::Acquire));
        assert_eq!(restored.load(Ordering::Acquire), 1);
    }
}
