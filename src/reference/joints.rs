//! Joints in the literal system. Their impulses are unknowns, and each row is its law at the end pose,
//! ```text
//! x − clamp(x − r ψ(q⁺)/h, low, high) = 0     (equations: ψ = 0; limits and motors: their complementarity)
//! ```
//! with r the row's effective mass at the start of the step.

use super::problem::{JointAtStart, ReferenceProblem};
use super::surfaces::EndPose;
use super::unknowns::BODY_UNKNOWNS;
use crate::stepper::joints::{JointModel, JointStart, Part};
use nalgebra::{DMatrix, DVector, Matrix3, SVector, Vector3};
use signorini_geometry::Pose;
use signorini_geometry::linkage::Placement;
use signorini_geometry::pose::left_jacobian;
use signorini_scene::scene::{Scene, State};

/// Weight of a joint's violation over its size in the residual: a violation of a hundredth of the tolerance
/// counts as much as a residual of the tolerance.
const VIOLATION_WEIGHT: f64 = 100.0;

/// Regularisation added to the derivative of each row by its own impulse, in units of that derivative: it
/// changes Newton's direction, not the solution.
const REGULARIZATION: f64 = 1e-9;

/// A row of a joint at an iterate.
struct Row {
    /// Place of the row's impulse in z.
    place: usize,
    /// Gradients of the row with the poses of both bodies.
    force: [SVector<f64, BODY_UNKNOWNS>; 2],
    /// Derivatives ∂y/∂ν with the velocities of both bodies.
    velocity_gradient: [SVector<f64, BODY_UNKNOWNS>; 2],
    /// Rate y = ψ/h.
    y: f64,
    bounds: [f64; 2],
    weight: f64,
    /// Compliance R of y + R x.
    compliance: f64,
}

impl Row {
    /// Returns the projection of the impulse x, and whether it is strictly inside its bounds.
    fn projected(&self, x: f64) -> (f64, bool) {
        let target = x - self.weight * (self.y + self.compliance * x);
        (target.max(self.bounds[0]).min(self.bounds[1]), self.bounds[0] < target && target < self.bounds[1])
    }
}

impl JointAtStart {
    /// Makes the joint with its bodies in `state`.
    pub fn new(
        problem: &ReferenceProblem,
        model: &JointModel,
        start_impulses: &[f64],
        state: &State,
    ) -> Self {
        let place = |id: usize| Placement {
            position: state.poses[id].position,
            rotation: state.poses[id].rotation(),
        };
        let start =
            JointStart { at: model.bodies.map(place), velocity: model.bodies.map(|id| state.velocities[id]) };
        let (mut bounds, mut weight, mut of_part) = (Vec::new(), Vec::new(), Vec::new());
        for part in &model.parts {
            model.bounds(part, &problem.clock, &mut of_part);
            bounds.extend_from_slice(&of_part);
            for force in gradients(part, &start.at) {
                let yielding: f64 = [0, 1]
                    .iter()
                    .map(|k| force[*k].dot(&problem.mobility(model.bodies[*k], &force[*k])))
                    .sum();
                weight.push(if yielding > 0.0 { 1.0 / yielding } else { 0.0 });
            }
        }
        Self { model: model.clone(), start, start_impulses: start_impulses.to_vec(), bounds, weight }
    }

    /// Placements of the joint's bodies at the end of the step.
    pub fn end(&self, problem: &ReferenceProblem, z: &DVector<f64>) -> [Placement; 2] {
        self.model.bodies.map(|id| {
            let (linear, angular) = problem.velocity(z, id);
            let pose = EndPose::new(problem, id, &linear, &angular);
            Placement { position: pose.centre, rotation: pose.rotation }
        })
    }

    /// Left Jacobians J_l(h ω) of both bodies.
    fn turns(&self, problem: &ReferenceProblem, z: &DVector<f64>) -> [Matrix3<f64>; 2] {
        self.model.bodies.map(|id| left_jacobian(&(problem.velocity(z, id).1 * problem.time_step)))
    }

    fn rows(&self, problem: &ReferenceProblem, z: &DVector<f64>, first: usize) -> Vec<Row> {
        let (end, turns) = (self.end(problem, z), self.turns(problem, z));
        let mut rows = Vec::with_capacity(self.weight.len());
        let mut slip = Vec::new();
        for part in &self.model.parts {
            slip.clear();
            slip.resize(part.n_rows(), 0.0);
            self.model.write_slip(part, &end, &self.start, &problem.clock, &mut slip);
            for (force, y) in gradients(part, &end).into_iter().zip(&slip) {
                let k = rows.len();
                let velocity_gradient = [0, 1].map(|side| turned(&force[side], &turns[side]));
                let (bounds, weight) = (self.bounds[k], self.weight[k]);
                let compliance = self.model.compliance(part, &problem.clock);
                // The weight of a compliant row is bounded by the inverse of its compliance.
                let weight = weight / (1.0 + weight * compliance);
                rows.push(Row {
                    place: first + k,
                    force,
                    velocity_gradient,
                    y: *y,
                    bounds,
                    weight,
                    compliance,
                });
            }
        }
        rows
    }

