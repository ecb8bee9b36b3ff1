//! Shapes as closed surfaces of triangles, to a chordal error.

use super::facets::Facets;
use super::geodesic;
use crate::export::mesh::{on_circle, round};
use nalgebra::Vector3;
use signorini_error::{Error, Result};
use signorini_geometry::mass_properties::volume;
use signorini_geometry::{Polytope, Shape, Surface};
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Chordal error over the radius of a cylinder, or over the longest semi-axis of an ellipsoid, where none is
/// given.
const USUAL_CHORD: f64 = 1e-3;
/// Radius of the circle through the corners of a triangle of the geodesic sphere, times its frequency.
const CIRCLE: f64 = 0.764;
/// Most triangles of a shape.
const MOST_TRIANGLES: f64 = 2e7;
/// Least number of sides of a cylinder.
const FEWEST_SIDES: f64 = 8.0;
/// Steps of Newton's method to the factor of a capsule, from 2.
const MOST_STEPS: usize = 12;

/// Accuracy of round shapes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accuracy {
    /// Largest distance between the triangles and the shape (m). None: 1e-3 of the radius of a cylinder and
    /// of the longest semi-axis of an ellipsoid.
    pub chord: Option<f64>,
    /// Whether corners lie so far outside of the shape that the volume is exact.
    pub keep_volume: bool,
}

