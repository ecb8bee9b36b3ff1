//! Height and vertical velocity of the first few moving bodies, with the impacts ([XC] figure 10b).

use super::chart::{Figure, Panel, Pen, PlotAxis, Series, colour, short};
use super::motion::BodyMotion;
use super::noise::Noise;
use super::ticks::Scale;
use crate::output::rows::ContactRow;
use crate::output::table;
use signorini_error::Result;
use signorini_scene::scene::Scene;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Most bodies of a readable figure.
const MAX_BODIES: usize = 4;

/// Makes the figure; None without gravity, or when nothing moves.
pub fn figure(
    scene: &Scene,
    [bodies, contacts]: [&Path; 2],
    sampled: &[(usize, f64)],
) -> Result<Option<Figure>> {
    let Some(up) = (-scene.gravity).try_normalize(0.0) else { return Ok(None) };
    let shown: Vec<usize> =
        (0..scene.bodies.len()).filter(|i| !scene.bodies[*i].fixed).take(MAX_BODIES).collect();
    if shown.is_empty() {
        return Ok(None);
    }
    let motion = BodyMotion::read(scene, bodies, &shown)?;
    let impacts = impacts(scene, contacts, &shown, sampled)?;
    let noise = Noise::of(scene);
    let mut panels = Vec::new();
    for (&body, impacts) in shown.iter().zip(&impacts) {
        let curve = |value: &dyn Fn(usize) -> Option<f64>| -> Vec<(f64, f64)> {
            sampled.iter().filter_map(|(step, time)| Some((*time, value(*step)?))).collect()
        };
        let speed = |step: usize| Some(motion.at(scene, body, step)?.1.linear.dot(&up));
        let height = |step: usize| Some(motion.at(scene, body, step)?.0.position.dot(&up));
        let dots = |value: &dyn Fn(usize) -> Option<f64>| -> Vec<(f64, f64)> {
            let struck = sampled.iter().filter(|(step, _)| impacts.contains(step));
            struck.filter_map(|(step, time)| Some((*time, value(*step)?))).collect()
        };
        let panel = |y_label: &str, noise: f64, line: Series, dots: Vec<(f64, f64)>, with_zero: bool| {
            let mut series = vec![line];
            if !dots.is_empty() {
                series.push(Series::line("impact", colour::RED, dots).with_pen(Pen::Dots(3)));
            }
            Panel {
                caption: short(&scene.bodies[body].name),
                x: PlotAxis::time(),
                y_label: y_label.to_owned(),
                scale: Scale::Linear,
                with_zero,
                noise,
                series,
            }
        };
        let line = Series::line("velocity upwards", colour::BLUE, curve(&speed));
        panels.push(panel("velocity (m/s)", noise.velocity, line, dots(&speed), true));
        let line = Series::line("height of the centre", colour::BLACK, curve(&height));
        panels.push(panel("height (m)", 1e-9, line, dots(&height), false));
    }
    let title = "Height, and impacts: normal impulses that more than double".to_owned();
    Ok(Some(Figure { stem: "height".to_owned(), title, panels }))
}

/// Steps in which the normal impulses on a body are more than twice those of the sample before, and more than
/// its weight alone requires.
fn impacts(
    scene: &Scene,
    contacts: &Path,
    shown: &[usize],
    sampled: &[(usize, f64)],
) -> Result<Vec<BTreeSet<usize>>> {
    let names: Vec<&str> = shown.iter().map(|i| scene.bodies[*i].name.as_str()).collect();
    let mut impulses: Vec<HashMap<usize, f64>> = vec![HashMap::new(); shown.len()];
    table::read(contacts, |row: ContactRow<'static>| {
        for (name, impulses) in names.iter().zip(&mut impulses) {
            if row.normal_impulse > 0.0 && row.counts() && (*name == row.body_a || *name == row.body_b) {
                *impulses.entry(row.step).or_default() += row.normal_impulse;
            }
        }
    })?;
    let steps = || sampled.iter().map(|(step, _)| *step);
    let found = shown.iter().zip(&impulses).map(|(&i, impulses)| {
        let weight = scene.bodies[i].mass * scene.gravity.norm() * scene.time_step;
        let of = |step: usize| impulses.get(&step).copied().unwrap_or(0.0);
        let pairs = steps().zip(steps().skip(1));
        pairs
            .filter(|(last, step)| of(*step) > 2.0 * of(*last) + 0.5 * weight)
            .map(|(_, step)| step)
            .collect()
    });
    Ok(found.collect())
}
