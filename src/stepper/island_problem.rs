//! One island's step problem with the geometry at the END of the step: what the solver refreshes.

mod best;
mod freeze;
mod links;
mod on_device;

use super::box_batch::BoxBatch;
use super::joints::{JointModel, Link};
use super::pair_batch::PairBatch;
use super::scales::scaling;
use crate::backend::Guarded;
use crate::contact::{BodyModel, FeatureSearch, MovedBody, Pair, Placed};
use crate::geometry::pose::{cross_matrix, left_jacobian};
use crate::geometry::{Pose, Velocity};
use crate::kernels::device_pairs::PairsOnDevice;
use crate::linalg::BLOCK;
use crate::problem::{ContactProblem, Scaling, Stiffness};
use crate::scene::{FrictionTable, Scene, State};
use crate::settings::Gyroscopic;
use crate::solver::{Residual, StepProblem, Times, law};
use crate::step::Loads;
use best::Best;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};
use on_device::OnDevice;

/// An overlap of a hundredth of the tolerance, relative to the smaller body, is as bad as a residual of the tolerance.
const OVERLAP: f64 = 100.0;

/// What all islands share during a step.
#[derive(Debug, Clone, Copy)]
pub struct StepContext<'a> {
    /// Bodies by id.
    pub models: &'a [BodyModel],
    /// Friction between materials.
    pub friction: &'a FrictionTable,
    /// Poses at the start of the step.
    pub poses: &'a [Pose],
    /// Velocities at the start of the step.
    pub velocities: &'a [Velocity],
    /// All bodies placed at the start of the step.
    pub placed: &'a [MovedBody],
    /// Loads of the step.
    pub loads: &'a Loads,
    /// h (s).
    pub time_step: f64,
    /// Units.
    pub scaling: Scaling,
    /// Where the gyroscopic torque is evaluated.
    pub gyroscopic: Gyroscopic,
    /// Who evaluates smooth pairs; None: the step problem itself.
    pub backend: Option<&'a Guarded>,
    /// Bodies that forces do not move, placed at the end of the step; they move with constant velocity. Others as in `placed`.
    pub held: &'a [MovedBody],
    /// Joints of the scene.
    pub joints: &'a [JointModel],
    /// Time at the end of the step (s).
    pub end_time: f64,
    /// Under the staggered integrator: the length of the last step (s), 0 before the first.
    pub last_step: Option<f64>,
}

impl<'a> StepContext<'a> {
    /// The step of `scene` from `state`, whose bodies are `placed`.
    pub fn new(
        models: &'a [BodyModel],
        friction: &'a FrictionTable,
        scene: &Scene,
        state: &'a State,
        placed: &'a [MovedBody],
        held: &'a [MovedBody],
        joints: &'a [JointModel],
        loads: &'a Loads,
    ) -> Self {
        let time_step = scene.time_step;
        Self {
            models,
            friction,
            poses: &state.poses,
            velocities: &state.velocities,
            placed,
            loads,
            time_step,
            scaling: scaling(models, &state.velocities, loads, time_step),
            gyroscopic: scene.solver.gyroscopic,
            backend: None,
            held,
            joints,
            end_time: loads.end_time,
            last_step: None,
        }
    }
}

/// Atoms of flat pairs that no longer support both bodies are looked for once the residual is below this.
const BAN_BELOW: f64 = 1e-3;

/// Those that push along another normal than the rest, below this: until then they steady the iteration.
const BAN_TURNED_BELOW: f64 = 1e-6;

/// Bodies and pairs of one island, and the problem frozen at the last refresh.
#[derive(Debug)]
pub struct IslandProblem {
    /// Body ids, ascending.
    pub bodies: Vec<usize>,
    /// Near pairs with at least one body of the island, by key.
    pub pairs: Vec<Pair>,
    /// Joints of the bodies, by index; their cones come after those of the pairs.
    pub links: Vec<Link>,
    /// The frozen problem.
    pub problem: ContactProblem,
    /// Local index of each pair's bodies; None when fixed.
    local: Vec<[Option<usize>; 2]>,
    /// Bodies at the end pose of the iterate.
    placed: Vec<MovedBody>,
    /// J_l(h ω) per body.
    turn: Vec<Matrix3<f64>>,
    /// Inertia at the start pose, world.
    inertia: Vec<Matrix3<f64>>,
    /// A v₀ + loads, before gyroscopic terms.
    applied: Vec<f64>,
    momentum: Vec<f64>,
    search: FeatureSearch,
    batch: PairBatch,
    boxes: BoxBatch,
    device: OnDevice,
    best: Best,
    /// J v of bodies with prescribed motion per row of contacts, in models with explicit geometry.
    pub(super) held_slip: Vec<f64>,
    /// First row of the joints.
    first_joint_row: usize,
    bounds: Vec<[f64; 2]>,
    /// Residual of the last refresh since the set-up without what stale atoms lift and twist, relative to the largest impulse
    /// where that is more than p_ref: after an impact of a thousand p_ref bodies are where they will be at a residual of 1 p_ref.
    nearness: f64,
    time_step: f64,
    /// Time spent in [`StepProblem::refresh`] since the last [`Self::set_up`] (s), of problems that are timed.
    pub geometry_seconds: f64,
}

