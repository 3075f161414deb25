//! What the watcher and its runner say to each other, as messages of a socket pair.
//!
//! Encoding needs no allocation, since the watcher may not allocate.

use crate::sys::child::{Ended, StartFailure, Step};
use crate::sys::clock::Moment;

/// Bytes of a command line that are sent; what a report shows of it is shorter.
pub(super) const COMMAND_BYTES: usize = 1024;
/// Largest message in bytes: a tag, four numbers, a command line.
pub(super) const MESSAGE_BYTES: usize = 1 + 4 * 8 + COMMAND_BYTES;
/// Processes that are described one by one; the rest is only counted.
pub(super) const LISTED: u64 = 20;

/// What the runner asks of the watcher: one byte a message. The end of the socket means that the
/// runner is dead, and that the tree has to be stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Ask {
    /// Start the shell: its output is listened to.
    Go = b'G',
    /// Stop the tree, unless the shell has ended by itself.
    Stop = b'S',
    /// The same without the rest of the grace.
    Kill = b'K',
    /// Stop what still runs after the shell's own end.
    StopBackground = b'B',
    /// Hold the tree.
    Suspend = b'Z',
    /// Continue what was held.
    Resume = b'C',
    /// Describe what still runs.
    List = b'L',
    /// Leave what still runs alone, and end.
    Release = b'D',
}

impl Ask {
    pub(super) fn decode(message: &[u8]) -> Option<Self> {
        let all = [
            Self::Go,
            Self::Stop,
            Self::Kill,
            Self::StopBackground,
            Self::Suspend,
            Self::Resume,
            Self::List,
            Self::Release,
        ];
        all.into_iter().find(|ask| message == [*ask as u8])
    }
}

/// Why a process survived, as the watcher sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Survival {
    OtherUser,
    Unkillable,
    Unknown,
}

/// What the watcher tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tell<'a> {
    /// The shell runs, with this pid.
    Started { pid: i32 },
    /// The shell does not run.
    NotStarted(StartFailure),
    /// A signal reached the watcher.
    OwnSignal { number: i32, sender: Option<i32> },
    /// Every process of the tree is held.
    Held,
    /// The shell has ended: how, when, whether by a stop, and whether nothing else is left.
    ShellEnded {
        ended: Ended,
        at: Moment,
        by_stop: bool,
        empty: bool,
    },
    /// A process as it was when the stop came.
    Stopping {
        pid: i32,
        state: u8,
        command: &'a [u8],
    },
    /// How many there were.
    StoppingCount(u64),
    /// A process that still runs.
    Background {
        pid: i32,
        holds_output: bool,
        command: &'a [u8],
    },
    /// How many there are.
    BackgroundCount(u64),
    /// A process that survived the stop.
    Survivor {
        pid: i32,
        why: Survival,
        command: &'a [u8],
    },
    /// The stop is over; confirmed when nothing is left.
    StopDone { confirmed: bool, at: Moment },
    /// What all that was reaped has used.
    Usage {
        user_us: u64,
        system_us: u64,
        max_rss_bytes: u64,
    },
}

impl Tell<'_> {
    /// Writes the message to `buffer` and returns its length.
    pub(super) fn encode(&self, buffer: &mut [u8; MESSAGE_BYTES]) -> usize {
        let (tag, numbers, text): (u8, [u64; 4], &[u8]) = match *self {
            Self::Started { pid } => (1, [pid as u64, 0, 0, 0], &[]),
            Self::NotStarted(StartFailure { step, errno }) => {
                (2, [step as u64, errno as u64, 0, 0], &[])
            }
            Self::OwnSignal { number, sender } => {
                (3, [number as u64, sender.unwrap_or(0) as u64, 0, 0], &[])
            }
            Self::Held => (4, [0; 4], &[]),
            Self::ShellEnded {
                ended,
                at,
                by_stop,
                empty,
            } => {
                let (kind, value) = match ended {
                    Ended::Code(code) => (0, code),
                    Ended::Signal(number) => (1, number),
                };
                let flags = kind | u64::from(by_stop) << 1 | u64::from(empty) << 2;
                (5, [flags, value as u64, at.nanoseconds(), 0], &[])
            }
            Self::Stopping {
                pid,
                state,
                command,
            } => (6, [pid as u64, state.into(), 0, 0], command),
            Self::StoppingCount(count) => (7, [count, 0, 0, 0], &[]),
            Self::Background {
                pid,
                holds_output,
                command,
            } => (8, [pid as u64, holds_output.into(), 0, 0], command),
            Self::BackgroundCount(count) => (9, [count, 0, 0, 0], &[]),
            Self::Survivor { pid, why, command } => (10, [pid as u64, why as u64, 0, 0], command),
            Self::StopDone { confirmed, at } => {
                (11, [confirmed.into(), at.nanoseconds(), 0, 0], &[])
            }
            Self::Usage {
                user_us,
                system_us,
                max_rss_bytes,
            } => (12, [user_us, system_us, max_rss_bytes, 0], &[]),
        };
        let numbers = numbers.iter().flat_map(|number| number.to_ne_bytes());
        let bytes = std::iter::once(tag)
            .chain(numbers)
            .chain(text.iter().copied());
        let mut length = 0;
        for (place, byte) in buffer.iter_mut().zip(bytes) {
            *place = byte;
            length += 1;
        }
        length
    }
}