    /// Residual of the law of the joint's rows as the production solver weighs it (N s).
    fn law(&self, problem: &ReferenceProblem, rows: &[Row], z: &DVector<f64>) -> f64 {
        let (mut worst, mut from) = (0.0_f64, 0);
        for part in &self.model.parts {
            let own = from..from + part.n_rows();
            from = own.end;
            let slip: Vec<f64> = rows[own.clone()].iter().map(|row| row.y).collect();
            let x: Vec<f64> = rows[own.clone()].iter().map(|row| z[row.place]).collect();
            worst = worst.max(self.model.law(part, &self.bounds[own], (&x, &slip), 1.0, &problem.clock));
        }
        worst
    }

    /// Violation of the joint's equations beyond rounding, over the joint's size.
    fn violation(&self, problem: &ReferenceProblem, rows: &[Row]) -> f64 {
        let (mut worst, mut from) = (0.0_f64, 0);
        for part in &self.model.parts {
            let slip: Vec<f64> = rows[from..from + part.n_rows()].iter().map(|row| row.y).collect();
            from += part.n_rows();
            worst = worst.max(self.model.violation(part, &slip, problem.time_step));
        }
        let place = self.start.at.iter().map(|at| at.position.amax()).fold(self.model.size, f64::max);
        (worst - 16.0 * f64::EPSILON * place).max(0.0) / self.model.size
    }
}

/// Gradients of a part's rows with the poses of both bodies.
fn gradients(part: &Part, at: &[Placement; 2]) -> Vec<[SVector<f64, BODY_UNKNOWNS>; 2]> {
    let n = part.n_rows();
    let mut out = vec![0.0; 2 * BODY_UNKNOWNS * n];
    part.write_jacobian(at, &[Some(0), Some(BODY_UNKNOWNS * n)], &mut out);
    let row = |side: usize, i: usize| {
        SVector::from_column_slice(&out[BODY_UNKNOWNS * (side * n + i)..][..BODY_UNKNOWNS])
    };
    (0..n).map(|i| [row(0, i), row(1, i)]).collect()
}

fn turned(row: &SVector<f64, BODY_UNKNOWNS>, turn: &Matrix3<f64>) -> SVector<f64, BODY_UNKNOWNS> {
    let mut out = *row;
    let angular: Vector3<f64> = row.fixed_rows::<3>(3).into();
    out.fixed_rows_mut::<3>(3).copy_from(&turn.tr_mul(&angular));
    out
}

/// Evaluates all rows at z, joint by joint.
fn all_rows(problem: &ReferenceProblem, z: &DVector<f64>) -> Vec<Vec<Row>> {
    let rows = |(j, joint): (usize, &JointAtStart)| joint.rows(problem, z, problem.joint_offset(j));
    problem.joints.iter().enumerate().map(rows).collect()
}

/// Adds the rows of the joints, and their impulses to the bodies' momentum rows, whose scale is `scale`.
pub(super) fn add_residual(
    problem: &ReferenceProblem,
    z: &DVector<f64>,
    scale: impl Fn(usize) -> f64,
    phi: &mut DVector<f64>,
) {
    for (joint, rows) in problem.joints.iter().zip(all_rows(problem, z)) {
        for row in rows {
            let x = z[row.place];
            for (id, force) in joint.model.bodies.into_iter().zip(&row.force) {
                let Some(k) = problem.bodies[id].unknown else { continue };
                (0..BODY_UNKNOWNS).for_each(|i| phi[k + i] -= force[i] * x * scale(i));
            }
            phi[row.place] = (x - row.projected(x).0) / problem.reference_impulse;
        }
    }
}

/// Adds the derivatives of [`add_residual`].
pub(super) fn add_jacobian(
    problem: &ReferenceProblem,
    z: &DVector<f64>,
    scale: impl Fn(usize) -> f64,
    matrix: &mut DMatrix<f64>,
) {
    let unit = 1.0 / problem.reference_impulse;
    for (joint, rows) in problem.joints.iter().zip(all_rows(problem, z)) {
        let places = joint.model.bodies.map(|id| problem.bodies[id].unknown);
        for row in &rows {
            let inside = row.projected(z[row.place]).1;
            // Redundant rows, as in closed loops, leave impulses undetermined: the impulses stay as they
            // were.
            let own = if inside { REGULARIZATION + row.weight * row.compliance } else { 1.0 };
            matrix[(row.place, row.place)] += own * unit;
            for (side, place) in places.iter().enumerate() {
                let Some(k) = place else { continue };
                for i in 0..BODY_UNKNOWNS {
                    matrix[(k + i, row.place)] -= row.force[side][i] * scale(i);
                    if inside {
                        matrix[(row.place, k + i)] += row.weight * row.velocity_gradient[side][i] * unit;
                    }
                }
            }
        }
        add_stiffness(problem, joint, &rows, z, &scale, matrix);
    }
}

