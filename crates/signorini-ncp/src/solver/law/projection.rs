//! Projection of one contact's impulses on the set of its law, in the metric of the weights, and its
//! derivative.
//!
//! All laws: given z and weights w > 0 per row (one weight w_t for all friction rows), x = argmin Σ (x −
//! z)²/(2 w) over the set. The derivative is kept as −∂x/∂y for z = z₀ − w y.

use crate::problem::{Cone, ContactLaw};
use crate::solver::law::derivative::{ContactStatus, ProjectionDerivative};
use crate::solver::parameters::baselines::{MAX_ROOT_STEPS, NEAR_POLYGON, ON_POLYGON};
use signorini_kernels::friction_ball::factor_onto_ball;

/// Projects: `normal` and `friction` hold z and end as x, `weight` holds w of the normal rows and ends as
/// their derivatives.
pub fn project(
    law: ContactLaw,
    cone: &Cone,
    normal: &mut [f64],
    weight: &mut [f64],
    friction: &mut [f64; 3],
    friction_weight: f64,
) -> ProjectionDerivative {
    if law == ContactLaw::Cone {
        return onto_cone(cone.friction_coefficient, normal, weight, friction, friction_weight);
    }
    let mut sum = 0.0;
    for (x, w) in normal.iter_mut().zip(weight) {
        let closed = *x > 0.0;
        *x = if closed { *x } else { 0.0 };
        *w = if closed { *w } else { 0.0 };
        sum += *x;
    }
    let mu = cone.friction_coefficient;
    let mut derivative = match law {
        ContactLaw::Polygon { directions } => {
            onto_polygon(directions, cone.n_friction, mu * sum, friction, friction_weight, mu)
        }
        _ => onto_ball(mu * sum, friction, friction_weight, mu),
    };
    if sum <= 0.0 {
        derivative = ProjectionDerivative::default();
    } else if cone.n_friction == 0 {
        derivative.status = ContactStatus::Stick;
    }
    derivative
}

/// Projects friction on the ball |x_t| ≤ radius.
pub fn onto_ball(radius: f64, z: &mut [f64; 3], weight: f64, mu: f64) -> ProjectionDerivative {
    let length = norm(z);
    let Some(shrink) = factor_onto_ball(length, radius) else {
        return ProjectionDerivative {
            status: ContactStatus::Stick,
            alpha: weight,
            ..ProjectionDerivative::default()
        };
    };
    let direction = z.map(|z| z / length);
    *z = z.map(|z| z * shrink);
    let alpha = weight * shrink;
    ProjectionDerivative {
        status: ContactStatus::Slip,
        alpha,
        beta: alpha,
        coupling: mu,
        direction,
        ..ProjectionDerivative::default()
    }
}

/// x_t in radius · polygon, or double pyramid. By the symmetry of both about planes through their corners,
/// the projection lies in the sector of z.
fn onto_polygon(
    m: usize,
    n_friction: usize,
    radius: f64,
    z: &mut [f64; 3],
    weight: f64,
    mu: f64,
) -> ProjectionDerivative {
    if radius <= 0.0 {
        *z = [0.0; 3];
        return ProjectionDerivative::default();
    }
    let face = Face::towards(m, n_friction, z);
    let outer = face.outer_normal();
    if dot(z, &outer) <= radius * dot(&face.corners[0], &outer) {
        return ProjectionDerivative {
            status: ContactStatus::Stick,
            alpha: weight,
            ..ProjectionDerivative::default()
        };
    }
    let nearest = face.nearest(z, radius);
    *z = nearest.point;
    nearest.derivative(&outer, weight, mu)
}

/// ProjectionDerivative of friction x that lies in the polygon already: of the corner, edge or face it lies
/// on, or sticking inside.
pub fn predict_on_polygon(
    m: usize,
    n_friction: usize,
    radius: f64,
    x: &[f64; 3],
    weight: f64,
    mu: f64,
) -> ProjectionDerivative {
    let face = Face::towards(m, n_friction, x);
    let outer = face.outer_normal();
    if dot(x, &outer) < radius * dot(&face.corners[0], &outer) * (1.0 - ON_POLYGON) {
        return ProjectionDerivative {
            status: ContactStatus::Stick,
            alpha: weight,
            ..ProjectionDerivative::default()
        };
    }
    face.nearest_part(x, radius).derivative(&outer, weight, mu)
}

