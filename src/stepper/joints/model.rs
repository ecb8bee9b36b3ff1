//! Joints in the step problem: equations, prescribed motion, motors and limits as bounded rows (see
//! [`signorini_ncp::problem::contact_problem`]).
//!
//! With ψ the value of a row (m, or rad times the joint's size L), at the END pose:
//! ```text
//! equation      ψ − ψ₀ = 0                        impulse free
//! motion        ψ − ψ(t⁺) = 0                     impulse free
//! limits        0 ≤ p ⊥ ψ − low ≥ 0,   0 ≤ p ⊥ high − ψ ≥ 0
//! motor         |p| ≤ h F, and where inside
//!   velocity    ψ⁺ − ψ₀ − h s = 0, or with damping  + h R p = 0
//!   position    (k (ψ⁺ − ψ*) + c (ψ⁺ − ψ₀)/h)/(k + c/h) + h R p = 0,   R = 1/(h (c + h k))
//!   force       p = h f, whatever ψ
//! armature      (ψ⁺ − ψ₀)/h − ψ̇₀ + R p = 0,      R = 1/I                      impulse free
//! coupling      q − P(q′) = 0                     impulse free, see [`super::coupling`]
//! ```
//! each divided by h; R is the compliance of the row. Models with explicit geometry take ψ of the start and
//! add J v.

use super::coupling::{CoupledCoordinate, CoupledEnd, CouplingModel, add_reaction};
use super::part::{JointStart, Part, Role, ScaledRow};
use crate::contact::MovedPart;
use crate::step::{JointRecord, Span};
use nalgebra::Vector3;
use signorini_geometry::linkage::{LinkRow, Placement};
use signorini_scene::scene::MortarFace;
use signorini_scene::scene::effective_mass::effective_mass_ratios;
use signorini_scene::scene::joint::nearest_turn;
use signorini_scene::scene::{Axis, Coordinate, Drive, Joint, JointCoordinate, JointKind, Motor, Scene};
use std::f64::consts::TAU;

/// Times of a (sub)step.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    /// Time step h (s).
    pub time_step: f64,
    /// Length of time over which loads act (s).
    pub loaded_time: f64,
    /// End of the step (s).
    pub end_time: f64,
    /// Instant of the velocities (s).
    pub rate_time: f64,
}

/// A joint as the stepper sees it.
#[derive(Debug, Clone)]
pub struct JointModel {
    /// Body ids.
    pub bodies: [usize; 2],
    /// L (m).
    pub size: f64,
    /// Cones, in a fixed order.
    pub parts: Vec<Part>,
    /// Largest effective mass of a row (kg): one that is a distance, one that is an angle (times L).
    largest_mass: [f64; 2],
    /// Effective-mass ratio: that mass over the effective mass of its own bodies.
    mass_ratio: f64,
    /// Couplings by which its coordinates follow others.
    pub couplings: Vec<CouplingModel>,
    /// Whether the turns of its angle are counted, because it is coupled.
    pub counts_turns: bool,
    pub(super) anchors: [Vector3<f64>; 2],
    pub(super) coordinates: Vec<Coordinate>,
    /// The row of each coordinate.
    coordinate_rows: Vec<LinkRow>,
    /// Directions of both bodies that are the same where the joint holds.
    parallel: Vec<[Vector3<f64>; 2]>,
    /// Whether the joint is a link between its anchors.
    is_link: bool,
    /// The mortar that the joint is, if it is one.
    pub mortar: Option<MortarFace>,
}

/// State of a joint from step to step.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct JointMemory {
    /// Index of the joint in the scene.
    pub joint: usize,
    /// Impulses of the last solved step, row by row in units of length.
    pub impulse: Vec<f64>,
    /// Whether the joint acts at the end of the step though the staggered integrator is used.
    pub at_end: bool,
}

impl JointModel {
    /// The joints of a scene.
    pub fn all(scene: &Scene) -> Vec<JointModel> {
        let mass_ratios = effective_mass_ratios(scene);
        (0..scene.joints.len()).map(|joint| Self::new(scene, joint, &mass_ratios)).collect()
    }