/// Way in which a shape is divided: known before its triangles are made, so that they can be counted.
#[derive(Debug, Clone, PartialEq)]
pub enum Plan<'a> {
    /// Geodesic sphere with this frequency, stretched to these semi-axes (m).
    Ellipsoid { semi_axes: Vector3<f64>, frequency: usize },
    /// Circles of latitude with this number of sides, halves moved apart by the half length.
    Capsule { radius: f64, half_length: f64, sides: usize },
    /// Prism with this number of sides.
    Cylinder { radius: f64, half_length: f64, sides: usize },
    /// Faces as fans.
    Polytope(&'a Polytope),
    /// Triangles as they are.
    Surface(&'a Surface),
}

impl<'a> Plan<'a> {
    /// Plans the triangles of a shape; None for a half-space, which is unbounded.
    ///
    /// Every point of the shape's boundary is within the chord c of the triangles, and they of it. Of a
    /// circle of radius r, n sides are off by r (1 − cos(π/n)). A triangle whose corners lie on a unit
    /// sphere is off by e = 1 − √(1 − ρ²), where ρ is the radius of the circle through its corners; an
    /// ellipsoid stretches the distance by its longest semi-axis a at most: a e ≤ c. Where the volume is
    /// kept, the corners move outwards by less than c, and the middles of the triangles too.
    ///
    /// # Errors
    /// When the shape would have more than 2e7 triangles.
    pub fn of(shape: &'a Shape, accuracy: &Accuracy) -> Result<Option<Self>> {
        let error = |length: f64| accuracy.chord.map_or(USUAL_CHORD, |chord| (chord / length).min(0.5));
        Ok(Some(match shape {
            Shape::Ellipsoid { semi_axes } => {
                let e = error(semi_axes.max());
                let least = CIRCLE / (e * (2.0 - e)).sqrt();
                let frequency = 2.0 * (0.5 * least).ceil();
                checked(20.0 * frequency * frequency, accuracy)?;
                Plan::Ellipsoid { semi_axes: *semi_axes, frequency: frequency as usize }
            }
            Shape::Cylinder { radius, half_length } => {
                // 1 − cos x = 2 sin²(x/2), which keeps its digits.
                let half_angle = (0.5 * error(*radius)).sqrt().asin();
                let sides = 4.0 * (0.25 * (0.5 * PI / half_angle).max(FEWEST_SIDES)).ceil();
                checked(4.0 * sides, accuracy)?;
                Plan::Cylinder { radius: *radius, half_length: *half_length, sides: sides as usize }
            }
            Shape::Capsule { radius, half_length } => {
                // The circle about a triangle of a square field of the ball has √2 times the width of a side.
                let e = error(*radius);
                let half_angle = (e * (2.0 - e)).sqrt() * FRAC_1_SQRT_2;
                let sides = 4.0 * (0.25 * (PI / half_angle).max(FEWEST_SIDES)).ceil();
                checked(sides * sides, accuracy)?;
                Plan::Capsule { radius: *radius, half_length: *half_length, sides: sides as usize }
            }
            Shape::Polytope(polytope) => Plan::Polytope(polytope),
            Shape::HalfSpace { .. } | Shape::Bore { .. } => return Ok(None),
        }))
    }

    /// Numbers of corners and triangles.
    pub fn counts(&self) -> [usize; 2] {
        match self {
            Plan::Ellipsoid { frequency: f, .. } => [10 * f * f + 2, 20 * f * f],
            Plan::Cylinder { sides, .. } => [2 * sides + 2, 4 * sides],
            Plan::Capsule { sides: n, .. } => [n * n / 2 + 2, n * n],
            Plan::Polytope(p) => [p.vertices.len(), p.faces.iter().map(|f| f.vertices.len() - 2).sum()],
            Plan::Surface(surface) => [surface.points.len(), surface.triangles.len()],
        }
    }

    /// Makes the triangles in the frame of the shape, of a surface in that of its body.
    pub fn make(&self, keep_volume: bool) -> Facets {
        match self {
            Plan::Ellipsoid { semi_axes, frequency } => {
                let mut ball = geodesic::sphere(*frequency);
                let whole = 4.0 / 3.0 * PI;
                let factor = if keep_volume { (whole / ball.volume()).cbrt() } else { 1.0 };
                let axes = semi_axes * factor;
                ball.points.iter_mut().for_each(|p| p.component_mul_assign(&axes));
                ball
            }
            Plan::Cylinder { radius, half_length, sides } => {
                let angle = 2.0 * PI / *sides as f64;
                let factor = if keep_volume { (angle / angle.sin()).sqrt() } else { 1.0 };
                cylinder(radius * factor, *half_length, *sides)
            }
            Plan::Capsule { radius, half_length, sides } => {
                let factor = if keep_volume { capsule_factor(*radius, *half_length, *sides) } else { 1.0 };
                rounded(radius * factor, *half_length, *sides)
            }
            Plan::Polytope(p) => {
                let triangles = p.faces.iter().flat_map(|f| fan(&f.vertices)).collect();
                Facets { points: p.vertices.clone(), triangles }
            }
            Plan::Surface(surface) => {
                Facets { points: surface.points.clone(), triangles: surface.triangles.clone() }
            }
        }
    }
}

/// Triangles of a convex polygon.
fn fan(f: &[usize]) -> Vec<[usize; 3]> {
    (2..f.len()).map(|k| [f[0], f[k - 1], f[k]]).collect()
}

/// Makes a ball with its halves moved apart by a half length.
fn rounded(radius: f64, half_length: f64, sides: usize) -> Facets {
    let mesh = round(&Vector3::repeat(radius), half_length, sides);
    Facets { triangles: mesh.faces.iter().flat_map(|f| fan(f)).collect(), points: mesh.points }
}

/// Factor of the radius with which the triangles of a capsule have its volume. Theirs is b f³ + c f², with b
/// that of the ball and c that of the prism between its halves: Newton's method from above, where it falls.
fn capsule_factor(radius: f64, half_length: f64, sides: usize) -> f64 {
    let b = rounded(radius, 0.0, sides).volume();
    let c = rounded(radius, half_length, sides).volume() - b;
    let whole = volume(&Shape::Capsule { radius, half_length }).unwrap_or(b + c);
    let mut f = 2.0;
    for _ in 0..MOST_STEPS {
        f -= (b * f * f * f + c * f * f - whole) / (3.0 * b * f * f + 2.0 * c * f);
    }
    f
}

fn checked(triangles: f64, accuracy: &Accuracy) -> Result<()> {
    if triangles <= MOST_TRIANGLES {
        return Ok(());
    }
    Err(Error::Usage {
        what: format!("chord = {}", accuracy.chord.unwrap_or(USUAL_CHORD)),
        allowed: format!("a shape would have {triangles:.1e} triangles, at most are {MOST_TRIANGLES:.0e}"),
    })
}

/// Makes a prism: rims below and above, and the middles of the two ends.
fn cylinder(radius: f64, half_length: f64, sides: usize) -> Facets {
    let rim = |height: f64| {
        (0..sides).map(move |k| {
            let (x, y) = on_circle(k, sides);
            Vector3::new(radius * x, radius * y, height)
        })
    };
    let mut points: Vec<_> = rim(-half_length).chain(rim(half_length)).collect();
    let (below, above) = (points.len(), points.len() + 1);
    points.extend([-half_length, half_length].map(|z| Vector3::new(0.0, 0.0, z)));
    let of_side = |k: usize| {
        let next = (k + 1) % sides;
        [
            [k, next, sides + next],
            [k, sides + next, sides + k],
            [below, next, k],
            [above, sides + k, sides + next],
        ]
    };
    Facets { points, triangles: (0..sides).flat_map(of_side).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// Largest distance of points of the triangles from the boundary of an ellipsoid or a cylinder's side.
    fn farthest(facets: &Facets, off: impl Fn(&Vector3<f64>) -> f64) -> f64 {
        let of_triangle = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|k| facets.points[k]);
            let n = 6;
            let place =
                |i: usize, j: usize| (a * (n - i - j) as f64 + b * i as f64 + c * j as f64) / n as f64;
            (0..=n)
                .flat_map(|i| (0..=n - i).map(move |j| (i, j)))
                .map(|(i, j)| off(&place(i, j)).abs())
                .fold(0.0, f64::max)
        };
        facets.triangles.iter().map(of_triangle).fold(0.0, f64::max)
    }

    fn made(shape: &Shape, chord: f64, keep_volume: bool) -> Facets {
        let accuracy = Accuracy { chord: Some(chord), keep_volume };
        let plan = Plan::of(shape, &accuracy).unwrap().unwrap();
        let facets = plan.make(keep_volume);
        assert_eq!(plan.counts(), [facets.points.len(), facets.triangles.len()]);
        assert!(facets.is_closed());
        facets
    }

    #[test]
    fn round_shapes_are_as_near_as_asked_for() {
        let (r, l) = (0.3, 0.1);
        let ball = Shape::Ellipsoid { semi_axes: Vector3::repeat(r) };
        let can = Shape::Cylinder { radius: r, half_length: l };
        let rod = Shape::Capsule { radius: r, half_length: l };
        for chord in [0.1, 1e-2, 1e-3] {
            for keep_volume in [false, true] {
                let facets = made(&ball, chord, keep_volume);
                let worst = farthest(&facets, |p| p.norm() - r);
                assert!(worst <= chord && (worst > 0.2 * chord || chord > 0.05), "ball {chord}: {worst}");
                let facets = made(&rod, chord, keep_volume);
                let worst = farthest(&facets, |p| (p - Vector3::z() * p.z.clamp(-l, l)).norm() - r);
                assert!(worst <= chord && (worst > 0.2 * chord || chord > 0.05), "rod {chord}: {worst}");
                let facets = made(&can, chord, keep_volume);
                // The middles of the ends lie in their planes.
                let worst =
                    farthest(&facets, |p| if p.z.abs() < 0.999 * l { p.xy().norm() - r } else { 0.0 });
                assert!(worst <= chord && (worst > 0.2 * chord || chord > 0.05), "can {chord}: {worst}");
            }
        }
    }

    #[test]
    fn volumes_converge_and_are_kept() {
        let a = Vector3::new(0.3, 0.2, 0.1);
        let whole = 4.0 / 3.0 * PI * a.product();
        let can = PI * 0.09 * 0.2;
        let shapes = [
            (Shape::Ellipsoid { semi_axes: a }, whole),
            (Shape::Cylinder { radius: 0.3, half_length: 0.1 }, can),
            (Shape::Capsule { radius: 0.3, half_length: 0.1 }, can + 4.0 / 3.0 * PI * 0.027),
        ];
        for (shape, exact) in &shapes {
            // The error of the volume falls with the chord.
            let off = |chord: f64| 1.0 - made(shape, chord, false).volume() / exact;
            let [coarse, fine] = [1e-3, 1e-5].map(off);
            assert!(fine > 0.0 && (80.0..125.0).contains(&(coarse / fine)), "{coarse} {fine}");
            for chord in [1e-2, 1e-4] {
                let kept = made(shape, chord, true).volume() / exact - 1.0;
                assert!(kept.abs() < 1e-12, "{kept}");
            }
        }
        let off = 1.0 - made(&shapes[1].0, 2e-7, false).volume() / can;
        assert!(off.abs() < 1e-6, "{off}");
        let half = Vector3::new(0.3, 0.2, 0.1);
        let brick = made(&Shape::Polytope(Arc::new(Polytope::box_(half))), 1.0, false);
        assert!((brick.volume() / (8.0 * half.product()) - 1.0).abs() < 1e-15);
        assert_eq!(brick.triangles.len(), 12);
    }

    #[test]
    fn a_chord_that_asks_for_too_much_is_refused() {
        let ball = Shape::Ellipsoid { semi_axes: Vector3::repeat(1.0) };
        let accuracy = Accuracy { chord: Some(1e-9), keep_volume: false };
        let refused = Plan::of(&ball, &accuracy).unwrap_err().to_string();
        assert!(refused.contains("chord = 0.000000001") && refused.contains("2e7"), "{refused}");
    }
}
