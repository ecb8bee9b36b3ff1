//! The central path of a problem with Coulomb friction, and Newton directions along it.
//!
//! The law is that of [CBAT (4), (5)] with the slip speed σ as unknown: no shift μ|y_t| appears, and no
//! difference of nearly equal numbers. With R = μ x_n and q = x_t / R,
//! ```text
//!   x_n s = 0 → τ,   s = y_n ≥ 0        R y_t + σ x_t = 0,   σ R (1 − |q|²) = 0 → τ,   σ ≥ 0, |q| < 1
//! ```
//! where → says what the products become on the path. Newton's method eliminates s, σ and x, and leaves the
//! matrix A − K + Jᵀ G Y of the velocities that the other methods have, here with
//! ```text
//!   G_n = x_n / s,   G_t = R P,   P = (1/σ)(I − 2 q qᵀ/(1 + |q|²)),
//!   and friction follows x_n with P (σ μ q (1 + |q|²)/(1 − |q|²) − μ y_t)
//! ```
//! Contacts have one normal row here. Joint equations keep their impulses at the scale ρ.

use crate::problem::{Cone, ContactProblem};
use crate::solver::central_path::{dot, friction_of, length_of, refill};
use crate::solver::iterate::Iterate;
use crate::solver::law::{ContactStatus, Law, ProjectionDerivative};
use crate::solver::parameters::central_path::PATH_EQUATION_RHO;

/// Friction of one contact at an iterate.
#[derive(Debug, Clone, Copy, Default)]
struct Ball {
    coefficient: f64,
    /// R; 0: no friction.
    radius: f64,
    /// q.
    ratio: [f64; 3],
    /// |q|².
    square: f64,
    /// σ.
    speed: f64,
    /// y_t + σ q.
    mismatch: [f64; 3],
    /// How x_t follows x_n.
    follow: [f64; 3],
}

impl Ball {
    fn new(cone: &Cone, x: &[f64], slip: &[f64], speed: f64) -> Self {
        let coefficient = cone.friction_coefficient;
        let radius = coefficient * x[cone.row];
        if cone.bounded || cone.n_friction == 0 || radius <= 0.0 {
            return Self::default();
        }
        let (y, ratio) = (friction_of(cone, slip), friction_of(cone, x).map(|x| x / radius));
        let square = dot(&ratio, &ratio);
        let mismatch = [0, 1, 2].map(|i| y[i] + speed * ratio[i]);
        let mut ball = Self { coefficient, radius, ratio, square, speed, mismatch, follow: [0.0; 3] };
        let pull = speed * coefficient * (1.0 + square) / ball.room();
        ball.follow = ball.flatten([0, 1, 2].map(|i| pull * ratio[i] - coefficient * y[i]));
        ball
    }

    /// 1 − |q|².
    fn room(&self) -> f64 {
        1.0 - self.square
    }

    /// P z.
    fn flatten(&self, z: [f64; 3]) -> [f64; 3] {
        let along = 2.0 * dot(&self.ratio, &z) / (1.0 + self.square);
        [0, 1, 2].map(|i| (z[i] - along * self.ratio[i]) / self.speed)
    }

    /// Change of R (1 − |q|²) in first order.
    fn room_rate(&self, normal: f64, friction: &[f64; 3]) -> f64 {
        self.coefficient * (1.0 + self.square) * normal - 2.0 * dot(&self.ratio, friction)
    }

    /// Second-order terms of a step, which are subtracted from the product σ R (1 − |q|²).
    fn second_order(&self, step: &Step, cone: &Cone, c: usize) -> f64 {
        let (normal, friction) = step.contact(cone);
        let turned = [0, 1, 2].map(|i| friction[i] - self.ratio[i] * self.coefficient * normal);
        step.speed[c] * self.room_rate(normal, &friction) - self.speed * dot(&turned, &turned) / self.radius
    }

    /// How far R² − |x_t|² lets a step go until it has fallen by `fraction`.
    fn reach(&self, normal: f64, friction: &[f64; 3], fraction: f64) -> f64 {
        let grown = self.coefficient * normal;
        // R² − |x_t|² = R² (1 − |q|²) + 2 b t + a t².
        let a = grown * grown - dot(friction, friction);
        let b = self.radius * (grown - dot(&self.ratio, friction));
        let room = fraction * self.radius * self.radius * self.room();
        let root = (b * b - a * room).sqrt();
        let positive = |t: f64| if t > 0.0 { t } else { f64::INFINITY };
        // Without a root (NaN) there is no limit.
        positive(room / (root - b)).min(positive(room / (-root - b)))
    }

    fn derivative(&self) -> ProjectionDerivative {
        if self.radius <= 0.0 {
            return ProjectionDerivative { status: ContactStatus::Stick, ..ProjectionDerivative::default() };
        }
        let alpha = self.radius / self.speed;
        let length = self.square.sqrt();
        ProjectionDerivative {
            status: ContactStatus::Stick,
            alpha,
            beta: alpha * 2.0 * self.square / (1.0 + self.square),
            direction: if length > 0.0 { self.ratio.map(|q| q / length) } else { [0.0; 3] },
            push: self.follow,
            ..ProjectionDerivative::default()
        }
    }
}

