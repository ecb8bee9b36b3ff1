//! Run as one self-contained HTML file: the viewer of `viewer/`, and compressed columns.

mod columns;
mod header;
mod sections;

pub use sections::StepSamples;

use super::run_files::RunFiles;
use crate::export::recording::{ContactFrames, Recording};
use serde_json::json;
use signorini_error::Result;
use std::path::Path;

/// Text of the viewer, built from `viewer/` by its `build` script.
const VIEWER: &str = include_str!("../../../viewer/viewer.html");
/// Place of the data in the viewer's text.
const MARK: &str = "<!-- the run -->";
/// Velocities and impulses smaller than these fractions of the largest of the run are shown as 0: the first
/// by default, the second in a page that would be too large. Bodies at rest differ by the order of the
/// tolerance.
const SMALLEST_SHOWN: [f64; 2] = [1e-8, 1e-5];
/// Fewest frames to which a page is thinned.
const FEWEST_FRAMES: usize = 100;

/// Most frames from one frame with contacts to the next, as long as frames can be thinned.
const MAX_CONTACT_STRIDE: usize = 16;

/// Limits of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageOptions {
    /// Most frames; a longer run is thinned evenly.
    pub frames: usize,
    /// Size that the file should not exceed (bytes); contacts and then frames are thinned to meet it.
    pub size: usize,
}

impl Default for PageOptions {
    /// Limits of the start and 2000 steps, and of 25 MB.
    fn default() -> Self {
        Self { frames: 2001, size: 25_000_000 }
    }
}

/// Contents of a page.
pub struct PageContents {
    /// Title of the page.
    pub title: String,
    /// Scene, and the steps at which each body was present.
    pub run: RunFiles,
    /// Frames.
    pub recording: Recording,
    /// Contacts of the frames.
    pub contacts: ContactFrames,
    /// Time, energies, residual and verdict of the steps.
    pub steps: StepSamples,
}

/// Run as a page shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// HTML elements that hold the data.
    pub data: String,
    /// Number of steps of the run that the page shows.
    pub frames: usize,
    /// Number of these frames that have their contacts.
    pub contact_frames: usize,
    /// Last step that the page shows.
    pub last_step: usize,
}

impl Page {
    /// Makes the page of the run in `folder`.
    ///
    /// # Errors
    /// When a file of the run cannot be read or contradicts another.
    pub fn of(folder: &Path, options: &PageOptions) -> Result<Self> {
        let run = RunFiles::open(folder)?;
        let recording = Recording::read(&run, options.frames)?;
        let contacts = ContactFrames::read(&run, &recording)?;
        let title =
            folder.file_name().map_or_else(|| "run".into(), |name| name.to_string_lossy().into_owned());
        let steps = StepSamples::read(&run)?;
        Ok(Self::made(PageContents { title, run, recording, contacts, steps }, options.size))
    }

    /// Makes the page of its contents, with a size that the file should not exceed (bytes).
    pub(super) fn made(shown: PageContents, size: usize) -> Self {
        let PageContents { title, run, mut recording, mut contacts, steps } = shown;
        let (n_steps, steps) = steps.section();
        let quantum = sections::quantum(&run.scene, &recording);
        let scene = header::scene(&run, &recording);
        let steps = columns::compressed(&steps);
        let mut least = SMALLEST_SHOWN[0];
        let mut bodies = columns::compressed(&sections::bodies(&run.scene, &recording, quantum, least));
        loop {
            let (counts, rows) = sections::contacts(&run.scene, &recording, &contacts, quantum, least);
            let rows = columns::compressed(&rows);
            let indices: Vec<usize> = contacts.frames(&recording).map(|(k, _)| k).collect();
            let header = json!({
                "version": env!("CARGO_PKG_VERSION"),
                "title": title,
                "scene": scene,
                "quantum": quantum,
                "moving": recording.moving.len(),
                "frames": { "steps": recording.steps, "times": recording.times },
                "contacts": { "frames": indices, "counts": counts },
                "steps": n_steps,
            });
            let header = columns::compressed(header.to_string().as_bytes());
            let data =
                elements(&[("header", &header), ("bodies", &bodies), ("contacts", &rows), ("steps", &steps)]);
            let frames = recording.steps.len();
            let thin_contacts = indices.len() > FEWEST_FRAMES.max(frames / MAX_CONTACT_STRIDE);
            let fits = VIEWER.len() + data.len() <= size;
            if fits || least == SMALLEST_SHOWN[1] && !thin_contacts && frames <= FEWEST_FRAMES {
                let last_step = recording.steps.last().copied().unwrap_or(0);
                return Self { data, frames, contact_frames: indices.len(), last_step };
            }
            if least < SMALLEST_SHOWN[1] {
                least = SMALLEST_SHOWN[1];
            } else if thin_contacts {
                contacts.thin();
                continue;
            } else {
                recording.thin();
                contacts.frames_were_thinned();
            }
            bodies = columns::compressed(&sections::bodies(&run.scene, &recording, quantum, least));
        }
    }

    /// Text of the HTML file.
    pub fn html(&self) -> String {
        VIEWER.replacen(MARK, &self.data, 1)
    }

    /// Returns the viewer without a run. The viewer asks the server that sent it: `run` gives [`Page::data`],
    /// `events` tells when the data changed.
    pub fn live() -> String {
        VIEWER.replacen(MARK, "<script type=\"text/plain\" id=\"run-live\"></script>", 1)
    }
}

/// Wraps sections as elements of the page, which the browser does not run as scripts.
fn elements(sections: &[(&str, &String)]) -> String {
    let element = |(name, data): &(&str, &String)| {
        format!("<script type=\"text/plain\" id=\"run-{name}\">{data}</script>\n")
    };
    sections.iter().map(element).collect()
}