impl Default for IslandProblem {
    fn default() -> Self {
        Self {
            bodies: Vec::new(),
            pairs: Vec::new(),
            links: Vec::new(),
            problem: ContactProblem::empty(),
            local: Vec::new(),
            placed: Vec::new(),
            turn: Vec::new(),
            inertia: Vec::new(),
            applied: Vec::new(),
            momentum: Vec::new(),
            search: FeatureSearch::default(),
            batch: PairBatch::default(),
            boxes: BoxBatch::default(),
            device: OnDevice::default(),
            best: Best::default(),
            held_slip: Vec::new(),
            first_joint_row: 0,
            bounds: Vec::new(),
            nearness: f64::INFINITY,
            time_step: 0.0,
            geometry_seconds: 0.0,
        }
    }
}

impl IslandProblem {
    /// Sets up masses, loads and rows for the current bodies and pairs. `local_of` maps body id to its place here.
    pub fn set_up(&mut self, context: &StepContext<'_>, local_of: &[usize]) {
        let h = context.loaded_time();
        self.problem.clear();
        self.nearness = f64::INFINITY;
        self.device.reset();
        self.best.clear();
        self.problem.scaling = context.scaling;
        self.time_step = context.time_step;
        self.geometry_seconds = 0.0;
        self.inertia.clear();
        self.applied.clear();
        for &id in &self.bodies {
            let model = &context.models[id];
            let rotation = &context.placed[id].rotation;
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
                .map(|id| if context.models[id].fixed { None } else { Some(local_of[id]) });
            self.problem.add_contact(
                local.into_iter().flatten(),
                (pair.n_normal(), pair.n_friction()),
                pair.friction.coefficient,
            );
            self.local.push(local);
        }
        self.add_joint_cones(context, local_of);
        let n = BLOCK * self.bodies.len();
        self.problem.free_momentum.resize(n, 0.0);
        self.problem.velocity.resize(n, 0.0);
        self.problem.response.resize(self.problem.jacobian.len(), 0.0);
        self.problem.stiffness.start.resize(self.problem.cones.len(), Stiffness::NONE);
        self.problem.stiffness.body.resize(self.bodies.len(), Matrix6::zeros());
        self.momentum.resize(n, 0.0);
    }

    /// Looks for the features of flat pairs again with all bodies placed at the start of a substep.
    pub fn begin_patches(&mut self, models: &[BodyModel], placed: &[MovedBody]) {
        let Self { pairs, search, .. } = self;
        for pair in pairs.iter_mut().filter(|p| p.patch.is_some()) {
            let [a, b] =
                [pair.body_a, pair.body_b].map(|id| Placed { model: &models[id], moved: &placed[id] });
            pair.begin(&a, &b, a.model.smaller_size(b.model), search);
        }
    }

    /// End pose of a local body under velocity v.
    pub fn end_pose(&self, context: &StepContext<'_>, v: &[f64], local: usize) -> Pose {
        context.poses[self.bodies[local]].advanced(&velocity(v, local), context.time_step)
    }

