//! Placeholder replaced within the hour.
fn main() {}
