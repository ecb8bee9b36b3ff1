//! One contact with everything else fixed: y = W x + y₀ of a few rows, solved exactly.
//!
//! With one normal row the solution is open (y₀_n ≥ 0), stick (W x = −y₀ inside the cone), or slip: friction
//! opposes y_t = λ (−x_t) with λ ≥ 0, so that with the normal row eliminated
//! x_t(λ) = −(S + λ I)⁻¹ s,   x_n(λ) = −(y₀_n + W_nt x_t)/W_nn,   |x_t(λ)| = μ x_n(λ):
//! one equation in λ, with a sign change between λ = 0 (not stick) and λ = ∞ (x_n > 0): always solvable.

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

/// Bisections and secant steps for λ at most; the bracket halves at least every other step.
const ROOT_STEPS: usize = 120;
/// Sweeps over the rows of a contact with several normals.
const ROW_SWEEPS: usize = 20;

/// Rows of one contact: W (with compliance on its diagonal), y₀, and where the friction rows begin.
#[derive(Debug, Clone, Default)]
pub struct LocalContact {
    /// W.
    pub delassus: DMatrix<f64>,
    /// y₀: slip without this contact's impulses.
    pub offset: DVector<f64>,
    /// Normal rows.
    pub n_normal: usize,
    /// μ.
    pub friction_coefficient: f64,
    /// Lowest and highest impulse of each row of a bounded cone; empty for a contact.
    pub bounds: Vec<[f64; 2]>,
}

impl LocalContact {
    /// Overwrites x with the solution (`x` is also the start where several normal rows need a few sweeps).
    pub fn solve(&self, x: &mut [f64]) {
        if !self.bounds.is_empty() {
            return self.solve_bounded(x);
        }
        if self.n_normal != 1 || x.len() > 4 || self.delassus[(0, 0)] <= 0.0 {
            return self.sweep_rows(x);
        }
        if self.offset[0] >= 0.0 {
            return x.fill(0.0);
        }
        match x.len() {
            1 => x[0] = -self.offset[0] / self.delassus[(0, 0)],
            _ => self.solve_cone(x),
        }
    }

    /// Rows of a joint: equations together, others row by row.
    fn solve_bounded(&self, x: &mut [f64]) {
        if self.bounds.iter().all(|b| *b == [f64::NEG_INFINITY, f64::INFINITY])
            && let Some(solved) = self.delassus.clone().lu().solve(&self.offset)
            && solved.iter().all(|x| x.is_finite())
        {
            x.iter_mut().zip(solved.iter()).for_each(|(x, s)| *x = -s);
            return;
        }
        for _ in 0..ROW_SWEEPS {
            for (row, [low, high]) in self.bounds.iter().enumerate() {
                let w = &self.delassus;
                if w[(row, row)] > 0.0 {
                    let slip =
                        self.offset[row] + x.iter().enumerate().map(|(j, x)| w[(row, j)] * x).sum::<f64>();
                    x[row] = (x[row] - slip / w[(row, row)]).max(*low).min(*high);
                }
            }
        }
    }

    /// One normal and two or three friction rows; two are padded with a decoupled third.
    fn solve_cone(&self, x: &mut [f64]) {
        let n = x.len() - 1;
        let w = &self.delassus;
        let normal = w[(0, 0)];
        let mut schur = Matrix3::identity();
        let (mut s, mut w_nt) = (Vector3::zeros(), Vector3::zeros());
        for i in 0..n {
            for j in 0..n {
                schur[(i, j)] = w[(i + 1, j + 1)] - w[(i + 1, 0)] * w[(0, j + 1)] / normal;
            }
            s[i] = self.offset[i + 1] - w[(i + 1, 0)] * self.offset[0] / normal;
            w_nt[i] = w[(0, i + 1)];
        }
        if n == 2 {
            schur[(2, 2)] = 0.5 * (schur[(0, 0)] + schur[(1, 1)]);
        }
        let mu = self.friction_coefficient;
        let at = |lambda: f64| -> Option<(Vector3<f64>, f64)> {
            let friction = -(schur + Matrix3::identity() * lambda).try_inverse()? * s;
            Some((friction, -(self.offset[0] + w_nt.dot(&friction)) / normal))
        };
        // Positive: friction exceeds what the cone allows. A singular S counts as too much friction.
        let excess = |lambda: f64| match at(lambda) {
            Some((friction, p)) if friction.norm().is_finite() => friction.norm() - mu * p,
            _ => f64::INFINITY,
        };
        let lambda = if excess(0.0) <= 0.0 { 0.0 } else { root(excess, schur.trace().abs().max(normal)) };
        let (friction, p) = at(lambda).unwrap_or((Vector3::zeros(), -self.offset[0] / normal));
        x[0] = p.max(0.0);
        let (length, radius) = (friction.norm(), mu * x[0]);
        let shrink = if length > radius { radius / length } else { 1.0 };
        for i in 0..n {
            x[i + 1] = friction[i] * shrink;
        }
    }

