//! Masks every string of a report, after all hooks and before its text is made.

use serde_json::Value;

use crate::output::Masks;
use crate::report::{Note, Report, ShellOutput};
use crate::runner::{Findings, UnconfirmedProcess};

/// Replaces what is secret in a report. The view is masked already, before its budgets were spent,
/// but a hook may have put another in its place.
pub(super) fn mask_report(report: &mut Report, masks: &Masks) {
    if masks.is_empty() {
        return;
    }
    let mask = |text: &mut String| {
        if let std::borrow::Cow::Owned(masked) = masks.mask_str(text) {
            *text = masked;
        }
    };
    if let Some(request) = &mut report.request {
        mask(&mut request.command);
        request.cwd.iter_mut().for_each(mask);
    }
    if let Some(run) = &mut report.run {
        mask(&mut run.command);
        mask(&mut run.cwd);
    }
    if let Some(output) = &mut report.output {
        mask(&mut output.head);
        output.tail.iter_mut().for_each(mask);
        output.spill.iter_mut().for_each(mask);
    }
    if let Some(error) = &mut report.error {
        mask(&mut error.message);
        error
            .data
            .iter_mut()
            .for_each(|data| mask_value(data, &mask));
    }
    for note in &mut report.notes {
        mask(&mut note.message);
        note.data
            .iter_mut()
            .for_each(|data| mask_value(data, &mask));
    }
}

/// Hides secrets in what is cut to a length before it is said, where half a secret would stay.
pub(super) fn mask_findings(findings: &mut Findings, masks: &Masks) {
    let mask = |text: &mut String| *text = masks.mask_str(text).into_owned();
    if let Some((_, processes)) = &mut findings.stopped {
        processes.iter_mut().for_each(|it| mask(&mut it.command));
    }
    if let Some((_, processes)) = &mut findings.background {
        processes.iter_mut().for_each(|it| mask(&mut it.command));
    }
}

/// The same for the processes that a stop may have left.
pub(super) fn mask_unconfirmed(processes: &mut [UnconfirmedProcess], masks: &Masks) {
    for process in processes {
        process.command = masks.mask_str(&process.command).into_owned();
    }
}

/// What hooks are shown, which is raw, and what stands for it in the report.
pub(super) struct Twins {
    pub raw_output: ShellOutput,
    pub output: ShellOutput,
    /// Raw and masked.
    pub notes: Vec<(Note, Note)>,
}

impl Twins {
    /// Puts the masked twin in the place of all that hooks left as it was.
    pub(super) fn restore(self, output: &mut ShellOutput, notes: &mut [Note]) {
        if *output == self.raw_output {
            *output = self.output;
        }
        for note in notes {
            if let Some((_, masked)) = self.notes.iter().find(|(raw, _)| raw == note) {
                note.clone_from(masked);
            }
        }
    }
}

fn mask_value(value: &mut Value, mask: &impl Fn(&mut String)) {
    match value {
        Value::String(text) => mask(text),
        Value::Array(items) => items.iter_mut().for_each(|item| mask_value(item, mask)),
        Value::Object(fields) => fields.values_mut().for_each(|item| mask_value(item, mask)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
