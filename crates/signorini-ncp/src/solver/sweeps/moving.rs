//! How bodies move, in mass-normalised coordinates.

use crate::solver::sweeps::lanes::{Row, WIDTH};

/// Velocities of a body, six of them and two zeros, which align them.
pub(super) type Motion = [f64; 8];

/// How a body moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moving {
    /// w = Lᵀ v = L⁻¹ (b + Jᵀ x + what lags).
    pub w: Motion,
    /// The search direction.
    pub direction: Motion,
    /// w at the start of the last sweep.
    pub start: Motion,
    /// K (v − v_k) of the contacts that were added up so far (N s).
    pub stiff: Motion,
}

/// A body without motion.
pub(super) const STILL: Moving =
    Moving { w: [0.0; 8], direction: [0.0; 8], start: [0.0; 8], stiff: [0.0; 8] };

/// Motions of the two bodies of each contact.
#[inline(always)]
pub(super) fn gather(motions: &[Moving], bodies: &[[u32; WIDTH]; 2]) -> Row {
    let mut gathered = [[0.0; WIDTH]; 12];
    for (side, bodies) in bodies.iter().enumerate() {
        for (lane, body) in bodies.iter().enumerate() {
            let motion = motions[*body as usize].w;
            for d in 0..6 {
                gathered[6 * side + d][lane] = motion[d];
            }
        }
    }
    gathered
}

/// Writes them back. Contacts of a batch have no body in common, but for the last one, which never moves.
#[inline(always)]
pub(super) fn scatter(gathered: &Row, bodies: &[[u32; WIDTH]; 2], motions: &mut [Moving]) {
    for (side, bodies) in bodies.iter().enumerate() {
        for (lane, body) in bodies.iter().enumerate() {
            let motion = &mut motions[*body as usize].w;
            for d in 0..6 {
                motion[d] = gathered[6 * side + d][lane];
            }
        }
    }
}

/// w += β p, then p := β p + Δw.
#[inline(always)]
pub(super) fn extrapolate(moving: &mut Moving, step: f64) {
    let Moving { mut w, mut direction, start, .. } = *moving;
    for d in 0..w.len() {
        let change = w[d] - start[d];
        let along = step * direction[d];
        w[d] += along;
        direction[d] = along + change;
    }
    (moving.w, moving.direction, moving.start) = (w, direction, w);
}
