//! Stand-in, replaced when the real pipeline is merged.
#![allow(missing_docs)]
use crate::limits::ShellLimits;
use crate::report::ShellOutput;
use crate::runner::Stream;

#[derive(Clone, Default)]
pub struct OutputPipeline {
    output: ShellOutput,
    text: Vec<u8>,
}
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct OmittedErrors {
    pub count: u64,
    pub lines: Vec<OmittedLine>,
}
#[derive(Debug, Clone, serde::Serialize)]
pub struct OmittedLine {
    pub line: u64,
    pub text: String,
}

impl OutputPipeline {
    pub fn new(_: &ShellLimits) -> Self {
        Self::default()
    }
    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Stdout => self.output.stdout_bytes += bytes.len() as u64,
            Stream::Stderr => self.output.stderr_bytes += bytes.len() as u64,
        }
        self.text.extend(bytes);
    }
    pub fn finish(mut self) -> (ShellOutput, OmittedErrors) {
        self.output.total_bytes = self.output.stdout_bytes + self.output.stderr_bytes;
        self.output.head = String::from_utf8_lossy(&self.text).into_owned();
        self.output.total_lines = self.output.head.lines().count() as u64;
        (self.output, OmittedErrors::default())
    }
}
