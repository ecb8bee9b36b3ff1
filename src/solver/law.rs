//! The contact law as a projection, its derivative, and the natural map (MODEL sections 2 and 3).

use crate::problem::{Cone, ContactProblem};

/// What a contact does at one iterate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// No normal impulse.
    #[default]
    Open,
    /// Friction inside the ball.
    Stick,
    /// Friction on the ball.
    Slip,
}

/// −∂x/∂y of one contact, kept in factored form: normal gains are per row (see [`Law::normal_gain`]),
/// friction is α I − β d dᵀ, and κ d couples friction to the normal rows (exact Coulomb).
#[derive(Debug, Clone, Copy, Default)]
pub struct Gain {
    /// Mode.
    pub mode: Mode,
    /// α.
    pub alpha: f64,
    /// β.
    pub beta: f64,
    /// κ = μ when slipping, else 0.
    pub coupling: f64,
    /// d.
    pub direction: [f64; 3],
}

/// The law at one iterate: x(y) = projection, and its derivative.
#[derive(Debug, Clone, Default)]
pub struct Law {
    /// Impulses per row.
    pub impulse: Vec<f64>,
    /// Per normal row: −∂x_n/∂y_n.
    pub normal_gain: Vec<f64>,
    /// Per contact.
    pub gain: Vec<Gain>,
    /// y of the shift rows where the law was evaluated.
    pub(super) slip: Vec<f64>,
}

/// The proximal point: x = Proj(x̂ − ρ r (y + R x)).
#[derive(Debug, Clone, Copy)]
pub struct Proximal<'a> {
    /// x̂ per row.
    pub centre: &'a [f64],
    /// r per row.
    pub weight: &'a [f64],
    /// ρ.
    pub rho: f64,
}

impl Proximal<'_> {
    /// Shift and gain of a row: x = shift − gain · y before projection.
    fn row(&self, problem: &ContactProblem, row: usize) -> (f64, f64) {
        let weight = self.rho * self.weight[row];
        match problem.compliance.get(row) {
            Some(r) if *r > 0.0 => {
                let scale = 1.0 / (1.0 + weight * r);
                (self.centre[row] * scale, weight * scale)
            }
            _ => (self.centre[row], weight),
        }
    }
}

impl Law {
    /// Sizes the vectors for a problem.
    pub fn resize(&mut self, problem: &ContactProblem) {
        let n = problem.n_rows();
        self.impulse.clear();
        self.impulse.resize(n, 0.0);
        self.normal_gain.clear();
        self.normal_gain.resize(n, 0.0);
        self.slip.clear();
        self.slip.resize(n, 0.0);
        self.gain.clear();
        self.gain.resize(problem.cones.len(), Gain::default());
    }

    /// Evaluates impulses and gains at y.
    pub fn evaluate(&mut self, problem: &ContactProblem, proximal: &Proximal<'_>, y: &[f64]) {
        for (c, cone) in problem.cones.iter().enumerate() {
            let mut sum = 0.0;
            for row in cone.normal() {
                let (shift, gain) = proximal.row(problem, row);
                let z = shift - gain * y[row];
                let closed = z > 0.0;
                self.impulse[row] = if closed { z } else { 0.0 };
                self.normal_gain[row] = if closed { gain } else { 0.0 };
                sum += self.impulse[row];
            }
            self.gain[c] = self.friction(problem, cone, proximal, y, sum);
            if cone.n_shift() > 0 {
                self.write_shift(problem, cone, y);
            }
        }
    }

    fn friction(
        &mut self,
        problem: &ContactProblem,
        cone: &Cone,
        proximal: &Proximal<'_>,
        y: &[f64],
        normal: f64,
    ) -> Gain {
        let radius = cone.friction_coefficient * normal;
        let moved = if cone.n_shift() > 0 { self.slip_shift(problem, cone, y) } else { [0.0; 3] };
        let mut z = [0.0; 3];
        let mut weight = 0.0;
        for ((z, row), moved) in z.iter_mut().zip(cone.friction()).zip(moved) {
            let (shift, gain) = proximal.row(problem, row);
            *z = shift - gain * (y[row] + moved);
            weight = gain;
        }
        let length = norm(&z);
        let mut gain = Gain { mode: if normal > 0.0 { Mode::Stick } else { Mode::Open }, ..Gain::default() };
        if length <= radius {
            gain.alpha = if normal > 0.0 { weight } else { 0.0 };
            self.write_friction(cone, &z, 1.0);
        } else {
            let shrink = radius / length;
            self.write_friction(cone, &z, shrink);
            if normal > 0.0 && cone.n_friction > 0 {
                gain.mode = Mode::Slip;
                gain.alpha = weight * shrink;
                gain.beta = gain.alpha;
                gain.coupling = cone.friction_coefficient;
                gain.direction = z.map(|z| z / length);
            }
        }
        gain
    }

    fn write_friction(&mut self, cone: &Cone, z: &[f64; 3], scale: f64) {
        for (z, row) in z.iter().zip(cone.friction()) {
            self.impulse[row] = z * scale;
        }
    }

