//! Without friction all models have the same limit, which they approach with first order; the midpoint rule
//! with second where no contact comes or goes.

use super::{run, scene, under};
use signorini_scene::scene::{Scene, State};
use signorini_scene::settings::Formulation::{Compliant, Cone, Implicit, StewartTrinkle};
use signorini_scene::settings::ThetaScheme;

const G: f64 = 9.81;

/// A scene for every step and where its bodies are at the end.
struct Case {
    name: &'static str,
    duration: f64,
    /// All of the scene but its head.
    bodies: String,
    gravity: f64,
    /// (body, position) at the end (m).
    exact: Vec<(usize, [f64; 3])>,
}

/// Numbers of steps: multiples of three by odd numbers, so that an impact comes at the same part of a step.
const STEPS: [usize; 4] = [81, 243, 729, 6561];

/// Classical Runge–Kutta; stops where `ends` says so, to rounding, and returns what it had and when.
fn integrate<const N: usize>(
    mut y: [f64; N],
    time: f64,
    slope: impl Fn(f64, &[f64; N]) -> [f64; N],
    ends: impl Fn(&[f64; N]) -> bool,
) -> ([f64; N], f64) {
    let step = |t: f64, y: &[f64; N], h: f64| {
        let along = |k: &[f64; N], part: f64| std::array::from_fn(|i| y[i] + part * k[i]);
        let k1 = slope(t, y);
        let k2 = slope(t + 0.5 * h, &along(&k1, 0.5 * h));
        let k3 = slope(t + 0.5 * h, &along(&k2, 0.5 * h));
        let k4 = slope(t + h, &along(&k3, h));
        std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
    };
    let (n, mut t) = (4000, 0.0);
    let mut h = time / n as f64;
    while t < time - 1e-15 {
        let next = step(t, &y, h.min(time - t));
        if ends(&next) {
            if h < 1e-14 {
                break;
            }
            h *= 0.5;
        } else {
            (y, t) = (next, t + h.min(time - t));
        }
    }
    (y, t)
}

/// The fixed ball and one on it, of the default material.
const HILL: f64 = 0.1;
const BALL: f64 = 0.02;
const APART: f64 = HILL + BALL;

fn hill(position: [f64; 2], velocity: [f64; 2]) -> String {
    format!(
        "[[body]]\nname = \"hill\"\nfixed = true\nshape = {{ type = \"sphere\", radius = {HILL} }}\n\
         [[body]]\nname = \"ball\"\nmass = 1\nposition = [{:?}, 0, {:?}]\nvelocity = [{:?}, 0, {:?}]\n\
         shape = {{ type = \"sphere\", radius = {BALL} }}\n",
        position[0], position[1], velocity[0], velocity[1]
    )
}

/// θ from the top and its rate on the hill, θ'' = (g/R) sin θ, and in flight where it has no weight on it any
/// more.
fn down_the_hill(theta: f64, rate: f64, time: f64) -> [f64; 3] {
    let slope = |_: f64, y: &[f64; 2]| [y[1], G / APART * y[0].sin()];
    let leaves = |y: &[f64; 2]| G * y[0].cos() < APART * y[1] * y[1];
    let ([theta, rate], left) = integrate([theta, rate], time, slope, leaves);
    let (s, c, t) = (theta.sin(), theta.cos(), time - left);
    let speed = APART * rate;
    [APART * s + speed * c * t, 0.0, APART * c - speed * s * t - 0.5 * G * t * t]
}

fn slides_off(name: &'static str, angle: f64, rate: f64, duration: f64) -> Case {
    let (s, c) = angle.sin_cos();
    let bodies = hill([APART * s, APART * c], [APART * rate * c, -APART * rate * s]);
    let exact = vec![(1, down_the_hill(angle, rate, duration))];
    Case { name, duration, bodies, gravity: G, exact }
}