    fn new(scene: &Scene, place: usize, mass_ratios: &[f64]) -> Self {
        let joint = &scene.joints[place];
        let size = joint.size(|id| scene.size_of(id));
        let (largest_mass, mass_ratio) = masses(scene, joint, size, mass_ratios);
        let couplings = CouplingModel::of_joint(scene, place, size);
        let (bodies, anchors, coordinates) = (joint.bodies, joint.anchors(), joint.coordinates.clone());
        let is_coupled = |of: JointCoordinate| of.joint == place && of.axis == Axis::Angle;
        Self {
            bodies,
            size,
            parts: parts_of(joint, size, &couplings),
            largest_mass,
            mass_ratio,
            counts_turns: scene.couplings.iter().any(|c| is_coupled(c.of) || is_coupled(c.to)),
            couplings,
            anchors,
            coordinate_rows: coordinates.iter().map(|c| joint.coordinate_row(c.axis)).collect(),
            coordinates,
            parallel: parallel_directions(joint),
            is_link: joint.kind == JointKind::Distance,
            mortar: joint.mortar,
        }
    }

    /// Number of rows of all parts.
    pub fn n_rows(&self) -> usize {
        self.parts.iter().map(|p| p.rows.len()).sum()
    }

    /// Memory of the joint before the first step.
    pub fn memory(&self, joint: usize) -> JointMemory {
        JointMemory { joint, impulse: vec![0.0; self.n_rows()], at_end: false }
    }

    /// Copies the current set points of the motors of the scene's joint.
    pub fn follow(&mut self, joint: &Joint) {
        if self.coordinates != joint.coordinates {
            self.coordinates.clone_from(&joint.coordinates);
        }
    }

    pub(super) fn motor(&self, i: usize, m: usize) -> &Motor {
        &self.coordinates[i].motors[m]
    }

    /// Compliance R of the rows of a part (1/kg).
    pub fn compliance(&self, part: &Part, clock: &Clock) -> f64 {
        let of = |inertia: f64| part.rows[0].scale.powi(2) / inertia;
        match part.role {
            Role::Motor(i, m) => {
                let slope = self.motor(i, m).drive.slope(clock.time_step);
                slope.map_or(0.0, |slope| of(clock.loaded_time * slope))
            }
            Role::Armature(i) => of(self.coordinates[i].armature),
            _ => 0.0,
        }
    }

    /// Effective-mass ratio of each row of a part, relative to the joint's own bodies.
    pub fn mass_ratios(&self, part: &Part) -> impl ExactSizeIterator<Item = f64> + Clone {
        std::iter::repeat_n(self.mass_ratio, part.rows.len())
    }

    /// Writes the lowest and highest impulses of a part in a (sub)step.
    pub fn bounds(&self, part: &Part, clock: &Clock, out: &mut Vec<[f64; 2]>) {
        let free = [f64::NEG_INFINITY, f64::INFINITY];
        out.clear();
        for row in &part.rows {
            out.push(match part.role {
                Role::Equations | Role::Motion(_) | Role::Armature(_) | Role::Coupling(_) | Role::Mortar => {
                    free
                }
                Role::Lower(_) | Role::Upper(_) => [0.0, f64::INFINITY],
                Role::Motor(i, m) => {
                    let Motor { drive, largest_force, .. } = self.motor(i, m);
                    let [low, high] = match drive {
                        Drive::Force { force } => {
                            [force.at(clock.rate_time).max(-largest_force).min(*largest_force); 2]
                        }
                        _ => [-largest_force, *largest_force],
                    };
                    [low, high].map(|force| clock.loaded_time * force / row.scale)
                }
            });
        }
    }

    /// Deviation h y of row i of a part (m) at the value of `now`, for a (sub)step that started at the value
    /// of `start`.
    fn missing(&self, part: &Part, i: usize, now: &[Placement; 2], start: &JointStart, clock: &Clock) -> f64 {
        let row = &part.rows[i];
        let value = row.row.value(now);
        let near = |to: f64| match row.row {
            LinkRow::Turn { .. } => nearest_turn(value, to),
            _ => value,
        };
        let (h, end) = (clock.time_step, clock.end_time);
        let moved = || {
            let before = row.row.value(&start.at);
            near(before) - before
        };
        let off = match part.role {
            Role::Armature(_) => return moved() * row.scale - h * part.start_rate(start),
            Role::Mortar if i == 0 => value,
            Role::Mortar => moved(),
            // Its row reaches more bodies than those of the joint.
            Role::Coupling(_) => return 0.0,
            Role::Equations => value - row.target,
            Role::Motion(i) => {
                let target = self.coordinates[i].target(end).unwrap_or(value);
                near(target) - target
            }
            Role::Motor(i, m) => {
                let moved = moved();
                match &self.motor(i, m).drive {
                    Drive::Velocity { velocity, .. } => moved - h * velocity.at(clock.rate_time),
                    Drive::Position { position, stiffness, damping } => {
                        let target = position.at(end);
                        let (spring, damper) = (h * stiffness, *damping);
                        ((near(target) - target) * spring + moved * damper) / (spring + damper)
                    }
                    // The force is set by its bounds.
                    Drive::Force { .. } => 0.0,
                }
            }
            Role::Lower(i) | Role::Upper(i) => {
                let [low, high] = self.coordinates[i].limits.unwrap_or([value, value]);
                let bound = if part.role == Role::Lower(i) { low } else { high };
                near(0.5 * (low + high)) - bound
            }
        };
        off * row.scale
    }

