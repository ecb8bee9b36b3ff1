//! Arches beside limit analysis: the loads, tilts and spreads of supports at which they fall, by the line of
//! thrust between rigid stones (J. Heyman, The masonry arch, 1982).

use crate::limits::{WIDTH, check, search, varied};
use nalgebra::{Matrix4, Rotation2, SVector, Vector2, Vector4};
use signorini_runs::limit::{Criterion, Sign};
use std::f64::consts::PI;
use std::fs;
use std::path::Path;

type Point = Vector2<f64>;

/// Weight of a unit of area of an arch (N/m²): density, gravity, depth.
const WEIGHT: f64 = 2000.0 * 9.81 * 0.3;

/// A semicircular arch of middle radius 1 m, in its plane x, z; joints from −x to x.
struct Ring {
    stones: usize,
    thickness: f64,
}

/// Area and centroid of a stone.
#[derive(Clone, Copy)]
struct Stone {
    area: f64,
    center: Point,
}

impl Ring {
    /// Outward direction of a joint.
    fn joint(&self, k: usize) -> Point {
        let angle = PI * (k as f64 / self.stones as f64 - 0.5);
        Point::new(angle.sin(), angle.cos())
    }

    /// Inner and outer end of a joint.
    fn ends(&self, k: usize) -> [Point; 2] {
        [-0.5, 0.5].map(|part| (1.0 + part * self.thickness) * self.joint(k))
    }

    fn stone(&self, k: usize) -> Stone {
        let ([a, b], [d, c]) = (self.ends(k), self.ends(k + 1));
        let corners = [a, b, c, d];
        let (mut area, mut moment) = (0.0, Point::zeros());
        for (i, p) in corners.iter().enumerate() {
            let q = corners[(i + 1) % 4];
            area += 0.5 * p.perp(&q);
            moment += (p + q) * (p.perp(&q) / 6.0);
        }
        Stone { area: area.abs(), center: moment / area }
    }

    /// Largest factor of a load of which a line of thrust stays within all joints: force on each stone at its
    /// centroid (areas), besides the weights. Unknown are the force and the moment at the first joint and
    /// the factor; of the four-dimensional polytope the best corner is taken.
    fn largest_factor(&self, load: impl Fn(usize) -> Point) -> f64 {
        let mut rows: Vec<SVector<f64, 5>> = Vec::new();
        let middle = |k: usize| self.joint(k);
        for k in 0..=self.stones {
            // Force and moment about the middle of the joint, as forms in (H, V, M, factor, 1).
            let arm = middle(0) - middle(k);
            let mut force = [SVector::<f64, 5>::ith(0, 1.0), SVector::<f64, 5>::ith(1, 1.0)];
            let mut moment = SVector::from([arm.y, -arm.x, 1.0, 0.0, 0.0]);
            for j in 0..k {
                let Stone { area, center } = self.stone(j);
                let (arm, load) = (center - middle(k), load(j));
                force[0][3] += load.x;
                force[1] += SVector::from([0.0, 0.0, 0.0, load.y, -area]);
                moment += SVector::from([0.0, 0.0, 0.0, arm.y * load.x - arm.x * load.y, arm.x * area]);
            }
            let normal = force[0] * self.joint(k).y - force[1] * self.joint(k).x;
            rows.extend([1.0, -1.0].map(|sign| sign * moment - normal * (0.5 * self.thickness)));
        }
        let n = rows.len();
        let mut best = f64::NEG_INFINITY;
        for a in 0..n {
            for b in a + 1..n {
                for c in b + 1..n {
                    for d in c + 1..n {
                        let active = [a, b, c, d].map(|i| rows[i].fixed_rows::<4>(0).transpose());
                        let right = Vector4::from([a, b, c, d].map(|i| -rows[i][4]));
                        let Some(x) = Matrix4::from_rows(&active).lu().solve(&right) else { continue };
                        let slack = |row: &SVector<f64, 5>| row.fixed_rows::<4>(0).dot(&x) + row[4];
                        if x[3] > best && rows.iter().all(|row| slack(row) < 1e-12) {
                            best = x[3];
                        }
                    }
                }
            }
        }
        best
    }

