//! Who may read a store before its first list is complete without being warned.
//!
//! Such a read is a mistake in most programs, because the store looks empty. A mapper of a controller reads then as a
//! matter of course: it is asked while the lists arrive, and what it does not find is reconciled when the list is
//! complete. The word lies on the thread, as a mapper is a plain function.

use std::cell::Cell;

thread_local! {
    static ARE_ALLOWED: Cell<bool> = const { Cell::new(false) };
}

/// Ends the permission, also when what had it panics.
struct Before(bool);

impl Drop for Before {
    fn drop(&mut self) {
        ARE_ALLOWED.set(self.0);
    }
}

/// Calls `read`, which may read stores that are not ready.
pub(crate) fn allowing_early_reads<T>(read: impl FnOnce() -> T) -> T {
    let _before = Before(ARE_ALLOWED.replace(true));
    read()
}

pub(super) fn are_allowed() -> bool {
    ARE_ALLOWED.get()
}
