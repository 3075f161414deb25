//! The tests of `bsh` as its callers see it: one binary, one file a topic.

mod harness;

mod abort;
mod command_line;
mod environment;
mod errors;
mod events;
mod examples;
mod hook_programs;
mod hooks;
mod input;
mod limits;
mod masks;
mod report;
mod run;
mod schema;
mod secrets;
mod spill;
mod ssh;
mod text;
mod tree;
