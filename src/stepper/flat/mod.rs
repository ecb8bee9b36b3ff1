//! The step of a large island in flat arrays: nonlinear Gauss–Seidel (`signorini-flat`), geometry found anew
//! in turn, without rows of derivatives and without Newton's method. `which` says which islands take it.

mod arrays;
mod borne;
mod guides;
mod judge;
mod shapes;
mod structure;
mod surfaces;
pub mod which;

use crate::contact::Pair;
use crate::contact::pair::geometry::PairGeometry;
use crate::contact::part_model::{place_key, placement_key};
use crate::contact::placed::Placed;
use crate::contact::touching::{touch, touch_of_points};
pub use crate::stepper::flat::arrays::solid_axes;
use crate::stepper::flat::arrays::{Arrays, Flown, Row};
pub use crate::stepper::flat::guides::are_guides;
pub use crate::stepper::flat::structure::is_structure;
use crate::stepper::flat::surfaces::{PairsOfParts, feature_of};
use crate::stepper::joints::JointMemory;
use crate::stepper::parameters::{BODIES_PER_CHUNK, FLAT_BUDGET, FLAT_REST_RESIDUAL};
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;
use signorini_flat::{FlatSolver, Outcome, PatchSeen, Problem, Side, Touch};
use signorini_geometry::{Pose, Velocity};

/// The arrays of an island, with their solver.
#[derive(Debug, Default)]
pub struct FlatIsland {
    solver: FlatSolver,
    arrays: Arrays,
    /// Whether velocities and impulses of the island are those of the last solve in flat arrays: then the
    /// problem with its rows is not set up.
    pub is_solution: bool,
    /// Whether the island is a structure, which is left to Newton's method.
    pub is_structure: bool,
    /// Pose of each body at the end, and its rotation; of a solution.
    pub ends: Vec<(Pose, Matrix3<f64>)>,
    /// Key of the place of each body at the end.
    end_keys: Vec<u64>,
}

/// Most sweeps and turns of a solve to a tolerance.
fn budget(tolerance: f64) -> usize {
    FLAT_BUDGET.iter().find(|(from, _)| tolerance >= *from).map_or(0, |(_, budget)| *budget)
}

impl FlatIsland {
    /// Reads the bodies, pairs and joints of an island at the start of a step or substep, with the impulses
    /// that the pairs hold and those of their pulls (N s). `local_of` maps a body id to its place in the
    /// island.
    pub fn read(
        &mut self,
        of: (&[usize], &[Box<Pair>], &[f64]),
        links: &[JointMemory],
        context: &StepContext<'_>,
        local_of: &[usize],
    ) {
        self.arrays.guided = guides::read(links, context, local_of);
        self.arrays.fill(of, context, local_of);
    }

    /// Solves the step of a context, whose bodies are read; `may_halve`: whether halves of it may follow.
    pub fn solve(
        &mut self,
        context: &StepContext<'_>,
        (bodies, pairs): (&[usize], &[Box<Pair>]),
        may_halve: bool,
    ) -> Outcome {
        let tolerance = context.solver.tolerance;
        let device = context.backend.and_then(|backend| backend.flat());
        let Arrays { contacts, patches, pair_of, pair_of_patch, axes, .. } = &self.arrays;
        let surfaces = PairsOfParts { context, pairs, contacts, patches, pair_of, pair_of_patch, axes };
        let outcome = self.solver.solve(&Problem {
            bodies: &self.arrays.bodies,
            given: &self.arrays.given,
            contacts: &self.arrays.contacts,
            patches: &self.arrays.patches,
            solids: &self.arrays.shapes.solids,
            time_step: context.time_step,
            tolerance,
            budget: budget(tolerance),
            may_halve,
            accepted_start: if self.arrays.is_slow { FLAT_REST_RESIDUAL * tolerance } else { 0.0 },
            surfaces: Some(&surfaces),
            flight: Some(&Flown { context, bodies, axes }),
            deadline: context.deadline,
            ranks: context.ranks,
            device: device.as_ref(),
        });
        if let Some(backend) = context.backend {
            backend.count_flat(if outcome.on_device { contacts.len() } else { 0 });
            backend.note_flat();
        }
        outcome
    }

    /// Velocity (m/s) and spin (rad/s) of a local body.
    pub fn velocity(&self, local: usize) -> [[f64; 3]; 2] {
        self.solver.velocity(local)
    }

    /// Takes the bodies to the end of the step, at the velocities found.
    pub fn fly(&mut self, context: &StepContext<'_>, bodies: &[usize]) {
        let end = |(local, id): (usize, &usize)| {
            let [linear, angular] = self.solver.velocity(local).map(Vector3::from);
            let pose = context.end_pose(*id, &Velocity { linear, angular });
            (pose, pose.rotation())
        };
        bodies
            .par_iter()
            .enumerate()
            .with_min_len(BODIES_PER_CHUNK)
            .map(end)
            .collect_into_vec(&mut self.ends);
        self.end_keys.clear();
        let keys = self.ends.iter().map(|(pose, rotation)| place_key(&pose.position, rotation));
        self.end_keys.extend(keys);
    }

