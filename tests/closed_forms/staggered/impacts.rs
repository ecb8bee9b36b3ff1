//! Impacts of bodies and mechanisms, on limits of joints and on driven bodies: no step gains energy.

use super::{FLOOR, V, scene, torsional};
use signorini_scene::scene::{Scene, State};
use support::runs::Run;

/// The energy books of a run, step by step: T(V) + (U₋ + U₊)/2 half way through each step, which free fall
/// keeps to the last bit, seen from a frame that moves.
pub struct Books {
    frame: V,
    energy: Option<f64>,
    /// Contacts and limits of joints that carried load in the last step.
    bearing: Vec<[usize; 2]>,
    /// The largest change in a step in which something struck (J), and the number of these.
    pub struck: (f64, usize),
    /// The largest change in any other step (J).
    pub smooth: f64,
    /// Steps of which an island was halved.
    pub halved: usize,
}

impl Books {
    pub fn new(frame: V) -> Self {
        Self {
            frame,
            energy: None,
            bearing: Vec::new(),
            struck: (f64::NEG_INFINITY, 0),
            smooth: f64::NEG_INFINITY,
            halved: 0,
        }
    }

    /// One step; the energy in it (J).
    pub fn advance(&mut self, run: &mut Run) -> f64 {
        let (before, middle) = (run.state().clone(), run.time() + 0.5 * run.scene().time_step);
        self.halved += usize::from(run.advance().info.n_substeps > 0);
        let energy = self.half_way(run.scene(), &before, run.state(), middle);
        let bearing = bearing(run);
        // Something closed that was open, or impulses act at the end only, as where features of flat bodies
        // strike.
        let damped = run.contacts().iter().any(|c| c.normal_impulse > 0.0 && c.acting.is_none());
        let struck = damped || bearing.iter().any(|b| !self.bearing.contains(b));
        if let Some(last) = self.energy {
            if struck {
                self.struck = (self.struck.0.max(energy - last), self.struck.1 + 1);
            } else {
                self.smooth = self.smooth.max(energy - last);
            }
        }
        self.bearing = bearing;
        self.energy = Some(energy);
        energy
    }

    fn half_way(&self, scene: &Scene, before: &State, after: &State, time: f64) -> f64 {
        let mut energy = 0.0;
        for (i, body) in scene.bodies.iter().enumerate().filter(|(_, body)| !body.fixed) {
            let v = after.velocities[i];
            // Spin in the body frame, equal at the start and in the middle: the body turns about ω in
            // between.
            let spin = before.poses[i].orientation.inverse() * v.angular;
            let middle = (before.poses[i].position + after.poses[i].position) * 0.5 - self.frame * time;
            energy += 0.5 * body.mass * (v.linear - self.frame).norm_squared()
                + 0.5 * spin.dot(&(body.inertia * spin));
            energy -= body.mass * scene.gravity.dot(&middle);
        }
        energy
    }
}

/// Contacts that carry load, and limits of joints, by their joint and coordinate.
fn bearing(run: &Run) -> Vec<[usize; 2]> {
    let contacts = run.contacts().iter().filter(|c| c.normal_impulse > 0.0).map(|c| [c.body_a, c.body_b]);
    let limits =
        run.simulation.joints().iter().flat_map(|j| {
            [0, 1].into_iter().filter(|k| j.limit[*k] != 0.0).map(|k| [usize::MAX - k, j.joint])
        });
    contacts.chain(limits).collect()
}

/// Fraction of the energy that is left at the end; every step is solved and green.
fn left_of(scene: Scene, time: f64, frame: V) -> (Books, f64) {
    let n_steps = (time / scene.time_step).round() as usize;
    let (mut run, mut books) = (Run::new(scene), Books::new(frame));
    let start = books.advance(&mut run);
    let mut last = start;
    for step in 1..n_steps {
        last = books.advance(&mut run);
        assert!(last <= start * (1.0 + 1e-4), "step {step}: {last} J of {start} J");
    }
    (books, last / start)
}

