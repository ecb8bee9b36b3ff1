//! `<pair>`: contacts of two geoms that are named, with a friction of their own, whatever masks, exclusions
//! and joints say of their bodies.

use super::super::model::{Model, ModelPair, Surface};
use super::super::xml::Element;
use super::document::Defaults;
use super::known;
use signorini_error::Result;
use std::collections::HashSet;

/// Friction of a pair that says nothing of it, as MuJoCo has it: slides along two tangents, torsion, rolls
/// about them.
const FRICTION: [f64; 5] = [1.0, 1.0, 0.005, 1e-4, 1e-4];

/// Place of a geom: its link, and its number there.
type GeomPlace = [usize; 2];

/// The names of geoms of which a pair is told: these touch, even if they have masks that meet none.
pub fn named(root: &Element) -> HashSet<String> {
    let pairs = root.all("contact").flat_map(|section| section.all("pair"));
    pairs
        .flat_map(|pair| ["geom1", "geom2"].map(|side| pair.get(side)))
        .flatten()
        .map(str::to_owned)
        .collect()
}

/// Reads the pairs. Their bodies are taken from the exclusions, and may touch across a joint.
///
/// # Errors
/// When a geom is named that there is not, or a number is wrong.
pub fn read(root: &Element, defaults: &Defaults, model: &mut Model) -> Result<()> {
    let mut own: Vec<GeomPlace> = Vec::new();
    for element in root.all("contact").flat_map(|section| section.all("pair")) {
        let element = defaults.complete(element, None)?;
        known::check(&element, model);
        let friction = friction_of(&element, model)?;
        let Some(places) = sides(&element, root, model)? else { continue };
        if places[0][0] == places[1][0] {
            model.drop(&element, "of geoms of one body");
            continue;
        }
        if places.iter().all(|[link, _]| model.links[*link].fixed) {
            model.drop(&element, "of bodies that never move");
            continue;
        }
        let numbers = places.map(|place| number_of(place, &mut own, model));
        let numbers = [numbers[0].min(numbers[1]), numbers[0].max(numbers[1])];
        if model.pairs.iter().any(|pair| pair.geoms == numbers) {
            model.drop(&element, "of the same geoms as one before, which counts");
            continue;
        }
        let links = places.map(|[link, _]| link);
        note_others(&element, places, model);
        model.pairs.push(ModelPair { geoms: numbers, links, friction });
        let is_it = |pair: &[usize; 2]| *pair == [links[0].min(links[1]), links[0].max(links[1])];
        model.excluded.retain(|pair| !is_it(&[pair[0].min(pair[1]), pair[0].max(pair[1])]));
        for joint in &mut model.joints {
            let ends = joint.links.map(|link| link.unwrap_or(usize::MAX));
            joint.collide |= is_it(&[ends[0].min(ends[1]), ends[0].max(ends[1])]);
        }
    }
    Ok(())
}

/// Places of both geoms; None where one is not taken over.
fn sides(element: &Element, root: &Element, model: &mut Model) -> Result<Option<[GeomPlace; 2]>> {
    let mut found = [None; 2];
    for (side, place) in ["geom1", "geom2"].into_iter().zip(&mut found) {
        let Some(name) = element.get(side) else { return Err(element.refusal("needs geom1 and geom2")) };
        let is_it = |geom: &super::super::model::Geom| geom.name.as_deref() == Some(name);
        let in_link = |(l, link): (usize, &super::super::model::Link)| {
            link.geoms.iter().position(is_it).map(|geom| [l, geom])
        };
        *place = model.links.iter().enumerate().find_map(in_link);
        if place.is_none() && !root.all("worldbody").any(|world| has_geom(world, name)) {
            return Err(element.fault(side, name, "there is no such geom"));
        }
    }
    let [Some(a), Some(b)] = found else {
        model.drop(element, "of a geom that is not taken over");
        return Ok(None);
    };
    Ok(Some([a, b]))
}

fn has_geom(element: &Element, name: &str) -> bool {
    let mut geoms = element.children.iter();
    geoms.any(|child| child.tag == "geom" && child.get("name") == Some(name) || has_geom(child, name))
}

/// Number of a geom among those of pairs, which gives it a surface of its own.
fn number_of([link, geom]: GeomPlace, own: &mut Vec<GeomPlace>, model: &mut Model) -> usize {
    let known = own.iter().position(|place| *place == [link, geom]);
    let number = known.unwrap_or(own.len());
    if known.is_none() {
        own.push([link, geom]);
    }
    model.links[link].geoms[geom].surface.own = Some(number);
    number
}

/// Contact belongs to bodies: other geoms of a pair's bodies come with it, or it with them.
fn note_others(element: &Element, places: [GeomPlace; 2], model: &mut Model) {
    let [first, second] = places.map(|[link, _]| &model.links[link].geoms);
    let are_apart = !first.iter().any(|a| second.iter().any(|b| a.mask.meets(b.mask)));
    if are_apart && first.len() * second.len() > 1 {
        model.drop(element, "alone: the other geoms of both bodies touch too");
    }
    for [link, geom] in places {
        let link = &model.links[link];
        let is_masked = link.geoms[geom].mask.is_none();
        if is_masked && link.geoms.iter().any(|other| !other.mask.is_none()) {
            let name = link.geoms[geom].name.clone().unwrap_or_default();
            model.drop(element, format!("alone: geom {name:?} touches all that its body touches"));
        }
    }
}

/// The friction of a pair: numbers that it leaves out are MuJoCo's, not those of its geoms.
fn friction_of(element: &Element, model: &mut Model) -> Result<Surface> {
    let text = element.get("friction").unwrap_or_default();
    let given = element.list("friction", text)?;
    if given.len() > FRICTION.len() || given.iter().any(|x| *x < 0.0) {
        return Err(element.fault("friction", text, "must be at most five numbers ≥ 0"));
    }
    let mut all = FRICTION;
    all.iter_mut().zip(&given).for_each(|(number, given)| *number = *given);
    let dimension = element.number("condim")?.unwrap_or(3.0);
    if ![1.0, 3.0, 4.0, 6.0].contains(&dimension) {
        return Err(element.fault(
            "condim",
            element.get("condim").unwrap_or_default(),
            "must be 1, 3, 4 or 6",
        ));
    }
    let [slide, across, torsion, rolling, rolling_across] = all;
    let is_uneven = dimension > 1.0 && slide != across || dimension > 4.0 && rolling != rolling_across;
    if is_uneven {
        model.drop(element, format!("friction = {text:?}: the first of two directions counts for both"));
    }
    Ok(Surface { slide, torsion, rolling, dimension: dimension as u8, own: None })
}
