//! Faults of the scene that a model makes, by the names and places of the model.

use super::model::{Link, Model};
use super::xml::Place;
use crate::scene::file::place::{Place as ScenePlace, Step, fields_text};
use signorini_error::Error;

/// The fault with the file, the line and the element of the model that it is about, where it names one.
pub fn in_file(model: &Model, error: Error) -> Error {
    match error {
        Error::Many(all) => Error::Many(all.into_iter().map(|one| in_file(model, one)).collect()),
        Error::Field { file, field, value, allowed, .. } => match element(model, &field) {
            Some((place, field)) => {
                Error::Field { file: place.file.to_path_buf(), at: Some(place.at), field, value, allowed }
            }
            // Lines of a scene are none of the model.
            None => Error::Field { file, at: None, field, value, allowed },
        },
        other => other,
    }
}

/// The place of the element of the model that a field of its scene comes from, and the field of the element.
fn element<'a>(model: &'a Model, field: &str) -> Option<(&'a Place, String)> {
    let place = ScenePlace::of_text(field)?;
    let [Step::Field(table), Step::Entry(index), rest @ ..] = &place.0[..] else { return None };
    let (tag, place, name) = match table.as_str() {
        "body" => {
            let link = model.links.get(*index)?;
            if let [Step::Field(parts), Step::Entry(part), rest @ ..] = rest
                && parts == "parts"
                && let Some((tag, place)) = geom(link, *part)
            {
                return Some((place, format!("<{tag}> of {:?}: {}", link.name, fields_text(rest))));
            }
            (&link.place.0, &link.place.1, &link.name)
        }
        "joint" => {
            let joint = model.joints.get(*index)?;
            (&joint.place.0, &joint.place.1, &joint.name)
        }
        "coupling" => {
            let coupling = model.couplings.get(*index)?;
            (&coupling.place.0, &coupling.place.1, &coupling.name)
        }
        _ => return None,
    };
    Some((place, format!("<{tag}> {name:?}: {}", fields_text(rest))))
}

/// The tag and the place of the geom that a part of a link belongs to.
fn geom(link: &Link, part: usize) -> Option<&(String, Place)> {
    link.geoms.get(part).map(|geom| &geom.place)
}
