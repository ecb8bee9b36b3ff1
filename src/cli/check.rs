//! `signorini check`.

use super::arguments::CheckOptions;
use super::console::say;
use super::exit::{Failure, SUCCESS};
use crate::scene::{self, Scene};
use crate::simulation::Simulation;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Validates the scene as `run` would, and says what is in it.
pub fn check(options: &CheckOptions) -> Result<u8, Failure> {
    let loaded = scene::load(&options.scene, &options.overrides.load_options())?;
    let text = describe(&loaded.scene);
    // The chosen formulation may lack something that the scene needs.
    Simulation::new(loaded.scene)?;
    say(text.trim_end());
    loaded.notes.iter().for_each(|note| say(&format!("note: {note}")));
    Ok(SUCCESS)
}

fn describe(scene: &Scene) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_summary(scene, &mut text);
    text
}

fn write_summary(scene: &Scene, text: &mut String) -> std::fmt::Result {
    let n_fixed = scene.bodies.iter().filter(|b| b.fixed).count();
    writeln!(text, "bodies      {} ({n_fixed} fixed)", scene.bodies.len())?;
    let mut by_shape: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for body in &scene.bodies {
        by_shape.entry(body.shape.kind()).or_default()[usize::from(body.fixed)] += 1;
    }
    for (shape, [moving, fixed]) in by_shape {
        writeln!(text, "  {shape:<12} {moving} moving, {fixed} fixed")?;
    }
    let materials = &scene.friction.materials;
    let shown: Vec<&str> = materials.iter().take(8).map(String::as_str).collect();
    let more = if materials.len() > shown.len() { ", ..." } else { "" };
    writeln!(text, "materials   {} ({}{more})", materials.len(), shown.join(", "))?;
    let moving = || scene.bodies.iter().filter(|b| !b.fixed);
    writeln!(
        text,
        "mass        {} kg in all{}",
        number(moving().map(|b| b.mass).sum()),
        range(moving().map(|b| b.mass), "kg")
    )?;
    writeln!(
        text,
        "sizes       {}",
        range(scene.bodies.iter().filter_map(|b| b.shape.size()), "m").trim_start_matches(", each ")
    )?;
    let g = scene.gravity;
    writeln!(text, "gravity     ({}, {}, {}) m/s²", g.x, g.y, g.z)?;
    writeln!(text, "loads       {} impulses, {} timed forces", scene.impulses.len(), scene.forces.len())?;
    writeln!(text, "steps       {} of {} s, {} s in all", scene.n_steps(), scene.time_step, scene.duration)?;
    let solver = &scene.solver;
    writeln!(
        text,
        "solver      {:?}, tolerance {:e}, gyroscopic {:?}, seed {}",
        solver.formulation, solver.tolerance, solver.gyroscopic, scene.seed
    )
}

/// ", each x to y unit", empty when there is nothing.
fn range(values: impl Iterator<Item = f64>, unit: &str) -> String {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low > high { String::new() } else { format!(", each {} to {} {unit}", number(low), number(high)) }
}

/// Four significant digits.
fn number(x: f64) -> String {
    if x != 0.0 && !(1e-3..1e6).contains(&x.abs()) {
        return format!("{x:.3e}");
    }
    let decimals = (3.0 - x.abs().max(1e-9).log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_have_four_digits() {
        assert_eq!(number(0.0), "0");
        assert_eq!(number(0.1), "0.1");
        assert_eq!(number(1234.56), "1235");
        assert_eq!(number(0.012345), "0.01235");
        assert_eq!(number(1e-7), "1.000e-7");
    }
}