    /// Fraction with which the place of the start counts against that of the end in the rows of a part.
    pub fn share_of_start(&self, part: &Part, clock: &Clock) -> f64 {
        let Role::Motor(i, m) = part.role else { return 0.0 };
        match &self.motor(i, m).drive {
            Drive::Velocity { .. } => 1.0,
            Drive::Position { stiffness, damping, .. } => damping / (clock.time_step * stiffness + damping),
            Drive::Force { .. } => 0.0,
        }
    }

    /// Coordinate and place of the motor of a part, and the changes of y and of x of its row by one unit of
    /// its target; None for other parts. A force on its bound answers to no target.
    pub fn by_target(&self, part: &Part, clock: &Clock) -> Option<([usize; 2], [f64; 2])> {
        let Role::Motor(i, m) = part.role else { return None };
        let (Motor { drive, largest_force, .. }, scale) = (self.motor(i, m), part.rows[0].scale);
        let by = match drive {
            Drive::Velocity { .. } => [-scale, 0.0],
            Drive::Position { stiffness, damping, .. } => {
                [-scale * stiffness / (clock.time_step * stiffness + damping), 0.0]
            }
            Drive::Force { force } => {
                let is_free = force.at(clock.rate_time).abs() < *largest_force;
                [0.0, if is_free { clock.loaded_time / scale } else { 0.0 }]
            }
        };
        Some(([i, m], by))
    }

    /// Writes y of the part's rows with the geometry at `now`.
    pub fn write_slip(
        &self,
        part: &Part,
        now: &[Placement; 2],
        start: &JointStart,
        clock: &Clock,
        out: &mut [f64],
    ) {
        for (i, y) in out.iter_mut().enumerate().take(part.rows.len()) {
            *y = self.missing(part, i, now, start, clock) / clock.time_step;
        }
    }

    /// Violation of the part's rows (m): equations and motions on either side, limits where crossed.
    pub fn violation(&self, part: &Part, slip: &[f64], h: f64) -> f64 {
        let worst =
            |f: fn(f64) -> f64| slip.iter().map(|y| f(y * h)).fold(0.0, signorini_kernels::math::larger);
        match part.role {
            Role::Equations | Role::Motion(_) | Role::Coupling(_) => worst(f64::abs),
            Role::Lower(_) | Role::Upper(_) => worst(|y| -y),
            Role::Motor(..) | Role::Armature(_) | Role::Mortar => 0.0,
        }
    }

    /// Violation of the law of the part's rows at impulses x, weighed by the largest effective mass (N s)
    /// times the factor `stiffening` by which a slip counts more for the masses that its bodies carry: a
    /// row's own effective mass is less than that of the direction in which the joint is off.
    pub fn law(
        &self,
        part: &Part,
        bounds: &[[f64; 2]],
        (x, slip): (&[f64], &[f64]),
        stiffening: f64,
        clock: &Clock,
    ) -> f64 {
        // The residual of contacts has the law of mortar.
        if part.role == Role::Mortar {
            return 0.0;
        }
        let compliance = self.compliance(part, clock);
        let rows = part.rows.iter().zip(bounds).zip(x.iter().zip(slip));
        let map = |((row, [low, high]), (x, y)): ((&ScaledRow, &[f64; 2]), (&f64, &f64))| {
            let largest_mass = self.largest_mass[usize::from(row.is_angle())] * stiffening;
            // A compliant row is held to its force, a stiff one to its place.
            let z = x - largest_mass / (1.0 + largest_mass * compliance) * (y + compliance * x);
            // A NaN passes `clamp` on either side.
            if z.is_nan() { z } else { (x - z.max(*low).min(*high)).abs() }
        };
        rows.map(map).fold(0.0, signorini_kernels::math::larger)
    }

