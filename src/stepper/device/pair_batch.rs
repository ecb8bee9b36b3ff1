//! The smooth pairs of an island as a batch for a backend, and the way back into the step problem.

use crate::contact::{MovedPart, Pair};
use crate::stepper::blocks::velocity;
use crate::stepper::island::problem::placed_island::PlacedIsland;
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Vector3};
use signorini_backend::{Batch, Evaluated, Precision};
use signorini_geometry::{Shape, Velocity};
use signorini_kernels::types::{BodyState, PairGeometry, PairKey, PairState, nine, six};
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::{Cone, Stiffness};

/// Pairs that a backend is given, and the rows it returned.
#[derive(Debug, Default)]
pub struct PairBatch {
    pub(in crate::stepper) batch: Batch,
    pub(in crate::stepper) evaluated: Evaluated,
    /// Index of each pair in the batch, if the pair is in it.
    place: Vec<Option<usize>>,
    /// Parts of bodies that forces do not move: (index of the part in the models, index in the batch).
    fixed: Vec<(usize, usize)>,
}

/// Bodies and pairs of an island at an iterate.
pub struct Posed<'a> {
    /// Moving bodies at the end pose.
    pub placed: &'a PlacedIsland,
    /// J_l(h ω) of each moving body.
    pub turn: &'a [Matrix3<f64>],
    /// Velocities of the moving bodies.
    pub velocity: &'a [f64],
    /// Local indices of each pair's bodies; None when fixed.
    pub local: &'a [[Option<usize>; 2]],
}

impl PairBatch {
    /// Has the smooth pairs evaluated by the step's backend, if there is one.
    pub fn evaluate(
        &mut self,
        context: &StepContext<'_>,
        posed: &Posed<'_>,
        pairs: &[Box<Pair>],
        cones: &[Cone],
        x: &[f64],
    ) {
        let Some(backend) = context.backend else { return self.forget() };
        self.fill(context, posed, pairs, cones, x);
        let nothing = self.batch.pairs.is_empty();
        if nothing || !backend.evaluate(&self.batch, &mut self.evaluated) {
            self.forget();
        }
    }

    /// Forgets the evaluated pairs.
    pub fn forget(&mut self) {
        self.place.clear();
    }

    /// Lists the smooth pairs and their bodies.
    pub fn fill(
        &mut self,
        context: &StepContext<'_>,
        posed: &Posed<'_>,
        pairs: &[Box<Pair>],
        cones: &[Cone],
        x: &[f64],
    ) {
        self.place.clear();
        self.batch.clear();
        self.fixed.clear();
        self.batch.time_step = context.time_step;
        for (local, part) in posed.placed.parts() {
            self.batch.bodies.push(body_state(part, &velocity(posed.velocity, local), &posed.turn[local]));
        }
        for ((pair, cone), local) in pairs.iter().zip(cones).zip(posed.local) {
            let smooth = is_smooth(context, pair);
            self.place.push(smooth.then_some(self.batch.pairs.len()));
            if smooth {
                self.add(context, posed, pair, &x[cone.row..cone.row + cone.n_law_rows()], local);
            }
        }
    }

    fn add(
        &mut self,
        context: &StepContext<'_>,
        posed: &Posed<'_>,
        pair: &Pair,
        x: &[f64],
        local: &[Option<usize>; 2],
    ) {
        let sides = posed.placed.sides(context, *local, pair);
        let [a, b] = sides.map(|side| side.moved);
        let (of_body, parts) = ([pair.part_a, pair.part_b], context.models.parts_of(pair));
        let [body_a, body_b] = [0, 1].map(|i| match local[i] {
            Some(local) => posed.placed.place(local, of_body[i]) as u32,
            None => self.fixed_part(context, parts[i]) as u32,
        });
        let plane = a.plane;
        let directed = pair.friction.direction.filter(|_| pair.n_friction() > 0);
        let carrier = if pair.direction_on_a { a } else { b };
        let mut flags = 0;
        for (bit, set) in [
            (PairKey::PLANE, plane.is_some()),
            (PairKey::DIRECTED, directed.is_some()),
            (PairKey::LOADED, x[0] > 0.0),
            (PairKey::FRICTION, pair.n_friction() >= 2),
            (PairKey::TORSION, pair.n_friction() == 3),
        ] {
            flags |= if set { bit } else { 0 };
        }
        let mut impulse = [0.0; 4];
        impulse[..x.len()].copy_from_slice(x);
        let [e_t, e_o] = pair.friction.tangential;
        self.batch.keys.push(PairKey { body_a, body_b, flags });
        self.batch.pairs.push(PairState {
            offset: sides[0].way_to(&sides[1]).into(),
            start: plane.map_or(pair.geometry.normal, |p| p.0).into(),
            frame_normal: pair.frame.0.into(),
            frame_tangent: pair.frame.1.into(),
            direction: directed.map_or_else(Vector3::zeros, |d| carrier.rotation * d).into(),
            height: [plane.map_or(0.0, |(n, offset)| n.dot(&b.position) - offset)],
            scale: [e_t, e_o, pair.torsion_radius],
            impulse,
        });
    }

