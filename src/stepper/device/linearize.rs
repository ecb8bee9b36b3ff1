//! An island whose pairs are kept on the device: data sent at a refresh, and results fetched instead of rows.

use crate::contact::PairGeometry;
use crate::stepper::device::on_device::OnDevice;
use crate::stepper::device::pair_batch::{Posed, is_smooth};
use crate::stepper::island::assemble::pair_rows::PairRows;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
use signorini_backend::{Fault, IslandData};
use signorini_kernels::body_momentum::BODY;
use signorini_kernels::device_pairs::PairsOnDevice;
use signorini_kernels::types::ContactLawState;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::Stiffness;
use signorini_ncp::solver::{Residual, law};

impl IslandProblem {
    /// Keeps the pairs on the step's device after this set-up, if it can keep them and all of them are
    /// smooth, without rolling resistance and cohesion.
    pub fn use_device(&mut self, context: &StepContext<'_>) {
        let Some(backend) = context.backend else { return };
        let smooth = context.last_step.is_none() && self.pairs.iter().all(|pair| is_smooth(context, pair));
        // A body on the device has one part.
        let is_compound = self.bodies.iter().any(|id| context.models.bodies[*id].parts.len() > 1);
        let rolls = self.pairs.iter().any(|pair| pair.friction.rolling > 0.0 || pair.friction.cohesion > 0.0);
        if !smooth || is_compound || rolls || self.pairs.is_empty() || !self.joint_memory.is_empty() {
            return;
        }
        if self.device.pairs.is_none() {
            self.device.pairs = backend.device_island();
        }
        self.device.is_used = self.device.pairs.is_some();
        self.device.fetches_rows = false;
    }

    /// Returns the pairs on the device, if it alone holds them all, or in a precision good enough for
    /// matrices.
    pub(in crate::stepper) fn pairs_on_device(
        &mut self,
    ) -> (&signorini_ncp::problem::ContactProblem, PairsOnDevice<'_>) {
        let OnDevice { pairs, is_current, fetches_rows, .. } = &mut self.device;
        let fetched = *fetches_rows;
        let pairs = pairs.as_deref_mut().filter(|p| *is_current && !(fetched && p.is_exact()));
        (&self.problem, pairs.map(|p| p as _))
    }

    /// Linearises all pairs on the device, if they are kept on it. True when nothing is left to do; otherwise
    /// rows that the device found are in the batch.
    pub(in crate::stepper) fn linearize_on_device(
        &mut self,
        context: &StepContext<'_>,
        v: &[f64],
        x: &[f64],
    ) -> bool {
        self.device.is_current = false;
        let Some(backend) = context.backend.filter(|_| self.device.is_used) else { return false };
        if let Some(fault) = self.device.pairs.as_ref().and_then(|p| p.fault()) {
            self.give_up(backend, fault);
            return false;
        }
        let Self { problem, pairs, local, placed, turn, batch, device, .. } = self;
        batch.fill(context, &Posed { placed, turn, velocity: v, local }, pairs, &problem.cones, x);
        describe(problem, v, x, &mut self.momentum, &mut device.island);
        let keeps_rows = device.keeps_rows();
        let Some(island) = &mut device.pairs else { return false };
        let outcome = match island.linearize(&batch.batch, &device.island, &mut device.linearization) {
            Ok(()) if !keeps_rows => island.fetch(&mut batch.evaluated),
            outcome => outcome,
        };
        if let Err(fault) = outcome {
            batch.forget();
            self.give_up(backend, fault);
            return false;
        }
        device.is_current = true;
        backend.count_on_device(batch.batch.pairs.len());
        if keeps_rows {
            self.take_linearization(context);
        }
        keeps_rows
    }

    /// Notes a fault of the device. The pairs may stay on it after a number that is not finite, which comes
    /// from the input.
    fn give_up(&mut self, backend: &signorini_backend::Guarded, fault: Fault) {
        if !matches!(fault, Fault::NonFinite { .. }) {
            self.device.is_used = false;
            self.device.pairs = None;
        }
        backend.note(fault);
    }