    /// Gains predicted from the modes of x̂ itself (measure 2 of MODEL section 3): raising ρ extrapolates the
    /// lag in z and flips modes that the solution keeps.
    pub fn predict(&mut self, problem: &ContactProblem, proximal: &Proximal<'_>) {
        for (c, cone) in problem.cones.iter().enumerate() {
            let mut sum = 0.0;
            for row in cone.normal() {
                let closed = proximal.centre[row] > 0.0;
                self.normal_gain[row] = if closed { proximal.row(problem, row).1 } else { 0.0 };
                sum += proximal.centre[row];
            }
            let mut gain = Gain::default();
            if sum > 0.0 {
                let mut x = [0.0; 3];
                let mut weight = 0.0;
                for (x, row) in x.iter_mut().zip(cone.friction()) {
                    *x = proximal.centre[row];
                    weight = proximal.row(problem, row).1;
                }
                let length = norm(&x);
                let radius = cone.friction_coefficient * sum;
                gain = if length < radius * (1.0 - 1e-9) || cone.n_friction == 0 {
                    Gain { mode: Mode::Stick, alpha: weight, ..Gain::default() }
                } else if self.gain[c].mode == Mode::Slip {
                    // On the ball already: the evaluated slip gain knows how far outside z lies.
                    self.gain[c]
                } else {
                    let direction = if length > 0.0 { x.map(|x| x / length) } else { [0.0; 3] };
                    Gain {
                        mode: Mode::Slip,
                        alpha: weight,
                        beta: weight,
                        coupling: cone.friction_coefficient,
                        direction,
                    }
                };
            }
            self.gain[c] = gain;
        }
    }

    /// Moves impulses into the cones: normals to ≥ 0, friction onto the ball they allow.
    pub fn project(problem: &ContactProblem, x: &mut [f64]) {
        for cone in &problem.cones {
            let mut sum = 0.0;
            for x in &mut x[cone.normal()] {
                *x = x.max(0.0);
                sum += *x;
            }
            let friction = &mut x[cone.friction()];
            let length = friction.iter().map(|x| x * x).sum::<f64>().sqrt();
            let radius = cone.friction_coefficient * sum;
            if length > radius {
                friction.iter_mut().for_each(|x| *x *= radius / length);
            }
        }
    }

    /// Applies G (with the coupling when `exact`) to rows of one contact: out = G y.
    pub fn apply_gain(&self, problem: &ContactProblem, c: usize, exact: bool, y: &[f64], out: &mut [f64]) {
        let (cone, gain) = (&problem.cones[c], &self.gain[c]);
        if exact && cone.n_shift() > 0 {
            return self.apply_shifted_gain::<1>(problem, cone, gain, y, out);
        }
        let mut sum = 0.0;
        for (i, row) in cone.normal().enumerate() {
            out[i] = self.normal_gain[row] * y[i];
            sum += out[i];
        }
        let (y_t, out_t) = (&y[cone.n_normal..cone.n_law_rows()], &mut out[cone.n_normal..cone.n_law_rows()]);
        let along: f64 = y_t.iter().zip(&gain.direction).map(|(y, d)| y * d).sum();
        let push = if exact { gain.coupling * sum } else { 0.0 } - gain.beta * along;
        for ((o, y), d) in out_t.iter_mut().zip(y_t).zip(&gain.direction) {
            *o = gain.alpha * y + push * d;
        }
    }
}

fn norm(z: &[f64; 3]) -> f64 {
    (z[0] * z[0] + z[1] * z[1] + z[2] * z[2]).sqrt()
}

/// Natural map of the contact law at (x, y) with r per row, absolute (N s):
/// (max |min(x_n, r (y_n + R x_n))|, max |x_t − Proj(x_t − r (y_t + R x_t))|).
pub fn natural_map(problem: &ContactProblem, weight: &[f64], x: &[f64], y: &[f64]) -> (f64, f64) {
    let (mut normal, mut friction) = (0.0_f64, 0.0_f64);
    let slack = |row: usize| y[row] + problem.compliance.get(row).copied().unwrap_or(0.0) * x[row];
    for cone in &problem.cones {
        let mut sum = 0.0;
        for row in cone.normal() {
            let map = x[row].min(weight[row] * slack(row));
            normal = worse(normal, map.abs());
            sum += x[row].max(0.0);
        }
        let mut z = [0.0; 3];
        for (z, row) in z.iter_mut().zip(cone.friction()) {
            *z = x[row] - weight[row] * slack(row);
        }
        let (length, radius) = (norm(&z), cone.friction_coefficient * sum);
        let shrink = if length > radius { radius / length } else { 1.0 };
        let distance: f64 =
            z.iter().zip(cone.friction()).map(|(z, row)| (x[row] - z * shrink).powi(2)).sum::<f64>();
        friction = worse(friction, distance.sqrt());
    }
    (normal, friction)
}

/// The larger of two, NaN wins.
pub fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}
