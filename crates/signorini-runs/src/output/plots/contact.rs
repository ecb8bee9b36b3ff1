//! Forces and slip at the most loaded contacts, from `contacts.csv` ([CBAT] figures 4, 7 and 8).

use super::chart::{Figure, Panel, Pen, PlotAxis, Series, colour, short};
use super::noise::Noise;
use super::ticks::Scale;
use crate::output::rows::ContactRow;
use crate::output::table;
use signorini_error::Result;
use signorini_scene::scene::{Friction, Scene};
use std::collections::HashMap;
use std::path::Path;

/// Most contacts that have figures.
const MAX_CONTACTS: usize = 6;

/// Names of bodies A and B.
pub type LoadedPair = (String, String);

/// Forces of a contact in one step: impulse / h.
#[derive(Debug, Clone, Copy, Default)]
struct Sample {
    normal: f64,
    friction: f64,
    torsional: f64,
    /// Product of e_r and the normal force (N m).
    arm: f64,
    slip_speed: f64,
}

/// Makes one figure per pair, numbered in their order. `sampled` holds (step, time) of every sample of the
/// run: a pair that is not in the table at a sample carries no load then.
pub fn figures(
    scene: &Scene,
    path: &Path,
    pairs: &[LoadedPair],
    sampled: &[(usize, f64)],
) -> Result<Vec<Figure>> {
    let mut samples: Vec<HashMap<usize, Sample>> = vec![HashMap::new(); pairs.len()];
    let h = scene.time_step;
    table::read(path, |row: ContactRow<'static>| {
        let is_of = |(a, b): &LoadedPair| *a == row.body_a && *b == row.body_b;
        let Some(i) = pairs.iter().position(is_of).filter(|_| row.counts()) else { return };
        let sample = samples[i].entry(row.step).or_default();
        sample.normal += row.normal_impulse / h;
        sample.friction += row.friction_magnitude() / h;
        sample.torsional += row.torsional_impulse / h;
        sample.arm += row.torsional_radius.unwrap_or_default() * row.normal_impulse / h;
        // The slip of a contact without load does not count: σ multiplies the friction impulse.
        if row.normal_impulse > 0.0 {
            sample.slip_speed = row.slip_speed;
        }
    })?;
    let noise = Noise::of(scene);
    let figures = pairs.iter().zip(&samples).enumerate().map(|(i, (pair, samples))| {
        let series: Vec<(f64, Sample)> = sampled
            .iter()
            .map(|(step, time)| (*time, samples.get(step).copied().unwrap_or_default()))
            .collect();
        figure(i + 1, pair, friction_of(scene, pair), noise.velocity, &series)
    });
    Ok(figures.collect())
}

/// Returns the few pairs with the largest sum of normal impulses, of those that ever carry load, in order of
/// first appearance.
pub fn most_loaded(path: &Path) -> Result<Vec<LoadedPair>> {
    // The value is the sum of normal impulses and the rank of first appearance.
    let mut loads: HashMap<LoadedPair, (f64, usize)> = HashMap::new();
    table::read(path, |row: ContactRow<'static>| {
        if row.normal_impulse > 0.0 && row.counts() {
            let next = loads.len();
            let pair = (row.body_a.into_owned(), row.body_b.into_owned());
            loads.entry(pair).or_insert((0.0, next)).0 += row.normal_impulse;
        }
    })?;
    let mut pairs: Vec<(LoadedPair, (f64, usize))> = loads.into_iter().collect();
    pairs.sort_by(|(_, a), (_, b)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    pairs.truncate(MAX_CONTACTS);
    pairs.sort_by_key(|(_, (_, first))| *first);
    Ok(pairs.into_iter().map(|(pair, _)| pair).collect())
}

/// Friction between the first parts of two bodies.
fn friction_of(scene: &Scene, (a, b): &LoadedPair) -> Friction {
    let of_body =
        |name: &str| scene.bodies.iter().find(|body| body.name == name).map(|body| body.parts[0].material);
    let of_inlet = |name: &str| scene.inlets.iter().find(|inlet| inlet.number_of(name).is_some());
    let material = |name: &str| of_body(name).or_else(|| of_inlet(name).map(|inlet| inlet.grains.material));
    match (material(a), material(b)) {
        (Some(a), Some(b)) => *scene.friction.between(a, b),
        _ => Friction::NONE,
    }
}

fn figure(
    number: usize,
    (a, b): &LoadedPair,
    friction: Friction,
    slip_noise: f64,
    samples: &[(f64, Sample)],
) -> Figure {
    let mu = friction.coefficient;
    let curve =
        |value: &dyn Fn(&Sample) -> f64| samples.iter().map(|(t, s)| (*t, value(s))).collect::<Vec<_>>();
    let panel = |y_label: &str, noise, series| Panel {
        caption: String::new(),
        x: PlotAxis::time(),
        y_label: y_label.to_owned(),
        scale: Scale::Linear,
        with_zero: true,
        noise,
        series,
    };
    let mut panels = vec![
        panel(
            "force (N)",
            0.0,
            vec![
                Series::line("normal force", colour::BLACK, curve(&|s| s.normal)),
                Series::line(&format!("μ × normal force, μ = {mu}"), colour::PALE, curve(&|s| mu * s.normal))
                    .with_pen(Pen::Line(6)),
                Series::line("|friction force|", colour::BLUE, curve(&|s| s.friction)),
            ],
        ),
        panel(
            "slip speed (m/s)",
            slip_noise,
            vec![Series::line("slip speed", colour::GREEN, curve(&|s| s.slip_speed))],
        ),
    ];
    let largest = |value: &dyn Fn(&Sample) -> f64| samples.iter().fold(0.0, |m: f64, (_, s)| m.max(value(s)));
    // A smaller moment is rounding.
    if largest(&|s| s.torsional.abs()) > 1e-9 * mu * largest(&|s| s.arm) {
        panels.push(panel(
            "moment (N m)",
            0.0,
            vec![
                Series::line("± μ e_r × normal force", colour::PALE, curve(&|s| mu * s.arm))
                    .with_pen(Pen::Line(6)),
                Series::line("", colour::PALE, curve(&|s| -mu * s.arm)).with_pen(Pen::Line(6)),
                Series::line("torsional moment about the normal", colour::BLUE, curve(&|s| s.torsional)),
            ],
        ));
    }
    Figure {
        stem: format!("contact_forces_{number}"),
        title: format!("Contact {number}: {} – {}", short(a), short(b)),

        panels,
    }
}
