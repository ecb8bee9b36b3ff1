//! The command `signorini example`.

use super::arguments::ExampleOptions;
use super::console::print_line;
use super::exit::{Failure, SUCCESS};
use signorini::examples::{self, Example};
use signorini_error::{Error, Result};
use std::fs;
use std::path::Path;

/// Lists the scenes, or writes one.
pub fn example(options: &ExampleOptions) -> std::result::Result<u8, Failure> {
    let Some(name) = &options.name else {
        for example in examples::all() {
            let about = example.about();
            let first = about.split_once(". ").map_or(about.as_str(), |(first, _)| first);
            let first = first.trim_end_matches('.');
            print_line(&format!("{:<36} {first}", example.name));
        }
        return Ok(SUCCESS);
    };
    let example = examples::find(name).ok_or_else(|| unknown(name))?;
    write(&example, &options.out, options.force)?;
    Ok(SUCCESS)
}

fn unknown(name: &str) -> Error {
    let all = examples::all();
    let near = signorini_scene::scene::nearest(
        name,
        all.iter().filter_map(|example| example.name.rsplit_once('/').map(|(_, own)| own)),
    );
    let guess = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
    Error::Usage {
        what: format!("example {name:?}"),
        allowed: format!("must be one that `signorini example` lists{guess}"),
    }
}

fn write(example: &Example, folder: &Path, force: bool) -> Result<()> {
    let own = example.name.rsplit_once('/').map_or(example.name, |(_, own)| own);
    let scene = (format!("{own}.toml"), example.text.as_bytes());
    let beside = example.files().map(|(name, content)| (name.to_owned(), content));
    let files: Vec<_> =
        std::iter::once(scene).chain(beside).map(|(name, content)| (folder.join(name), content)).collect();
    if let Some((path, _)) = files.iter().find(|(path, _)| path.exists() && !force) {
        let allowed = "exists; --force replaces it".to_owned();
        return Err(Error::Usage { what: path.display().to_string(), allowed });
    }
    fs::create_dir_all(folder).map_err(|source| Error::Io { path: folder.to_owned(), source })?;
    for (path, content) in files {
        fs::write(&path, content).map_err(|source| Error::Io { path: path.clone(), source })?;
        print_line(&format!("wrote {}", path.display()));
    }
    Ok(())
}
