//! From bytes to the view, masks and the spill: laws against slow, obvious models, and known traps.

mod cleaner;
mod mask;
mod model;
mod spill;
mod terminal;
mod traps;
mod view;