/// { x_n ≥ 0, |x_t| ≤ μ Σ x_n } with all rows moving: for the multiplier λ of the cone,
/// x_i = max(0, z_i + w_i μ λ), |x_t| = max(0, |z_t| − w_t λ), and λ = 0 inside.
fn onto_cone(
    mu: f64,
    normal: &mut [f64],
    weight: &mut [f64],
    z: &mut [f64; 3],
    w_t: f64,
) -> ProjectionDerivative {
    let length = norm(z);
    let excess = |lambda: f64, normal: &[f64], weight: &[f64]| {
        let (mut value, mut slope) = (length - w_t * lambda, -w_t);
        for (z, w) in normal.iter().zip(weight) {
            let x = z + w * mu * lambda;
            if x > 0.0 {
                value -= mu * x;
                slope -= mu * mu * w;
            }
        }
        (value, slope)
    };
    let mut lambda = 0.0;
    // The function is concave and falls: after the first step Newton's iterates fall to the root.
    for _ in 0..MAX_ROOT_STEPS {
        let (value, slope) = excess(lambda, normal, weight);
        if slope >= 0.0 || (lambda == 0.0 && value <= 0.0) {
            break;
        }
        let next = lambda - value / slope;
        if next == lambda || (lambda > 0.0 && next > lambda) {
            break;
        }
        lambda = next;
    }
    let (mut sum, mut stiffness) = (0.0, w_t);
    for (x, w) in normal.iter_mut().zip(weight) {
        let moved = *x + *w * mu * lambda;
        *x = moved.max(0.0);
        *w = if moved > 0.0 { *w } else { 0.0 };
        stiffness += mu * mu * *w;
        sum += *x;
    }
    if sum <= 0.0 {
        *z = [0.0; 3];
        return ProjectionDerivative::default();
    }
    if lambda == 0.0 {
        return ProjectionDerivative {
            status: ContactStatus::Stick,
            alpha: w_t,
            ..ProjectionDerivative::default()
        };
    }
    let direction = z.map(|z| z / length);
    let shrink = mu * sum / length;
    *z = z.map(|z| z * shrink);
    let alpha = w_t * shrink;
    ProjectionDerivative {
        status: ContactStatus::Slip,
        alpha,
        beta: alpha - w_t + w_t * w_t / stiffness,
        direction,
        push: direction.map(|d| mu * w_t / stiffness * d),
        lift: Some(mu * mu / stiffness),
        coupling: 0.0,
    }
}

/// A face of the friction polytope: two or three corners.
struct Face {
    corners: [[f64; 3]; 3],
    n: usize,
}

/// Where on a face the nearest point lies.
enum Span {
    Corner,
    Edge([f64; 3]),
    Face,
}

/// The nearest point of a face, and the point nearest to the origin of the flat that it may move on.
struct Nearest {
    point: [f64; 3],
    /// Of the face of radius 1.
    foot: [f64; 3],
    span: Span,
}

impl Nearest {
    /// Derivative of a projection that ends here.
    fn derivative(&self, outer: &[f64; 3], weight: f64, mu: f64) -> ProjectionDerivative {
        let mut derivative = ProjectionDerivative {
            status: ContactStatus::Slip,
            push: self.foot.map(|c| mu * c),
            ..ProjectionDerivative::default()
        };
        match self.span {
            Span::Corner => {}
            Span::Edge(along) => (derivative.beta, derivative.direction) = (-weight, along),
            Span::Face => {
                (derivative.alpha, derivative.beta, derivative.direction) = (weight, weight, *outer)
            }
        }
        derivative
    }
}

impl Face {
    /// The face of the sector that a direction points into.
    fn towards(m: usize, n_friction: usize, z: &[f64; 3]) -> Face {
        let angle = z[1].atan2(z[0]).rem_euclid(std::f64::consts::TAU);
        let k = ((angle * m as f64 / std::f64::consts::TAU) as usize).min(m - 1);
        let [a, b] = [k, k + 1].map(|k| {
            let [c, s] = ContactLaw::corner(m, k);
            [c, s, 0.0]
        });
        if n_friction == 3 {
            let tip = [0.0, 0.0, if z[2] < 0.0 { -1.0 } else { 1.0 }];
            Face { corners: [a, b, tip], n: 3 }
        } else {
            Face { corners: [a, b, b], n: 2 }
        }
    }

