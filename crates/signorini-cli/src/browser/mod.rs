//! Commands that need a browser: a run shown while it goes, pictures and films by headless Chromium.

mod chromium;
mod http;
mod live;
mod studio;

pub use live::serve;
pub use studio::{MovieOptions, PictureOptions, movie, picture};