/// No step in which something strikes gains anything, beyond a hundredth of the gains of other steps. These
/// gain nothing, or, where something swings or rolls, a part that falls with the third power of the step.
/// Returns the fraction of the energy that is left.
fn assert_no_gain(what: &str, at: impl Fn(f64) -> Scene, time: f64, frame: V) -> f64 {
    let [(coarse, left), (fine, _)] = [2e-3, 1e-3].map(|h| left_of(at(h), time, frame));
    for books in [&coarse, &fine] {
        let (gain, n) = books.struck;
        assert!(n > 0 && gain <= 0.01 * books.smooth.max(0.0), "{what}: {gain:e} J in one of {n} steps");
    }
    let (coarse, fine) = (coarse.smooth, fine.smooth);
    assert!(
        coarse < 1e-11 || fine < coarse / 5.0,
        "{what}: {coarse:e} J in a step, {fine:e} J in one half as long"
    );
    left
}

/// Two rods on a ball joint, and one on a hinge between them, fall on the floor.
const RODS: &str = r#"[[body]]
name = "one"
shape = { type = "ellipsoid", semi_axes = [0.2, 0.04, 0.04] }
mass = 1
position = [0, 0, 0.3]
orientation = [0.9553364891256060, 0, 0.29552020666133955, 0]
angular_velocity = [1, 2, 0]
[[body]]
name = "two"
shape = { type = "box", half_extents = [0.15, 0.03, 0.03] }
mass = 0.7
position = [0.4, 0, 0.35]
velocity = [0.5, 0.3, 0]
[[body]]
name = "three"
shape = { type = "sphere", radius = 0.05 }
mass = 0.3
position = [0.4, 0.1, 0.3]
[[joint]]
name = "pin"
type = "ball"
between = ["one", "two"]
anchor = [0.2, 0, 0.3]
[[joint]]
name = "hinge"
type = "revolute"
between = ["two", "three"]
anchor = [0.4, 0, 0.35]
axis = [1, 0, 0]
"#;

#[test]
fn mechanisms_that_strike_the_floor_gain_nothing() {
    for friction in [0.0, 0.4] {
        let left =
            assert_no_gain("rods", |h| scene(h, 2.0, friction, &(FLOOR.to_owned() + RODS)), 1.2, V::zeros());
        assert!(left < 0.9, "they struck: {left} of their energy is left");
    }
}

/// Limits of every kind that are reached at speed: an angle, a displacement, and a rope that becomes taut.
#[test]
fn limits_that_are_struck_give_nothing_back() {
    let base = "[[body]]\nname = \"base\"\nshape = { type = \"sphere\", radius = 0.02 }\nfixed = true\nposition = [0, 0, 2]\n";
    let bob = "[[body]]\nname = \"bob\"\nshape = { type = \"ellipsoid\", semi_axes = [0.2, 0.05, 0.05] }\nmass = 1\nposition = [0.3, 0, 2]\n";
    let joint = |kind: &str, more: &str| {
        format!(
            "{base}{bob}[[joint]]\nname = \"j\"\ntype = {kind:?}\nbetween = [\"base\", \"bob\"]\n{more}\n"
        )
    };
    for (what, text) in [
        ("an angle", joint("revolute", "anchor = [0, 0, 2]\naxis = [0, 1, 0]\nangle_limits = [-0.5, 1.0]")),
        ("a displacement", joint("prismatic", "axis = [0.5, 0, -1]\nslide_limits = [-0.1, 0.2]")),
        ("a rope", joint("distance", "length_limits = [0, 0.4]")),
    ] {
        let left = assert_no_gain(what, |h| scene(h, 2.0, 0.0, &text), 1.2, V::zeros());
        assert!(left < 0.999, "{what} was struck: {left} of the energy is left");
    }
}