    /// How far each support of an even number of stones gives way before the arch falls. Hinges open at the
    /// crown, outside, and inside at one joint of each half, between which a half turns; the line of thrust
    /// through them reaches another edge when the arch falls. Asserts that this is at the springing, outside.
    fn largest_spread(&self) -> f64 {
        let crown = self.stones / 2;
        let inside = |points: &[f64]| points.iter().all(|p| (-1e-9..=1.0 + 1e-9).contains(p));
        let hinge = (crown + 1..self.stones).find(|hinge| inside(&self.thrust(*hinge, 0.0)));
        let hinge = hinge.expect("a line of thrust");
        let (mut low, mut high) = (0.0, 0.5);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if inside(&self.thrust(hinge, middle)) { low = middle } else { high = middle }
        }
        let last = self.thrust(hinge, low);
        assert!((last.last().expect("joints") - 1.0).abs() < 1e-6, "{hinge}: {last:?}");
        let others = (1..last.len() - 1).filter(|k| crown + k != hinge);
        assert!(others.map(|k| last[k]).all(|p| (1e-3..1.0 - 1e-3).contains(&p)), "{hinge}: {last:?}");
        low
    }

    /// Where the line of thrust crosses the joints from the crown to the right, 0 inside to 1 outside, when
    /// each support has given way by `spread`.
    fn thrust(&self, hinge: usize, spread: f64) -> Vec<f64> {
        let crown = self.stones / 2;
        let ([foot, _], [_, top]) = (self.ends(hinge), self.ends(crown));
        let away = Point::new(spread, 0.0);
        let new_foot = foot + away;
        // The crown stays above the middle, as far from the hinge as it was.
        let new_top = Point::new(0.0, foot.y + ((top - foot).norm_squared() - new_foot.x.powi(2)).sqrt());
        let turn = Rotation2::rotation_between(&(top - foot), &(new_top - new_foot));
        let moved = |p: Point, is_above: bool| if is_above { new_foot + turn * (p - foot) } else { p + away };
        let stones: Vec<Stone> = (crown..self.stones)
            .map(|k| Stone { center: moved(self.stone(k).center, k < hinge), ..self.stone(k) })
            .collect();
        let above = &stones[..hinge - crown];
        // Moments of the weights and of the thrust about the hinge.
        let weight = |s: &Stone, p: Point| s.area * (p.x - s.center.x);
        let thrust = above.iter().map(|s| weight(s, new_foot)).sum::<f64>() / (new_top.y - new_foot.y);
        let crossing = |k: usize| {
            let [inner, outer] = self.ends(k).map(|p| moved(p, k <= hinge));
            let moment = |p: Point| {
                let weights = stones[..k - crown].iter().map(|s| weight(s, p)).sum::<f64>();
                (new_top.y - p.y) * thrust - weights
            };
            moment(inner) / (moment(inner) - moment(outer))
        };
        (crown..=self.stones).map(crossing).collect()
    }

    /// Scene of the arch, with more in it.
    fn scene(&self, more: &str) -> String {
        format!(
            "format = 1\n[simulation]\ntime_step = 0.005\nduration = 1.0\ngravity = [0, 0, -9.81]\n\
             [solver]\ntolerance = 1e-8\n[[friction]]\ncoefficient = 0.9\nellipsoid = {{ r = 0.08 }}\n\
             [[arch]]\nname = \"arch\"\nradius = 1.0\nthickness = {:?}\ndepth = 0.3\nstones = {}\n\
             density = 2000\n{more}",
            self.thickness, self.stones
        )
    }
}

fn first_step() -> Criterion {
    Criterion { sign: Sign::Acceleration, ..Criterion::default() }
}

const NINE: Ring = Ring { stones: 9, thickness: 0.15 };
const LOAD: &str = "[[force]]\nbody = \"arch-2\"\nfrom = 0.0\nto = 9.0\nforce = [0.0, 0.0, 0.0]\n";

/// Arches of 7 and 27 stones have a line of thrust from the thicknesses of [`crate::limits`] on.
#[test]
fn the_first_step_tells_the_least_thickness() {
    for (stones, theory) in [(7, 0.095703), (27, 0.10672)] {
        let ring = Ring { stones, thickness: theory };
        let thickness = varied(&ring.scene(""), &["arch.arch.thickness"]);
        let found = search([1.1 * theory, 0.95 * theory], first_step(), thickness).middle();
        assert!((found / theory - 1.0).abs() < WIDTH, "{found}, theory {theory}");
    }
}

/// A load at a haunch, by the fall and by the first step.
#[test]
fn an_arch_bears_a_load_to_its_limit() {
    let theory =
        WEIGHT * NINE.largest_factor(|k| if k == 2 { Point::new(0.0, -1.0) } else { Point::zeros() });
    assert!((theory - 1012.17).abs() < 0.01, "{theory}");
    let load = varied(&NINE.scene(LOAD), &["force[0].force[2]=-x"]);
    check(search([0.9 * theory, 1.1 * theory], Criterion::default(), &load), theory);
    check(search([0.9 * theory, 1.1 * theory], first_step(), &load), theory);
}

/// An arch whose ground tilts: all stones are pushed sideways alike, by tan of the tilt of their weights.
#[test]
fn an_arch_bears_a_tilt_to_its_limit() {
    let theory = NINE.largest_factor(|k| Point::new(NINE.stone(k).area, 0.0));
    assert!((theory - 0.14738).abs() < 1e-5, "{theory}");
    let tilt = varied(&NINE.scene(""), &["simulation.gravity[0]=9.81*x"]);
    check(search([0.9 * theory, 1.1 * theory], Criterion::default(), &tilt), theory);
    check(search([0.9 * theory, 1.1 * theory], first_step(), &tilt), theory);
}

/// Both supports give way to rest at x after six seconds; then the arch stands or falls. On its way it is
/// never quite at rest, so that it may fall by some ten-thousandths of x too soon.
#[test]
fn an_arch_bears_a_spread_of_its_supports_to_its_limit() {
    let theory = Ring { stones: 10, thickness: 0.15 }.largest_spread();
    assert!((theory - 0.0546257).abs() < 1e-6, "{theory}");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/gallery/arch-spreads.toml");
    let spread = varied(
        &fs::read_to_string(file).expect("a scene"),
        &["motion[0].position.factor", "motion[1].position.factor"],
    );
    let rest = Criterion { after: Some(6.0), ..Criterion::default() };
    let found = search([0.98 * theory, 1.02 * theory], rest, spread).middle();
    assert!((found / theory - 1.0).abs() < WIDTH, "{found}, theory {theory}");
}
