//! Standard error as the thread writes it: by its own descriptor, so that a write that never ends
//! holds no lock that the rest of the process needs.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bsh::terminal;
use indicatif::TermLike;

/// Writes to descriptor 2, and remembers when that has failed for good.
#[derive(Debug, Clone, Default)]
pub(super) struct Terminal {
    failed: Arc<AtomicBool>,
    /// What is being drawn. Written at once, so that nobody sees a line that is cleared and not there yet.
    drawing: Arc<Mutex<String>>,
}

impl Terminal {
    /// Writes all of a text, however long that takes.
    pub(super) fn write(&self, text: &str) -> io::Result<()> {
        let written = terminal::write_to_stderr(text.as_bytes());
        if written.is_err() {
            self.failed.store(true, Ordering::Relaxed);
        }
        written
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    fn draw(&self, text: &str) -> io::Result<()> {
        self.drawing().push_str(text);
        Ok(())
    }

    fn drawing(&self) -> MutexGuard<'_, String> {
        // Text alone: a panic elsewhere leaves nothing half done in it.
        self.drawing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn escape(&self, count: usize, letter: char) -> io::Result<()> {
        match count {
            0 => Ok(()),
            count => self.draw(&format!("\x1b[{count}{letter}")),
        }
    }
}

impl TermLike for Terminal {
    fn width(&self) -> u16 {
        // Room for the `^C` that the terminal echoes: on a full line it would go to the next one, and
        // that would be cleared in place of ours.
        let width = terminal::stderr_width().unwrap_or(80);
        width.saturating_sub(4).max(1)
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.escape(n, 'A')
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.escape(n, 'B')
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.escape(n, 'C')
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.escape(n, 'D')
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.draw(&format!("{text}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.draw(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.draw("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        let drawn = std::mem::take(&mut *self.drawing());
        self.write(&drawn)
    }
}
