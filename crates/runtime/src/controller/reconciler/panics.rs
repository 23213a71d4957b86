//! Panics of a program's functions, caught with what they said and where.
//!
//! What a panic says is its payload; where it happened only a panic hook learns. So the first catch installs one, for the
//! whole process, that notes the place of a panic while one of a controller's functions runs on the thread, and then
//! calls the hook that was there before: nothing else changes. A program that sets a hook of its own later loses the
//! place, not the panic.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::pin::Pin;
use std::sync::Once;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

/// A panic of a reconciler, or of a function it depends on.
///
/// Its place is noted by a panic hook of the process that a controller installs when it first calls such a function: it
/// looks only at panics of these functions, and calls the hook that was there before. A program that sets a hook of its
/// own after that sees every panic as ever, and the place is not known here.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Panic {
    message: String,
    location: Option<String>,
}

thread_local! {
    /// How many catches surround what runs on this thread.
    static CATCHES: Cell<u32> = const { Cell::new(0) };
    /// Where the last panic within one of them happened.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();

impl Panic {
    /// What it said; empty if that is not text.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Where it happened, as `src/main.rs:10:5`, if that is known.
    pub fn location(&self) -> Option<&str> {
        self.location.as_deref()
    }

    /// A panic of which nothing else is known.
    pub(in crate::controller) fn unknown() -> Self {
        Self { message: String::new(), location: None }
    }

    fn new(payload: &(dyn Any + Send), location: Option<String>) -> Self {
        let text =
            payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Self { message: text.unwrap_or_default().to_owned(), location }
    }
}

impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.message.is_empty() { "a panic without a message" } else { &self.message })?;
        match &self.location {
            Some(location) => write!(f, " (at {location})"),
            None => Ok(()),
        }
    }
}

/// Calls `function`, and catches its panic.
pub(in crate::controller) fn catch<T>(function: impl FnOnce() -> T) -> Result<T, Panic> {
    install_hook();
    CATCHES.set(CATCHES.get() + 1);
    let caught = catch_unwind(AssertUnwindSafe(function));
    CATCHES.set(CATCHES.get() - 1);
    caught.map_err(|payload| Panic::new(payload.as_ref(), PLACE.take()))
}

fn install_hook() {
    // The hook cannot be changed by a thread that panics; the next catch does it.
    if std::thread::panicking() {
        return;
    }
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic: &PanicHookInfo<'_>| {
            if CATCHES.try_with(Cell::get).is_ok_and(|catches| catches > 0) {
                PLACE.set(panic.location().map(ToString::to_string));
            }
            before(panic);
        }));
    });
}

pin_project! {
    /// A future whose panic ends nothing else.
    pub(in crate::controller) struct Caught<F> {
        #[pin]
        future: F,
    }
}

impl<F> Caught<F> {
    pub(in crate::controller) fn new(future: F) -> Self {
        Self { future }
    }
}

impl<F: Future> Future for Caught<F> {
    type Output = Result<F::Output, Panic>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let future = self.project().future;
        match catch(|| future.poll(cx)) {
            Ok(polled) => polled.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_with_its_message_and_place() {
        let text = catch::<()>(|| panic!("out of {}", "luck")).unwrap_err();
        assert_eq!(text.message(), "out of luck");
        assert!(text.location().is_some_and(|place| place.contains("panics.rs:")), "{text}");
        let other = catch::<()>(|| std::panic::panic_any(7)).unwrap_err();
        assert!(other.to_string().starts_with("a panic without a message (at "), "{other}");
        assert_eq!(catch(|| 3), Ok(3));
    }
}
