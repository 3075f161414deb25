//! One binary: a module for each topic.
mod output;
