//! Counts allocations: the system's allocator, with a counter before it.

#![expect(unsafe_code, reason = "an allocator is an unsafe trait; every call is handed on as it came")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

#[global_allocator]
static COUNTING: Counting = Counting;

static COUNT: AtomicU64 = AtomicU64::new(0);
static HELD: AtomicI64 = AtomicI64::new(0);
/// Off where time is measured: it would be part of that.
static IS_WEIGHING: AtomicBool = AtomicBool::new(false);

/// How often memory has been asked for so far.
pub(crate) fn allocations() -> u64 {
    COUNT.load(Ordering::Relaxed)
}

/// How many bytes have come into use since this was called first, with what glibc adds to each piece.
pub(crate) fn held_bytes() -> i64 {
    IS_WEIGHING.store(true, Ordering::Relaxed);
    HELD.load(Ordering::Relaxed)
}

fn hold(more: i64) {
    if IS_WEIGHING.load(Ordering::Relaxed) {
        HELD.fetch_add(more, Ordering::Relaxed);
    }
}

/// A word before each piece, in steps of sixteen bytes, and no piece smaller than 32.
fn taken(size: usize) -> i64 {
    (size + 8).next_multiple_of(16).max(32) as i64
}

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        hold(taken(layout.size()));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        hold(-taken(layout.size()));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        hold(taken(size) - taken(layout.size()));
        unsafe { System.realloc(pointer, layout, size) }
    }
}