/// Dropped on a plate that moves with constant velocity: seen from the plate nothing is gained, seen from the
/// ground the gain is the work of the plate.
#[test]
fn impacts_on_a_driven_plate_gain_nothing() {
    let plate = "[[body]]\nname = \"plate\"\nshape = { type = \"box\", half_extents = [3, 3, 0.1] }\nposition = [0, 0, -0.1]\n\
        [[motion]]\nbody = \"plate\"\ndirection = [0.8, 0, 0.6]\nvelocity = { type = \"constant\", value = 2 }\n";
    let cube = "[[body]]\nname = \"cube\"\nshape = { type = \"box\", half_extents = [0.1, 0.1, 0.1] }\nmass = 1\n\
        position = [0, 0, 0.4]\norientation = [0.8, 0.4, 0.4, 0.2]\nvelocity = [1, 0.3, 0]\nangular_velocity = [3, 1, 2]\n";
    let stone = "[[body]]\nname = \"stone\"\nshape = { type = \"ellipsoid\", semi_axes = [0.15, 0.1, 0.06] }\nmass = 1\n\
        position = [0, 0, 0.3]\norientation = [0.8, 0.4, 0.4, 0.2]\nvelocity = [1, 0.3, -1]\nangular_velocity = [3, 1, 2]\n";
    let frame = V::new(0.8, 0.0, 0.6) * 2.0;
    for (what, body) in [("cube", cube), ("stone", stone), ("rods", RODS)] {
        let left = assert_no_gain(what, |h| torsional(h, 0.4, 0.01, &(plate.to_owned() + body)), 0.8, frame);
        assert!(left < 0.9, "{what} struck: {left} of the energy is left");
    }
}

/// A prism of many edges rolls over them, and a dropped cube tumbles: impacts, edge after edge, and nothing
/// gained.
#[test]
fn edges_that_strike_gain_nothing() {
    let n = 12;
    let corner = |k: i32, y: f64| {
        let angle = std::f64::consts::TAU * f64::from(k) / f64::from(n);
        format!("[{:?}, {y:?}, {:?}]", 0.2 * angle.sin(), 0.2 * angle.cos())
    };
    let corners: Vec<String> = (0..n).flat_map(|k| [corner(k, -0.1), corner(k, 0.1)]).collect();
    let prism = format!(
        "[[body]]\nname = \"prism\"\nshape = {{ type = \"polytope\", vertices = [{}] }}\nmass = 1\nposition = [0, 0, 0.2]\nvelocity = [1, 0, 0]\nangular_velocity = [0, 5, 0]\n",
        corners.join(", ")
    );
    let cube = "[[body]]\nname = \"cube\"\nshape = { type = \"box\", half_extents = [0.1, 0.1, 0.1] }\nmass = 1\n\
        position = [0, 0, 0.4]\norientation = [0.8, 0.4, 0.4, 0.2]\nvelocity = [1, 0.3, 0]\nangular_velocity = [3, 1, 2]\n";
    for (what, body) in [("prism", prism.as_str()), ("cube", cube)] {
        let left = assert_no_gain(what, |h| scene(h, 2.0, 0.5, &(FLOOR.to_owned() + body)), 1.6, V::zeros());
        assert!(left < 0.9, "{what} struck: {left} of its energy is left");
    }
}

/// A pile of eight: no impact gains, nor what comes between, and it comes to rest.
#[test]
fn impacts_of_a_pile_gain_nothing() {
    let grains = "[[container]]\nname = \"box\"\nmin = [-0.2, -0.2, 0]\nmax = [0.2, 0.2, 1]\n\
        [[fill]]\nname = \"grain\"\ncount = 8\nshape = { type = \"ellipsoid\", semi_axes = [0.10, 0.07, 0.05] }\n\
        density = 1000\nregion = { min = [-0.2, -0.2, 0], max = [0.2, 0.2, 0.8] }\n";
    // Torsional friction: without it a body may roll and turn on two points for ever, and this integrator
    // lets it.
    for h in [5e-3, 2e-3] {
        let scene = torsional(h, 0.5, 0.02, grains);
        let (mut run, mut books) = (Run::new(scene), Books::new(V::zeros()));
        for _ in 0..(2.0 / h) as usize {
            books.advance(&mut run);
        }
        let (gain, n) = books.struck;
        assert!(n > 20 && gain <= 0.0, "{gain:e} J in one of {n} steps in which something struck");
        assert!(books.smooth < 1e-10, "{:e} J in another", books.smooth);
        assert!(run.kinetic_energy() < 1e-9, "{} J", run.kinetic_energy());
    }
}

