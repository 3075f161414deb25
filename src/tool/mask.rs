//! Masks every string of a report, after all hooks and before its text is made.

use serde_json::Value;

use crate::output::Masks;
use crate::report::Report;

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

fn mask_value(value: &mut Value, mask: &impl Fn(&mut String)) {
    match value {
        Value::String(text) => mask(text),
        Value::Array(items) => items.iter_mut().for_each(|item| mask_value(item, mask)),
        Value::Object(fields) => fields.values_mut().for_each(|item| mask_value(item, mask)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
