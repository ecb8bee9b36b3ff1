//! Solid fraction, velocity, granular temperature and stress in cells, as means over an interval.
//!
//! With the masses m and velocities v of the bodies that can move and have their centre of mass in a cell of
//! volume V, at the ends of the n steps of an interval of length t, theirs being the sums:
//!
//! ```text
//! u = Σ m v / Σ m            velocity, by mass
//! T = Σ m |v − u|² / (3 Σ m)   granular temperature
//! k = Σ m (v − u) ⊗ (v − u) / (n V)   kinetic stress
//! s = Σ w l ⊗ p / (t V)      contact stress, of the part w of each branch l that is in the cell
//! ```
//!
//! Goldhirsch, Granular Matter 12:239 (2010), with the cell as the coarse-graining function.

use super::observed::Observed;
use super::region::branch_ends;
use super::share;
use super::value::{Value, numbers};
use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};
use signorini_scene::scene::cells::{Cells, Space};

/// Points of a branch, each of which stands for as much of it.
const BRANCH_POINTS: usize = 8;

/// Sums over an interval.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Field {
    cells: Cells,
    steps: usize,
    sums: Vec<CellSums>,
}

/// Sums in a cell over an interval, along the coordinates of the cells.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct CellSums {
    bodies: usize,
    mass: f64,
    momentum: Vector3<f64>,
    /// Σ m v ⊗ v.
    flux: Matrix3<f64>,
    /// Σ w l ⊗ p.
    virial: Matrix3<f64>,
}

impl Field {
    /// Columns in a box.
    pub const BOX_COLUMNS: [&'static str; 27] = [
        "i",
        "j",
        "k",
        "x",
        "y",
        "z",
        "bodies",
        "solid_fraction",
        "vx",
        "vy",
        "vz",
        "temperature",
        "sxx",
        "sxy",
        "sxz",
        "syx",
        "syy",
        "syz",
        "szx",
        "szy",
        "szz",
        "kxx",
        "kyy",
        "kzz",
        "kxy",
        "kxz",
        "kyz",
    ];
    /// Columns in a cylinder: r outwards, p around and z along the axis.
    pub const TUBE_COLUMNS: [&'static str; 27] = [
        "i",
        "j",
        "k",
        "r",
        "phi",
        "z",
        "bodies",
        "solid_fraction",
        "vr",
        "vp",
        "vz",
        "temperature",
        "srr",
        "srp",
        "srz",
        "spr",
        "spp",
        "spz",
        "szr",
        "szp",
        "szz",
        "krr",
        "kpp",
        "kzz",
        "krp",
        "krz",
        "kpz",
    ];

    /// The sums before any step.
    pub fn new(cells: Cells) -> Self {
        Self { cells, steps: 0, sums: vec![CellSums::default(); cells.total()] }
    }

    /// Names of the columns.
    pub fn columns(&self) -> &'static [&'static str] {
        match &self.cells.space {
            Space::Box(_) => &Self::BOX_COLUMNS,
            Space::Tube(_) => &Self::TUBE_COLUMNS,
        }
    }

    /// Adds a step.
    pub fn observe(&mut self, step: &Observed<'_>) {
        self.steps += 1;
        let periodic = step.scene.periodic.as_ref();
        for (index, body) in step.scene.bodies.iter().enumerate().filter(|(_, body)| !body.fixed) {
            let position = &step.state.poses[index].position;
            let Some(cell) = self.cells.cell_at(position, periodic) else { continue };
            let v = self.cells.axes_at(position, periodic) * step.state.velocities[index].linear;
            let sums = &mut self.sums[cell];
            sums.bodies += 1;
            sums.mass += body.mass;
            sums.momentum += v * body.mass;
            sums.flux += v * v.transpose() * body.mass;
        }
        for contact in step.loaded_contacts() {
            let [from, to] = branch_ends(step, contact);
            let virial = (to - from) * contact.impulse().transpose() / BRANCH_POINTS as f64;
            let ends = [from, to].map(|end| self.cells.cell_at(&end, periodic));
            if let ([Some(a), Some(b)], Space::Box(_), None) = (ends, &self.cells.space, periodic)
                && a == b
            {
                self.sums[a].virial += virial * BRANCH_POINTS as f64;
                continue;
            }
            for k in 0..BRANCH_POINTS {
                let point = from + (to - from) * ((k as f64 + 0.5) / BRANCH_POINTS as f64);
                let Some(cell) = self.cells.cell_at(&point, periodic) else { continue };
                let axes = self.cells.axes_at(&point, periodic);
                self.sums[cell].virial += axes * virial * axes.transpose();
            }
        }
    }

    /// The rows of an interval of a length (s) that ended with a step.
    pub fn rows(&mut self, step: &Observed<'_>, length: f64) -> Vec<Vec<Value>> {
        let mut volumes = vec![0.0; self.cells.total()];
        for (body, pose) in step.scene.bodies.iter().zip(&step.state.poses).filter(|(body, _)| !body.fixed) {
            for part in &body.parts {
                let placed = pose.compose(&part.pose);
                share::add(&mut volumes, (&part.shape, &placed), &self.cells, step.scene.periodic.as_ref());
            }
        }
        let steps = std::mem::take(&mut self.steps).max(1) as f64;
        let cells = self.cells;
        let sums = self.sums.iter_mut().map(std::mem::take);
        let of_cell = |(cell, (sums, solid)): (usize, (CellSums, f64))| {
            let place = cells.place(cell);
            let [low, high] = cells.ends_at(place);
            let mut row: Vec<Value> = place.map(Value::Count).into();
            row.extend(numbers([0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]))));
            row.extend(sums.fields(cells.volume(place), (steps, length), solid));
            row
        };
        sums.zip(volumes).enumerate().map(of_cell).collect()
    }
}

impl CellSums {
    /// Fields of a cell of a volume (m³) over so many steps in a time (s), of which bodies fill a part (m³).
    fn fields(&self, volume: f64, (steps, length): (f64, f64), solid: f64) -> Vec<Value> {
        let mut row: Vec<Value> = numbers([self.bodies as f64 / steps, solid / volume]).collect();
        let is_empty = self.bodies == 0;
        let velocity = if is_empty { Vector3::zeros() } else { self.momentum / self.mass };
        let kinetic = self.flux - velocity * velocity.transpose() * self.mass;
        if is_empty {
            row.extend([const { Value::Nothing }; 4]);
        } else {
            row.extend(numbers(velocity.iter().copied()));
            row.push(Value::Number((kinetic.trace() / (3.0 * self.mass)).max(0.0)));
        }
        row.extend(numbers((self.virial / (volume * length)).transpose().iter().copied()));
        let order = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
        row.extend(numbers(order.map(|at| kinetic[at] / (volume * steps))));
        row
    }
}
