//! The step problem of one island with the geometry at the END of the step, as the solver refreshes it.

pub mod best;
pub mod bodies;
pub mod mortar_cone;
pub mod placed_island;

use crate::contact::tolerances::FEATURE_MARGIN;
use crate::contact::{FeatureSearch, Models, MovedPart, Pair, Placed};
use crate::stepper::blocks::{block_mass, velocity};
use crate::stepper::island::problem::best::Best;
use crate::stepper::island::problem::mortar_cone::MortarCone;
use crate::stepper::island::problem::placed_island::PlacedIsland;
use crate::stepper::island::residual::level::ResidualLevel;
use crate::stepper::island::residual::units::UnitRule;
use crate::stepper::joints::JointMemory;
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Matrix6};
use signorini_geometry::Pose;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::{ContactProblem, Stiffness};
use signorini_scene::settings::Gyroscopic;

/// Bodies and pairs of one island, and the problem linearised at the last refresh.
#[derive(Debug)]
pub struct IslandProblem {
    /// Body ids, ascending.
    pub bodies: Vec<usize>,
    /// Near pairs with at least one body of the island, by key.
    pub pairs: Vec<Box<Pair>>,
    /// Impulse h F_c (N s) per pair of the cohesion that acts in the step; empty: none.
    pub(in crate::stepper) pulls: Vec<f64>,
    /// Cones of mortar, ascending.
    pub(in crate::stepper) mortar: Vec<MortarCone>,
    /// Joints of the bodies, by index; their cones come after those of the pairs, and before those of rolling
    /// resistance.
    pub joint_memory: Vec<JointMemory>,
    /// The linearised problem.
    pub problem: ContactProblem,
    /// Local index of each pair's bodies; None when fixed.
    pub(in crate::stepper) local: Vec<[Option<usize>; 2]>,
    /// Bodies at the end pose of the iterate.
    pub(in crate::stepper) placed: PlacedIsland,
    /// End pose and derivative of the turn of each body, at the iterate.
    pub(in crate::stepper) end_poses: Vec<(Pose, Matrix3<f64>)>,
    /// J_l(h ω) per body.
    pub(in crate::stepper) turn: Vec<Matrix3<f64>>,
    /// Inertia at the start pose, world.
    pub(in crate::stepper) inertia: Vec<Matrix3<f64>>,
    /// Momentum A v₀ and loads, before gyroscopic terms.
    pub(in crate::stepper) applied: Vec<f64>,
    pub(in crate::stepper) momentum: Vec<f64>,
    pub(in crate::stepper) twisted: Vec<f64>,
    pub(in crate::stepper) search: FeatureSearch,
    /// Feature searches, one per portion of pairs that a thread takes.
    pub(in crate::stepper) searches: Vec<FeatureSearch>,
    /// Index of K of each pair, as if all were loaded.
    pub(in crate::stepper) places_of_stiffness: Vec<usize>,
    pub(in crate::stepper) best: Best,
    /// J v of bodies with prescribed motion per row of contacts, in models with explicit geometry.
    pub(in crate::stepper) prescribed_slip: Vec<f64>,
    /// First row of the joints.
    pub(in crate::stepper) first_joint_row: usize,
    pub(in crate::stepper) bounds: Vec<[f64; 2]>,
    /// Level of the residual at the last refresh since the set-up.
    pub(in crate::stepper) level: ResidualLevel,
    /// Target residual of the running solve.
    pub(in crate::stepper) target_residual: f64,
    /// Whether unsupported contact points are excluded far from the solution already.
    pub(in crate::stepper) excludes_early: bool,
    pub(in crate::stepper) units: UnitRule,
    pub(in crate::stepper) time_step: f64,
    /// Time spent in `StepProblem::refresh` since the last [`Self::set_up`] (s), of problems that are
    /// timed.
    pub geometry_seconds: f64,
    /// Work of refreshes that is not counted yet (ns of a common core).
    pub refresh_work: u64,
}

impl Default for IslandProblem {
    fn default() -> Self {
        Self {
            bodies: Vec::new(),
            pairs: Vec::new(),
            pulls: Vec::new(),
            mortar: Vec::new(),
            joint_memory: Vec::new(),
            problem: ContactProblem::empty(),
            local: Vec::new(),
            placed: PlacedIsland::default(),
            end_poses: Vec::new(),
            turn: Vec::new(),
            inertia: Vec::new(),
            applied: Vec::new(),
            momentum: Vec::new(),
            twisted: Vec::new(),
            search: FeatureSearch::default(),
            searches: Vec::new(),
            places_of_stiffness: Vec::new(),
            best: Best::default(),
            prescribed_slip: Vec::new(),
            first_joint_row: 0,
            bounds: Vec::new(),
            level: ResidualLevel::default(),
            target_residual: 0.0,
            excludes_early: false,
            units: UnitRule::default(),
            time_step: 0.0,
            geometry_seconds: 0.0,
            refresh_work: 0,
        }
    }
}