    fn fixed_part(&mut self, context: &StepContext<'_>, part: usize) -> usize {
        if let Some(known) = self.fixed.iter().find(|f| f.0 == part) {
            return known.1;
        }
        let index = self.batch.bodies.len();
        // The turn of a fixed part is not used: no unknown moves it.
        let velocity = &context.velocities[context.models.parts[part].body];
        let moved = body_state(&context.prescribed[part], velocity, &Matrix3::identity());
        self.batch.bodies.push(moved);
        self.fixed.push((part, index));
        index
    }

    /// Whether pair c was evaluated.
    pub fn holds(&self, c: usize) -> bool {
        self.place.get(c).is_some_and(Option::is_some)
    }

    /// Geometry of pair c, if it is good enough for the residual.
    pub fn geometry(&self, context: &StepContext<'_>, c: usize) -> Option<&PairGeometry<f64>> {
        let exact = context.backend.is_some_and(|b| b.precision() == Precision::F64);
        let place = self.place.get(c).copied().flatten().filter(|_| exact)?;
        self.evaluated.geometry.get(place)
    }

    /// Writes the slip of pair c.
    pub fn write_slip(&self, c: usize, out: &mut [f64]) {
        if let Some(place) = self.place[c] {
            out.copy_from_slice(&self.evaluated.rows[place].slip[..out.len()]);
        }
    }

    /// Writes the force directions of pair c on one side.
    pub fn write_jacobian(&self, c: usize, side: usize, out: &mut [f64]) {
        if let Some(place) = self.place[c] {
            let rows = &self.evaluated.rows[place];
            out.chunks_exact_mut(BLOCK)
                .enumerate()
                .for_each(|(k, o)| o.copy_from_slice(&rows.force(side, k)));
        }
    }

    /// Writes ∂y/∂v, from the force directions: the terms added to them are small, and so is their rounding.
    pub fn write_response(&self, c: usize, side: usize, force: &[f64], out: &mut [f64]) {
        out.copy_from_slice(force);
        if let Some(place) = self.place[c] {
            let rows = &self.evaluated.rows[place];
            for (k, out) in out.chunks_exact_mut(BLOCK).enumerate() {
                let added = rows.answer(side, k).into_iter().zip(rows.force(side, k));
                out.iter_mut().zip(added).for_each(|(o, (r, j))| *o += r - j);
            }
        }
    }

    /// Writes K of pair c over its moving bodies.
    pub fn write_stiffness(&self, c: usize, moving: [bool; 2], out: &mut [f64]) {
        let Some(place) = self.place[c] else { return };
        let rows = &self.evaluated.rows[place];
        let width = BLOCK * moving.iter().filter(|moves| **moves).count();
        let moving = || [0, 1].into_iter().filter(|side| moving[*side]);
        for (p, row_side) in moving().enumerate() {
            for (q, column_side) in moving().enumerate() {
                for r in 0..BLOCK {
                    let to = &mut out[(BLOCK * p + r) * width + BLOCK * q..][..BLOCK];
                    let (row, column) = (BLOCK * row_side + r, BLOCK * column_side);
                    to.iter_mut().enumerate().for_each(|(j, to)| *to = rows.stiff(row, column + j));
                }
            }
        }
    }
}

/// Whether the kernels of smooth pairs know the pair: ellipsoids and half-spaces, with all of their geometry
/// at the end.
pub fn is_smooth(context: &StepContext<'_>, pair: &Pair) -> bool {
    let [a, b] = context.models.parts_of(pair).map(|part| &context.models.parts[part].shape);
    let round = |shape: &Shape| shape.is_ellipsoid();
    let plane = matches!(a, Shape::HalfSpace { .. });
    let at_end = pair.stagger.as_ref().is_none_or(|s| s.theta >= 1.0);
    at_end && pair.swept.is_none() && pair.manifold.is_none() && round(b) && (plane || round(a))
}

/// State of a part of a body that moves with `motion`; slip is measured with the velocity of its surface.
pub fn body_state(body: &MovedPart, motion: &Velocity, turn: &Matrix3<f64>) -> BodyState<f64> {
    let motion = body.passing(*motion);
    BodyState {
        center: body.ellipsoid.center.into(),
        q: six(&body.ellipsoid.q),
        velocity: motion.linear.into(),
        spin: motion.angular.into(),
        turn: nine(turn),
    }
}

/// Appends K of contact c to the stiffness and returns its range.
pub fn reserve_stiffness(stiffness: &mut Stiffness, c: usize, n_bodies: usize) -> std::ops::Range<usize> {
    let start = stiffness.blocks.len();
    let width = BLOCK * n_bodies;
    stiffness.start[c] = start;
    stiffness.blocks.resize(start + width * width, 0.0);
    start..start + width * width
}