    /// A body at the end pose of the last refresh.
    pub(super) fn end_placement<'a>(&'a self, context: &'a StepContext<'_>, id: usize) -> &'a MovedBody {
        match self.bodies.binary_search(&id) {
            Ok(local) if !context.models[id].fixed => &self.placed[local],
            _ => &context.held[id],
        }
    }

    /// The bodies of a pair there.
    pub(super) fn placed_at_end<'a>(&'a self, context: &'a StepContext<'_>, pair: &Pair) -> [Placed<'a>; 2] {
        [pair.body_a, pair.body_b]
            .map(|id| Placed { model: &context.models[id], moved: self.end_placement(context, id) })
    }

    fn place_bodies(&mut self, context: &StepContext<'_>, v: &[f64]) {
        self.placed.clear();
        self.turn.clear();
        for local in 0..self.bodies.len() {
            let pose = self.end_pose(context, v, local);
            self.placed.push(MovedBody::new(&context.models[self.bodies[local]], &pose));
            self.turn.push(left_jacobian(&(velocity(v, local).angular * context.time_step)));
        }
    }

    /// b and the derivative of the gyroscopic torque −ω × I ω at the iterate.
    pub(super) fn freeze_bodies(&mut self, context: &StepContext<'_>, v: &[f64]) {
        self.problem.free_momentum.copy_from_slice(&self.applied);
        if context.last_step.is_some() {
            return self.freeze_at_the_middle(context, v);
        }
        if context.gyroscopic == Gyroscopic::Explicit {
            return;
        }
        let h = context.time_step;
        for (local, inertia) in self.inertia.iter().enumerate() {
            let omega = velocity(v, local).angular;
            let spin = inertia * omega;
            let torque = -omega.cross(&spin) * h;
            for i in 0..3 {
                self.problem.free_momentum[BLOCK * local + 3 + i] += torque[i];
            }
            let slope = (cross_matrix(&spin) - cross_matrix(&omega) * inertia) * h;
            self.problem.stiffness.body[local].fixed_view_mut::<3, 3>(3, 3).copy_from(&slope);
        }
    }

    /// Freezes everything at (v, x), with the bodies placed there; the true residual.
    fn freeze(&mut self, context: &StepContext<'_>, v: &[f64], x: &mut [f64]) -> Residual {
        self.freeze_bodies(context, v);
        self.problem.stiffness.blocks.clear();
        if self.linearize_on_device(context, v, x) {
            return self.residual_on_device(context, x);
        }
        if !self.device.is_current() {
            self.evaluate_batch(context, v, x);
        }
        for c in 0..self.pairs.len() {
            self.freeze_pair(context, v, x, c);
        }
        let mut c = self.pairs.len();
        for l in 0..self.links.len() {
            c = self.freeze_link(context, x, l, c);
        }
        self.problem.update_weights();
        self.residual(context, v, x)
    }

    /// True residual at (v, x), after all rows are frozen there.
    fn residual(&mut self, context: &StepContext<'_>, v: &[f64], x: &[f64]) -> Residual {
        self.problem.mass_product(v, &mut self.momentum);
        for (m, b) in self.momentum.iter_mut().zip(&self.problem.free_momentum) {
            *m -= b;
        }
        self.problem.add_forces(x, -1.0, &mut self.momentum);
        let (normal, friction) = law::natural_map(&self.problem, &self.problem.weight, x, &self.problem.slip);
        self.rate(context, x, normal, friction)
    }

    /// Residual of the momentum rows at hand, with the natural map of the contacts, and of what else must not pass.
    fn rate(&mut self, context: &StepContext<'_>, x: &[f64], normal: f64, friction: f64) -> Residual {
        let unit = self.problem.scaling.momentum;
        // Closest points that were not found must not pass: their mismatch counts like a gap.
        let mismatch = self
            .pairs
            .iter()
            .zip(&self.problem.cones)
            .filter(|(pair, cone)| pair.patch.is_none() && x[cone.row] > 0.0)
            .map(|(pair, cone)| pair.geometry.mismatch * self.problem.weight[cone.row] / self.time_step)
            .fold(0.0, f64::max);
        // A loaded patch touches as a whole: its gap weighs with the mass that resists at the equivalent contact point,
        // which is more than what resists at each atom.
        let lifted = (0..self.pairs.len())
            .filter(|c| self.pairs[*c].patch.is_some())
            .filter(|c| x[self.problem.cones[*c].normal()].iter().any(|x| *x > 0.0))
            .map(|c| self.pairs[c].geometry.gap.abs() * self.problem.mass_at_center(c) / self.time_step)
            .fold(0.0, f64::max);
        let twist = (0..self.pairs.len())
            .filter_map(|c| {
                self.pairs[c].patch.as_ref().map(|p| p.moment(&x[self.problem.cones[c].normal()]))
            })
            .fold(0.0, f64::max);
        let overlap = self
            .pairs
            .iter()
            .map(|pair| {
                let size = context.models[pair.body_a].smaller_size(&context.models[pair.body_b]);
                -pair.geometry.gap * OVERLAP / size
            })
            .fold(0.0, f64::max);
        let [apart, unlawful] = self.joint_violation(context, x);
        let (apart, normal) = (apart * OVERLAP, law::worse(normal, unlawful));
        let residual = Residual {
            momentum: self.problem.scaled_momentum(&self.momentum),
            complementarity: law::worse(law::worse(normal, mismatch) / unit, law::worse(overlap, apart)),
            friction: friction / unit,
        };
        // Stale and turned atoms are looked for where all else is nearly solved. Until then what they lift and twist must not hide
        // from the solver how far all else is: it would see no progress.
        let rest = residual.max();
        let rows = self.problem.cones.iter().take(self.pairs.len()).flat_map(|cone| cone.normal());
        let largest = rows.map(|row| x[row] / unit).fold(1.0, f64::max);
        self.nearness = rest / largest;
        let is_far = |below: f64| self.nearness >= below;
        let seen = |fault: f64, below: f64| if is_far(below) && fault > rest { rest } else { fault };
        let complementarity = law::worse(residual.complementarity, seen(lifted / unit, BAN_BELOW));
        let twist = twist / (unit * self.problem.scaling.length);
        let momentum = law::worse(residual.momentum, seen(twist, BAN_TURNED_BELOW));
        Residual { momentum, complementarity, ..residual }
    }
}