/// Comes down beside the top of the hill and slides on with the tangential part of its velocity.
fn lands_on_the_flank() -> Case {
    let (angle, duration): (f64, f64) = (0.4, 0.05);
    let fall = duration / 3.0;
    let start = [APART * angle.sin(), APART * angle.cos() + 0.5 * G * fall * fall];
    let rate = G * fall * angle.sin() / APART;
    let exact = vec![(1, down_the_hill(angle, rate, 2.0 * fall))];
    Case { name: "lands on a flank", duration, bodies: hill(start, [0.0; 2]), gravity: G, exact }
}

/// Falls on a slope, slides down, and is pushed across it for a while.
fn lands_on_a_slope() -> Case {
    let (slope, duration, radius, push): (f64, f64, f64, f64) = (0.5, 0.05, 0.05, 3.0);
    let (s, c) = (slope.sin(), slope.cos());
    let fall = duration / 3.0;
    let above = radius + 0.5 * G * c * fall * fall;
    let along = 0.5 * G * s * duration * duration;
    // Pushed for a third of the time, then as fast as it was.
    let across = push * fall * fall * 1.5;
    let exact = vec![(1, [radius * s + along * c, across, radius * c - along * s])];
    let bodies = format!(
        "[[body]]\nname = \"slope\"\nshape = {{ type = \"half_space\", normal = [{s:?}, 0, {c:?}], offset = 0 }}\n\
         [[body]]\nname = \"ball\"\nmass = 1\nposition = [{:?}, 0, {:?}]\nshape = {{ type = \"sphere\", radius = {radius} }}\n\
         [[force]]\nbody = \"ball\"\nfrom = {:?}\nto = {:?}\nforce = [0, {push}, 0]\n",
        above * s,
        above * c,
        fall * (1.0 - 1e-9),
        2.0 * fall * (1.0 - 1e-9)
    );
    Case { name: "lands on a slope", duration, bodies, gravity: G, exact }
}

/// Two balls that meet off centre, without gravity, and part again: the normal parts of their velocities
/// become equal.
fn collide() -> Case {
    let (duration, speed, offset): (f64, f64, f64) = (0.1, 0.5, 0.06);
    let along = (0.1_f64.powi(2) - offset * offset).sqrt();
    let masses = [1.0, 2.0];
    let start = [[0.0, 0.0, 0.0], [along + 0.5 * duration * speed, 0.0, offset]];
    let normal = [along / 0.1, 0.0, offset / 0.1];
    // The second comes with −speed along x: p = m₁ m₂/(m₁ + m₂) of the approach.
    let impulse = masses[0] * masses[1] / (masses[0] + masses[1]) * speed * normal[0];
    let exact = (0..2)
        .map(|i| {
            let sign = if i == 0 { -1.0 } else { 1.0 };
            let x = std::array::from_fn(|k| {
                let before = if (i, k) == (1, 0) { -speed } else { 0.0 };
                let after = before + sign * impulse / masses[i] * normal[k];
                start[i][k] + 0.5 * duration * (before + after)
            });
            (i, x)
        })
        .collect();
    let body = |i: usize| {
        format!(
            "[[body]]\nname = \"{i}\"\nmass = {:?}\nposition = {:?}\nvelocity = [{:?}, 0, 0]\n\
             shape = {{ type = \"sphere\", radius = 0.05 }}\n",
            masses[i],
            start[i],
            -speed * i as f64
        )
    };
    Case { name: "collide", duration, bodies: body(0) + &body(1), gravity: 0.0, exact }
}

