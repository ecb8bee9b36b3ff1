//! A cylinder in a trough of flat facets, against the closed form of the tessellation: five lines, and the
//! angular momentum about the next facet, which an edge keeps.

use nalgebra::Vector2;
use signorini::step::ContactState;
use support::runs::{Run, body, shipped};

const G: f64 = 9.81;
const RADIUS: f64 = 0.1;
const FRICTION: f64 = 0.6;
/// Facets are numbered from −2 to 2 and lean by 24° more each.
const TURN: f64 = 24.0 * std::f64::consts::PI / 180.0;

type V = Vector2<f64>;

/// Distance of the middle of the trough from the line on which the centre moves over a facet (m).
fn apothem() -> f64 {
    (0.5 * TURN).cos() - RADIUS
}

/// Half the length of that line (m).
fn half_line() -> f64 {
    apothem() * (0.5 * TURN).tan()
}

fn along(facet: i32) -> V {
    let angle = TURN * f64::from(facet);
    V::new(angle.cos(), angle.sin())
}

fn gap(facet: i32, at: &V) -> f64 {
    let t = along(facet);
    V::new(-t.y, t.x).dot(at) + apothem()
}

fn place(facet: i32, s: f64) -> V {
    let t = along(facet);
    t * s - V::new(-t.y, t.x) * apothem()
}

/// The cylinder between two steps: centre (m), its velocity and the velocity r ω of its side (m/s).
#[derive(Clone, Copy)]
struct Rolling {
    facet: i32,
    at: V,
    velocity: V,
    side: f64,
    is_slipping: bool,
}

impl Rolling {
    fn new(at: V) -> Self {
        Self { facet: -2, at, velocity: V::zeros(), side: 0.0, is_slipping: false }
    }

    /// A step of the implicit scheme with one facet that carries load: it ends on that facet, and sticks if
    /// friction is enough. With I = m r²/2 an impulse p along the facet changes t·v by p/m and r ω by −2 p/m.
    fn on(&self, facet: i32, h: f64) -> (Self, f64) {
        let t = along(facet);
        let n = V::new(-t.y, t.x);
        let free = self.velocity - V::y() * (h * G);
        let normal = -gap(facet, &self.at) / h - n.dot(&free);
        let sticking = (self.side - t.dot(&free)) / 3.0;
        let is_slipping = sticking.abs() > FRICTION * normal;
        let friction = if is_slipping { (FRICTION * normal).copysign(sticking) } else { sticking };
        let velocity = free + n * normal + t * friction;
        let at = self.at + velocity * h;
        (Self { facet, at, velocity, side: self.side - 2.0 * friction, is_slipping }, normal)
    }

    /// A step: the facet stays unless the cylinder would end in the next one, which then carries the load
    /// alone.
    fn advance(&self, h: f64) -> Self {
        let (stays, _) = self.on(self.facet, h);
        let mut near = [self.facet - 1, self.facet + 1].into_iter().filter(|f| f.abs() <= 2);
        let Some(next) = near.find(|f| gap(*f, &stays.at) < -1e-14) else { return stays };
        let (goes, normal) = self.on(next, h);
        assert!(normal > 0.0 && gap(self.facet, &goes.at) > 0.0, "both facets bear");
        goes
    }
}

/// Place of the cylinder at a time when it starts at rest at s on facet −2: on a facet it gains (2/3) g sin
/// α, at an edge it keeps (1 + 2 cos δ)/3 of its speed.
fn continuous(mut s: f64, mut time: f64) -> V {
    let (mut facet, mut speed) = (-2, 0.0_f64);
    loop {
        let gain = -2.0 / 3.0 * G * along(facet).y;
        // Times at which it moves outwards over one of both ends of the line.
        let ends = [-1.0, 1.0].into_iter().flat_map(|end: f64| {
            let left = end * half_line() - s;
            let times = if gain.abs() < 1e-12 {
                vec![left / speed]
            } else {
                let root = (speed * speed + 2.0 * gain * left).max(0.0).sqrt();
                vec![(root - speed) / gain, (-root - speed) / gain]
            };
            let outwards = move |t: &f64| *t > 1e-9 && end * (speed + gain * t) > 0.0;
            times.into_iter().filter(outwards).map(move |t| (t, end))
        });
        let next = ends.filter(|(t, _)| *t < time).min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((at_end, end)) = next else {
            return place(facet, s + speed * time + 0.5 * gain * time * time);
        };
        speed = (speed + gain * at_end) * (1.0 + 2.0 * TURN.cos()) / 3.0;
        (s, time, facet) = (-end * half_line(), time - at_end, facet + end as i32);
        assert!(facet.abs() <= 2, "it leaves the trough");
    }
}

/// Every step of 1.5 s, over four edges, up the last facet and back over an edge, is that of the scheme's own
/// closed form. At 2 ms it slips once, where it meets an edge near the end of a step.
#[test]
fn a_cylinder_rolls_through_a_trough_as_the_scheme_says() {
    for (step, slips) in [(5e-4, 0), (2e-3, 1)] {
        let mut scene = shipped("seeds/trough.toml");
        scene.time_step = step;
        let mut run = Run::new(scene);
        let cylinder = body(run.scene(), "cylinder");
        let start = run.state().poses[cylinder].position;
        let (mut rolling, mut slipped, mut met) = (Rolling::new(V::new(start.x, start.z)), 0, vec![-2]);
        for k in 1..=run.scene().n_steps() {
            run.advance();
            rolling = rolling.advance(step);
            let (at, velocity) = (run.state().poses[cylinder].position, run.velocity("cylinder"));
            let off = (V::new(at.x, at.z) - rolling.at).norm() + at.y.abs();
            let speed = (V::new(velocity.linear.x, velocity.linear.z) - rolling.velocity).norm();
            let spin = (RADIUS * velocity.angular.y - rolling.side).abs();
            assert!(
                off < 1e-9 && speed < 1e-8 && spin < 1e-8,
                "{step} s, step {k}: {off:e} m, {speed:e} and {spin:e} m/s on facet {}",
                rolling.facet
            );
            let is_slipping = run.contacts().iter().any(|c| c.state == ContactState::Slip);
            assert_eq!(is_slipping, rolling.is_slipping, "{step} s, step {k}");
            slipped += usize::from(is_slipping);
            if met.last() != Some(&rolling.facet) {
                met.push(rolling.facet);
            }
        }
        assert_eq!((slipped, met), (slips, vec![-2, -1, 0, 1, 2, 1]), "{step} s");
    }
}

/// The scheme's closed form is of first order: it is within 4 h (m/s) of the motion in continuous time, up to
/// 3 s and nine edges.
#[test]
fn the_scheme_is_of_first_order_over_edges() {
    let start = shipped("seeds/trough.toml");
    let start = start.bodies[body(&start, "cylinder")].pose.position;
    let start = V::new(start.x, start.z);
    let s = along(-2).dot(&start);
    assert!((place(-2, s) - start).norm() < 1e-12);
    for time in [0.4, 0.8, 1.2, 1.5, 2.0, 3.0] {
        let exact = continuous(s, time);
        for step in [2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4] {
            let steps = (time / step).round() as usize;
            let end = (0..steps).fold(Rolling::new(start), |rolling, _| rolling.advance(step));
            let off = (end.at - exact).norm();
            assert!(off < 4.0 * step, "after {time} s at {step} s: {off:e} m");
        }
    }
}