/// Where the rows of each moving side of a cone begin.
fn places(problem: &ContactProblem, c: usize, sides: &[Option<usize>; 2]) -> [Option<usize>; 2] {
    let mut blocks = problem.start[c]..problem.start[c + 1];
    sides.map(|side| side.and_then(|_| blocks.next()).map(|k| problem.value_start[k]))
}

/// An island's problem together with what it shares: what the solver refreshes.
pub struct Refreshed<'a> {
    /// The island.
    pub island: &'a mut IslandProblem,
    /// The step.
    pub context: &'a StepContext<'a>,
}

impl StepProblem for Refreshed<'_> {
    fn frozen(&self) -> &ContactProblem {
        &self.island.problem
    }

    fn parts(&mut self) -> (&ContactProblem, PairsOnDevice<'_>) {
        self.island.pairs_on_device()
    }

    fn fetch_rows(&mut self) {
        self.island.device.fetches_rows = true;
    }

    fn leave_rows(&mut self) {
        self.island.device.fetches_rows = false;
    }

    fn refresh(&mut self, v: &[f64], x: &mut [f64]) -> Residual {
        let n = self.island.bodies.len();
        let (start, island) = (Times::stamp(n), &mut *self.island);
        island.problem.velocity.copy_from_slice(v);
        island.place_bodies(self.context, v);
        let nearness = |residual: f64| [BAN_BELOW, BAN_TURNED_BELOW].map(|below| residual < below);
        let (last, before) = (island.nearness, nearness(island.nearness));
        let mut residual = island.freeze(self.context, v, x);
        // A step may jump from afar to its solution: stale atoms must not slip through.
        let now = nearness(island.nearness);
        let any = island.pairs.iter().any(|p| p.patch.is_some());
        if now > before && any && !island.stands(self.context, x, now) {
            residual = island.freeze(self.context, v, x);
        }
        if any {
            island.keep_best(v, x, &residual, last);
        }
        island.geometry_seconds += Times::between(start, Times::stamp(n));
        residual
    }

    fn start_again(&mut self) {
        self.island.pairs.iter_mut().filter_map(|pair| pair.patch.as_mut()).for_each(|patch| patch.forgive());
    }

    fn mark_idle(&self, x: &[f64], bears: &mut [bool]) {
        self.island.mark_idle(self.context, x, bears);
    }

    fn return_to_best(&mut self, v: &mut [f64], x: &mut [f64]) -> Option<Residual> {
        self.island.recall_best(v, x).then(|| self.refresh(v, x))
    }
}

/// The velocity of a local body.
pub fn velocity(v: &[f64], local: usize) -> Velocity {
    let six = &v[BLOCK * local..BLOCK * (local + 1)];
    Velocity { linear: Vector3::from_column_slice(&six[..3]), angular: Vector3::from_column_slice(&six[3..]) }
}

pub(super) fn block_mass(mass: f64, inertia: &Matrix3<f64>) -> Matrix6<f64> {
    let mut block = Matrix6::from_diagonal(&Vector6::repeat(mass));
    block.fixed_view_mut::<3, 3>(3, 3).copy_from(inertia);
    block
}
