//! The units in which residuals are measured: of each body and of each contact (theory §5.4).

use nalgebra::{Matrix3, Vector3};

/// Unit of the momentum rows of a body: linear rows r are measured in `momentum`, angular rows q by
/// √(q·`turning` q) in `momentum`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyUnit {
    /// u (N s).
    pub momentum: f64,
    /// m I⁻¹, world axes (1/m²): the inverse square of the radii of gyration.
    pub turning: Matrix3<f64>,
}

impl BodyUnit {
    /// Linear and angular rows in the unit; the larger of the two.
    pub fn scaled(&self, linear: &Vector3<f64>, angular: &Vector3<f64>) -> f64 {
        signorini_kernels::math::larger(linear.norm(), self.turned(angular)) / self.momentum
    }

    /// √(q·m I⁻¹ q) of an angular momentum q (N s).
    pub fn turned(&self, angular: &Vector3<f64>) -> f64 {
        angular.dot(&(self.turning * angular)).max(0.0).sqrt()
    }
}

/// The units of a problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Units {
    /// Of each body's momentum rows.
    pub bodies: Vec<BodyUnit>,
    /// u of each cone's rows (N s): the least of its bodies', unless rounding asks for more.
    pub cones: Vec<f64>,
    /// Factor on the step sizes r of each cone in the natural map, at least 1: a slip counts by what it does
    /// to the body whose mass over its unit is the largest.
    pub stiffening: Vec<f64>,
    /// An impulse that is typical for the problem (N s). No residual is measured in it.
    pub momentum: f64,
    /// A length that is typical for its bodies (m), which makes linear and angular unknowns comparable in
    /// matrices.
    pub length: f64,
}

impl Default for Units {
    fn default() -> Self {
        Self { bodies: Vec::new(), cones: Vec::new(), stiffening: Vec::new(), momentum: 1.0, length: 1.0 }
    }
}

impl Units {
    /// One unit for all bodies and cones: `momentum` (N s), and that times `length` (m) for angular rows.
    pub fn uniform(n_bodies: usize, n_cones: usize, momentum: f64, length: f64) -> Self {
        let turning = Matrix3::from_diagonal_element(1.0 / (length * length));
        Self {
            bodies: vec![BodyUnit { momentum, turning }; n_bodies],
            cones: vec![momentum; n_cones],
            stiffening: vec![1.0; n_cones],
            momentum,
            length,
        }
    }

    /// Largest factor by which a residual in these units is more in others.
    pub fn most_over(&self, others: &Self) -> f64 {
        let of_bodies =
            self.bodies.iter().zip(&others.bodies).map(|(own, other)| (own.momentum, other.momentum));
        let of_cones = self.cones.iter().copied().zip(others.cones.iter().copied());
        let of_slips = self.slips().zip(others.slips());
        of_bodies.chain(of_cones).chain(of_slips).map(|(own, other)| own / other).fold(1.0, f64::max)
    }

    /// Units of slips (N s): those of the cones over their stiffening.
    fn slips(&self) -> impl Iterator<Item = f64> + '_ {
        self.cones.iter().zip(&self.stiffening).map(|(unit, stiffening)| unit / stiffening)
    }
}
