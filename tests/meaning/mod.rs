//! What an exit code means: cases that were run, evidence, and laws for any text.

mod cases;
mod evidence;
mod laws;
mod table;