    /// Key of the places of the bodies of pair c at the end.
    pub fn key_at_end(&self, context: &StepContext<'_>, (c, pair): (usize, &Pair)) -> u64 {
        let sides = match self.arrays.rows[c] {
            Row::Point(c) => self.arrays.contacts[c].sides,
            Row::Patch(c) => self.arrays.patches[c].sides,
        };
        let key = |side: Side, id: usize| match side {
            Side::Moving(local) => self.end_keys[local as usize],
            Side::Given(_) => {
                let body = context.models.body_at(id, context.prescribed);
                place_key(&body.position, &body.rotation)
            }
        };
        placement_key([key(sides[0], pair.body_a), key(sides[1], pair.body_b)])
    }

    /// Hands the impulses of pair c, as it was found, to the pair, for the next attempt or step.
    pub fn hand_impulses_to(&self, (c, found): (usize, &Found<'_>), pair: &mut Pair) {
        pair.impulse = found.impulse();
        pair.rolling_impulse = found.rolling();
        if let Row::Patch(c) = self.arrays.rows[c] {
            let memory = self.solver.memory(c);
            match &mut pair.patch {
                Some(patch) => **patch = memory,
                None => pair.patch = Some(Box::new(memory)),
            }
        }
    }

    /// How the bodies of pair c touch.
    pub fn touch(&self, c: usize) -> Found<'_> {
        match self.arrays.rows[c] {
            Row::Point(c) => {
                let touch = self.solver.touch(c);
                let between = Vector3::from(touch.normal) * touch.gap;
                let arms = self.arrays.arms(c, touch.arms.map(Vector3::from), between);
                Found::Point { touch, arms }
            }
            Row::Patch(c) => {
                let seen = self.solver.patch(c);
                let sides = self.arrays.patches[c].sides;
                let arms = self.arrays.about_centres(sides, seen.arms.map(Vector3::from));
                Found::Patch { seen, arms }
            }
        }
    }
}

/// How the bodies of a pair touch, with the arms from their centres of mass to the contact (m).
pub enum Found<'a> {
    /// At a point.
    Point {
        /// The contact.
        touch: Touch,
        /// To the surface of each.
        arms: [Vector3<f64>; 2],
    },
    /// Two polytopes.
    Patch {
        /// The contact.
        seen: &'a PatchSeen,
        /// To the equivalent contact point.
        arms: [Vector3<f64>; 2],
    },
}

impl Found<'_> {
    /// Impulses along n, t and o, and the torsional one over e_r (N s).
    pub fn impulse(&self) -> [f64; 4] {
        match self {
            Self::Point { touch, .. } => touch.impulse,
            Self::Patch { seen, .. } => seen.impulse,
        }
    }

    /// Couple of rolling resistance about t and o, over its arm (N s).
    pub fn rolling(&self) -> [f64; 2] {
        match self {
            Self::Point { touch, .. } => touch.rolling,
            Self::Patch { .. } => [0.0; 2],
        }
    }

    /// Slip along t and o, and e_r times the spin about n (m/s).
    pub fn slip(&self) -> [f64; 3] {
        match self {
            Self::Point { touch, .. } => touch.slip,
            Self::Patch { seen, .. } => seen.slip,
        }
    }

    /// Geometry of the pair.
    pub fn geometry(&self) -> PairGeometry {
        let frame = |[n, t]: [[f64; 3]; 2]| [Vector3::from(n), Vector3::from(t)];
        match self {
            Self::Point { touch, arms } => {
                PairGeometry::at_point(frame([touch.normal, touch.tangent]), *arms, touch.gap)
            }
            Self::Patch { seen, arms } => {
                let mut geometry = PairGeometry::at_point(frame(seen.frame), *arms, seen.gap);
                geometry.alignment = seen.alignment;
                geometry
            }
        }
    }

    /// Hands the geometry of a solution to a pair.
    pub fn hand_geometry_to(&self, pair: &mut Pair) {
        pair.geometry = self.geometry();
        pair.scaled_tangents = [pair.geometry.tangent_t, pair.geometry.tangent_o];
        if let Self::Point { touch, .. } = self {
            (pair.feature, pair.is_hidden) = (feature_of(touch.feature), touch.is_open);
        }
        if let (Self::Patch { seen, .. }, Some(manifold)) = (self, &mut pair.manifold) {
            pair.torsion_radius = seen.radius;
            manifold.points.clear();
        }
    }

    /// Kind and points of the contact of two placed parts, whose pair has its geometry.
    pub fn kind(&self, pair: &Pair, a: &Placed<'_>, b: &Placed<'_>) -> signorini_geometry::Touch {
        let Self::Patch { seen, arms } = self else { return touch(pair, a, b, 0.0) };
        let [n, t] = seen.frame.map(Vector3::from);
        let o = n.cross(&t);
        let point = |k: usize| {
            let [x, y] = [0, 1].map(|d: usize| seen.places[k][d] - seen.centre[d]);
            let way = t * x + o * y;
            ([arms[0] + way, arms[1] + way], seen.gaps[k], seen.impulses[k] > 0.0)
        };
        let points: Vec<_> = (0..seen.n).map(point).collect();
        if points.is_empty() { Default::default() } else { touch_of_points(&points, a, b) }
    }
}
