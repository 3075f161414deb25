//! The thread that writes to standard error, and its handle.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bsh::{Progress, terminal};

use crate::session::screen::queue::{Queue, Work};
use crate::session::screen::status::StatusLine;
use crate::session::screen::terminal::Terminal;

/// How long standard error may take for nothing before it counts as stuck.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long a suspension may wait for the status line to go.
const HIDING: Duration = Duration::from_millis(100);

/// What is written beside the report. Its thread starts with the first thing to say, so that a command
/// of which nothing is said pays nothing.
#[derive(Debug, Clone)]
pub struct Screen {
    queue: Arc<OnceLock<Arc<Queue>>>,
    draw_always: bool,
}

impl Screen {
    /// `draw_always`: the status line is drawn also where nobody is known to look.
    pub fn new(draw_always: bool) -> Self {
        let queue = Arc::default();
        Self { queue, draw_always }
    }

    /// Writes output of the command.
    pub fn write_output(&self, text: &str) {
        self.started().push_output(text);
    }

    /// Writes whole lines of something else.
    pub fn write(&self, lines: &str) {
        self.started().push(lines);
    }

    /// Shows how far the command is.
    pub fn show(&self, progress: &Progress) {
        self.started().set_progress(progress.clone());
    }

    /// Takes the status line away until [`Screen::reveal`].
    pub fn hide(&self) {
        if let Some(queue) = self.queue.get() {
            queue.hide(HIDING);
        }
    }

    /// Lets the status line come back.
    pub fn reveal(&self) {
        if let Some(queue) = self.queue.get() {
            queue.reveal();
        }
    }

    /// Takes the status line away for good, and waits until all is written or standard error is stuck.
    /// True when all of the text was written.
    pub fn finish(&self) -> bool {
        match self.queue.get() {
            Some(queue) => queue.close(PATIENCE),
            None => true,
        }
    }

    fn started(&self) -> &Queue {
        self.queue.get_or_init(|| {
            let queue = Arc::new(Queue::default());
            let (for_thread, draw_always) = (Arc::clone(&queue), self.draw_always);
            let builder = std::thread::Builder::new().name("screen".to_owned());
            if builder
                .spawn(move || run(&for_thread, draw_always))
                .is_err()
            {
                // No thread, no screen; the command is not to suffer for that.
                queue.give_up();
            }
            queue
        })
    }
}

fn run(queue: &Queue, draw_always: bool) {
    let terminal = Terminal::default();
    let mut line = StatusLine::new(terminal.clone());
    let mut at_line_start = true;
    while !terminal.has_failed() {
        match queue.next() {
            Work::Text(text) => {
                line.hide();
                at_line_start = text.ends_with('\n');
                let _ = terminal.write(&text);
            }
            Work::LeftOut(lines) => {
                line.hide();
                let before = if at_line_start { "" } else { "\n" };
                at_line_start = true;
                let said = format!(
                    "{before}[bsh: {lines} lines are not shown here, since standard error is slow]\n"
                );
                let _ = terminal.write(&said);
            }
            Work::Progress(progress) if draw_always || terminal::is_foreground() => {
                line.draw(&progress);
            }
            Work::Progress(_) | Work::Hide => line.hide(),
            Work::End => {
                line.hide();
                if !at_line_start {
                    let _ = terminal.write("\n");
                }
                match terminal.has_failed() {
                    true => queue.give_up(),
                    false => queue.finished(),
                }
                return;
            }
        }
    }
    queue.give_up();
}
