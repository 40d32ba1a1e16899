//! Memory with a fence: between [`fenced`] and its end every list of this thread stands alone on pages that
//! may be touched, directly before or directly after pages that may not. A kernel that reads or writes one
//! number outside of what it was given ends the process.
//!
//! The pages are parts of one large stretch of addresses, each used once: who touches what was given back
//! ends the process, too. Costs two calls of the system for a list, which no step of a method makes once it
//! has started.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// On which side of a list the fence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

const PAGE: usize = 4096;
/// Addresses, not memory.
const STRETCH: usize = 64 << 30;

const NO_ACCESS: c_int = 0;
const READ_AND_WRITE: c_int = 3;
/// Private, anonymous, without a reservation of memory.
const MAP: c_int = 0x2 | 0x20 | 0x4000;
const FIXED: c_int = 0x10;

// SAFETY: the system's own functions, with their types on 64-bit Linux.
unsafe extern "C" {
    fn mmap(
        at: *mut c_void,
        length: usize,
        access: c_int,
        flags: c_int,
        file: c_int,
        offset: i64,
    ) -> *mut c_void;
    fn mprotect(at: *mut c_void, length: usize, access: c_int) -> c_int;
}

struct Fence;

#[global_allocator]
static FENCE: Fence = Fence;

static START: OnceLock<usize> = OnceLock::new();
static NEXT: AtomicUsize = AtomicUsize::new(0);
/// Lists that could not be fenced.
static MISSED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static SIDE: Cell<Option<Side>> = const { Cell::new(None) };
}

/// Does the work with fences around what this thread allocates; says whether all of it had one.
pub(super) fn fenced<T>(side: Side, work: impl FnOnce() -> T) -> (T, bool) {
    start();
    let missed = MISSED.load(Ordering::Relaxed);
    SIDE.set(Some(side));
    let done = work();
    SIDE.set(None);
    (done, MISSED.load(Ordering::Relaxed) == missed)
}

fn start() -> usize {
    *START.get_or_init(|| {
        // SAFETY: a new mapping touches nothing that is there.
        let at = unsafe { mmap(std::ptr::null_mut(), STRETCH, NO_ACCESS, MAP, -1, 0) } as usize;
        assert!(at != usize::MAX && at.is_multiple_of(PAGE), "no addresses for fences");
        at
    })
}

fn is_fenced(at: *mut u8) -> bool {
    START.get().is_some_and(|&start| (start..start + STRETCH).contains(&(at as usize)))
}

/// The bytes of the pages of a list.
fn pages(size: usize) -> usize {
    size.div_ceil(PAGE) * PAGE
}

/// A list on pages of its own; a page that may not be touched comes after it, as after the list before.
fn take(layout: Layout, side: Side) -> Option<*mut u8> {
    let length = pages(layout.size());
    let offset = NEXT.fetch_add(length + PAGE, Ordering::Relaxed) + PAGE;
    if layout.align() > PAGE || offset + length + PAGE > STRETCH {
        return None;
    }
    let first = START.get()? + offset;
    // SAFETY: the pages are of our stretch, and nobody else has them.
    if unsafe { mprotect(first as *mut c_void, length, READ_AND_WRITE) } != 0 {
        return None;
    }
    let gap = match side {
        Side::Before => 0,
        Side::After => (length - layout.size()) & !(layout.align() - 1),
    };
    Some((first + gap) as *mut u8)
}

// SAFETY: lists in our stretch have pages of their own; all others are the system's.
unsafe impl GlobalAlloc for Fence {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if let Some(side) = SIDE.get() {
            if let Some(at) = take(layout, side) {
                return at;
            }
            MISSED.fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if is_fenced(at) {
            let first = at as usize & !(PAGE - 1);
            // SAFETY: the pages are those of this list. New ones in their place may not be touched and take
            // no memory.
            unsafe { mmap(first as *mut c_void, pages(layout.size()), NO_ACCESS, MAP | FIXED, -1, 0) };
        } else {
            // SAFETY: the caller's contract.
            unsafe { System.dealloc(at, layout) };
        }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if SIDE.get().is_none() && !is_fenced(at) {
            // SAFETY: the caller's contract.
            return unsafe { System.realloc(at, layout, size) };
        }
        // SAFETY: the alignment is that of a layout, and the size by contract.
        let moved = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !moved.is_null() {
            // SAFETY: both are at least as long, and the new one is another.
            unsafe { std::ptr::copy_nonoverlapping(at, moved, layout.size().min(size)) };
            // SAFETY: the caller's contract.
            unsafe { self.dealloc(at, layout) };
        }
        moved
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match SIDE.get() {
            // Pages that were never used are zero; those of the system need not be.
            Some(_) => {
                // SAFETY: the caller's contract.
                let at = unsafe { self.alloc(layout) };
                if !at.is_null() && !is_fenced(at) {
                    // SAFETY: this many bytes were given.
                    unsafe { at.write_bytes(0, layout.size()) };
                }
                at
            }
            // SAFETY: the caller's contract.
            None => unsafe { System.alloc_zeroed(layout) },
        }
    }
}

#[test]
fn a_list_stands_beside_its_fence() {
    for (side, size) in [(Side::After, 24), (Side::Before, 24), (Side::After, 3 * PAGE), (Side::After, 5_000)]
    {
        let (list, all) = fenced(side, || vec![7_u8; size]);
        let range = list.as_ptr_range();
        let edge = if side == Side::After { range.end } else { range.start };
        assert!(all && (edge as usize).is_multiple_of(PAGE), "{side:?}, {size}");
        assert!(is_fenced(list.as_ptr().cast_mut()) && list.iter().all(|&byte| byte == 7));
        // It may be given back where nothing is fenced, and grow there.
        let mut list = list;
        list.push(8);
        assert!(!is_fenced(list.as_ptr().cast_mut()) && list[..size].iter().all(|&byte| byte == 7));
    }
}
