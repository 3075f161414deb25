//! The status line: how long, how much, and the last line of output.

use std::time::Duration;

use bsh::{Progress, format_bytes, format_duration};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::session::screen::terminal::Terminal;

/// Draws one line at the bottom, and takes it away again.
pub(super) struct StatusLine {
    bar: Option<ProgressBar>,
    terminal: Terminal,
}

impl StatusLine {
    pub(super) fn new(terminal: Terminal) -> Self {
        let bar = None;
        Self { bar, terminal }
    }

    pub(super) fn draw(&mut self, progress: &Progress) {
        let terminal = &self.terminal;
        let bar = self.bar.get_or_insert_with(|| {
            let target = ProgressDrawTarget::term_like(Box::new(terminal.clone()));
            let bar = ProgressBar::with_draw_target(None, target);
            // The template is a constant; without it the style of the crate is as good.
            if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        let sentence = sentence(progress);
        // Drawn again only when it says something else.
        if bar.message() != sentence {
            bar.set_message(sentence);
        }
    }

    pub(super) fn hide(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// `12 s of 2 min · 3 lines, 60 B · the last line`
fn sentence(progress: &Progress) -> String {
    let lines = match progress.lines {
        1 => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    };
    // In whole seconds: tenths would flicker.
    let elapsed = format_duration(Duration::from_secs(progress.elapsed.as_secs()));
    let timeout = format_duration(progress.timeout);
    let bytes = format_bytes(progress.bytes);
    let last = progress.last_line.trim().replace('\t', " ");
    match last.is_empty() {
        true => format!("{elapsed} of {timeout} · {lines}, {bytes}"),
        false => format!("{elapsed} of {timeout} · {lines}, {bytes} · {last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence() {
        let mut progress = Progress {
            elapsed: Duration::from_millis(12_900),
            timeout: Duration::from_secs(150),
            lines: 3,
            bytes: 60,
            last_line: "\tbuilding\tit ".to_owned(),
        };
        let text = "12 s of 2 min 30 s · 3 lines, 60 B · building it";
        assert_eq!(sentence(&progress), text);
        progress.last_line.clear();
        progress.lines = 1;
        assert_eq!(sentence(&progress), "12 s of 2 min 30 s · 1 line, 60 B");
    }
}
