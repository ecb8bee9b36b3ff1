//! An island's step with contacts and linearised gaps of the START of the step: a linear contact problem.
//!
//! ```text
//! M (v − v₀) = h f + P + h f_gyro(v) + Jᵀ x,      y = Y v + w,   Y = J,   w_n = max(gap, 0)/h,   w_t = 0
//! ```
//! A gap that is already negative counts as closed: driving it out within the step (w_n = gap/h < 0) can make
//! a jammed pile infeasible. How x and y are tied together is the model's law.

use crate::contact::FeatureSearch;
use crate::contact::tolerances::FEATURE_MARGIN;
use crate::stepper::blocks::path_speed;
use crate::stepper::explicit::PointCone;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::parameters::REACH_STEPS;
use crate::stepper::step_context::StepContext;
use signorini_geometry::Velocity;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::{ContactLaw, ContactProblem, Stiffness};
use signorini_ncp::solver::{Residual, StepProblem, residual_at};

/// An island's linear problem: only an implicit gyroscopic torque depends on the velocity.
pub struct LinearIsland<'a> {
    /// The island.
    pub island: &'a mut IslandProblem,
    /// The step.
    pub context: &'a StepContext<'a>,
    /// Offset w of the slip, y = Y v + w.
    pub offset: Vec<f64>,
    force: Vec<f64>,
}

impl<'a> LinearIsland<'a> {
    /// Sets up the problem of the current bodies and pairs with the geometry of the start under a law.
    pub fn new(
        island: &'a mut IslandProblem,
        context: &'a StepContext<'a>,
        local_of: &[usize],
        law: ContactLaw,
    ) -> Self {
        begin_pairs(island, context);
        island.set_up(context, local_of);
        island.problem.law = law;
        add_contacts(island, context, local_of);
        island.add_joints_of_the_start(context, local_of);
        let problem = &mut island.problem;
        problem.at.stiffness.start.resize(problem.cones.len(), Stiffness::NONE);
        problem.update_weights();
        island.update_own_units(context, &[]);
        let (offset, force) = (island.problem.at.slip.clone(), vec![0.0; BLOCK * island.bodies.len()]);
        Self { island, context, offset, force }
    }
}

impl StepProblem for LinearIsland<'_> {
    fn linearized(&self) -> &ContactProblem {
        &self.island.problem
    }

    fn refresh(&mut self, v: &[f64], x: &mut [f64]) -> Residual {
        self.island.linearize_bodies(self.context, v);
        let problem = &mut self.island.problem;
        problem.at.velocity.copy_from_slice(v);
        let mut slip = std::mem::take(&mut problem.at.slip);
        problem.response(v, &mut slip);
        slip.iter_mut().zip(&self.offset).for_each(|(y, w)| *y += w);
        problem.at.slip = slip;
        self.island.update_own_units(self.context, x);
        residual_at(&self.island.problem, v, x, &mut self.force)
    }
}

/// One cone per contact point, with its rows and gap at the start.
fn add_contacts(island: &mut IslandProblem, context: &StepContext<'_>, local_of: &[usize]) {
    let IslandProblem { problem, pairs, prescribed_slip, .. } = island;
    problem.clear_contacts();
    prescribed_slip.clear();
    for pair in pairs.iter() {
        let sides =
            [pair.body_a, pair.body_b].map(|id| (!context.models.bodies[id].fixed).then(|| local_of[id]));
        let surfaces = context.sides_at_start(pair).map(|side| side.moved.surface);
        for point in PointCone::of(pair) {
            let bodies = sides.into_iter().flatten();
            let c = problem.add_contact(bodies, (1, PointCone::n_friction(pair)), pair.friction.coefficient);
            let cone = problem.cones[c];
            prescribed_slip.resize(cone.row + cone.n_rows(), 0.0);
            for (side, id) in [pair.body_a, pair.body_b].into_iter().enumerate() {
                let v = &context.velocities[id];
                if sides[side].is_none() && *v != Velocity::default() {
                    point.add_rate(pair, side, v, &mut prescribed_slip[cone.row..]);
                }
                if let Some(surface) = &surfaces[side] {
                    point.add_passing(pair, side, surface, &mut prescribed_slip[cone.row..]);
                }
            }
            let rows = cone.row..cone.row + cone.n_rows();
            problem.at.slip[rows.clone()].copy_from_slice(&prescribed_slip[rows]);
            problem.at.slip[cone.row] += point.gap.max(0.0) / context.time_step;
            let moving = sides.iter().enumerate().filter(|(_, local)| local.is_some());
            for (k, (side, _)) in (problem.block_offsets[c]..).zip(moving) {
                let range = problem.value_offsets[k]..problem.value_offsets[k] + BLOCK * cone.n_rows();
                point.write_jacobian(pair, side, &mut problem.at.jacobian[range]);
            }
        }
    }
}

/// Evaluates the geometry of all pairs at the start, with every contact point that a body may come to within
/// the step.
fn begin_pairs(island: &mut IslandProblem, context: &StepContext<'_>) {
    let mut search = FeatureSearch::default();
    let h = context.time_step;
    for pair in &mut island.pairs {
        let [a, b] = context.sides_at_start(pair);
        let size = a.model.smaller_size(b.model);
        let reach: f64 = [pair.body_a, pair.body_b]
            .iter()
            .filter(|id| !context.models.bodies[**id].fixed)
            .map(|id| REACH_STEPS * h * path_speed(&context.models.bodies[*id], &context.velocities[*id]))
            .sum();
        pair.begin(&a, &b, FEATURE_MARGIN * f64::max(size, reach / FEATURE_MARGIN), &mut search);
        if let Some(manifold) = &mut pair.manifold {
            manifold.reserve();
        }
    }
}
