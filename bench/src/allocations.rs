//! Counts allocations: the system's allocator, with a counter before it.

#![expect(unsafe_code, reason = "an allocator is an unsafe trait; every call is handed on as it came")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

#[global_allocator]
static COUNTING: Counting = Counting;

static COUNT: AtomicU64 = AtomicU64::new(0);

/// How often memory has been asked for so far.
pub(crate) fn allocations() -> u64 {
    COUNT.load(Ordering::Relaxed)
}

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}
