//! Problems whose contacts have several points, torsion or rolling resistance, and joints beside them:
//! ```text
//! M v = H r + f,   u = Hᵀ v + w + R r
//! contact   0 ≤ r_k − low_k ⊥ u_k ≥ 0 per point,   r_T = Proj(r_T − d u_T), any d > 0
//! joint     r = clamp(r − d u, low, high)
//! ```
//! Proj is the projection on the ball of radius μ Σ r_k. A contact of one point with two tangents is one of
//! FCLIB; the couple of its rolling resistance is a cone of two friction rows of its own, whose ball has the
//! radius μ_r Σ r_k.

use super::global::{GlobalPart, blocks_of, velocity};
use super::norms::{largest_or_nan, worse};
use signorini_ncp::problem::{Cone, ContactProblem};

/// Rows of a contact of FCLIB: normal, tangent, tangent.
pub(super) const CONTACT_ROWS: usize = 3;
/// Rows of a contact of FCLIB with rolling resistance: and two of rolling.
pub(super) const ROLLING_ROWS: usize = 5;

/// Layout of the file of a problem over cones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// FCLIB's own: each contact has a normal row and two tangents.
    Plain,
    /// FCLIB's own of rolling: and two rows of rolling.
    Rolling,
    /// Ours: any cones, one after the other.
    Own,
}

impl Layout {
    /// Word of the layout in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "fclib_global",
            Self::Rolling => "fclib_global_rolling",
            Self::Own => "signorini_global",
        }
    }

    /// Rows of a contact of FCLIB's layouts.
    pub(super) fn rows(self) -> usize {
        if self == Self::Rolling { ROLLING_ROWS } else { CONTACT_ROWS }
    }
}

/// A problem over cones. `row` of a cone is its first row of the problem: a column of H.
#[derive(Debug, Clone)]
pub struct ConeProblem {
    /// M, H, f, w.
    pub global: GlobalPart,
    /// Contacts and joints, then rolling resistances in the order of their contacts.
    pub cones: Vec<Cone>,
    /// Lowest and highest impulse of rows: of joints, and the lowest of normal rows.
    pub bounds: Vec<[f64; 2]>,
    /// R of rows.
    pub compliance: Vec<f64>,
    /// Layout of its file, which says where the rows of its cones are.
    pub layout: Layout,
    /// Name of the body of each six unknowns; empty: not told.
    pub bodies: Vec<String>,
}

/// The laws of a problem over cones, by which impulses are judged.
#[derive(Debug, Clone)]
pub struct ConeLaws {
    cones: Vec<Cone>,
    bounds: Vec<[f64; 2]>,
    /// Largest diagonal entry of W of each cone's normal and friction rows; 1 where none is positive.
    scales: Vec<[f64; 2]>,
}

impl ConeProblem {
    /// Blocks of six unknowns, and the row there of each row here. None when M is not symmetric, positive
    /// definite and of blocks of at most six.
    pub fn as_blocks(&self) -> Option<(ContactProblem, Vec<usize>)> {
        let mut problem = blocks_of(&self.global, &self.cones, &self.free_slip()?)?;
        if !problem.coupling.is_empty() {
            return None;
        }
        let mut rows = vec![0; self.bounds.len()];
        for (own, there) in self.cones.iter().zip(&problem.cones) {
            (0..own.n_law_rows()).for_each(|k| rows[own.row + k] = there.row + k);
        }
        for (row, bounds) in rows.iter().zip(&self.bounds) {
            problem.bounds[*row] = *bounds;
        }
        if self.compliance.iter().any(|r| *r != 0.0) {
            problem.compliance = vec![0.0; problem.n_rows()];
            rows.iter().zip(&self.compliance).for_each(|(row, r)| problem.compliance[*row] = *r);
        }
        problem.update_weights();
        Some((problem, rows))
    }