    /// Makes the record of the joint: reaction on B of impulses x (all rows) at the gradients of `acting`,
    /// errors and coordinates at `end`.
    pub fn record(
        &self,
        joint: usize,
        x: &[f64],
        acting: &[Placement; 2],
        end: &[Placement; 2],
        span: Span,
    ) -> JointRecord {
        let mut record = JointRecord::new(joint, span);
        let arm = acting[1].rotation * self.anchors[1];
        record.point = acting[1].position + arm;
        let mut x = x.iter();
        for part in &self.parts {
            for row in &part.rows {
                let impulse = x.next().copied().unwrap_or(0.0) * row.scale;
                if impulse == 0.0 && part.role == Role::Mortar {
                    // A body that broke off may lie where a row has no gradient.
                    continue;
                }
                add_reaction(&row.row, acting, impulse, &arm, [&mut record.force, &mut record.torque]);
                let place = |i: usize| usize::from(self.coordinates[i].axis == Axis::Angle);
                match part.role {
                    Role::Equations => {
                        let error = (row.row.value(end) - row.target).abs();
                        let part = &mut record.error[usize::from(matches!(row.row, LinkRow::Square { .. }))];
                        *part = part.max(error);
                    }
                    Role::Motion(i) => record.motion[place(i)] += impulse,
                    Role::Motor(i, _) | Role::Armature(i) => record.motor[place(i)] += impulse,
                    Role::Lower(i) | Role::Upper(i) => record.limit[place(i)] += impulse,
                    Role::Coupling(i) => record.coupling[self.couplings[i].terms[0].place()] += impulse,
                    Role::Mortar => {}
                }
            }
        }
        for (c, row) in self.coordinates.iter().zip(&self.coordinate_rows) {
            record.coordinate[usize::from(c.axis == Axis::Angle)] = Some(row.value(end));
        }
        record
    }

    /// Whether directions that should be the same are opposite, or a link ends the other way round than it
    /// would if the impulses of the step had not moved its bodies by `gone` (m).
    pub fn is_reversed(&self, at: &[Placement; 2], gone: &[Vector3<f64>; 2]) -> bool {
        let turned = |k: usize, direction: &Vector3<f64>| at[k].rotation * direction;
        let ends = [0, 1].map(|k| at[k].position + turned(k, &self.anchors[k]));
        let line = ends[1] - ends[0];
        let is_opposite = |[a, b]: &[Vector3<f64>; 2]| turned(0, a).dot(&turned(1, b)) <= 0.0;
        self.parallel.iter().any(is_opposite) || (self.is_link && line.dot(&(line - gone[1] + gone[0])) < 0.0)
    }

    /// Whether motors, prescribed motions or armatures may bring energy.
    pub fn is_driven(&self) -> bool {
        let drives = |part: &Part| {
            matches!(part.role, Role::Motion(_) | Role::Motor(..) | Role::Armature(_) | Role::Mortar)
        };
        self.parts.iter().any(drives)
    }

    /// Work (J) of impulses x (all rows) that takes up what rows are off at the start of a (sub)step.
    pub fn work_from_start(&self, x: &[f64], start: &JointStart, clock: &Clock) -> f64 {
        let (mut x, mut work) = (x, 0.0);
        for part in &self.parts {
            let (own, rest) = x.split_at(part.rows.len());
            x = rest;
            let off = (0..part.rows.len()).map(|i| self.missing(part, i, &start.at, start, clock));
            let taken = own.iter().zip(off).map(|(x, off)| x.abs() * off / clock.time_step);
            work += match part.role {
                Role::Lower(_) | Role::Upper(_) => taken.map(|w| (-w).max(0.0)).sum::<f64>(),
                Role::Mortar => 0.0,
                _ => taken.map(f64::abs).sum(),
            };
        }
        work
    }

    /// Whole turns of the angle of a coupled joint at the end of a (sub)step; `before` are those before it.
    pub fn turns_at(&self, start: &JointStart, end: &CoupledEnd, before: i64, h: f64) -> i64 {
        let angle = self.coordinates.iter().position(|c| c.axis == Axis::Angle);
        let Some(row) = angle.map(|place| self.coordinate_rows[place]) else { return before };
        let angle = CoupledCoordinate { joint: 0, bodies: self.bodies, axis: Axis::Angle, row };
        let value = angle.value(end, angle.after_turns(&start.at, before), h);
        ((value - row.value(&end.at)) / TAU).round() as i64
    }

    /// The rows of mortar (m): opening, both displacements along the face, and the angle times e_r.
    pub fn mortar_values(&self, at: &[Placement; 2]) -> [f64; 4] {
        let mut values = [0.0; 4];
        let rows = self.parts.iter().filter(|part| part.role == Role::Mortar).flat_map(|part| &part.rows);
        values.iter_mut().zip(rows).for_each(|(value, row)| *value = row.row.value(at) * row.scale);
        values
    }

