//! Velocities of the first few moving bodies, from `bodies.csv` ([CBAT] figures 3 and 6).

use super::chart::{Figure, Panel, PlotAxis, Series, colour, short};
use super::noise::Noise;
use super::ticks::Scale;
use crate::output::rows::BodyRow;
use crate::output::table;
use signorini_error::Result;
use signorini_scene::scene::Scene;
use std::path::Path;

/// Most bodies of a readable figure.
const MAX_BODIES: usize = 4;

/// Samples (step, time) of a run.
pub type Samples = Vec<(usize, f64)>;

/// Makes the figure (None: nothing moves), and returns every sample after the start.
pub fn figure(scene: &Scene, path: &Path) -> Result<(Option<Figure>, Samples)> {
    let names: Vec<&str> =
        scene.bodies.iter().filter(|b| !b.fixed).take(MAX_BODIES).map(|b| b.name.as_str()).collect();
    let mut curves: Vec<[Vec<(f64, f64)>; 6]> = names.iter().map(|_| Default::default()).collect();
    let mut sampled: Samples = Vec::new();
    table::read(path, |row: BodyRow<'static>| {
        if row.step > 0 && sampled.last().is_none_or(|last| last.0 < row.step) {
            sampled.push((row.step, row.time));
        }
        if let Some(i) = names.iter().position(|name| *name == row.body) {
            let values = [row.vx, row.vy, row.vz, row.wx, row.wy, row.wz];
            for (curve, value) in curves[i].iter_mut().zip(values) {
                curve.push((row.time, value));
            }
        }
    })?;
    let noise = Noise::of(scene);
    let mut panels = Vec::new();
    for (name, [vx, vy, vz, wx, wy, wz]) in names.iter().zip(curves) {
        panels.push(panel(name, "velocity (m/s)", noise.velocity, ["v_x", "v_y", "v_z"], [vx, vy, vz]));
        panels.push(panel(
            name,
            "angular velocity (rad/s)",
            noise.angular_velocity,
            ["ω_x", "ω_y", "ω_z"],
            [wx, wy, wz],
        ));
    }
    if panels.is_empty() {
        return Ok((None, sampled));
    }
    let n_moving = scene.bodies.iter().filter(|b| !b.fixed).count();
    let title = if n_moving > MAX_BODIES {
        format!("Velocities of the first {MAX_BODIES} of {n_moving} bodies, world axes")
    } else {
        "Velocities, world axes".to_owned()
    };
    Ok((Some(Figure { stem: "velocity".to_owned(), title, panels }), sampled))
}

fn panel(body: &str, y_label: &str, noise: f64, labels: [&str; 3], curves: [Vec<(f64, f64)>; 3]) -> Panel {
    let colours = [colour::BLUE, colour::ORANGE, colour::GREEN];
    let series = labels.iter().zip(curves).zip(colours).map(|((l, points), c)| Series::line(l, c, points));
    Panel {
        caption: short(body),
        x: PlotAxis::time(),
        y_label: y_label.to_owned(),
        scale: Scale::Linear,
        with_zero: true,
        noise,
        series: series.collect(),
    }
}