/// Adds the stiffness −∂(Jᵀx)/∂ν.
fn add_stiffness(
    problem: &ReferenceProblem,
    joint: &JointAtStart,
    rows: &[Row],
    z: &DVector<f64>,
    scale: &impl Fn(usize) -> f64,
    matrix: &mut DMatrix<f64>,
) {
    const BOTH_BODIES: usize = 2 * BODY_UNKNOWNS;
    let (end, turns) = (joint.end(problem, z), joint.turns(problem, z));
    let mut block = [0.0; BOTH_BODIES * BOTH_BODIES];
    let mut from = 0;
    for part in &joint.model.parts {
        let x: Vec<f64> = rows[from..from + part.n_rows()].iter().map(|row| z[row.place]).collect();
        from += part.n_rows();
        part.add_stiffness(&end, &[Some(&turns[0]), Some(&turns[1])], problem.time_step, &x, &mut block);
    }
    let place = |i: usize| {
        problem.bodies[joint.model.bodies[i / BODY_UNKNOWNS]].unknown.map(|k| k + i % BODY_UNKNOWNS)
    };
    for i in 0..BOTH_BODIES {
        for j in 0..BOTH_BODIES {
            if let (Some(r), Some(c)) = (place(i), place(j)) {
                matrix[(r, c)] -= block[BOTH_BODIES * i + j] * scale(i % BODY_UNKNOWNS);
            }
        }
    }
}

/// Subtracts the reactions from the momentum rows. Returns the largest of natural maps and violations, over
/// p_ref and weighed as in the production solver, and the largest impulse (N s).
pub(super) fn judge(problem: &ReferenceProblem, z: &DVector<f64>, momentum: &mut DVector<f64>) -> [f64; 2] {
    let (mut law, mut largest) = (0.0_f64, 0.0_f64);
    for (joint, rows) in problem.joints.iter().zip(all_rows(problem, z)) {
        for row in &rows {
            let x = z[row.place];
            for (id, force) in joint.model.bodies.into_iter().zip(&row.force) {
                if let Some(k) = problem.bodies[id].unknown {
                    let mut six = momentum.fixed_rows_mut::<BODY_UNKNOWNS>(k);
                    six -= force * x;
                }
            }
            largest = largest.max(x.abs());
        }
        law = law.max(joint.law(problem, &rows, z) / problem.reference_impulse);
        law = law.max(joint.violation(problem, &rows) * VIOLATION_WEIGHT);
    }
    [law, largest]
}

/// Wrench of the impulses of the warm start on a body, at the start of the step.
pub(super) fn warm_start_wrench(problem: &ReferenceProblem, body: usize) -> SVector<f64, BODY_UNKNOWNS> {
    let mut sum = SVector::zeros();
    for joint in &problem.joints {
        let Some(side) = joint.model.bodies.iter().position(|id| *id == body) else { continue };
        let forces = joint.model.parts.iter().flat_map(|part| gradients(part, &joint.start.at));
        for (force, x) in forces.zip(&joint.start_impulses) {
            sum += force[side] * *x;
        }
    }
    sum
}

/// Joint models of a scene and their impulses, kept from step to step.
#[derive(Debug, Clone)]
pub(super) struct JointWarmStart {
    models: Vec<JointModel>,
    impulses: Vec<Vec<f64>>,
}

impl JointWarmStart {
    /// Starts with zero impulses, before the first step.
    pub fn new(models: Vec<JointModel>) -> Self {
        Self { impulses: models.iter().map(|m| vec![0.0; m.n_rows()]).collect(), models }
    }

    /// Impulses of the last step, joint by joint, row by row.
    pub fn impulses(&self) -> &[Vec<f64>] {
        &self.impulses
    }

    /// Sets the impulses if their numbers of rows are those of these joints.
    pub fn set_impulses(&mut self, impulses: Vec<Vec<f64>>) {
        let rows = |list: &[Vec<f64>]| list.iter().map(Vec::len).collect::<Vec<_>>();
        if rows(&impulses) == rows(&self.impulses) {
            self.impulses = impulses;
        }
    }

    /// Returns the joints at the start of a step.
    pub fn begin(&mut self, scene: &Scene, problem: &ReferenceProblem, state: &State) -> Vec<JointAtStart> {
        self.models.iter_mut().zip(&scene.joints).for_each(|(model, joint)| model.follow(joint));
        let joints = self.models.iter().zip(&self.impulses);
        joints.map(|(model, x)| JointAtStart::new(problem, model, x, state)).collect()
    }

    /// Keeps the joint impulses of z.
    pub fn store(&mut self, problem: &ReferenceProblem, z: &DVector<f64>) {
        for (j, x) in self.impulses.iter_mut().enumerate() {
            let from = problem.joint_offset(j);
            x.iter_mut().enumerate().for_each(|(i, x)| *x = z[from + i]);
        }
    }
}

/// Moves the bodies with prescribed motion.
pub(super) fn move_driven(driven: &[(usize, Pose)], state: &mut State, h: f64) {
    for (id, _) in driven {
        state.poses[*id] = state.poses[*id].advanced(&state.velocities[*id], h);
    }
}
