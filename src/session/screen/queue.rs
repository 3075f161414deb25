//! The bounded queue between the call and the thread that writes.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bsh::Progress;

/// Text that may wait, in bytes: a second of what a fast terminal shows, and small beside a command.
const MOST_WAITING: usize = 1024 * 1024;

/// A line without an end is written in parts of this size, in bytes.
const LONGEST_LINE: usize = 128 * 1024;

/// What the thread is to do next.
#[derive(Debug, PartialEq)]
pub(super) enum Work {
    /// Write this.
    Text(String),
    /// Say that so many lines were left out here.
    LeftOut(u64),
    /// Draw the status line.
    Progress(Progress),
    /// Take the status line away.
    Hide,
    /// Nothing more will come.
    End,
}

#[derive(Debug, Default)]
struct State {
    /// Output that is no whole line yet.
    line: String,
    waiting: VecDeque<Work>,
    waiting_bytes: usize,
    /// Only the newest is worth drawing.
    progress: Option<Progress>,
    hide: bool,
    /// Nothing is drawn until [`Queue::reveal`].
    hidden: bool,
    closed: bool,
    finished: bool,
    /// The thread has taken something and is not back for more.
    busy: bool,
    /// Rises with each piece that was dealt with.
    done: u64,
    anything_left_out: bool,
}

/// A queue that never makes its filler wait.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

impl Queue {
    /// Adds output, which goes on in whole lines.
    pub(super) fn push_output(&self, text: &str) {
        let mut state = self.lock();
        state.line.push_str(text);
        let end = match memchr::memrchr(b'\n', state.line.as_bytes()) {
            Some(at) => at + 1,
            None if state.line.len() > LONGEST_LINE => state.line.len(),
            None => return,
        };
        let rest = state.line.split_off(end);
        let lines = std::mem::replace(&mut state.line, rest);
        state.push(lines);
        self.changed.notify_all();
    }

    /// Adds whole lines of something else.
    pub(super) fn push(&self, lines: &str) {
        self.lock().push(lines.to_owned());
        self.changed.notify_all();
    }

    /// Replaces what the status line is to show.
    pub(super) fn set_progress(&self, progress: Progress) {
        let mut state = self.lock();
        if !state.hidden {
            state.progress = Some(progress);
            self.changed.notify_all();
        }
    }

    /// Has the status line taken away until [`Queue::reveal`], and waits for that, at most for `patience`.
    pub(super) fn hide(&self, patience: Duration) {
        let mut state = self.lock();
        state.hide = true;
        state.hidden = true;
        state.progress = None;
        self.changed.notify_all();
        let still = |state: &mut State| state.hide || state.busy;
        drop(self.changed.wait_timeout_while(state, patience, still));
    }

    /// Lets the status line be drawn again.
    pub(super) fn reveal(&self) {
        self.lock().hidden = false;
    }

    /// Ends the queue, and waits until all of it is written, as long as something of it is within
    /// `patience`. True when nothing was left out.
    pub(super) fn close(&self, patience: Duration) -> bool {
        let mut state = self.lock();
        let line = std::mem::take(&mut state.line);
        if !line.is_empty() {
            state.push(line);
        }
        state.closed = true;
        state.progress = None;
        self.changed.notify_all();
        loop {
            if state.finished {
                return !state.anything_left_out;
            }
            let done = state.done;
            let still = |state: &mut State| !state.finished && state.done == done;
            let waited = self.changed.wait_timeout_while(state, patience, still);
            let (next, result) = waited.unwrap_or_else(PoisonError::into_inner);
            if result.timed_out() {
                return false;
            }
            state = next;
        }
    }

    /// The next piece of work; waits for one.
    pub(super) fn next(&self) -> Work {
        let mut state = self.lock();
        state.busy = false;
        state.done += 1;
        self.changed.notify_all();
        loop {
            if let Some(work) = state.take() {
                state.busy = true;
                return work;
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The thread can write no more: nothing waits, and what was not written is left out.
    pub(super) fn give_up(&self) {
        let mut state = self.lock();
        state.anything_left_out = true;
        state.finish();
        self.changed.notify_all();
    }

    /// The thread has done all that there was.
    pub(super) fn finished(&self) {
        self.lock().finish();
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Plain data: a panic elsewhere leaves nothing half done in it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Adds text, or counts its lines where there is no room.
    fn push(&mut self, text: String) {
        if self.waiting_bytes + text.len() <= MOST_WAITING {
            self.waiting_bytes += text.len();
            self.waiting.push_back(Work::Text(text));
            return;
        }
        self.anything_left_out = true;
        let lines = text.lines().count() as u64;
        match self.waiting.back_mut() {
            Some(Work::LeftOut(count)) => *count += lines,
            _ => self.waiting.push_back(Work::LeftOut(lines)),
        }
    }

    fn finish(&mut self) {
        self.waiting.clear();
        self.waiting_bytes = 0;
        self.hide = false;
        self.busy = false;
        self.finished = true;
    }

    /// Text before the status line: it is older.
    fn take(&mut self) -> Option<Work> {
        if let Some(work) = self.waiting.pop_front() {
            if let Work::Text(text) = &work {
                self.waiting_bytes -= text.len();
            }
            return Some(work);
        }
        if std::mem::take(&mut self.hide) {
            return Some(Work::Hide);
        }
        if let Some(progress) = self.progress.take() {
            return Some(Work::Progress(progress));
        }
        self.closed.then_some(Work::End)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_no_room_is_counted_where_it_would_stand() {
        let queue = Queue::default();
        let large = "x\n".repeat(MOST_WAITING / 2);
        queue.push_output(&large);
        queue.push_output("a\nb\nc");
        queue.push_output("c\n");
        assert_eq!(queue.next(), Work::Text(large));
        queue.push("d\n");
        assert_eq!(queue.next(), Work::LeftOut(3));
        assert_eq!(queue.next(), Work::Text("d\n".to_owned()));
    }

    #[test]
    fn only_the_newest_progress_is_drawn_and_text_goes_first() {
        let queue = Queue::default();
        let progress = |lines| Progress {
            lines,
            ..Progress::default()
        };
        queue.set_progress(progress(1));
        queue.set_progress(progress(2));
        queue.push("a\n");
        assert_eq!(queue.next(), Work::Text("a\n".to_owned()));
        assert_eq!(queue.next(), Work::Progress(progress(2)));
    }

    #[test]
    fn a_thread_that_is_stuck_is_not_waited_for() {
        let queue = Queue::default();
        queue.push("a\n");
        assert!(!queue.close(Duration::from_millis(10)));
    }
}
