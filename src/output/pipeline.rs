//! The steps that make a report's output of raw chunks, put together.

use crate::observer::Progress;
use crate::output::{Cleaner, Masker, Masks, OmittedErrors, View, ViewLimits};
use crate::report::ShellOutput;
use crate::runner::Stream;

/// How much of standard error is kept raw, in bytes: what an exit code's meaning may rest on.
pub const STDERR_EVIDENCE_BYTES: usize = 8 * 1024;

/// More than any terminal shows of one line, in characters.
const LAST_LINE_CHARS: usize = 1000;

/// The last line that has something in it.
fn last_line_of(text: &str) -> Option<&str> {
    text.lines().rev().find(|line| !line.trim().is_empty())
}

/// Raw chunks in order → clean → mask → view, and the counts.
///
/// A clone is a snapshot of a command that still runs. It costs a copy of what is held: both byte
/// budgets and the current line.
#[derive(Debug, Clone)]
pub struct OutputPipeline {
    cleaner: Cleaner,
    masker: Masker,
    view: View,
    stdout_bytes: u64,
    stderr: StderrEvidence,
    stderr_bytes: u64,
}

/// The raw front of standard error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StderrEvidence {
    /// Its first bytes, at most [`STDERR_EVIDENCE_BYTES`].
    pub bytes: Vec<u8>,
    /// True when there were more.
    pub cut: bool,
}

/// What the pipeline makes of a whole output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// The report's part; where it was spilled to is not known here.
    pub output: ShellOutput,
    /// The lines in the omitted middle that look like errors.
    pub errors: OmittedErrors,
    /// The evidence for the meaning of the exit code.
    pub stderr: StderrEvidence,
}

impl OutputPipeline {
    /// A pipeline at the beginning of an output.
    pub fn new(limits: ViewLimits, masks: Masks) -> Self {
        Self {
            cleaner: Cleaner::new(),
            masker: Masker::new(masks),
            view: View::new(limits),
            stdout_bytes: 0,
            stderr: StderrEvidence::default(),
            stderr_bytes: 0,
        }
    }

    /// Raw bytes of both streams so far.
    pub fn total_bytes(&self) -> u64 {
        self.stdout_bytes.saturating_add(self.stderr_bytes)
    }

    /// Takes the next chunk.
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        self.push_observed(stream, bytes, &mut |_| {});
    }

    /// Takes the next chunk, and shows the clean and masked text that is certain now to `observer`.
    ///
    /// An observer sees the whole text, not the view, and a line only once it has ended.
    pub fn push_observed(&mut self, stream: Stream, bytes: &[u8], observer: &mut dyn FnMut(&str)) {
        self.count(stream, bytes);
        let (masker, view) = (&mut self.masker, &mut self.view);
        self.cleaner.push(stream, bytes, &mut |clean| {
            masker.push(clean, &mut |text| {
                observer(text);
                view.push(text);
            });
        });
    }

    /// How far the output is: without the time, which is not known here.
    pub fn progress(&self) -> Progress {
        let mut line = String::new();
        let (mut cleaner, mut masker) = (self.cleaner.clone(), self.masker.clone());
        let mut held = String::new();
        cleaner.finish(&mut |clean| masker.push(clean, &mut |text| held.push_str(text)));
        masker.finish(&mut |text| held.push_str(text));
        if let Some(last) = last_line_of(&held) {
            line.push_str(last);
        } else if let Some(last) = last_line_of(&self.view.end()) {
            line.push_str(last);
        }
        Progress {
            bytes: self.total_bytes(),
            lines: self.view.newlines() + held.lines().count() as u64,
            last_line: line.chars().take(LAST_LINE_CHARS).collect(),
            ..Progress::default()
        }
    }

    /// Ends the output.
    pub fn finish(self) -> Finished {
        self.finish_observed(&mut |_| {})
    }

    /// Ends the output, and shows the rest of the text to `observer`.
    pub fn finish_observed(mut self, observer: &mut dyn FnMut(&str)) -> Finished {
        let (masker, view) = (&mut self.masker, &mut self.view);
        let mut see = |text: &str| {
            observer(text);
            view.push(text);
        };
        self.cleaner
            .finish(&mut |clean| masker.push(clean, &mut see));
        masker.finish(&mut see);
        let total_bytes = self.total_bytes();
        let viewed = self.view.finish();
        Finished {
            output: ShellOutput {
                head: viewed.head,
                tail: viewed.tail,
                total_bytes,
                total_lines: viewed.total_lines,
                omitted_bytes: viewed.omitted_bytes,
                omitted_lines: viewed.omitted_lines,
                stdout_bytes: self.stdout_bytes,
                stderr_bytes: self.stderr_bytes,
                spill: None,
            },
            errors: viewed.errors,
            stderr: self.stderr,
        }
    }

    fn count(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Stdout => {
                self.stdout_bytes = self.stdout_bytes.saturating_add(bytes.len() as u64);
            }
            Stream::Stderr => {
                self.stderr_bytes = self.stderr_bytes.saturating_add(bytes.len() as u64);
                let room = STDERR_EVIDENCE_BYTES.saturating_sub(self.stderr.bytes.len());
                let kept = bytes.get(..room).unwrap_or(bytes);
                self.stderr.bytes.extend_from_slice(kept);
                self.stderr.cut |= kept.len() < bytes.len();
            }
        }
    }
}
