//! `/proc` without allocation: children, state, parent, start time, command line, descriptors.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use crate::sys::fd;

/// Longest path below `/proc` that is asked for: `PID/task/TID/children`, with room to spare.
const PATH: usize = 64;

/// The file system of processes, proc(5).
pub(crate) struct Proc {
    root: OwnedFd,
}

/// What proc_pid_stat(5) says of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) pid: i32,
    /// One letter, such as `R`, `S`, `D`, `T`, `t`, `Z`.
    pub(crate) state: u8,
    pub(crate) parent: i32,
    pub(crate) session: i32,
    pub(crate) threads: i64,
    /// Clock ticks since the boot.
    pub(crate) start: u64,
    /// It has an address space: it has not begun to end.
    pub(crate) has_memory: bool,
}

impl Proc {
    /// Opens `/proc`; an error where it is not mounted.
    pub(crate) fn open() -> io::Result<Self> {
        let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC;
        // SAFETY: a constant path.
        let root = fd::own(fd::check(unsafe { libc::open(c"/proc".as_ptr(), flags) })?);
        let proc = Self { root };
        // Another file system may be mounted there.
        proc.stat(crate::sys::child::own_pid())
            .map(|_| proc)
            .ok_or_else(|| io::Error::from_raw_os_error(libc::ENOENT))
    }

    /// Reads `/proc/PID/stat`. None when the process is gone.
    pub(crate) fn stat(&self, pid: i32) -> Option<Stat> {
        let mut buffer = [0u8; 1024];
        let text = self.read(&Path::new().number(pid).text(b"/stat"), &mut buffer)?;
        parse_stat(pid, text)
    }

    /// Calls `found` for each child of the process, whichever of its threads made it. False when
    /// this kernel has no such list, or the process is gone.
    pub(crate) fn children(&self, stat: &Stat, found: &mut dyn FnMut(i32)) -> bool {
        if stat.threads <= 1 {
            return self.children_of_thread(stat.pid, stat.pid, found);
        }
        let mut all = false;
        self.numbers(
            &Path::new().number(stat.pid).text(b"/task"),
            &mut |thread| {
                all |= self.children_of_thread(stat.pid, thread, found);
            },
        );
        all
    }

    fn children_of_thread(&self, pid: i32, thread: i32, found: &mut dyn FnMut(i32)) -> bool {
        let path = Path::new()
            .number(pid)
            .text(b"/task/")
            .number(thread)
            .text(b"/children");
        let Some(file) = self.open_at(&path, libc::O_RDONLY) else {
            return false;
        };
        let mut buffer = [0u8; 4096];
        let mut number: i32 = 0;
        loop {
            let count = read(&file, &mut buffer);
            if count == 0 {
                return true;
            }
            for &byte in buffer.iter().take(count) {
                if byte.is_ascii_digit() {
                    number = number.wrapping_mul(10).wrapping_add(i32::from(byte - b'0'));
                } else if number > 0 {
                    found(number);
                    number = 0;
                }
            }
        }
    }

    /// Calls `found` for every process there is.
    pub(crate) fn processes(&self, found: &mut dyn FnMut(i32)) {
        self.numbers(&Path::new().text(b"."), found);
    }

    /// The front of the command line, its words separated by spaces; of a process without one (a
    /// zombie, a kernel thread) its name in brackets.
    pub(crate) fn command<'a>(&self, pid: i32, buffer: &'a mut [u8]) -> &'a [u8] {
        let length = self
            .read(&Path::new().number(pid).text(b"/cmdline"), buffer)
            .map_or(0, |text| {
                text.len() - text.iter().rev().take_while(|&&byte| byte == 0).count()
            });
        if length > 0 {
            let text = buffer.get_mut(..length).unwrap_or_default();
            text.iter_mut()
                .filter(|byte| **byte == 0)
                .for_each(|byte| *byte = b' ');
            return text;
        }
        let mut name = [0u8; 64];
        let name = self
            .read(&Path::new().number(pid).text(b"/comm"), &mut name)
            .unwrap_or(b"?");
        let name = name.strip_suffix(b"\n").unwrap_or(name);
        let mut place = 0;
        for &byte in b"[".iter().chain(name).chain(b"]") {
            if let Some(target) = buffer.get_mut(place) {
                *target = byte;
                place += 1;
            }
        }
        buffer.get(..place).unwrap_or_default()
    }

    /// Whether the process holds one of two pipes, by their device and inode.
    pub(crate) fn holds(&self, pid: i32, pipes: &[(u64, u64); 2]) -> bool {
        let mut holds = false;
        self.numbers(&Path::new().number(pid).text(b"/fd"), &mut |number| {
            if holds {
                return;
            }
            let path = Path::new().number(pid).text(b"/fd/").number(number);
            // SAFETY: zero is valid for the plain numbers of stat; the path ends in null.
            let mut status: libc::stat = unsafe { std::mem::zeroed() };
            // SAFETY: as above; follows the link to the open file itself.
            let result = unsafe {
                libc::fstatat(
                    self.root.as_raw_fd(),
                    path.bytes.as_ptr().cast(),
                    &mut status,
                    0,
                )
            };
            holds = result == 0 && pipes.contains(&(status.st_dev, status.st_ino));
        });
        holds
    }

    fn open_at(&self, path: &Path, flags: libc::c_int) -> Option<OwnedFd> {
        let flags = flags | libc::O_CLOEXEC;
        // SAFETY: the path ends in null.
        let raw = unsafe { libc::openat(self.root.as_raw_fd(), path.bytes.as_ptr().cast(), flags) };
        (raw >= 0).then(|| fd::own(raw))
    }

    fn read<'a>(&self, path: &Path, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
        let file = self.open_at(path, libc::O_RDONLY)?;
        let count = read(&file, buffer);
        buffer.get(..count).filter(|text| !text.is_empty())
    }

    /// Calls `found` for each entry of a folder that is a number (getdents64(2)).
    fn numbers(&self, path: &Path, found: &mut dyn FnMut(i32)) {
        let Some(folder) = self.open_at(path, libc::O_RDONLY | libc::O_DIRECTORY) else {
            return;
        };
        #[repr(align(8))]
        struct Room([u8; 8192]);
        let mut room = Room([0; 8192]);
        loop {
            // SAFETY: the kernel writes records into the buffer, at most its length.
            let count = unsafe {
                libc::syscall(
                    libc::SYS_getdents64,
                    folder.as_raw_fd(),
                    room.0.as_mut_ptr(),
                    room.0.len(),
                )
            };
            let Ok(count) = usize::try_from(count) else {
                return;
            };
            if count == 0 {
                return;
            }
            let mut records = room.0.get(..count).unwrap_or_default();
            // A record: inode and offset (8 bytes each), its length (2), type (1), name, null.
            while let Some(&[low, high]) =
                records.get(16..18).and_then(|pair| pair.first_chunk::<2>())
            {
                let length = usize::from(u16::from_ne_bytes([low, high]));
                let name = records.get(19..length).unwrap_or_default();
                if let Some(number) = parse_number(name) {
                    found(number);
                }
                match records.get(length..) {
                    Some(rest) if length > 0 => records = rest,
                    _ => break,
                }
            }
        }
    }
}