/// A direction in all unknowns.
#[derive(Debug, Clone, Default)]
pub struct Step {
    /// Of v.
    pub velocity: Vec<f64>,
    impulse: Vec<f64>,
    y: Vec<f64>,
    /// Of s, per row.
    slack: Vec<f64>,
    /// Of σ, per contact.
    speed: Vec<f64>,
}

impl Step {
    fn contact(&self, cone: &Cone) -> (f64, [f64; 3]) {
        (self.impulse[cone.row], friction_of(cone, &self.impulse))
    }

    fn resize(&mut self, problem: &ContactProblem) {
        let rows = problem.n_rows();
        refill(&mut self.velocity, problem.at.velocity.len());
        refill(&mut self.speed, problem.cones.len());
        [&mut self.impulse, &mut self.y, &mut self.slack].into_iter().for_each(|v| refill(v, rows));
    }
}

/// A point near the path: velocities and impulses, s and σ.
#[derive(Debug, Default)]
pub struct CentralPoint {
    /// v and x.
    pub iterate: Iterate,
    /// s per row; 0: no product.
    slack: Vec<f64>,
    /// σ per contact.
    speed: Vec<f64>,
    balls: Vec<Ball>,
    /// Change of x beside −G dy.
    pub constant: Vec<f64>,
    applied: Vec<f64>,
    /// The direction that would end with all products 0.
    predicted: Step,
    /// The direction to go.
    pub step: Step,
    other: Step,
}

impl CentralPoint {
    /// Sizes the workspace.
    pub fn resize(&mut self, problem: &ContactProblem) {
        let (rows, contacts) = (problem.n_rows(), problem.cones.len());
        [&mut self.slack, &mut self.constant, &mut self.applied].into_iter().for_each(|v| refill(v, rows));
        refill(&mut self.speed, contacts);
        self.balls.clear();
        self.balls.resize(contacts, Ball::default());
        [&mut self.predicted, &mut self.step, &mut self.other].into_iter().for_each(|s| s.resize(problem));
    }

    /// From no impulses: those that stop `speed`, without friction.
    pub fn start(&mut self, problem: &ContactProblem, speed: f64) {
        let x = &mut self.iterate.impulse;
        for (c, cone) in problem.cones.iter().enumerate().filter(|(_, cone)| !cone.bounded) {
            self.speed[c] = speed.max(length_of(&friction_of(cone, &problem.at.slip)));
            if problem.at.weight[cone.row] > 0.0 {
                x[cone.row] = speed * problem.at.weight[cone.row];
                self.slack[cone.row] = problem.at.slip[cone.row].max(speed);
            }
        }
    }

    /// Reads the contacts at the iterate; returns the mean of the products that go to 0.
    pub fn read(&mut self, problem: &ContactProblem) -> f64 {
        let x = &self.iterate.impulse;
        let mut mean = Mean::default();
        for (c, cone) in problem.cones.iter().enumerate() {
            let ball = Ball::new(cone, x, &problem.at.slip, self.speed[c]);
            if self.slack[cone.row] > 0.0 {
                mean.add(x[cone.row] * self.slack[cone.row]);
            }
            if ball.radius > 0.0 {
                mean.add(ball.speed * ball.radius * ball.room());
            }
            self.balls[c] = ball;
        }
        mean.value()
    }

    /// The derivatives, into `law`.
    pub fn write_derivatives(&self, problem: &ContactProblem, law: &mut Law) {
        law.impulse.copy_from_slice(&self.iterate.impulse);
        for (c, cone) in problem.cones.iter().enumerate() {
            for row in cone.normal() {
                law.normal_derivative[row] = if self.slack[row] > 0.0 {
                    self.iterate.impulse[row] / self.slack[row]
                } else if cone.bounded {
                    PATH_EQUATION_RHO * problem.at.weight[row]
                } else {
                    0.0
                };
            }
            law.derivative[c] = self.balls[c].derivative();
        }
    }