    /// Projected Gauss–Seidel on rows: normals one by one, friction rows together.
    fn sweep_rows(&self, x: &mut [f64]) {
        let w = &self.delassus;
        let n = self.n_normal;
        let slip = |x: &[f64], row: usize| {
            self.offset[row] + x.iter().enumerate().map(|(j, x)| w[(row, j)] * x).sum::<f64>()
        };
        let trace: f64 = (n..x.len()).map(|i| w[(i, i)]).sum();
        for _ in 0..ROW_SWEEPS {
            let mut sum = 0.0;
            for row in 0..n {
                let d = w[(row, row)];
                if d > 0.0 {
                    x[row] = (x[row] - slip(x, row) / d).max(0.0);
                }
                sum += x[row];
            }
            if trace <= 0.0 {
                continue;
            }
            let mut z = [0.0; 3];
            for (z, row) in z.iter_mut().zip(n..x.len()) {
                *z = x[row] - slip(x, row) / trace;
            }
            let length = z.iter().map(|z| z * z).sum::<f64>().sqrt();
            let radius = self.friction_coefficient * sum;
            let shrink = if length > radius { radius / length } else { 1.0 };
            for (z, row) in z.iter().zip(n..x.len()) {
                x[row] = z * shrink;
            }
        }
    }
}

/// Root of a function that is positive at 0 and negative far out: the bracket grows from `scale`, then
/// alternates regula falsi (Illinois) and bisection.
fn root(f: impl Fn(f64) -> f64, scale: f64) -> f64 {
    let (mut low, mut high) = (0.0, scale);
    let (mut f_low, mut f_high) = (f(low), f(high));
    for _ in 0..ROOT_STEPS {
        if f_high <= 0.0 {
            break;
        }
        (low, f_low) = (high, f_high);
        high *= 8.0;
        f_high = f(high);
    }
    for step in 0..ROOT_STEPS {
        let secant = high - f_high * (high - low) / (f_high - f_low);
        let inside = secant > low && secant < high && step % 3 != 2;
        let middle = if inside { secant } else { 0.5 * (low + high) };
        if middle <= low || middle >= high {
            break;
        }
        let value = f(middle);
        if value > 0.0 {
            (low, f_low) = (middle, value);
            f_high *= 0.5;
        } else {
            (high, f_high) = (middle, value);
            f_low *= 0.5;
        }
        if value == 0.0 || high - low <= 1e-15 * high {
            break;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(w: &[f64], offset: &[f64], mu: f64) -> LocalContact {
        let n = offset.len();
        LocalContact {
            delassus: DMatrix::from_row_slice(n, n, w),
            offset: DVector::from_column_slice(offset),
            n_normal: 1,
            friction_coefficient: mu,
            bounds: Vec::new(),
        }
    }

    #[test]
    fn uncoupled_contact_opens_sticks_and_slides() {
        let w = [2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let mut x = [9.0; 3];
        local(&w, &[0.1, 5.0, 0.0], 0.5).solve(&mut x);
        assert_eq!(x, [0.0; 3]);
        local(&w, &[-2.0, 0.3, -0.1], 0.5).solve(&mut x);
        assert!((x[0] - 1.0).abs() + (x[1] + 0.3).abs() + (x[2] - 0.1).abs() < 1e-15);
        local(&w, &[-2.0, 3.0, 4.0], 0.5).solve(&mut x);
        assert!((x[0] - 1.0).abs() + (x[1] + 0.3).abs() + (x[2] + 0.4).abs() < 1e-12);
        local(&w, &[-2.0, 3.0, 4.0], 0.0).solve(&mut x);
        assert!((x[0] - 1.0).abs() + x[1].abs() + x[2].abs() < 1e-12);
    }

    #[test]
    fn coupled_contact_satisfies_the_law() {
        let w = [2.0, 0.5, -0.3, 0.2, 0.5, 1.5, 0.1, -0.2, -0.3, 0.1, 1.0, 0.3, 0.2, -0.2, 0.3, 0.8];
        for (offset, mu) in [([-1.0, 0.7, -2.0, 0.4], 0.6), ([-1.0, 3.0, 1.0, -3.0], 1.4)] {
            let contact = local(&w, &offset, mu);
            let mut x = [0.0; 4];
            contact.solve(&mut x);
            let y = &contact.delassus * DVector::from_column_slice(&x) + &contact.offset;
            let (friction, slip) = (Vector3::new(x[1], x[2], x[3]), Vector3::new(y[1], y[2], y[3]));
            assert!(y[0].abs() < 1e-12, "{y}");
            assert!((friction.norm() - mu * x[0]).abs() < 1e-12);
            assert!((friction.dot(&slip) + friction.norm() * slip.norm()).abs() < 1e-12);
        }
    }
}