impl<'a> Tell<'a> {
    /// Reads a message; none when it is not one of ours.
    pub(super) fn decode(message: &'a [u8]) -> Option<Self> {
        let (&tag, rest) = message.split_first()?;
        let (numbers, command) = rest.split_at_checked(4 * 8)?;
        let mut numbers = numbers
            .chunks_exact(8)
            .map(|bytes| u64::from_ne_bytes(bytes.try_into().unwrap_or_default()));
        let [a, b, c] = [numbers.next()?, numbers.next()?, numbers.next()?];
        Some(match tag {
            1 => Self::Started { pid: a as i32 },
            2 => {
                let steps = [Step::Fork, Step::Descriptors, Step::Folder, Step::Program];
                let step = steps.into_iter().find(|step| *step as u64 == a)?;
                Self::NotStarted(StartFailure {
                    step,
                    errno: b as i32,
                })
            }
            3 => Self::OwnSignal {
                number: a as i32,
                sender: (b > 0).then_some(b as i32),
            },
            4 => Self::Held,
            5 => Self::ShellEnded {
                ended: if a & 1 == 0 {
                    Ended::Code(b as i32)
                } else {
                    Ended::Signal(b as i32)
                },
                at: Moment::from_nanoseconds(c),
                by_stop: a & 2 != 0,
                empty: a & 4 != 0,
            },
            6 => Self::Stopping {
                pid: a as i32,
                state: b as u8,
                command,
            },
            7 => Self::StoppingCount(a),
            8 => Self::Background {
                pid: a as i32,
                holds_output: b != 0,
                command,
            },
            9 => Self::BackgroundCount(a),
            10 => {
                let reasons = [Survival::OtherUser, Survival::Unkillable, Survival::Unknown];
                let why = reasons.into_iter().find(|why| *why as u64 == b)?;
                Self::Survivor {
                    pid: a as i32,
                    why,
                    command,
                }
            }
            11 => Self::StopDone {
                confirmed: a != 0,
                at: Moment::from_nanoseconds(b),
            },
            12 => Self::Usage {
                user_us: a,
                system_us: b,
                max_rss_bytes: c,
            },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_comes_back_as_it_was_sent() {
        let at = Moment::from_nanoseconds(123_456_789_012);
        let all = [
            Tell::Started { pid: 4711 },
            Tell::NotStarted(StartFailure {
                step: Step::Folder,
                errno: 13,
            }),
            Tell::OwnSignal {
                number: 15,
                sender: Some(7),
            },
            Tell::OwnSignal {
                number: 64,
                sender: None,
            },
            Tell::Held,
            Tell::ShellEnded {
                ended: Ended::Code(255),
                at,
                by_stop: false,
                empty: true,
            },
            Tell::ShellEnded {
                ended: Ended::Signal(9),
                at,
                by_stop: true,
                empty: false,
            },
            Tell::Stopping {
                pid: 1,
                state: b'T',
                command: b"a b",
            },
            Tell::StoppingCount(2000),
            Tell::Background {
                pid: 2,
                holds_output: true,
                command: &[b'x'; COMMAND_BYTES],
            },
            Tell::BackgroundCount(0),
            Tell::Survivor {
                pid: 3,
                why: Survival::Unkillable,
                command: b"",
            },
            Tell::StopDone {
                confirmed: true,
                at,
            },
            Tell::Usage {
                user_us: 1,
                system_us: u64::MAX,
                max_rss_bytes: 3,
            },
        ];
        for tell in all {
            let mut buffer = [0; MESSAGE_BYTES];
            let length = tell.encode(&mut buffer);
            assert_eq!(Tell::decode(&buffer[..length]), Some(tell));
        }
        assert_eq!(Tell::decode(b""), None);
        assert_eq!(Tell::decode(&[99; 40]), None);
    }

    #[test]
    fn every_ask_comes_back_as_it_was_sent() {
        assert_eq!(Ask::decode(&[Ask::Release as u8]), Some(Ask::Release));
        assert_eq!(Ask::decode(b"SS"), None);
        assert_eq!(Ask::decode(b""), None);
    }
}
