//! Large zeroed memory, on huge pages where the system has them. If there is not enough, an error says so.

use crate::available::available_bytes;
use std::fmt;
use std::ptr::NonNull;

/// Why a table could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableError {
    /// Larger than the address space.
    TooLarge {
        /// The size asked for.
        mib: usize,
    },
    /// Larger than the free memory of the machine.
    NotEnoughMemory {
        /// The size asked for.
        mib: usize,
        /// The available memory.
        available_mib: usize,
    },
    /// The system refused it.
    Refused {
        /// The size asked for.
        mib: usize,
    },
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::TooLarge { mib } => write!(f, "a table of {mib} MiB is larger than any machine; ask for less"),
            TableError::NotEnoughMemory { mib, available_mib } => {
                write!(f, "no memory for a table of {mib} MiB: {available_mib} MiB are available; ask for less")
            }
            TableError::Refused { mib } => {
                write!(f, "the system refused memory for a table of {mib} MiB; ask for less")
            }
        }
    }
}

impl std::error::Error for TableError {}

/// Tells the processor that this will be read soon.
#[inline]
pub fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint and reads nothing; the address is also that of a live reference.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// A fixed slice of `T`, initially zero bytes.
pub(crate) struct Memory<T> {
    start: NonNull<T>,
    count: usize,
    mapping: Mapping,
}

// SAFETY: `Memory` owns its values as a `Box<[T]>` would; it only hands out `&[T]`.
unsafe impl<T: Send> Send for Memory<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Memory<T> {}

impl<T: Default> Memory<T> {
    /// `count` values whose bytes are all zero. That must be a valid `T`, equal to `T::default()`, as it is for
    /// atomics.
    pub(crate) fn zeroed(count: usize, mib: usize) -> Result<Memory<T>, TableError> {
        assert!(!std::mem::needs_drop::<T>() && size_of::<T>() > 0 && align_of::<T>() <= HUGE_PAGE);
        let bytes = count.checked_mul(size_of::<T>()).ok_or(TableError::TooLarge { mib })?;
        if let Some(available) = available_bytes()
            && bytes > available
        {
            return Err(TableError::NotEnoughMemory { mib, available_mib: available >> 20 });
        }
        let mapping = Mapping::new(bytes).ok_or(TableError::Refused { mib })?;
        Ok(Memory { start: mapping.aligned().cast(), count, mapping })
    }
}

impl<T> Memory<T> {
    #[inline]
    pub(crate) fn as_slice(&self) -> &[T] {
        // SAFETY: `start` is aligned and points to `count` values inside our mapping, which lives as long as `self`.
        // They were zero at first, and zero bytes are a valid `T`: the only `T` used is made of atomic integers.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.count) }
    }
}

impl<T> Drop for Memory<T> {
    fn drop(&mut self) {
        self.mapping.release();
    }
}

/// The size to which mappings are aligned, so that the kernel can back them with huge pages.
const HUGE_PAGE: usize = 2 << 20;

/// The mapping: a little longer than needed, to have room for alignment.
struct Mapping {
    base: NonNull<u8>,
    length: usize,
}

impl Mapping {
    fn aligned(&self) -> NonNull<u8> {
        let offset = self.base.as_ptr().align_offset(HUGE_PAGE);
        // SAFETY: the mapping is one huge page longer than what is used, so the aligned start lies inside it.
        unsafe { self.base.add(offset) }
    }
}

#[cfg(unix)]
impl Mapping {
    fn new(bytes: usize) -> Option<Mapping> {
        let length = bytes.checked_add(HUGE_PAGE)?;
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new anonymous mapping at an address that the kernel chooses overlaps no existing memory.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return None;
        }
        #[cfg(target_os = "linux")]
        // SAFETY: advice about the mapping just made; a refusal is harmless.
        unsafe {
            libc::madvise(base, length, libc::MADV_HUGEPAGE);
        }
        NonNull::new(base.cast()).map(|base| Mapping { base, length })
    }

    fn release(&mut self) {
        // SAFETY: exactly the mapping made in `new`, released once, by the owner's drop.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.length) };
    }
}

#[cfg(not(unix))]
impl Mapping {
    fn layout(length: usize) -> Option<std::alloc::Layout> {
        std::alloc::Layout::from_size_align(length, 4096).ok()
    }

    fn new(bytes: usize) -> Option<Mapping> {
        let length = bytes.checked_add(HUGE_PAGE)?;
        // SAFETY: the layout is not empty.
        let base = unsafe { std::alloc::alloc_zeroed(Mapping::layout(length)?) };
        NonNull::new(base).map(|base| Mapping { base, length })
    }

    fn release(&mut self) {
        if let Some(layout) = Mapping::layout(self.length) {
            // SAFETY: exactly the allocation made in `new`, released once, by the owner's drop.
            unsafe { std::alloc::dealloc(self.base.as_ptr(), layout) };
        }
    }
}