/// An ellipsoid let go on a plane at an angle: it rocks and slides so that its centre stays above one line.
fn rocks() -> Case {
    let (angle, duration, a, c): (f64, f64, f64, f64) = (0.6, 0.05, 0.06, 0.03);
    // Height of the centre over θ, with its derivatives, and ½ m H'² θ'² + ½ I θ'² + m g H = const.
    let height = |t: f64| ((a * t.sin()).powi(2) + (c * t.cos()).powi(2)).sqrt();
    let inertia = (a * a + c * c) / 5.0;
    let slope = |_: f64, y: &[f64; 2]| {
        let (s2, c2) = ((2.0 * y[0]).sin(), (2.0 * y[0]).cos());
        let (h, d) = (height(y[0]), 0.5 * (a * a - c * c));
        let first = d * s2 / h;
        let second = (2.0 * d * c2 - first * first) / h;
        [y[1], -first * (G + second * y[1] * y[1]) / (inertia + first * first)]
    };
    let ([end, _], _) = integrate([angle, 0.0], duration, slope, |_| false);
    let bodies = format!(
        "[[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
         [[body]]\nname = \"egg\"\nmass = 1\nposition = [0, 0, {:?}]\nvelocity = [0.2, 0, 0]\n\
         orientation = [{:?}, 0, {:?}, 0]\nshape = {{ type = \"ellipsoid\", semi_axes = [{a}, 0.05, {c}] }}\n",
        height(angle),
        (0.5 * angle).cos(),
        (0.5 * angle).sin()
    );
    let exact = vec![(1, [0.2 * duration, 0.0, height(end)])];
    Case { name: "rocks", duration, bodies, gravity: G, exact }
}

impl Case {
    fn scene(&self, n_steps: usize) -> Scene {
        let mut found = scene(&format!(
            "format = 1\n[simulation]\ntime_step = {:?}\nduration = {:?}\ngravity = [0, 0, {:?}]\n{}",
            self.duration / n_steps as f64,
            self.duration,
            -self.gravity,
            self.bodies
        ));
        // Gaps are rounded at 1e-18 m: p_ref = m g h is that small in the end.
        found.solver.tolerance = 1e-7;
        // Else an impact leaves the compliant bodies a part β²/(4π²) of their approach at any step.
        found.solver.compliant.near_rigid = 1e-3;
        found
    }

    fn positions(&self, state: &State) -> Vec<f64> {
        self.exact
            .iter()
            .flat_map(|(i, _)| state.poses[*i].position.iter().copied().collect::<Vec<_>>())
            .collect()
    }
}