    /// `constant` for products that go to `tau`, with the second-order terms of the prediction if
    /// `corrected`.
    pub fn write_constant(&mut self, problem: &ContactProblem, tau: f64, corrected: bool) {
        let Self { slack, balls, constant, predicted, iterate, .. } = self;
        let x = &iterate.impulse;
        for (c, cone) in problem.cones.iter().enumerate() {
            if cone.bounded {
                for row in cone.normal() {
                    constant[row] = -PATH_EQUATION_RHO * problem.at.weight[row] * problem.at.slip[row];
                }
                continue;
            }
            let row = cone.row;
            let second = if corrected { predicted.impulse[row] * predicted.slack[row] } else { 0.0 };
            let normal = if slack[row] > 0.0 {
                (tau - second - x[row] * problem.at.slip[row]) / slack[row]
            } else {
                0.0
            };
            constant[row] = normal;
            let ball = &balls[c];
            if ball.radius <= 0.0 {
                constant[cone.friction()].fill(0.0);
                continue;
            }
            let mut force = ball.mismatch.map(|m| m * ball.radius);
            let mut room = tau - ball.speed * ball.radius * ball.room();
            if corrected {
                let (dn, dt) = predicted.contact(cone);
                let (dy, ds) = (friction_of(cone, &predicted.y), predicted.speed[c]);
                for i in 0..3 {
                    force[i] += ball.coefficient * dn * dy[i] + ds * dt[i];
                }
                room -= ball.second_order(predicted, cone, c);
            }
            for (f, q) in force.iter_mut().zip(ball.ratio) {
                *f += q * room / ball.room();
            }
            let flat = ball.flatten(force);
            for (i, row) in cone.friction().enumerate() {
                constant[row] = ball.follow[i] * normal - flat[i];
            }
        }
    }

    /// The other unknowns of the step, from its velocities and `constant`.
    pub fn complete(&mut self, problem: &ContactProblem, law: &Law, tau: f64, corrected: bool) {
        let Self { slack, balls, constant, applied, predicted, step, .. } = self;
        problem.response(&step.velocity, &mut step.y);
        for (c, cone) in problem.cones.iter().enumerate() {
            let range = cone.row..cone.row + cone.n_rows();
            law.apply_derivative(problem, c, true, &step.y, applied);
            for row in range {
                step.impulse[row] = constant[row] - applied[row];
            }
            let row = cone.row;
            if slack[row] > 0.0 {
                step.slack[row] = step.y[row] + problem.at.slip[row] - slack[row];
            }
            let ball = &balls[c];
            if ball.radius > 0.0 {
                let (normal, friction) = step.contact(cone);
                let room = ball.radius * ball.room();
                let second = if corrected { ball.second_order(predicted, cone, c) } else { 0.0 };
                let target = tau - ball.speed * room - second;
                step.speed[c] = (target - ball.speed * ball.room_rate(normal, &friction)) / room;
            }
        }
    }

    /// How far the step can go until a product reaches 0, or R² − |x_t|² has fallen by `fraction` somewhere.
    pub fn edge(&self, problem: &ContactProblem, fraction: f64) -> f64 {
        let mut edge = f64::INFINITY;
        let mut limit = |value: f64, change: f64| {
            if change < 0.0 {
                edge = edge.min(-value / change);
            }
        };
        for (c, cone) in problem.cones.iter().enumerate() {
            let row = cone.row;
            if self.slack[row] > 0.0 {
                limit(self.iterate.impulse[row], self.step.impulse[row]);
                limit(self.slack[row], self.step.slack[row]);
            }
            if self.balls[c].radius > 0.0 {
                limit(self.speed[c], self.step.speed[c]);
            }
        }
        for (cone, ball) in problem.cones.iter().zip(&self.balls).filter(|(_, ball)| ball.radius > 0.0) {
            let (normal, friction) = self.step.contact(cone);
            edge = edge.min(ball.reach(normal, &friction, fraction));
        }
        edge
    }

    /// The mean of the products after a step of `length`.
    pub fn mean_after(&self, problem: &ContactProblem, length: f64) -> f64 {
        let mut mean = Mean::default();
        let step = &self.step;
        for (c, cone) in problem.cones.iter().enumerate() {
            let row = cone.row;
            if self.slack[row] > 0.0 {
                let x = self.iterate.impulse[row] + length * step.impulse[row];
                mean.add(x * (self.slack[row] + length * step.slack[row]));
            }
            let ball = &self.balls[c];
            if ball.radius > 0.0 {
                let (normal, friction) = step.contact(cone);
                let radius = ball.radius + length * ball.coefficient * normal;
                let x = [0, 1, 2].map(|i| ball.radius * ball.ratio[i] + length * friction[i]);
                mean.add((ball.speed + length * step.speed[c]) * (radius - dot(&x, &x) / radius));
            }
        }
        mean.value()
    }

    /// The step becomes the prediction.
    pub fn keep_prediction(&mut self) {
        std::mem::swap(&mut self.predicted, &mut self.step);
    }

    /// Exchanges the step with the one set aside.
    pub fn exchange_step(&mut self) {
        std::mem::swap(&mut self.other, &mut self.step);
    }

    /// Goes along the step.
    pub fn advance(&mut self, length: f64) {
        let Self { slack, speed, step, iterate, .. } = self;
        let pairs = [
            (&mut iterate.velocity, &step.velocity),
            (&mut iterate.impulse, &step.impulse),
            (slack, &step.slack),
            (speed, &step.speed),
        ];
        for (to, by) in pairs {
            for (to, by) in to.iter_mut().zip(by) {
                *to += length * by;
            }
        }
    }
}

#[derive(Default)]
struct Mean {
    sum: f64,
    count: usize,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    fn value(&self) -> f64 {
        if self.count > 0 { self.sum / self.count as f64 } else { 0.0 }
    }
}
