//! Report → JSON: one object, its keys in the order of the contract.

use crate::report::ShellResult;

/// One object on one line, without a final newline.
pub fn to_json(result: &ShellResult) -> String {
    // Strings as keys and plain data: there is nothing in a report that JSON cannot say.
    serde_json::to_string(result).unwrap_or_default()
}

/// The same object, indented.
pub fn to_pretty_json(result: &ShellResult) -> String {
    serde_json::to_string_pretty(result).unwrap_or_default()
}