fn read(file: &OwnedFd, buffer: &mut [u8]) -> usize {
    // SAFETY: the buffer is valid for writing for its length.
    let count = unsafe { libc::read(file.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len()) };
    usize::try_from(count).unwrap_or(0)
}

/// The number that a directory entry's name is, up to its null.
fn parse_number(name: &[u8]) -> Option<i32> {
    let mut number: i32 = 0;
    let mut any = false;
    for &byte in name.iter().take_while(|&&byte| byte != 0) {
        if !byte.is_ascii_digit() {
            return None;
        }
        number = number
            .checked_mul(10)?
            .checked_add(i32::from(byte - b'0'))?;
        any = true;
    }
    any.then_some(number)
}

/// The name stands in parentheses and may hold anything, parentheses too, so the fields are those
/// after the last one.
fn parse_stat(pid: i32, text: &[u8]) -> Option<Stat> {
    let close = text.iter().rposition(|&byte| byte == b')')?;
    let mut fields = text
        .get(close + 1..)?
        .split(|&byte| byte == b' ')
        .filter(|field| !field.is_empty());
    let state = *fields.next()?.first()?;
    let mut number = |skip: usize| -> Option<i64> { parse_signed(fields.nth(skip)?) };
    // Fields 4 (parent), 6 (session), 20 (threads), 22 (start time), 23 (size of the address space).
    let parent = number(0)?;
    let session = number(1)?;
    let threads = number(13)?;
    let start = number(1)?;
    let size = number(0)?;
    Some(Stat {
        pid,
        state,
        parent: i32::try_from(parent).ok()?,
        session: i32::try_from(session).ok()?,
        threads,
        start: u64::try_from(start).ok()?,
        has_memory: size > 0,
    })
}

fn parse_signed(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let mut number: i64 = 0;
    for &byte in digits {
        if !byte.is_ascii_digit() {
            return None;
        }
        number = number
            .checked_mul(10)?
            .checked_add(i64::from(byte - b'0'))?;
    }
    Some(if negative { -number } else { number })
}

/// A path below `/proc`, built without allocation and ended by null.
struct Path {
    bytes: [u8; PATH],
    length: usize,
}

impl Path {
    fn new() -> Self {
        Self {
            bytes: [0; PATH],
            length: 0,
        }
    }

    fn text(mut self, text: &[u8]) -> Self {
        for &byte in text {
            // The last place stays null.
            if self.length + 1 < PATH {
                if let Some(place) = self.bytes.get_mut(self.length) {
                    *place = byte;
                }
                self.length += 1;
            }
        }
        self
    }

    fn number(self, number: i32) -> Self {
        let mut digits = [0u8; 10];
        let mut rest = number.unsigned_abs();
        let mut first = digits.len();
        while first > 0 {
            first -= 1;
            if let Some(digit) = digits.get_mut(first) {
                *digit = b'0' + (rest % 10) as u8;
            }
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.text(digits.get(first..).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_in_a_stat_line_may_hold_anything() {
        let line = b"77 (a ) S 1 (x\n) Z 5 6 7 0 -1 4 0 0 0 0 0 0 0 0 20 0 3 0 4711 1 2\n";
        let stat = parse_stat(77, line).expect("the line is whole");
        assert_eq!(
            stat,
            Stat {
                pid: 77,
                state: b'Z',
                parent: 5,
                session: 7,
                threads: 3,
                start: 4711,
                has_memory: true,
            }
        );
        assert_eq!(parse_stat(77, b"77 (bash"), None);
        assert_eq!(parse_stat(77, b""), None);
    }

    #[test]
    fn this_process_is_found_with_its_parent() {
        let proc = Proc::open().expect("/proc is mounted");
        let own = crate::sys::child::own_pid();
        let stat = proc.stat(own).expect("we run");
        assert_eq!(stat.parent, std::os::unix::process::parent_id() as i32);
        let mut seen = false;
        proc.processes(&mut |pid| seen |= pid == own);
        assert!(seen);
    }

    #[test]
    fn a_path_never_leaves_its_room() {
        let path = Path::new().text(&[b'x'; 200]).number(i32::MAX);
        assert_eq!(path.bytes.last(), Some(&0));
    }
}
