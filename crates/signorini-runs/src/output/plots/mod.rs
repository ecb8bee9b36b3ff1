//! Figures of a run, drawn from the files of its folder alone: energy, velocities, forces and slip at the
//! most loaded contacts (the figures of CBAT), their points and kinds of touch (those of XC), heights with
//! impacts, and convergence of the solver.

pub(crate) mod chart;
mod contact;
mod contact_point;
mod height;
mod measures;
mod motion;
mod noise;
mod steps;
pub(crate) mod ticks;
mod velocity;

use super::names;
use signorini_error::Result;
use signorini_scene::scene::{self, LoadOptions};
use std::path::{Path, PathBuf};

/// Draws the figures of the run in `dir` into `dir/plots`, each as PNG and as SVG, and returns their
/// paths. A run that was killed is drawn as far as its tables go.
///
/// # Errors
/// When a file of the run cannot be read, or a figure cannot be written.
pub fn draw(dir: &Path) -> Result<Vec<PathBuf>> {
    let scene = scene::load(&dir.join(names::SCENE), &LoadOptions::default())?.scene;
    let mut figures = steps::figures(&scene, &dir.join(names::STEPS))?;
    let (figure, sampled) = velocity::figure(&scene, &dir.join(names::BODIES))?;
    figures.extend(figure);
    let [bodies, contacts] = [dir.join(names::BODIES), dir.join(names::CONTACTS)];
    let tables = [bodies.as_path(), contacts.as_path()];
    figures.extend(height::figure(&scene, tables, &sampled)?);
    let pairs = contact::most_loaded(&contacts)?;
    figures.extend(contact::figures(&scene, &contacts, &pairs, &sampled)?);
    figures.extend(contact_point::figures(&scene, tables, &pairs, &sampled)?);
    figures.extend(measures::figures(&scene, dir)?);
    chart::write(&figures, &dir.join(names::PLOTS))
}
