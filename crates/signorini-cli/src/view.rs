//! The command `signorini view`.

use super::browser;
use super::console::{print_line, print_page};
use super::exit::{Failure, SUCCESS};
use super::values;
use clap::Args;
use signorini_error::{Error, counted};
use signorini_runs::export::{Page, PageOptions};
use signorini_runs::output::names;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct ViewOptions {
    /// Folder of a run
    pub dir: PathBuf,
    /// File to write, - for standard output [default: DIR/run.html]
    #[arg(short, long, value_name = "FILE", conflicts_with = "serve")]
    pub out: Option<PathBuf>,
    /// Most frames that are shown; a longer run is thinned evenly, 2 to 1000000
    #[arg(long, value_name = "N", default_value_t = 2001, value_parser = clap::value_parser!(u32).range(2..=1_000_000), allow_hyphen_values = true)]
    pub frames: u32,
    /// Megabytes that the file should not exceed: contacts, then frames are thinned beyond, 1 to 1000
    #[arg(long, value_name = "MB", default_value_t = 25.0, value_parser = values::megabytes, allow_hyphen_values = true)]
    pub size: f64,
    /// Write nothing, serve the page to browsers of this machine, and show the run while it goes
    #[arg(long)]
    pub serve: bool,
    /// Port of --serve; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 0, requires = "serve")]
    pub port: u16,
}

/// Writes the page of a run, or serves it.
pub fn view(options: &ViewOptions) -> Result<u8, Failure> {
    let limits = PageOptions { frames: options.frames as usize, size: (options.size * 1e6) as usize };
    if options.serve {
        return browser::serve(&options.dir, options.port, &limits);
    }
    let page = Page::of(&options.dir, &limits)?;
    let html = page.html();
    if options.out.as_deref() == Some(Path::new("-")) {
        print_page(&html);
        return Ok(SUCCESS);
    }
    let out = options.out.clone().unwrap_or_else(|| options.dir.join(names::PAGE));
    std::fs::write(&out, &html).map_err(|source| Failure::Other(Error::Io { path: out.clone(), source }))?;
    let contacts = match page.contact_frames == page.frames {
        true => String::new(),
        false => format!(", contacts in {} of them", page.contact_frames),
    };
    let megabytes = html.len() as f64 / 1e6;
    let frames = counted(page.frames, "frame");
    print_line(&format!("{}: {frames}{contacts}, {megabytes:.1} MB", out.display()));
    Ok(SUCCESS)
}