fn farthest(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// All four models, at all steps: each of first order, all at one place in the end.
fn assert_same_limit(case: &Case) {
    let exact: Vec<f64> = case.exact.iter().flat_map(|(_, x)| *x).collect();
    let mut last: Vec<Vec<f64>> = Vec::new();
    for model in [Implicit, StewartTrinkle, Cone, Compliant] {
        let found: Vec<Vec<f64>> = STEPS
            .iter()
            .map(|n| case.positions(run(under(&case.scene(*n), model), |_| {}).state()))
            .collect();
        let errors: Vec<f64> = found.iter().map(|x| farthest(x, &exact)).collect();
        let slopes: Vec<f64> = (1..errors.len())
            .map(|k| {
                let refined = STEPS[k] as f64 / STEPS[k - 1] as f64;
                (errors[k - 1] / errors[k]).ln() / refined.ln()
            })
            .collect();
        assert!(
            slopes.iter().all(|s| (s - 1.0).abs() < 0.1),
            "{} {model:?}: {errors:?} {slopes:?}",
            case.name
        );
        assert!(errors[3] < 1e-6, "{} {model:?}: {errors:?}", case.name);
        last.push(found[3].clone());
    }
    for (a, b) in last.iter().zip(&last[1..]) {
        assert!(farthest(a, b) < 1e-6, "{}: {last:?}", case.name);
    }
}

#[test]
fn frictionless_models_share_their_limit_with_first_order() {
    for case in [
        slides_off("slides off", 0.3, 0.0, 0.06),
        slides_off("leaves", 0.3, 8.4, 0.03),
        lands_on_the_flank(),
        lands_on_a_slope(),
        collide(),
        rocks(),
    ] {
        assert_same_limit(&case);
    }
}

/// A body on a frictionless slope, on a spring from a post beside and above: the load of the contact changes
/// all the time.
fn on_a_spring(shape: &str, scheme: &str, n_steps: usize) -> Scene {
    let (s, c) = TILT.sin_cos();
    let at = |x: f64, y: f64, z: f64| [x * c + z * s, y, z * c - x * s];
    scene(&format!(
        "format = 1\n[simulation]\ntime_step = {:?}\nduration = {SWING}\n[solver]\nformulation = \"compliant\"\n\
         [solver.compliant]\nscheme = \"{scheme}\"\n\
         [[body]]\nname = \"slope\"\nshape = {{ type = \"half_space\", normal = [{s:?}, 0, {c:?}], offset = 0 }}\n\
         [[body]]\nname = \"post\"\nfixed = true\nposition = {:?}\nshape = {{ type = \"sphere\", radius = 0.01 }}\n\
         [[body]]\nname = \"body\"\nmass = {HEAVY}\nposition = {:?}\norientation = [{:?}, 0, {:?}, 0]\n\
         velocity = {:?}\nshape = {shape}\n\
         [[spring]]\nbetween = [\"post\", \"body\"]\nstiffness = {SPRING}\nrest_length = {REST}\n",
        SWING / n_steps as f64,
        at(0.0, 0.0, 0.1 + POST),
        at(0.2, 0.1, 0.1),
        (0.5 * TILT).cos(),
        (0.5 * TILT).sin(),
        at(0.0, 0.5, 0.0)
    ))
}

const TILT: f64 = 0.3;
const SWING: f64 = 0.5;
const HEAVY: f64 = 2.0;
const SPRING: f64 = 80.0;
const REST: f64 = 0.25;
const POST: f64 = 0.2;

#[test]
fn midpoint_is_of_second_order_in_persistent_contact() {
    // In the plane: x'' = g sin α − k (l − l₀)/(m l) x, y'' without the weight.
    let slope = |_: f64, y: &[f64; 4]| {
        let l = (y[0] * y[0] + y[1] * y[1] + POST * POST).sqrt();
        let pull = SPRING * (l - REST) / (HEAVY * l);
        [y[2], y[3], G * TILT.sin() - pull * y[0], -pull * y[1]]
    };
    let (end, _) = integrate([0.2, 0.1, 0.0, 0.5], SWING, slope, |_| false);
    let (s, c) = TILT.sin_cos();
    let exact = [end[0] * c + 0.1 * s, end[1], 0.1 * c - end[0] * s];
    let shapes =
        ["{ type = \"sphere\", radius = 0.1 }", "{ type = \"box\", half_extents = [0.1, 0.1, 0.1] }"];
    for shape in shapes {
        for (scheme, order) in [("symplectic-euler", 1.0), ("implicit-euler", 1.0), ("midpoint", 2.0)] {
            let errors: Vec<f64> = [50, 150, 450, 1350]
                .iter()
                .map(|n| {
                    let end = run(on_a_spring(shape, scheme, *n), |s| {
                        assert!(s.contacts().iter().all(|c| c.normal_impulse > 0.0), "{shape} {scheme}");
                    });
                    farthest(end.state().poses[2].position.as_slice(), &exact)
                })
                .collect();
            let slopes: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).ln() / 3.0_f64.ln()).collect();
            assert!(
                slopes.iter().all(|s| (s - order).abs() < 0.1),
                "{shape} {scheme}: {errors:?} {slopes:?}"
            );
            assert!(order < 2.0 || errors[3] < 1e-6, "{shape}: {errors:?}");
        }
    }
}

/// Over a curved surface the normal of the start of the step makes every scheme one of first order.
#[test]
fn over_a_curved_surface_every_scheme_is_of_first_order() {
    let case = slides_off("slides off", 0.3, 0.0, 0.06);
    for scheme in [ThetaScheme::ImplicitEuler, ThetaScheme::Midpoint] {
        let errors: Vec<f64> = [81, 243, 729]
            .iter()
            .map(|n| {
                let mut scene = under(&case.scene(*n), Compliant);
                scene.solver.compliant.scheme = scheme;
                farthest(&case.positions(run(scene, |_| {}).state()), &case.exact[0].1)
            })
            .collect();
        let slopes: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).ln() / 3.0_f64.ln()).collect();
        assert!(slopes.iter().all(|s| (s - 1.0).abs() < 0.1), "{scheme:?}: {errors:?} {slopes:?}");
    }
}
