//! Who may have given the exit code that is asked about, as a small lattice.
//!
//! A part of a command line can end with 0, with the code that is asked about, or with another
//! one. For the code in question it is kept who may have given it: nobody, one known cause, or
//! more than can be told apart.

use super::table::Row;
use std::rc::Rc;

/// One thing that a code can mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cause {
    /// The command as it was named, without its path.
    pub command: Option<Rc<str>>,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Row(&'static Row),
    /// The shell found no such command.
    NotFound,
    /// The script is there, the program that its first line names is not.
    NoInterpreter,
    /// The shell found it and could not run it.
    NotExecutable,
    /// Ended by this signal.
    Signal(u8),
    /// The shell could not parse the text.
    Syntax,
    /// A file of a redirection could not be opened.
    Redirection,
    /// A readonly variable was assigned to.
    Readonly,
    /// An unset variable under `set -u`.
    Unset,
}

impl Kind {
    fn same_meaning(&self, other: &Kind) -> bool {
        match (self, other) {
            (Kind::Row(a), Kind::Row(b)) => a.meaning() == b.meaning() && a.is_error == b.is_error,
            (a, b) => a == b,
        }
    }
}

/// Who may have given the code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Blame {
    #[default]
    Nobody,
    One(Cause),
    /// Several with different meanings, or one without a known meaning.
    Unclear,
}

impl Blame {
    pub fn join(self, other: Blame) -> Blame {
        match (self, other) {
            (Blame::Nobody, blame) | (blame, Blame::Nobody) => blame,
            (Blame::One(a), Blame::One(b)) if a.kind.same_meaning(&b.kind) => {
                if a.command == b.command {
                    Blame::One(a)
                } else if matches!(a.kind, Kind::Signal(_)) {
                    // The shell's own word, true whichever command it was.
                    Blame::One(Cause {
                        command: None,
                        kind: a.kind,
                    })
                } else {
                    Blame::Unclear
                }
            }
            _ => Blame::Unclear,
        }
    }
}

/// How a part of a command line can end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Status {
    /// It can end with 0, and 0 is not the code that is asked about.
    pub zero: bool,
    /// It can end with a code that is neither 0 nor the one that is asked about.
    pub other: bool,
    /// Who may give the code that is asked about.
    pub hit: Blame,
    /// Who could give it, though nobody would expect that; counts when nobody else can.
    pub weak: Blame,
}

impl Status {
    /// It does not end here: the shell exits, or jumps, before.
    pub fn never() -> Status {
        Status::default()
    }

    /// Anything may happen.
    pub fn unclear() -> Status {
        Status {
            zero: true,
            other: true,
            hit: Blame::Unclear,
            weak: Blame::Nobody,
        }
    }

    /// Always this code, with no meaning of its own.
    pub fn constant(given: u8, asked: u8) -> Status {
        if given == asked {
            Status {
                hit: Blame::Unclear,
                ..Status::default()
            }
        } else {
            Status {
                zero: given == 0,
                other: given != 0,
                ..Status::default()
            }
        }
    }

    /// Always this code, for this reason.
    pub fn cause(given: u8, asked: u8, cause: Cause) -> Status {
        let mut status = Status::constant(given, asked);
        if given == asked {
            status.hit = Blame::One(cause);
        }
        status
    }

    pub fn join(self, other: Status) -> Status {
        Status {
            zero: self.zero || other.zero,
            other: self.other || other.other,
            hit: self.hit.join(other.hit),
            weak: self.weak.join(other.weak),
        }
    }

    pub fn is_never(&self) -> bool {
        !self.zero && !self.other && self.hit == Blame::Nobody && self.weak == Blame::Nobody
    }

    pub fn can_succeed(&self, asked: u8) -> bool {
        self.zero || asked == 0 && self.hit != Blame::Nobody
    }

    pub fn can_fail(&self, asked: u8) -> bool {
        self.other || asked != 0 && self.hit != Blame::Nobody
    }

    /// What is left of it when it failed.
    pub fn failing(&self, asked: u8) -> Status {
        let keep = asked != 0;
        Status {
            zero: false,
            other: self.other,
            hit: if keep {
                self.hit.clone()
            } else {
                Blame::Nobody
            },
            weak: if keep {
                self.weak.clone()
            } else {
                Blame::Nobody
            },
        }
    }

    /// What is left of it when it succeeded.
    pub fn succeeding(&self, asked: u8) -> Status {
        let keep = asked == 0;
        Status {
            zero: self.zero,
            other: false,
            hit: if keep {
                self.hit.clone()
            } else {
                Blame::Nobody
            },
            weak: if keep {
                self.weak.clone()
            } else {
                Blame::Nobody
            },
        }
    }
}
