//! The effect of the pose at the start on rows and forces (theory §17.3): through the end pose, which a
//! change of the start moves as the velocity η would, and in rows of motors, which compare the end with the
//! start.

use crate::stepper::island::assemble::joint_rows::places;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
use signorini_ncp::linalg::{BLOCK, LANES, Lanes};
use signorini_ncp::problem::contact_problem::{body_vector_mut, vector6};
use signorini_ncp::problem::{Cone, ContactProblem};
use signorini_ncp::solver::{Cause, CauseGradient, Product};

/// Maps from η and from the pose at the start to causes of an island's problem.
#[derive(Debug, Clone, Default)]
pub struct PoseEffect {
    /// Per row: whether y is a function of the end pose alone, and not of J v besides.
    is_of_pose: Vec<bool>,
    /// ∂y/∂q₀ of rows that look at the start, in the blocks of J; empty: there are none.
    at_start: Vec<f64>,
}

impl PoseEffect {
    /// Of an island's problem at its solution.
    pub fn of(problem: &IslandProblem, context: &StepContext<'_>) -> Self {
        let of_cone = |cone: &Cone| {
            (0..cone.n_rows()).map({
                let n = cone.n_normal;
                move |row| row < n
            })
        };
        Self {
            is_of_pose: problem.problem.cones.iter().flat_map(of_cone).collect(),
            at_start: rows_at_start(problem, context),
        }
    }

    /// Whether rows look at the start.
    pub fn looks_at_start(&self) -> bool {
        !self.at_start.is_empty()
    }

    /// Adds the effect of η and of a change of the pose at the start, lane by lane; `swept` are velocities
    /// that contact points gain besides. Slips are those of some cones.
    pub fn apply(
        &self,
        (problem, cones): (&ContactProblem, &[usize]),
        ([path, pose], swept): ([&[Lanes]; 2], Option<&[Lanes]>),
        cause: &mut Cause,
    ) {
        // The gyroscopic torque looks at the spin, not at the pose.
        Product::ContactStiffness.of(problem, path, &mut cause.momentum);
        Product::AddRows(problem.response_values(), cones).of(problem, path, &mut cause.slip);
        let lost = swept.map(|swept| {
            let lost = path.as_flattened().iter().zip(swept.as_flattened()).map(|(path, swept)| path - swept);
            lost.collect::<Vec<f64>>()
        });
        let lost = lost.as_ref().map_or(path, |lost| lost.as_chunks::<LANES>().0);
        Product::SubtractSlips(&problem.at.jacobian, cones).of(problem, lost, &mut cause.slip);
        if self.looks_at_start() {
            Product::AddRows(&self.at_start, cones).of(problem, pose, &mut cause.slip);
        }
    }

    /// Gradients with η, with the pose at the start and with what contact points gain, of a function whose
    /// gradient with the cause is given.
    pub fn transposed(&self, problem: &ContactProblem, cause: &CauseGradient) -> [Vec<f64>; 3] {
        let [mut path, mut pose, mut swept] = [(); 3].map(|()| vec![0.0; cause.momentum.len()]);
        problem.subtract_stiffness_transposed(&cause.momentum, &mut path);
        path.iter_mut().for_each(|x| *x = -*x);
        for (i, block) in problem.at.stiffness.body.iter().enumerate() {
            let product = block.tr_mul(&vector6(&cause.momentum, i));
            body_vector_mut(&mut path, i).iter_mut().zip(product.iter()).for_each(|(o, p)| *o -= p);
        }
        problem.add_responses(&cause.slip, &mut path);
        let of_slips = cause.slip.iter().zip(&self.is_of_pose);
        let direct: Vec<f64> = of_slips.map(|(s, is_of_pose)| if *is_of_pose { 0.0 } else { *s }).collect();
        problem.add_forces(&direct, 1.0, &mut swept);
        path.iter_mut().zip(&swept).for_each(|(path, swept)| *path -= swept);
        if !self.at_start.is_empty() {
            problem.add_rows(&self.at_start, &cause.slip, 1.0, &mut pose);
        }
        [path, pose, swept]
    }
}

/// ∂y/∂q₀ of the rows of motors, which compare the end with the start.
fn rows_at_start(problem: &IslandProblem, context: &StepContext<'_>) -> Vec<f64> {
    let mut values = Vec::new();
    let mut c = problem.pairs.len();
    for (l, link) in problem.joint_memory.iter().enumerate() {
        let joint = &context.joints[link.joint];
        let start = context.joint_start(joint);
        for part in &joint.parts {
            let share = joint.share_of_start(part, &context.clock());
            if share != 0.0 {
                values.resize(problem.problem.at.jacobian.len(), 0.0);
                let places = places(&problem.problem, c, &problem.local[problem.pairs.len() + l]);
                part.write_jacobian(&start.at, &places, &mut values);
                for first in places.into_iter().flatten() {
                    let rows = &mut values[first..first + BLOCK * part.n_rows()];
                    rows.iter_mut().for_each(|x| *x *= -share / context.time_step);
                }
            }
            c += 1;
        }
    }
    values
}
