//! The contact law as a projection x(y) = Proj(x̂ − ρ r y), and its derivative (theory §6.3).

use crate::problem::{Cone, ContactLaw, ContactProblem, STICKS_BELOW};
use crate::solver::law::derivative::{ContactStatus, ProjectionDerivative};
use crate::solver::law::projection::{norm, onto_ball, predict_on_polygon, project};

/// The law at one iterate: x(y) = projection, and its derivative.
#[derive(Debug, Clone, Default)]
pub struct Law {
    /// Impulses per row.
    pub impulse: Vec<f64>,
    /// Per normal row: −∂x_n/∂y_n.
    pub normal_derivative: Vec<f64>,
    /// Per contact.
    pub derivative: Vec<ProjectionDerivative>,
    /// y of the shift rows where the law was evaluated.
    pub slip: Vec<f64>,
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
    /// ρ of equations: they have no statuses that a large ρ could flip.
    pub equation_rho: f64,
}

impl Proximal<'_> {
    /// Impulse and derivative of a row of a bounded cone.
    fn bounded_row(&self, problem: &ContactProblem, row: usize) -> (f64, f64) {
        let [low, high] = problem.bounds[row];
        let is_equation = low == f64::NEG_INFINITY && high == f64::INFINITY;
        let rho = if is_equation { self.equation_rho } else { self.rho };
        Proximal { rho, ..*self }.row(problem, row)
    }

    /// Shift and derivative of a row: x = shift − derivative · y before projection.
    pub fn row(&self, problem: &ContactProblem, row: usize) -> (f64, f64) {
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
        self.normal_derivative.clear();
        self.normal_derivative.resize(n, 0.0);
        self.slip.clear();
        self.slip.resize(n, 0.0);
        self.derivative.clear();
        self.derivative.resize(problem.cones.len(), ProjectionDerivative::default());
    }

    /// Evaluates impulses and derivatives at y.
    pub fn evaluate(&mut self, problem: &ContactProblem, proximal: &Proximal<'_>, y: &[f64]) {
        for (c, cone) in problem.cones.iter().enumerate() {
            if cone.bounded {
                self.derivative[c] = self.clamp(problem, cone, proximal, y);
                continue;
            }
            if problem.law != ContactLaw::Coulomb {
                self.derivative[c] = self.project(problem, cone, proximal, y);
                continue;
            }
            let mut sum = 0.0;
            for row in cone.normal() {
                let (shift, derivative) = proximal.row(problem, row);
                let (z, least) = (shift - derivative * y[row], problem.bounds[row][0]);
                let closed = z > least;
                self.impulse[row] = if closed { z } else { least };
                self.normal_derivative[row] = if closed { derivative } else { 0.0 };
                sum += self.impulse[row];
            }
            if cone.rolls_with.is_some() {
                sum = self.impulse[problem.carrier(cone).normal()].iter().sum();
            }
            if sum == 0.0 {
                self.impulse[cone.friction()].fill(0.0);
                self.impulse[cone.shift()].fill(0.0);
                self.derivative[c] = ProjectionDerivative::default();
                continue;
            }
            self.derivative[c] = self.friction(problem, cone, proximal, y, sum);
            if cone.n_shift() > 0 {
                self.write_shift(problem, cone, y);
            }
        }
    }

    /// Impulses and derivative of a bounded cone.
    fn clamp(
        &mut self,
        problem: &ContactProblem,
        cone: &Cone,
        proximal: &Proximal<'_>,
        y: &[f64],
    ) -> ProjectionDerivative {
        let mut status = ContactStatus::Open;
        for row in cone.normal() {
            let (shift, derivative) = proximal.bounded_row(problem, row);
            let [low, high] = problem.bounds[row];
            let z = shift - derivative * y[row];
            let inside = low < z && z < high;
            self.impulse[row] = z.max(low).min(high);
            self.normal_derivative[row] = if inside { derivative } else { 0.0 };
            if inside {
                status = ContactStatus::Stick;
            }
        }
        ProjectionDerivative { status, ..ProjectionDerivative::default() }
    }

    /// Impulses and derivative of one contact under the other laws, which know no shift rows.
    fn project(
        &mut self,
        problem: &ContactProblem,
        cone: &Cone,
        proximal: &Proximal<'_>,
        y: &[f64],
    ) -> ProjectionDerivative {
        for row in cone.normal() {
            let (shift, derivative) = proximal.row(problem, row);
            self.impulse[row] = shift - derivative * y[row];
            self.normal_derivative[row] = derivative;
        }
        let mut z = [0.0; 3];
        let mut weight = 0.0;
        for (z, row) in z.iter_mut().zip(cone.friction()) {
            let (shift, derivative) = proximal.row(problem, row);
            *z = shift - derivative * y[row];
            weight = derivative;
        }
        let (normal, derivatives) =
            (&mut self.impulse[cone.normal()], &mut self.normal_derivative[cone.normal()]);
        let derivative = project(problem.law, cone, normal, derivatives, &mut z, weight);
        self.impulse[cone.friction()].copy_from_slice(&z[..cone.n_friction]);
        derivative
    }

    fn friction(
        &mut self,
        problem: &ContactProblem,
        cone: &Cone,
        proximal: &Proximal<'_>,
        y: &[f64],
        normal: f64,
    ) -> ProjectionDerivative {
        let radius = cone.friction_coefficient * normal;
        let moved = if cone.n_shift() > 0 { self.slip_shift(problem, cone, y) } else { [0.0; 3] };
        let mut z = [0.0; 3];
        let mut weight = 0.0;
        for ((z, row), moved) in z.iter_mut().zip(cone.friction()).zip(moved) {
            let (shift, derivative) = proximal.row(problem, row);
            *z = shift - derivative * (y[row] + moved);
            weight = derivative;
        }
        let derivative = onto_ball(radius, &mut z, weight, cone.friction_coefficient);
        self.impulse[cone.friction()].copy_from_slice(&z[..cone.n_friction]);
        if normal > 0.0 { derivative } else { ProjectionDerivative::default() }
    }

    /// Derivatives predicted from the statuses of x̂ itself (theory §6.4): raising ρ extrapolates the
    /// lag in z and flips statuses that the solution keeps.
    pub fn predict(&mut self, problem: &ContactProblem, proximal: &Proximal<'_>) {
        if problem.law == ContactLaw::Cone {
            return;
        }
        for (c, cone) in problem.cones.iter().enumerate().filter(|(_, cone)| !cone.bounded) {
            let mut sum = 0.0;
            for row in cone.normal() {
                let closed = proximal.centre[row] > problem.bounds[row][0];
                self.normal_derivative[row] = if closed { proximal.row(problem, row).1 } else { 0.0 };
                sum += proximal.centre[row];
            }
            if cone.rolls_with.is_some() {
                sum = proximal.centre[problem.carrier(cone).normal()].iter().sum();
            }
            let mut derivative = ProjectionDerivative::default();
            if sum > 0.0 {
                let mut x = [0.0; 3];
                let mut weight = 0.0;
                for (x, row) in x.iter_mut().zip(cone.friction()) {
                    *x = proximal.centre[row];
                    weight = proximal.row(problem, row).1;
                }
                let length = norm(&x);
                let radius = cone.friction_coefficient * sum;
                let mu = cone.friction_coefficient;
                derivative = if let ContactLaw::Polygon { directions } = problem.law
                    && cone.n_friction > 0
                {
                    predict_on_polygon(directions, cone.n_friction, radius, &x, weight, mu)
                } else if length < radius * STICKS_BELOW || cone.n_friction == 0 {
                    ProjectionDerivative {
                        status: ContactStatus::Stick,
                        alpha: weight,
                        ..ProjectionDerivative::default()
                    }
                } else if self.derivative[c].status == ContactStatus::Slip {
                    // On the ball already: the evaluated slip derivative knows how far outside z lies.
                    self.derivative[c]
                } else {
                    let direction = if length > 0.0 { x.map(|x| x / length) } else { [0.0; 3] };
                    ProjectionDerivative {
                        status: ContactStatus::Slip,
                        alpha: weight,
                        beta: weight,
                        coupling: cone.friction_coefficient,
                        direction,
                        ..ProjectionDerivative::default()
                    }
                };
            }
            self.derivative[c] = derivative;
        }
    }

    /// Moves impulses into the cones: normals to what they are at least, friction onto the ball they allow.
    pub fn move_into_cones(problem: &ContactProblem, x: &mut [f64]) {
        for cone in &problem.cones {
            if cone.bounded {
                clamp_to_bounds(problem, cone, x);
                continue;
            }
            let mut sum = 0.0;
            for row in cone.normal() {
                x[row] = x[row].max(problem.bounds[row][0]);
                sum += x[row];
            }
            if cone.rolls_with.is_some() {
                sum = x[problem.carrier(cone).normal()].iter().sum();
            }
            let friction = &mut x[cone.friction()];
            let length = friction.iter().map(|x| x * x).sum::<f64>().sqrt();
            let radius = cone.friction_coefficient * sum;
            if length > radius {
                friction.iter_mut().for_each(|x| *x *= radius / length);
            }
        }
    }

    /// Whether a contact has any derivative: those without exert nothing, and what they exert does not
    /// change.
    pub fn is_closed(&self, problem: &ContactProblem, c: usize) -> bool {
        let carrier = problem.carrier(&problem.cones[c]).normal();
        self.derivative[c].alpha > 0.0
            || self.normal_derivative[carrier].iter().any(|derivative| *derivative > 0.0)
    }

    /// Σ g_n y_n of the contact that bounds a cone.
    fn pushing(&self, problem: &ContactProblem, cone: &Cone, y: &[f64]) -> f64 {
        problem.carrier(cone).normal().map(|row| self.normal_derivative[row] * y[row]).sum()
    }

    /// Applies G (with the coupling when `exact`) to rows of one contact: out = G y, both of all rows.
    pub fn apply_derivative(
        &self,
        problem: &ContactProblem,
        c: usize,
        exact: bool,
        y: &[f64],
        out: &mut [f64],
    ) {
        let (cone, derivative) = (&problem.cones[c], &self.derivative[c]);
        let carried = cone.rolls_with.map(|_| self.pushing(problem, cone, y));
        let (y, out) = (&y[cone.row..], &mut out[cone.row..]);
        if exact && cone.n_shift() > 0 && problem.law == ContactLaw::Coulomb {
            return self.apply_shifted_derivative::<1>(problem, cone, derivative, y, out);
        }
        let mut sum = 0.0;
        for (i, row) in cone.normal().enumerate() {
            out[i] = self.normal_derivative[row] * y[i];
            sum += out[i];
        }
        sum = carried.unwrap_or(sum);
        let (y_t, out_t) = (&y[cone.n_normal..cone.n_law_rows()], &mut out[cone.n_normal..cone.n_law_rows()]);
        let along: f64 = y_t.iter().zip(&derivative.direction).map(|(y, d)| y * d).sum();
        let pushing = if exact || derivative.lift.is_some() { sum } else { 0.0 };
        let push = derivative.coupling * pushing - derivative.beta * along;
        for (i, (o, y)) in out_t.iter_mut().zip(y_t).enumerate() {
            *o = derivative.alpha * y + push * derivative.direction[i] + derivative.push[i] * pushing;
        }
        let Some(lift) = derivative.lift else { return };
        let back: f64 = y_t.iter().zip(&derivative.push).map(|(y, c)| y * c).sum();
        for (i, row) in cone.normal().enumerate() {
            out[i] += self.normal_derivative[row] * (back - lift * sum);
        }
    }
}

/// Moves the impulses of a bounded cone into their intervals.
pub fn clamp_to_bounds(problem: &ContactProblem, cone: &Cone, x: &mut [f64]) {
    for row in cone.normal() {
        let [low, high] = problem.bounds[row];
        x[row] = x[row].max(low).min(high);
    }
}
