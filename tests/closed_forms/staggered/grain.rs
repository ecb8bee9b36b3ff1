//! Anisotropic friction, e_t ≠ e_o: slip turns in the frame of the body that has the friction direction,
//! which may turn itself.

use super::{FLOOR, G, Seen, V, assert_second_order, errors, runge_kutta, start_of};
use signorini_scene::scene::Scene;
use signorini_scene::settings::Integrator;
use support::runs::from_text;

const MU: f64 = 0.2;
const STEPS: [f64; 3] = [4e-3, 2e-3, 1e-3];

/// On a floor of steel a body of wood; the first of `between` has the friction direction.
fn grained(h: f64, between: &str, [e_t, e_o, e_r]: [f64; 3], direction: &str, body: &str) -> Scene {
    let floor = FLOOR.replace("name = \"floor\"", "name = \"floor\"\nmaterial = \"steel\"");
    let text = format!(
        "format = 1\n[simulation]\ntime_step = {h:?}\nduration = 1.0\n[[friction]]\nbetween = {between}\ncoefficient = {MU:?}\n\
         ellipsoid = {{ t = {e_t:?}, o = {e_o:?}, r = {e_r:?} }}\ndirection = {direction}\n{floor}{body}material = \"wood\"\n"
    );
    let mut scene = from_text(&text);
    scene.solver.integrator = Integrator::Staggered;
    scene
}

/// F and M on a floor under the weight G of a unit mass, with the friction direction `t`: w = (e_t v_t, e_o
/// v_o, e_r ω_n), (F_t/e_t, F_o/e_o, M/e_r) = −μ G w/|w|.
fn friction(slip: &V, spin: f64, t: &V, [e_t, e_o, e_r]: [f64; 3]) -> (V, f64) {
    let o = V::z().cross(t);
    let w = V::new(e_t * slip.dot(t), e_o * slip.dot(&o), e_r * spin).normalize() * (-MU * G);
    (t * (e_t * w.x) + o * (e_o * w.y), e_r * w.z)
}

const BALL: &str = r#"[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.1 }
mass = 1
inertia = [0.003, 0.005, 0.006, 0.0005, 0, 0]
position = [0, 0, 0.1]
velocity = [2, 0, 0]
angular_velocity = [10, 5, 8]
"#;

fn ball(h: f64, in_ball: bool, ellipsoid: [f64; 3]) -> Scene {
    let between = if in_ball { "[\"wood\", \"steel\"]" } else { "[\"steel\", \"wood\"]" };
    grained(h, between, ellipsoid, "[0.6, 0.8, 0]", BALL)
}

/// The ball of the isotropic case, on a floor with a friction direction, or with the direction in the ball,
/// which turns.
#[test]
fn slip_that_turns_over_a_grain_is_of_second_order() {
    let along = V::new(0.6, 0.8, 0.0);
    for (in_ball, ellipsoid) in [
        (false, [1.0, 0.5, 0.0]),
        (true, [1.0, 0.5, 0.0]),
        (false, [0.6, 1.2, 0.02]),
        (true, [0.6, 1.2, 0.02]),
    ] {
        let first = ball(1e-3, in_ball, ellipsoid);
        let inertia = first.bodies[1].inertia;
        let rates = |s: &Seen| {
            let (r, w) = (V::new(0.0, 0.0, -0.1), s.angular);
            let grain = if in_ball { s.pose.orientation * along } else { along };
            let t = V::new(grain.x, grain.y, 0.0).normalize();
            let (force, moment) = friction(&(s.linear + w.cross(&r)), w.z, &t, ellipsoid);
            let turn = s.pose.rotation();
            let tensor = turn * inertia * turn.transpose();
            let torque = r.cross(&force) + V::z() * moment - w.cross(&(tensor * w));
            (s.linear, force, tensor.try_inverse().expect("regular") * torque)
        };
        let exact = runge_kutta(start_of(&first), 0.16, 20_000, rates);
        let slip = exact.linear + exact.angular.cross(&V::new(0.0, 0.0, -0.1));
        assert!(slip.norm() > 0.3, "it still slides: {slip}");
        let what = format!("grain, in the ball {in_ball}, {ellipsoid:?}");
        assert_second_order(&what, &errors(|h| ball(h, in_ball, ellipsoid), 0.16, &STEPS, &exact));
    }
}

/// A box slides over a floor with a friction direction, and does not turn: the point where friction acts lies
/// behind it.
#[test]
fn a_box_over_a_grain_is_of_second_order() {
    let ellipsoid = [1.0, 0.5, 0.0];
    let body = "[[body]]\nname = \"box\"\nshape = { type = \"box\", half_extents = [0.1, 0.08, 0.02] }\nmass = 1\n\
        position = [0, 0, 0.02]\nvelocity = [1, 1.2, 0]\n";
    let at = |h: f64| grained(h, "[\"steel\", \"wood\"]", ellipsoid, "[1, 0, 0]", body);
    let first = at(1e-3);
    let rates = |s: &Seen| (s.linear, friction(&s.linear, 0.0, &V::x(), ellipsoid).0, V::zeros());
    let exact = runge_kutta(start_of(&first), 0.32, 20_000, rates);
    assert!(exact.linear.norm() > 0.3, "it still slides: {}", exact.linear);
    let found = errors(at, 0.32, &STEPS, &exact);
    assert!(found.iter().all(|e| e[1] < 1e-9), "it does not turn: {found:?}");
    assert_second_order("box over a grain", &found.iter().map(|e| [e[0], e[0], e[2]]).collect::<Vec<_>>());
}
