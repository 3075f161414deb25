//! Lists in memory that the kernel gave directly, for a process that may not allocate.

use std::marker::PhantomData;

/// A growable list of plain values. Its address space is reserved at once and costs memory only where
/// it is touched (mmap(2), MAP_NORESERVE); it is full at its capacity, and then says so.
pub(crate) struct MappedList<T: Copy> {
    start: *mut T,
    length: usize,
    capacity: usize,
    values: PhantomData<T>,
}

impl<T: Copy> MappedList<T> {
    /// An empty list with room for `capacity` values. Memory is asked for with the first one.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self {
            start: std::ptr::null_mut(),
            length: 0,
            capacity,
            values: PhantomData,
        }
    }

    /// Makes sure that there is memory, for less if there is not enough for all. Asked anew at each call
    /// while there is none.
    fn reserve(&mut self) {
        let mut capacity = self.capacity;
        while self.start.is_null() && capacity > 0 {
            let bytes = capacity.saturating_mul(size_of::<T>());
            // SAFETY: an anonymous private mapping at an address of the kernel's choice.
            let start = unsafe {
                libc::mmap(
                    std::ptr::null_mut(),
                    bytes,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                    -1,
                    0,
                )
            };
            if start == libc::MAP_FAILED {
                capacity /= 16;
            } else {
                self.start = start.cast();
                self.capacity = capacity;
            }
        }
    }

    /// Appends a value; false when the list is full.
    pub(crate) fn push(&mut self, value: T) -> bool {
        self.reserve();
        if self.length >= self.capacity || self.start.is_null() {
            return false;
        }
        // SAFETY: `length < capacity`, so the place lies within the mapping.
        unsafe { self.start.add(self.length).write(value) };
        self.length += 1;
        true
    }

    pub(crate) fn pop(&mut self) -> Option<T> {
        self.length = self.length.checked_sub(1)?;
        // SAFETY: the place lies below the old length, so it was written.
        Some(unsafe { self.start.add(self.length).read() })
    }

    pub(crate) fn clear(&mut self) {
        self.length = 0;
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: the first `length` values were written and the mapping lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

impl<T: Copy> MappedList<T> {
    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        if self.length == 0 {
            return &mut [];
        }
        // SAFETY: as in `as_slice`, and `self` is borrowed for as long as the slice.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.length) }
    }
}

impl<T: Copy> Drop for MappedList<T> {
    fn drop(&mut self) {
        if !self.start.is_null() {
            // SAFETY: exactly the mapping that `with_capacity` made.
            unsafe { libc::munmap(self.start.cast(), self.capacity * size_of::<T>()) };
        }
    }
}

/// A set of keys that are never zero, in memory of the kernel: a table with open addressing.
pub(crate) struct MappedSet {
    table: MappedList<(i32, u64)>,
    count: usize,
}

impl MappedSet {
    /// Places in the table; a power of two. Three quarters of them are used at most. 16 bytes each, of
    /// which only touched pages cost anything.
    const PLACES: usize = 1 << 17;

    /// An empty set.
    pub(crate) fn new() -> Self {
        Self {
            table: MappedList::with_capacity(Self::PLACES),
            count: 0,
        }
    }

    /// Adds a process by pid and start time. True when it was not there before; none when there is no
    /// room, so that nothing is known of it.
    pub(crate) fn insert(&mut self, pid: i32, start: u64) -> Option<bool> {
        // Fresh pages are zero, which is what an empty place looks like.
        self.table.reserve();
        if self.table.start.is_null()
            || self.table.capacity != Self::PLACES
            || self.count >= Self::PLACES / 4 * 3
        {
            return None;
        }
        // Pids are handed out in sequence, so they are spread well enough, and neighbours share pages.
        let mut place = (pid as usize) & (Self::PLACES - 1);
        loop {
            // SAFETY: `place < PLACES`, and the whole table is readable: zero or written.
            let entry = unsafe { &mut *self.table.start.add(place) };
            if *entry == (pid, start) {
                return Some(false);
            }
            if entry.0 == 0 {
                *entry = (pid, start);
                self.count += 1;
                return Some(true);
            }
            place = (place + 1) & (Self::PLACES - 1);
        }
    }

    /// Whether the process was added.
    pub(crate) fn contains(&self, pid: i32, start: u64) -> bool {
        if self.count == 0 {
            return false;
        }
        let mut place = (pid as usize) & (Self::PLACES - 1);
        loop {
            // SAFETY: as in `insert`.
            let entry = unsafe { *self.table.start.add(place) };
            if entry == (pid, start) {
                return true;
            }
            if entry.0 == 0 {
                return false;
            }
            place = (place + 1) & (Self::PLACES - 1);
        }
    }

    /// Empties the set.
    pub(crate) fn clear(&mut self) {
        if self.count > 0 {
            *self = Self::new();
        }
    }
}