    /// B's anchor, and the impulse of the force on B at that point for impulses x (all rows).
    pub fn impulse_at(&self, x: &[f64], at: &[Placement; 2]) -> (Vector3<f64>, Vector3<f64>) {
        let rows = self.parts.iter().flat_map(|part| &part.rows);
        let loaded = rows.zip(x).filter(|(_, x)| **x != 0.0);
        let force = loaded.map(|(row, x)| row.row.gradient(at)[1].linear * (row.scale * x)).sum();
        (at[1].position + at[1].rotation * self.anchors[1], force)
    }
}

/// The largest effective mass of a row that is a distance, and of one that is an angle (kg), and the
/// effective-mass ratio of a joint.
fn masses(scene: &Scene, joint: &Joint, size: f64, mass_ratios: &[f64]) -> ([f64; 2], f64) {
    let moving = || joint.bodies.into_iter().filter(|id| !scene.bodies[*id].fixed);
    let light = |id: usize| 1.0 / (scene.bodies[id].mass * mass_ratios[id]);
    let turning = |id: usize| {
        let largest = scene.bodies[id].inertia.symmetric_eigenvalues().max();
        size * size / (largest * mass_ratios[id])
    };
    let yielding = [moving().map(light).sum::<f64>(), moving().map(turning).sum()];
    let largest_mass = yielding.map(|y| if y > 0.0 { 1.0 / y } else { 0.0 });
    let bare: f64 = moving().map(|id| 1.0 / scene.bodies[id].mass).sum();
    (largest_mass, if yielding[0] > 0.0 { bare / yielding[0] } else { 1.0 })
}

/// Cones of a joint: its equations, what acts on its coordinates, its couplings.
fn parts_of(joint: &Joint, size: f64, couplings: &[CouplingModel]) -> Vec<Part> {
    let mut parts = Vec::new();
    let equations = joint.equations();
    if !equations.is_empty() {
        let scaled = |(row, target, is_angle): (LinkRow, f64, bool)| ScaledRow {
            row,
            target,
            scale: if is_angle { size } else { 1.0 },
        };
        parts.push(Part { role: Role::Equations, rows: equations.into_iter().map(scaled).collect() });
    }
    if let Some(mortar) = &joint.mortar {
        let scales = [1.0, 1.0, 1.0, mortar.radius];
        let rows = joint.mortar_rows().into_iter().zip(scales);
        let rows = rows.map(|(row, scale)| ScaledRow { row, target: 0.0, scale }).collect();
        parts.push(Part { role: Role::Mortar, rows });
    }
    for (i, c) in joint.coordinates.iter().enumerate() {
        let scale = if c.axis == Axis::Angle { size } else { 1.0 };
        let mut add = |role, scale| {
            let row = joint.coordinate_row(c.axis);
            parts.push(Part { role, rows: vec![ScaledRow { row, target: 0.0, scale }] });
        };
        if c.motion.is_some() {
            add(Role::Motion(i), scale);
        }
        for m in 0..c.motors.len() {
            add(Role::Motor(i, m), scale);
        }
        if c.armature > 0.0 {
            add(Role::Armature(i), scale);
        }
        if c.limits.is_some() {
            add(Role::Lower(i), scale);
            add(Role::Upper(i), -scale);
        }
    }
    for (i, coupling) in couplings.iter().enumerate() {
        let row = ScaledRow { row: coupling.terms[0].row, target: 0.0, scale: coupling.scale };
        parts.push(Part { role: Role::Coupling(i), rows: vec![row] });
    }
    parts
}

/// Directions of both bodies of a joint that are the same where it holds: rows at right angles hold for
/// opposite ones, too.
fn parallel_directions(joint: &Joint) -> Vec<[Vector3<f64>; 2]> {
    let both = |direction: Vector3<f64>| joint.frames.map(|frame| frame.orientation * direction);
    match joint.kind {
        JointKind::Fixed | JointKind::Prismatic => vec![both(Vector3::z()), both(Vector3::x())],
        JointKind::Revolute | JointKind::Cylindrical | JointKind::Planar => vec![both(Vector3::z())],
        JointKind::Ball | JointKind::Universal | JointKind::Distance | JointKind::Mortar => Vec::new(),
    }
}

/// Placement of a body.
pub fn placement(moved: &MovedPart) -> Placement {
    Placement { position: moved.position, rotation: moved.rotation }
}