impl IslandProblem {
    /// Sets up masses, loads and rows for the current bodies and pairs. `local_of` maps a body id to its
    /// place in the island.
    pub fn set_up(&mut self, context: &StepContext<'_>, local_of: &[usize]) {
        let h = context.loaded_time();
        self.problem.clear();
        self.level = ResidualLevel::default();
        self.best.clear();
        self.time_step = context.time_step;
        self.geometry_seconds = 0.0;
        self.refresh_work = 0;
        self.inertia.clear();
        self.applied.clear();
        for &id in &self.bodies {
            let model = &context.models.bodies[id];
            let rotation = &context.body_at_start(id).rotation;
            let inertia = rotation * model.inertia * rotation.transpose();
            let inverse = inertia.try_inverse().unwrap_or_else(Matrix3::zeros);
            self.problem.mass.push(block_mass(model.mass, &inertia));
            self.problem.mass_inverse.push(block_mass(1.0 / model.mass, &inverse));
            let v = &context.velocities[id];
            let linear =
                v.linear * model.mass + context.loads.force[id] * h + context.loads.linear_impulse[id];
            let mut angular = context.spin_momentum(id, &inertia)
                + context.loads.torque[id] * h
                + context.loads.angular_impulse[id];
            if context.last_step.is_none() && context.gyroscopic == Gyroscopic::Explicit {
                angular -= v.angular.cross(&(inertia * v.angular)) * h;
            }
            self.inertia.push(inertia);
            self.applied.extend(linear.iter().chain(angular.iter()));
        }
        self.local.clear();
        for pair in &self.pairs {
            let local = [pair.body_a, pair.body_b]
                .map(|id| if context.models.bodies[id].fixed { None } else { Some(local_of[id]) });
            self.problem.add_contact(
                local.into_iter().flatten(),
                (pair.n_normal(), pair.n_friction()),
                pair.friction.coefficient,
            );
            self.local.push(local);
        }
        self.mortar.clear();
        self.add_joint_cones(context, local_of);
        self.add_rolling_cones();
        self.find_pulls(context);
        let n = BLOCK * self.bodies.len();
        self.problem.at.free_momentum.resize(n, 0.0);
        self.problem.at.velocity.resize(n, 0.0);
        self.problem.at.response.resize(self.problem.at.jacobian.len(), 0.0);
        self.problem.at.stiffness.start.resize(self.problem.cones.len(), Stiffness::NONE);
        if context.has_spin_slope() {
            self.problem.at.stiffness.body.resize(self.bodies.len(), Matrix6::zeros());
        }
        self.momentum.resize(n, 0.0);
        self.target_residual = context.solver.tolerance;
        self.units.set_up(context, &self.bodies, &mut self.problem, self.target_residual);
        self.units.shift(&self.mortar);
    }

    /// Reserves rows for contact points that may turn up in an attempt.
    pub(in crate::stepper) fn reserve_rows(&mut self) {
        self.pairs.iter_mut().filter_map(|p| p.manifold.as_mut()).for_each(|p| p.reserve());
    }

    /// Whether contact points turned up without reserved rows.
    pub(in crate::stepper) fn misses_rows(&self) -> bool {
        let missed = |p: &Pair| p.manifold.as_ref().is_some_and(|p| p.n_missed > 0);
        self.pairs.iter().any(|pair| missed(pair))
    }

    /// Looks for the features of flat pairs again with all bodies placed at the start of a substep.
    pub fn begin_manifolds(&mut self, models: &Models, placed: &[MovedPart]) {
        let Self { pairs, search, .. } = self;
        for pair in pairs.iter_mut().filter(|p| p.manifold.is_some()) {
            let [a, b] = models.sides(pair, placed);
            pair.begin(&a, &b, FEATURE_MARGIN * a.model.smaller_size(b.model), search);
        }
    }

    /// End pose of a local body under velocity v.
    pub fn end_pose(&self, context: &StepContext<'_>, v: &[f64], local: usize) -> Pose {
        context.end_pose(self.bodies[local], &velocity(v, local))
    }

    /// A body at the end pose of the last refresh.
    pub(in crate::stepper) fn end_placement<'a>(
        &'a self,
        context: &'a StepContext<'_>,
        id: usize,
    ) -> &'a MovedPart {
        self.placed.part(context, self.local_of(context, id), id, 0)
    }

    /// Returns the parts of a pair at the end pose of the last refresh.
    pub(in crate::stepper) fn placed_at_end<'a>(
        &'a self,
        context: &'a StepContext<'_>,
        pair: &Pair,
    ) -> [Placed<'a>; 2] {
        let local = [pair.body_a, pair.body_b].map(|id| self.local_of(context, id));
        self.placed.sides(context, local, pair)
    }

    /// Local index of a body, if it moves.
    pub(in crate::stepper) fn local_of(&self, context: &StepContext<'_>, id: usize) -> Option<usize> {
        self.bodies.binary_search(&id).ok().filter(|_| !context.models.bodies[id].fixed)
    }
}
