//! The command `signorini check`.

mod json;

use super::arguments::CheckOptions;
use super::console::{print_line, print_page};
use super::exit::{Failure, SUCCESS};
use super::scene_source;
use signorini_error::Result;
use signorini_runs::check::summary;
use signorini_scene::scene::Loaded;

/// Validates the scene as `run` would, and prints its summary.
pub fn check(options: &CheckOptions) -> std::result::Result<u8, Failure> {
    let checked = checked(options);
    if options.json {
        let checked = checked.map(|(loaded, _)| loaded);
        let (document, code) = json::document(scene_source::shown(&options.scene), &checked);
        print_page(&document);
        return Ok(code);
    }
    let (loaded, text) = checked?;
    print_line(text.trim_end());
    loaded.notes.iter().for_each(|note| print_line(&format!("note: {note}")));
    Ok(SUCCESS)
}

/// The scene and its summary.
fn checked(options: &CheckOptions) -> Result<(Loaded, String)> {
    let loaded = scene_source::load(&options.scene, &options.overrides.load_options())?;
    let text = summary(&loaded)?;
    Ok((loaded, text))
}