    /// Takes geometry, slip and weights from the device.
    fn take_linearization(&mut self, context: &StepContext<'_>) {
        let Self { problem, pairs, device, local, placed, .. } = self;
        let found_there = &device.linearization;
        problem.at.weight.clear();
        problem.at.weight.resize(problem.n_rows(), 0.0);
        for (c, (pair, found)) in pairs.iter_mut().zip(&found_there.contacts).enumerate() {
            pair.geometry = PairGeometry::found(&found_there.geometry[c]);
            let [a, b] = placed.sides(context, local[c], pair);
            pair.scale_tangents(a.moved, b.moved);
            problem.at.stiffness.start[c] = Stiffness::NONE;
            let cone = &mut problem.cones[c];
            cone.friction_coefficient = pair.friction.coefficient * pair.geometry.alignment;
            let rows = cone.row..cone.row + cone.n_law_rows();
            problem.at.slip[rows.clone()].copy_from_slice(&found.slip[..rows.len()]);
            problem.at.weight[cone.row] = found.weight[0];
            problem.at.weight[cone.friction()].fill(found.weight[1]);
        }
        self.momentum.copy_from_slice(&device.linearization.momentum);
    }

    /// True residual of the device's linearisation.
    pub(in crate::stepper) fn residual_on_device(
        &mut self,
        context: &StepContext<'_>,
        x: &[f64],
    ) -> Residual {
        self.update_units(context, x);
        // The device does not know what a slip counts for each body.
        let (normal, friction) =
            law::natural_map(&self.problem, &self.problem.at.weight, x, &self.problem.at.slip);
        self.rate(context, x, normal, friction)
    }

    /// Writes force directions by the geometry of the last refresh, where only the device has them.
    pub(in crate::stepper) fn write_missing_rows(&mut self) {
        if !self.device.is_current || !self.device.keeps_rows() {
            return;
        }
        let Self { problem, pairs, local, .. } = self;
        for (c, (pair, sides)) in pairs.iter().zip(local).enumerate() {
            let cone = problem.cones[c];
            let rows = PairRows::new(pair, cone);
            let moving = (0..2).filter(|side| sides[*side].is_some());
            for (k, side) in (problem.block_offsets[c]..).zip(moving) {
                let start = problem.value_offsets[k];
                rows.write_jacobian(side, &mut problem.at.jacobian[start..start + BLOCK * cone.n_rows()]);
            }
        }
    }

    /// Sets v := A⁻¹ (b + Jᵀ x) at the impulses of the last refresh, if the rows are on the device.
    pub fn balance_on_device(&self, v: &mut [f64]) -> bool {
        if !self.device.is_current || !self.device.keeps_rows() {
            return false;
        }
        for (i, inverse) in self.problem.mass_inverse.iter().enumerate() {
            let change = inverse * signorini_ncp::problem::contact_problem::vector6(&self.momentum, i);
            v[BLOCK * i..BLOCK * (i + 1)].iter_mut().zip(change.iter()).for_each(|(v, d)| *v -= d);
        }
        true
    }
}

/// Writes masses, momentum without contacts, impulses and friction coefficients for the device.
fn describe(
    problem: &signorini_ncp::problem::ContactProblem,
    v: &[f64],
    x: &[f64],
    momentum: &mut [f64],
    out: &mut IslandData,
) {
    out.clear();
    out.n_moving = problem.n_bodies();
    problem.mass_product(v, momentum);
    momentum.iter_mut().zip(&problem.at.free_momentum).for_each(|(m, b)| *m -= b);
    for (i, (mass, inverse)) in problem.mass.iter().zip(&problem.mass_inverse).enumerate() {
        let mass = problem.at.stiffness.body.get(i).map_or(*mass, |stiffness| mass - stiffness);
        // Stored by columns.
        out.bodies.extend(mass.transpose().iter());
        out.bodies.extend(&momentum[BLOCK * i..BLOCK * (i + 1)]);
        out.bodies.resize(BODY * (i + 1), 0.0);
        out.inverse.extend(inverse.transpose().iter());
    }
    out.contacts.extend(problem.cones.iter().map(|cone| {
        let mut state = ContactLawState::filled(0.0);
        let x = &x[cone.row..cone.row + cone.n_law_rows()];
        state.centre[..x.len()].copy_from_slice(x);
        state.friction_coefficient = [cone.friction_coefficient];
        state
    }));
}
