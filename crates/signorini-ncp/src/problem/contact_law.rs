//! Laws that the impulses of a contact obey.

/// A contact sticks while its friction is less than this part of the limit μ Σ x_n. Impulses of a contact
/// that slides are on the limit up to rounding.
pub const STICKS_BELOW: f64 = 1.0 - 1e-9;

/// The law of all contacts of a problem. y is the constraint velocity and x the impulse;
/// K = { x_n ≥ 0, |x_t| ≤ μ Σ x_n }.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ContactLaw {
    /// 0 ≤ x_n ⊥ y_n ≥ 0 and maximum dissipation in the ball of radius μ Σ x_n: exact Coulomb friction.
    #[default]
    Coulomb,
    /// K ∋ x ⊥ y ∈ K*: the cone complementarity of [NS (11)], a convex problem. Against Coulomb's law the
    /// term μ |y_t| of De Saxcé is missing: slip at speed v opens the contact with μ v.
    Cone,
    /// Coulomb's law with the ball replaced by the polygon (with torsion the double pyramid) whose corners
    /// are `directions` unit vectors at equal angles in the tangent plane, the first one along the first
    /// tangent, and ± the torsional axis: the linear complementarity problem of \[ST\].
    Polygon {
        /// Corners m in the tangent plane, even, ≥ 4.
        directions: usize,
    },
}

impl ContactLaw {
    /// Corner k of the polygon: (cos, sin)(2π k / m).
    pub fn corner(directions: usize, k: usize) -> [f64; 2] {
        let (k, quarter) = (k % directions, directions / 4);
        // Exact on the axes, so that opposite corners are opposite in floating point.
        if directions.is_multiple_of(4) && k.is_multiple_of(quarter) {
            return [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]][k / quarter];
        }
        if 2 * k >= directions {
            return Self::corner(directions, k - directions / 2).map(|c| -c);
        }
        let (sine, cosine) = (std::f64::consts::TAU * k as f64 / directions as f64).sin_cos();
        [cosine, sine]
    }
}
