//! Files for OVITO: extended XYZ, and the dump of LAMMPS.
//!
//! OVITO takes quaternions as x, y, z, w; of a cylinder it takes the radius and the whole length, of other
//! shapes semi-axes or half extents. In a dump it halves the three numbers of the shape, which LAMMPS writes
//! as diameters.

use super::columns::{KINDS, Particle, drawn, each_wanted};
use crate::export::run_files::RunFiles;
use nalgebra::Vector3;
use signorini_error::{Error, Result};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Format of a file for OVITO.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParticleFormat {
    /// Extended XYZ.
    Xyz,
    /// Text dump of LAMMPS.
    Lammps,
}

/// Box around all bodies at all times; along the axes of a periodic scene that of the scene.
struct Cell {
    low: Vector3<f64>,
    high: Vector3<f64>,
    periodic: [bool; 3],
}

/// Writes all bodies that move or are carried, of every `every`-th record, into one file for OVITO. Returns
/// the number of records written.
///
/// A row is a body: its place in the scene (in a dump one more, as LAMMPS counts from 1), its kind, centre
/// of mass (m), orientation of its shape (x, y, z, w), semi-axes (of a cylinder radius, radius and whole
/// length), velocity (m/s), angular velocity (rad/s) and mass (kg). A dump has the semi-axes twice. Numbers
/// are those of the tables to the last bit.
///
/// # Errors
/// When `every` is 0, when a file of the run cannot be read, or the file cannot be written.
pub fn write_particles(run: &RunFiles, path: &Path, format: ParticleFormat, every: usize) -> Result<usize> {
    if every == 0 {
        return Err(Error::Usage { what: "every = 0".to_owned(), allowed: "must be 1 or more".to_owned() });
    }
    let bodies = drawn(run);
    let cell = cell(run, &bodies)?;
    let io = |source| Error::Io { path: path.to_owned(), source };
    let mut file = BufWriter::new(File::create(path).map_err(io)?);
    let records = each_wanted(run, every, |step, time, state| {
        let there = bodies.iter().filter(|id| run.is_there(**id, step));
        let particles: Vec<Particle> = there.map(|id| Particle::of(run, state, *id)).collect();
        let text = match format {
            ParticleFormat::Xyz => xyz(&cell, (step, time), &particles),
            ParticleFormat::Lammps => lammps(&cell, (step, time), &particles),
        };
        file.write_all(text.as_bytes()).map_err(io)
    })?;
    file.flush().map_err(io)?;
    Ok(records)
}

fn cell(run: &RunFiles, bodies: &[usize]) -> Result<Cell> {
    let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    let reach = |id: &usize| run.scene.bodies[*id].bounding_radius();
    let reaches: Vec<f64> = bodies.iter().map(reach).collect();
    run.each_frame(|step, _, state| {
        for (id, reach) in bodies.iter().zip(&reaches).filter(|(id, _)| run.is_there(**id, step)) {
            let place = state.poses[*id].position;
            low = low.inf(&place.add_scalar(-reach));
            high = high.sup(&place.add_scalar(*reach));
        }
        Ok(())
    })?;
    if low.x > high.x {
        (low, high) = (Vector3::zeros(), Vector3::repeat(1.0));
    }
    let spans = run.scene.periodic.map_or([None; 3], |periodic| periodic.spans);
    for (axis, span) in spans.iter().enumerate() {
        if let Some([from, to]) = span {
            (low[axis], high[axis]) = (*from, *to);
        }
    }
    Ok(Cell { low, high, periodic: spans.map(|span| span.is_some()) })
}

fn xyz(cell: &Cell, (step, time): (usize, f64), particles: &[Particle]) -> String {
    let size = cell.high - cell.low;
    let pbc = cell.periodic.map(|p| if p { "T" } else { "F" }).join(" ");
    let mut text = format!(
        "{}\nLattice=\"{} 0 0 0 {} 0 0 0 {}\" Origin=\"{} {} {}\" pbc=\"{pbc}\" \
         Properties=species:S:1:pos:R:3:id:I:1:orientation:R:4:aspherical_shape:R:3:velo:R:3:\
         angular_velocity:R:3:mass:R:1 Time={time} Timestep={step}\n",
        particles.len(),
        size.x,
        size.y,
        size.z,
        cell.low.x,
        cell.low.y,
        cell.low.z,
    );
    for p in particles {
        text += KINDS[p.kind];
        numbers(&mut text, &p.position);
        push(&mut text, p.id);
        numbers(&mut text, &p.orientation);
        numbers(&mut text, &p.axes);
        numbers(&mut text, &p.velocity);
        numbers(&mut text, &p.angular_velocity);
        push(&mut text, p.mass);
        text.push('\n');
    }
    text
}

fn lammps(cell: &Cell, (step, time): (usize, f64), particles: &[Particle]) -> String {
    let bounds = cell.periodic.map(|p| if p { "pp" } else { "ff" }).join(" ");
    let mut text = format!(
        "ITEM: TIMESTEP\n{step}\nITEM: TIME\n{time}\nITEM: NUMBER OF ATOMS\n{}\nITEM: BOX BOUNDS {bounds}\n",
        particles.len()
    );
    for axis in 0..3 {
        text += &format!("{} {}\n", cell.low[axis], cell.high[axis]);
    }
    text += "ITEM: ATOMS id type element x y z quati quatj quatk quatw shapex shapey shapez vx vy vz \
             omegax omegay omegaz mass\n";
    for p in particles {
        text += &format!("{} {} {}", p.id + 1, p.kind + 1, KINDS[p.kind]);
        numbers(&mut text, &p.position);
        numbers(&mut text, &p.orientation);
        numbers(&mut text, &p.axes.map(|a| 2.0 * a));
        numbers(&mut text, &p.velocity);
        numbers(&mut text, &p.angular_velocity);
        push(&mut text, p.mass);
        text.push('\n');
    }
    text
}

fn numbers(text: &mut String, list: &[f64]) {
    list.iter().for_each(|x| push(text, x));
}

fn push(text: &mut String, x: impl std::fmt::Display) {
    // Writing to a text cannot fail.
    let _ = write!(text, " {x}");
}