/// Ellipsoids that meet in free space, whichever way they are turned, at steps that resolve the curvature
/// where they touch.
#[test]
fn ellipsoids_that_meet_in_space_gain_nothing() {
    for (seed, sizes) in [(1, [0.1, 0.07, 0.05]), (2, [0.12, 0.1, 0.03]), (3, [0.15, 0.04, 0.04])] {
        for friction in [0.0, 0.5] {
            for k in 0..12 {
                let (x, f) = (f64::from(k), f64::from(seed));
                let bodies = format!(
                    "[[body]]\nname = \"one\"\nshape = {{ type = \"ellipsoid\", semi_axes = {sizes:?} }}\nmass = 1\nposition = [0, 0, 0]\norientation = {}\nangular_velocity = [{}, 2, 1]\n\
                     [[body]]\nname = \"two\"\nshape = {{ type = \"ellipsoid\", semi_axes = {sizes:?} }}\nmass = 0.6\nposition = [{}, {}, 0.4]\norientation = {}\nvelocity = [0.1, 0, -1]\n",
                    turned(1.3 * x + f, 0.7 * x),
                    x - 5.0,
                    0.04 * (2.1 * x).sin(),
                    0.04 * (1.7 * x).cos(),
                    turned(0.9 * x, 1.9 * x + f),
                );
                let mut scene = scene(1e-3, 0.5, friction, &bodies);
                scene.gravity = V::zeros();
                let (books, left) = left_of(scene, 0.5, V::zeros());
                let (gain, n) = books.struck;
                assert!(
                    n > 0 && gain <= 0.0 && left < 1.0,
                    "{sizes:?}, {friction}, {k}: {gain:e} J in one of {n} steps"
                );
            }
        }
    }
}

/// Flat ellipsoids that meet at their edges, of a radius of 4 to 6 mm, in steps in which they come 5 mm and
/// 0.5 mm closer.
#[test]
fn flat_ellipsoids_that_meet_at_their_edges_gain_nothing() {
    for (h, friction) in [(1e-2, 0.0), (1e-2, 0.5), (1e-3, 0.0), (1e-3, 0.5)] {
        for k in 0..8 {
            let x = f64::from(k);
            let bodies = format!(
                "[[body]]\nname = \"one\"\nshape = {{ type = \"ellipsoid\", semi_axes = [0.69, 0.68, 0.05] }}\nmass = 1\nposition = [0, 0, 0]\norientation = {}\n\
                 [[body]]\nname = \"two\"\nshape = {{ type = \"ellipsoid\", semi_axes = [0.58, 0.05, 0.44] }}\nmass = 1\nposition = [1.4, {}, {}]\norientation = {}\nvelocity = [-0.5, 0, 0]\n",
                turned(0.1 * x, 0.05 * x),
                0.1 * (x * 1.3).sin(),
                0.1 * (x * 0.7).cos(),
                turned(0.2 * x, 0.3 * x),
            );
            let mut scene = scene(h, 3.0, friction, &bodies);
            scene.gravity = V::zeros();
            let (books, left) = left_of(scene, 3.0, V::zeros());
            let (gain, n) = books.struck;
            assert!(
                n > 0 && gain <= 0.0 && left < 1.0,
                "h = {h}, {friction}, {k}: {gain:e} J in one of {n} steps"
            );
        }
    }
}

/// An orientation.
fn turned(a: f64, b: f64) -> String {
    let q = nalgebra::UnitQuaternion::from_euler_angles(a, b, 0.3 + a * b);
    format!("[{}, {}, {}, {}]", q.w, q.i, q.j, q.k)
}
