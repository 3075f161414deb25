//! Runs one shell command safely and reports truthfully what happened.
pub mod control;
pub mod output;
pub mod report;
pub mod request;
pub mod runner;
