//! `--explain`: what an exit code would mean, without running anything.

use bsh::meaning::explain;

use crate::cli::Print;
use crate::session::Exit;
use crate::session::print::write_out;

/// Prints the meaning; bsh exits with 0 when the code is no error, and with 1 when it is.
pub fn print_explanation(command: &str, code: i32, print: Print) -> Exit {
    let explanation = explain(command, code);
    let text = match print {
        // Strings and numbers: there is nothing in it that JSON cannot say.
        Print::Json | Print::Events => serde_json::to_string(&explanation).unwrap_or_default(),
        Print::PrettyJson => serde_json::to_string_pretty(&explanation).unwrap_or_default(),
        Print::Text | Print::View => bsh::one_line(&explanation.sentence()),
    };
    let exit = match explanation.is_error {
        true => Exit::Command(1),
        false => Exit::Fine,
    };
    write_out("the meaning", &format!("{text}\n"), exit)
}
