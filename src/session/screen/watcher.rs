//! Watches the call, and says what was asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use bsh::format::{line_of_note, lines_so_far, plain_text};
use bsh::{Observer, Progress, ShellMessages, Snapshot, terminal};

use crate::session::screen::Screen;

/// How far the call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The command has not started.
    Before,
    /// It runs.
    Running,
    /// It has ended, and the report is being made.
    After,
}

/// The observer of the call. All clones watch the same call.
#[derive(Debug, Clone)]
pub struct ScreenWatcher {
    pub screen: Screen,
    live: bool,
    phase: Arc<AtomicU8>,
}

impl ScreenWatcher {
    /// `live`: all of the output is written as it comes.
    pub fn new(screen: Screen, live: bool) -> Self {
        let phase = Arc::default();
        Self {
            screen,
            live,
            phase,
        }
    }

    pub fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Relaxed) {
            0 => Phase::Before,
            1 => Phase::Running,
            _ => Phase::After,
        }
    }
}

impl Observer for ScreenWatcher {
    fn starting(&self, start: &Snapshot) {
        self.phase.store(1, Ordering::Relaxed);
        let is_clamped = |note: &&bsh::Note| note.code == "clamped";
        // Said before the command runs, not only after it was killed too early.
        if let Some(note) = start.notes.iter().find(is_clamped)
            && terminal::is_stderr_terminal()
        {
            self.screen.write(&format!("{}\n", line_of_note(note).text));
        }
    }

    fn text(&self, text: &str) {
        if self.live {
            self.screen.write_output(text);
        }
    }

    fn progress(&self, progress: &Progress) {
        self.screen.show(progress);
    }

    fn snapshot(&self, snapshot: &Snapshot) {
        let lines = lines_so_far(snapshot, &ShellMessages::default());
        self.screen.write(&format!("{}\n", plain_text(&lines)));
    }

    fn ended(&self) {
        self.phase.store(2, Ordering::Relaxed);
    }
}
