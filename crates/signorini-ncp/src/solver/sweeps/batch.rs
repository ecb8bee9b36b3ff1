//! Batches of contacts, and what a row of each of them is made of.

use crate::problem::Cone;
use crate::solver::sweeps::colours::Kind;
use crate::solver::sweeps::lanes::{Lanes, Row, WIDTH};

/// Up to eight contacts of one kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Batch {
    pub kind: Kind,
    /// First of its rows, counted from the first of its part's own; so are shift rows.
    pub row: usize,
    pub shift: usize,
    /// Bodies of each contact, by their places in the part; the last place stands for none.
    pub bodies: [[u32; WIDTH]; 2],
    /// μ.
    pub friction: Lanes,
    /// r of friction in the natural map.
    pub friction_weight: Lanes,
    /// r of friction in a sweep.
    pub friction_step: Lanes,
    /// 1/u.
    pub per_unit: Lanes,
    /// Factor on r of normal rows and of those of joints in the natural map.
    pub stiffening: Lanes,
    /// Weight of a negative slip of a normal row in the residual (s/m), beside its weight in the natural map.
    pub overlap: Lanes,
}

/// Where a contact is; rows are counted from the first of its part's own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub cone: usize,
    /// Its batch among those of its part.
    pub batch: usize,
    pub lane: usize,
    /// First of the rows of its batch.
    pub row: usize,
    /// Of its friction rows.
    pub friction: usize,
    /// First of the shift rows of its batch.
    pub shift: usize,
}

impl Place {
    /// The rows of its cone that are swept, counted from the first of the part's and from the cone's.
    pub fn rows(self, cone: &Cone) -> impl Iterator<Item = (usize, usize)> + use<> {
        rows_from(self.row, self.friction, cone)
    }

    /// Its shift rows likewise.
    pub fn shift_rows(self, cone: &Cone) -> impl Iterator<Item = (usize, usize)> + use<> {
        shift_rows_from(self.shift, cone)
    }
}

/// The rows of a cone that are swept, those of normals and of friction counted from there, and counted from
/// the cone's first.
pub(super) fn rows_from(
    normal: usize,
    friction: usize,
    cone: &Cone,
) -> impl Iterator<Item = (usize, usize)> + use<> {
    (normal..).zip(0..cone.n_used).chain((friction..).zip(cone.n_normal..cone.n_law_rows()))
}

/// Its shift rows likewise.
pub(super) fn shift_rows_from(shift: usize, cone: &Cone) -> impl Iterator<Item = (usize, usize)> + use<> {
    let n = if cone.n_shift() > 0 { cone.n_used * cone.n_tangential() } else { 0 };
    (shift..).zip((cone.n_law_rows()..).take(n))
}

/// A row of each contact of a batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct SweptRow {
    /// J: L⁻¹ times the force direction.
    pub along: Row,
    /// y₀ of y = y₀ + J w.
    pub offset: Lanes,
    /// r of normal rows and of those of joints.
    pub weight: Lanes,
}

/// The impulses of a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Impulses {
    pub x: Lanes,
    /// The search direction.
    pub direction: Lanes,
    /// Change of the last sweep.
    pub change: Lanes,
}

/// Further terms of a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    /// Lowest and highest impulse of the rows of joints.
    pub bounds: [Lanes; 2],
    /// λ̂ of normal rows: the load fractions that the friction rows were made for.
    pub load_fraction: Lanes,
    /// Excess of the current load fractions over those.
    pub excess: Lanes,
    /// Rise of y₀ for lagged terms.
    pub raised: Lanes,
}

/// S, contact point by contact point.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShiftRow {
    pub along: Row,
    /// y₀ of S w.
    pub offset: Lanes,
    pub raised: Lanes,
}

/// Nothing of each contact.
pub(super) const NONE: Lanes = [0.0; WIDTH];
/// Row of a lane without a contact.
pub(super) const NO_ROW: SweptRow = SweptRow { along: [NONE; 12], offset: NONE, weight: NONE };
pub(super) const NO_IMPULSES: Impulses = Impulses { x: NONE, direction: NONE, change: NONE };
pub(super) const NO_TERMS: Terms =
    Terms { bounds: [NONE; 2], load_fraction: NONE, excess: NONE, raised: NONE };
pub(super) const NO_SHIFT: ShiftRow = ShiftRow { along: [NONE; 12], offset: NONE, raised: NONE };
