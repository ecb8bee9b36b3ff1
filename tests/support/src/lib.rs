//! Helpers of all tests: scenes, runs that are held to the promise, steps with a known answer, files.

pub mod fclib_files;
pub mod forgery;
pub mod judged_steps;
pub mod parsers;
pub mod ranks;
pub mod runs;
