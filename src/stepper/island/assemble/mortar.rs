//! Mortar of an island's problem: contacts of their own beside those of the pairs, with a least normal
//! impulse (theory §15.6).

use crate::stepper::island::problem::IslandProblem;
use crate::stepper::island::problem::mortar_cone::MortarCone;
use crate::stepper::parameters::BROKEN_MORTAR_SPEED;
use crate::stepper::step_context::StepContext;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::Cone;
use std::borrow::Cow;

/// Normal and friction rows of mortar.
const MORTAR_ROWS: (usize, usize) = (1, 3);

impl StepContext<'_> {
    /// Whether mortar holds in the step or substep.
    pub(in crate::stepper) fn holds(&self, joint: usize) -> bool {
        self.damage.get(joint).is_none_or(|damage| *damage < 1.0)
    }
}

impl IslandProblem {
    /// Adds the cone of mortar, which may be broken.
    pub(in crate::stepper) fn add_mortar_cone(
        &mut self,
        context: &StepContext<'_>,
        link: usize,
        bodies: impl Iterator<Item = usize>,
    ) {
        let joint = self.joint_memory[link].joint;
        let Some(face) = &context.joints[joint].mortar else { return };
        let holds = context.holds(joint);
        let coefficient = if holds { face.coefficient } else { 0.0 };
        let cone = self.problem.add_contact(bodies, MORTAR_ROWS, coefficient);
        let (row, h) = (self.problem.cones[cone].row, context.time_step);
        if holds {
            self.problem.bounds[row][0] = h * (face.apex() - face.tension);
        }
        self.mortar.push(MortarCone { cone, row, link, apex: holds.then(|| h * face.apex()) });
    }

    /// Whether any of its joints is mortar, broken or not.
    pub(in crate::stepper) fn has_mortar(&self) -> bool {
        !self.mortar.is_empty()
    }

    /// The mortar of a cone, if it is that of mortar.
    pub(in crate::stepper) fn mortar_of(&self, cone: usize) -> Option<MortarCone> {
        let place = self.mortar.binary_search_by_key(&cone, |mortar| mortar.cone).ok()?;
        Some(self.mortar[place])
    }

    /// Takes the share of x_n that is no impulse off the momentum, once the rows of a cone are written;
    /// broken mortar is open, and has no rows.
    pub(in crate::stepper) fn settle_mortar(&mut self, c: usize) {
        let Some(mortar) = self.mortar_of(c) else { return };
        let problem = &mut self.problem;
        for k in problem.block_offsets[c]..problem.block_offsets[c + 1] {
            let first = problem.value_offsets[k];
            let rows = first..first + BLOCK * problem.cones[c].n_law_rows();
            let Some(apex) = mortar.apex else {
                problem.at.jacobian[rows.clone()].fill(0.0);
                problem.at.response[rows].fill(0.0);
                continue;
            };
            let normal = &problem.at.jacobian[first..first + BLOCK];
            let body = &mut problem.at.free_momentum[BLOCK * problem.block_body[k]..][..BLOCK];
            body.iter_mut().zip(normal).for_each(|(b, n)| *b -= apex * n);
        }
        if mortar.apex.is_none() {
            let cone = problem.cones[c];
            problem.at.slip[law_rows(&cone)].fill(0.0);
            problem.at.slip[cone.row] = BROKEN_MORTAR_SPEED;
        }
    }

    /// Adds that share to the impulses that act, or takes it off; broken mortar has none.
    pub(in crate::stepper) fn shift_mortar(&self, sign: f64, x: &mut [f64]) {
        for MortarCone { cone, row, apex, .. } in &self.mortar {
            match apex {
                Some(apex) => x[*row] += sign * apex,
                None => x[law_rows(&self.problem.cones[*cone])].fill(0.0),
            }
        }
    }

    /// Keeps the impulses that act in the joints: that share follows from the length of the step.
    pub(in crate::stepper) fn settle_stored_mortar(&mut self) {
        for MortarCone { link, apex, .. } in &self.mortar {
            let impulse = &mut self.joint_memory[*link].impulse;
            match apex {
                Some(apex) => impulse[0] -= apex,
                None => impulse.fill(0.0),
            }
        }
    }

    /// Momentum without impulses (N s): that of the problem, with that share given back.
    pub(in crate::stepper) fn free_momentum(&self) -> Cow<'_, [f64]> {
        let problem = &self.problem;
        if self.mortar.is_empty() {
            return Cow::Borrowed(&problem.at.free_momentum);
        }
        let mut momentum = problem.at.free_momentum.clone();
        for MortarCone { cone, apex, .. } in &self.mortar {
            for k in problem.block_offsets[*cone]..problem.block_offsets[cone + 1] {
                let normal = &problem.at.jacobian[problem.value_offsets[k]..][..BLOCK];
                let body = &mut momentum[BLOCK * problem.block_body[k]..][..BLOCK];
                body.iter_mut().zip(normal).for_each(|(b, n)| *b += apex.unwrap_or(0.0) * n);
            }
        }
        Cow::Owned(momentum)
    }
}

/// Rows of a cone that obey a law.
pub(in crate::stepper) fn law_rows(cone: &Cone) -> std::ops::Range<usize> {
    cone.row..cone.row + cone.n_law_rows()
}