    /// The smallest part, corner, edge or face, that a point on the face lies on.
    fn nearest_part(&self, x: &[f64; 3], radius: f64) -> Nearest {
        let near = |p: &Nearest| norm(&minus(x, &p.point)) <= NEAR_POLYGON * ON_POLYGON * radius;
        let corner = |c: &[f64; 3]| Nearest { point: c.map(|c| radius * c), foot: *c, span: Span::Corner };
        let corners = self.corners[..self.n].iter().map(corner);
        let edges = if self.n == 3 { 3 } else { 1 };
        let on_edges =
            (0..edges).map(|k| nearest_on_edge(&self.corners[k], &self.corners[(k + 1) % 3], x, radius));
        corners.chain(on_edges).find(near).unwrap_or_else(|| self.nearest(x, radius))
    }

    fn outer_normal(&self) -> [f64; 3] {
        let [a, b, tip] = self.corners;
        let middle = [0, 1, 2].map(|i| a[i] + b[i]);
        let n = if self.n == 2 { middle } else { cross(&minus(&b, &a), &minus(&tip, &a)) };
        let sign = if dot(&n, &middle) < 0.0 { -1.0 } else { 1.0 };
        let length = norm(&n);
        n.map(|n| sign * n / length)
    }

    fn nearest(&self, z: &[f64; 3], radius: f64) -> Nearest {
        let outer = self.outer_normal();
        if self.n == 3 {
            let off = dot(z, &outer) - radius * dot(&self.corners[0], &outer);
            let inside = [0, 1, 2].map(|i| z[i] - off * outer[i]);
            if self.holds(&inside, radius) {
                let height = dot(&self.corners[0], &outer);
                return Nearest { point: inside, foot: outer.map(|o| height * o), span: Span::Face };
            }
        }
        let edges = if self.n == 3 { 3 } else { 1 };
        let candidates =
            (0..edges).map(|k| nearest_on_edge(&self.corners[k], &self.corners[(k + 1) % 3], z, radius));
        let distance = |p: &Nearest| {
            let d = minus(z, &p.point);
            dot(&d, &d)
        };
        candidates.min_by(|p, q| distance(p).total_cmp(&distance(q))).unwrap_or(Nearest {
            point: [0.0; 3],
            foot: [0.0; 3],
            span: Span::Corner,
        })
    }

    /// Whether a point of the plane of the triangle is in it.
    fn holds(&self, point: &[f64; 3], radius: f64) -> bool {
        let outer = self.outer_normal();
        let corner = |k: usize| self.corners[k % 3].map(|c| radius * c);
        let turn = |k: usize| {
            let edge = minus(&corner(k + 1), &corner(k));
            dot(&cross(&edge, &minus(point, &corner(k))), &outer)
        };
        let turns = [turn(0), turn(1), turn(2)];
        turns.iter().all(|t| *t >= 0.0) || turns.iter().all(|t| *t <= 0.0)
    }
}

fn nearest_on_edge(a: &[f64; 3], b: &[f64; 3], z: &[f64; 3], radius: f64) -> Nearest {
    let edge = minus(b, a);
    let length = norm(&edge);
    let along = edge.map(|e| e / length);
    let start = a.map(|a| radius * a);
    let t = dot(&minus(z, &start), &along);
    let corner = |c: &[f64; 3]| Nearest { point: c.map(|c| radius * c), foot: *c, span: Span::Corner };
    if t <= 0.0 {
        corner(a)
    } else if t >= radius * length {
        corner(b)
    } else {
        let foot = dot(a, &along);
        Nearest {
            point: [0, 1, 2].map(|i| start[i] + t * along[i]),
            foot: [0, 1, 2].map(|i| a[i] - foot * along[i]),
            span: Span::Edge(along),
        }
    }
}

/// Length of a vector.
pub fn norm(z: &[f64; 3]) -> f64 {
    dot(z, z).sqrt()
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn minus(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests;
