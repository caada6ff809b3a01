//! A provider that answers as it is told.
pub mod stand_in;