    /// q = Hᵀ M⁻¹ f + w. None when M is singular.
    pub fn free_slip(&self) -> Option<Vec<f64>> {
        let free = velocity(&self.global, &vec![0.0; self.bounds.len()])?;
        let mut slip = self.global.offset.clone();
        for (v, row) in free.iter().zip(self.global.force_directions.outer_iterator()) {
            row.iter().for_each(|(j, h)| slip[j] += h * v);
        }
        Some(slip)
    }

    /// μ of the contacts.
    pub fn friction_coefficients(&self) -> Vec<f64> {
        let contacts = self.cones.iter().filter(|cone| !cone.bounded && cone.rolls_with.is_none());
        contacts.map(|cone| cone.friction_coefficient).collect()
    }
}

impl ConeLaws {
    /// The laws of a problem whose W has this diagonal.
    pub fn new(problem: &ConeProblem, diagonal: &[f64]) -> Self {
        let scale = |rows: std::ops::Range<usize>| {
            let largest = diagonal[rows].iter().copied().fold(0.0, f64::max);
            if largest > 0.0 { largest } else { 1.0 }
        };
        let scales = problem.cones.iter().map(|cone| [scale(cone.normal()), scale(cone.friction())]);
        Self { scales: scales.collect(), cones: problem.cones.clone(), bounds: problem.bounds.clone() }
    }

    /// `scaled` and `nat_rel` of impulses with their slips; `largest` is |q|_∞.
    /// `norm` is the largest of |q|, |r| and |u|.
    pub fn residual(&self, r: &[f64], u: &[f64], [largest, norm]: [f64; 2]) -> [f64; 2] {
        let (mut scaled, mut sum) = (0.0, 0.0);
        for (c, cone) in self.cones.iter().enumerate() {
            let [of_normal, of_friction] = self.scales[c];
            for (rows, d) in [(cone.normal(), of_normal), (cone.friction(), of_friction)] {
                let own = self.natural(c, rows.clone(), (r, u), 1.0 / d);
                scaled = worse(scaled, d * largest_or_nan(&own));
                sum += self.natural(c, rows, (r, u), 1.0).iter().map(|x| x * x).sum::<f64>();
            }
        }
        let scaled = if scaled == 0.0 { 0.0 } else { scaled / largest };
        [scaled, if sum == 0.0 { 0.0 } else { sum.sqrt() / norm }]
    }

    /// r − Proj(r − step u) of the normal or friction rows of a cone.
    fn natural(
        &self,
        c: usize,
        rows: std::ops::Range<usize>,
        (r, u): (&[f64], &[f64]),
        step: f64,
    ) -> Vec<f64> {
        let cone = &self.cones[c];
        let moved = |row: usize| r[row] - step * u[row];
        if rows == cone.normal() {
            let allowed = |row: usize| {
                let [low, high] = self.bounds[row];
                let high = if cone.bounded { high } else { f64::INFINITY };
                // NaN stays.
                let x = moved(row);
                if x < low {
                    low
                } else if x > high {
                    high
                } else {
                    x
                }
            };
            return rows.map(|row| r[row] - allowed(row)).collect();
        }
        let of = cone.rolls_with.map_or(cone, |contact| &self.cones[contact]);
        let limit = cone.friction_coefficient * of.normal().map(|row| r[row]).sum::<f64>().max(0.0);
        let length = rows.clone().map(|row| moved(row).powi(2)).sum::<f64>().sqrt();
        let shrink = if length > limit { limit / length } else { 1.0 };
        rows.map(|row| r[row] - shrink * moved(row)).collect()
    }
}

/// Impulses by rows of the file, of those by rows of the problem.
pub fn rows_of_file(rows: Option<&[usize]>, impulse: &[f64]) -> Vec<f64> {
    rows.map_or_else(|| impulse.to_vec(), |rows| rows.iter().map(|row| impulse[*row]).collect())
}

/// Impulses by rows of the problem, of those by rows of the file.
pub fn scattered(rows: &[usize], n_rows: usize, impulse: &[f64]) -> Vec<f64> {
    let mut there = vec![0.0; n_rows];
    rows.iter().zip(impulse).for_each(|(row, x)| there[*row] = *x);
    there
}
