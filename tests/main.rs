//! The tests of `bsh` as its callers see it: one binary, one file a topic.

mod harness;

mod abort;
mod background;
mod clients;
mod command_line;
mod environment;
mod errors;
mod events;
mod examples;
mod faults;
mod full_disk;
mod generated;
mod hook_programs;
mod hooks;
mod hostile;
mod input;
mod limits;
mod masks;
mod meaning;
mod no_terminal;
mod output;
mod readme;
mod recipes;
mod report;
mod run;
mod scarce;
mod schema;
mod screen;
mod secrets;
mod spill;
mod ssh;
mod surroundings;
mod text;
mod tree;
mod verbatim;
