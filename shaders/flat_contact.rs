//! One contact of the flat step: its rows, the push of its impulses, and the impulses that solve it with all
//! others held.
//!
//! ```text
//! x_n ← max(0, (x_n − r_n y_n + e z_n)/(1 + e)),      x_t ← P(μ x_n, (x_t − r_t y_t + e z_t)/(1 + e))
//! ```

use super::flat_parameters::{LEAST_SQUARE, LEAST_STEP};
use super::types::{FlatRow, FlatState, symmetric, vector};
use crate::real::Real;
use nalgebra::{Matrix3, Vector3, Vector4};

/// Number of a scalar that all kernels of the flat step share; the host writes the first ones.
pub const STILL: usize = 0;
/// Weight e of the proximal term.
pub const PROXIMAL: usize = 1;
/// Sweeps of this round.
pub const SWEEPS: usize = 3;
/// 1 once a sweep of this round changed no impulse by more than [`STILL`].
pub const STOPPED: usize = 4;
/// Scalars that the host writes before a round.
pub const OF_HOST: usize = 8;
/// Factor β of the extrapolation.
pub const FACTOR: usize = 8;
/// Square of the last changes, −1 for none.
pub const LAST_SQUARE: usize = 9;
/// Passes since the centre of the proximal term was renewed.
pub const AGE: usize = 10;
/// Largest change of an impulse in the last pass, in units.
pub const LARGEST: usize = 11;
/// Largest change of Jᵀx in the last turn, in units.
pub const MOVED: usize = 12;
/// Square of the changes in the last pass.
pub const PASS_SQUARE: usize = 13;
/// Scalars in all.
pub const SCALARS: usize = 16;

/// Names of the scalars in the shaders.
pub const NAMES: &[(&str, u32)] = &[
    ("STILL", STILL as u32),
    ("PROXIMAL", PROXIMAL as u32),
    ("SWEEPS", SWEEPS as u32),
    ("STOPPED", STOPPED as u32),
    ("FACTOR", FACTOR as u32),
    ("LAST_SQUARE", LAST_SQUARE as u32),
    ("AGE", AGE as u32),
    ("LARGEST", LARGEST as u32),
    ("MOVED", MOVED as u32),
    ("PASS_SQUARE", PASS_SQUARE as u32),
];

/// Frame n, t, o of a contact, arms (m) and radius e_r (m).
#[derive(Debug, Clone, Copy)]
pub struct Touching<T: Real> {
    /// n, t, o.
    pub frame: [Vector3<T>; 3],
    /// From the centres of mass of A and B.
    pub arms: [Vector3<T>; 2],
    /// e_r.
    pub torsion: T,
}

/// Impulse on B and the moments on A and B (N s, N m s); all on A act the other way.
#[derive(Debug, Clone, Copy)]
pub struct Push<T: Real> {
    /// Impulse.
    pub impulse: Vector3<T>,
    /// Moments.
    pub moments: [Vector3<T>; 2],
}

/// Velocity (m/s) and spin (rad/s) of A and B.
pub type Moving<T> = [[Vector3<T>; 2]; 2];

/// 1/m and I⁻¹ of A and B.
pub type Inertia<T> = [(T, Matrix3<T>); 2];

/// 1/m and I⁻¹ of a body as sweeps see it.
pub fn inertia_of<T: Real>(swept: &[T]) -> (T, Matrix3<T>) {
    let i = [8, 9, 10, 11, 12, 13].map(|k: usize| swept[k]);
    (swept[3], symmetric(&i))
}

impl<T: Real> Touching<T> {
    /// A contact as its rows hold it.
    pub fn of(row: &FlatRow<T>) -> Self {
        let (n, t) = (vector(&row.normal), vector(&row.tangent));
        let arms = [vector(&row.arm_a), vector(&row.arm_b)];
        Self { frame: [n, t, n.cross(&t)], arms, torsion: row.torsion[0] }
    }

    /// Push of the rows' impulses.
    pub fn push(&self, x: &[T; 4]) -> Push<T> {
        let [n, t, o] = &self.frame;
        let impulse = n * x[0] + t * x[1] + o * x[2];
        let twist = n * (self.torsion * x[3]);
        Push { impulse, moments: self.arms.map(|arm| arm.cross(&impulse) + twist) }
    }

    /// Velocity of B over A along the rows (m/s).
    pub fn slip(&self, [a, b]: &Moving<T>) -> [T; 4] {
        let u = b[0] + b[1].cross(&self.arms[1]) - a[0] - a[1].cross(&self.arms[0]);
        let [n, t, o] = &self.frame;
        [n.dot(&u), t.dot(&u), o.dot(&u), self.torsion * n.dot(&(b[1] - a[1]))]
    }
}

/// Velocities after a push.
pub fn pushed<T: Real>([a, b]: &Moving<T>, by: &Push<T>, k: &Inertia<T>) -> Moving<T> {
    [
        [a[0] - by.impulse * k[0].0, a[1] - k[0].1 * by.moments[0]],
        [b[0] + by.impulse * k[1].0, b[1] + k[1].1 * by.moments[1]],
    ]
}

/// Impulses that solve a contact of slip y, from x, drawn to z with this weight.
pub fn solved<T: Real>(row: &FlatRow<T>, y: &[T; 4], x: &[T; 4], z: &[T; 4], weight: T) -> [T; 4] {
    let drawn = |x: T, z: T| (x + z * weight) / (T::one() + weight);
    let x_n = drawn(x[0] - row.normal_step[0] * y[0], z[0]).max(T::zero());
    let d = x_n - x[0];
    let rubbed = [1, 2, 3].map(|k: usize| {
        let y = y[k] + row.coupling[k - 1] * d;
        drawn(x[k] - y * row.friction_step[0], z[k])
    });
    let square = Vector3::from(rubbed).norm_squared();
    let length = square.max(T::of(LEAST_SQUARE)).sqrt();
    let shrink = (row.friction[0] * x_n / length).min(T::one());
    [x_n, rubbed[0] * shrink, rubbed[1] * shrink, rubbed[2] * shrink]
}

/// Moves numbers on along the search direction, which takes their last change in.
pub fn go_on<T: Real, const N: usize>(x: &mut [T; N], direction: &mut [T; N], change: &[T; N], beta: T) {
    for k in 0..N {
        let step = beta * direction[k];
        let step = if step.abs() < T::of(LEAST_STEP) { T::zero() } else { step };
        direction[k] = step + change[k];
        x[k] += step;
    }
}

impl<T: Real> FlatState<T> {
    /// Impulses moved on along the search direction; at age 0 the centre of the proximal term is renewed
    /// first.
    pub fn go_on(&mut self, beta: T, age: T) {
        if age == T::zero() {
            self.centre = self.impulse;
        }
        go_on(&mut self.impulse, &mut self.direction, &self.change, beta);
        self.change = [T::zero(); 4];
    }

    /// Square and largest size of the last change.
    pub fn changed(&self) -> (T, T) {
        let change = Vector4::from(self.change);
        (change.norm_squared(), change.amax())
    }
}
