//! Flat pairs under the staggered integrator: between impacts, while the same features touch, of second order
//! too.

use super::{
    FLOOR, G, Seen, V, assert_second_order, errors, rolling, runge_kutta, scene, start_of, stone, torsional,
};
use nalgebra::UnitQuaternion;
use signorini_geometry::Pose;
use signorini_scene::scene::Scene;

const STEPS: [f64; 3] = [4e-3, 2e-3, 1e-3];

/// A box slides down a slope and across it, so that the direction of slip turns: v' = g_t − μ g_n v/|v|.
#[test]
fn a_box_on_a_slope_is_of_second_order() {
    let (tilt, mu) = (0.4_f64, 0.3);
    let normal = V::new(tilt.sin(), 0.0, tilt.cos());
    let at = |h: f64| {
        let body = "[[body]]\nname = \"slope\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n\
            [[body]]\nname = \"box\"\nshape = { type = \"box\", half_extents = [0.1, 0.1, 0.05] }\nmass = 1\n\
            position = [0, 0, 0.05]\nvelocity = [1, 0.5, 0]\n";
        let mut scene = scene(h, 1.0, mu, body);
        // Gravity leans instead of the plane.
        scene.gravity = V::new(G * tilt.sin(), 0.0, -G * tilt.cos());
        scene
    };
    let pull = V::new(G * normal.x, 0.0, 0.0);
    let rates = |s: &Seen| (s.linear, pull - s.linear.normalize() * (mu * G * normal.z), V::zeros());
    let exact = runge_kutta(start_of(&at(1e-3)), 0.3, 20_000, rates);
    let found = errors(at, 0.3, &STEPS, &exact);
    // It does not turn at all.
    assert!(found.iter().all(|e| e[1] < 1e-9), "{found:?}");
    assert_second_order("box on a slope", &found.iter().map(|e| [e[0], e[0], e[2]]).collect::<Vec<_>>());
}

/// A box slides and turns: its equivalent contact point is where the moments balance, r = −(H/N) F, and
/// friction (F, M/e_r) = −μ N (u, e_r ω)/|(u, e_r ω)| with u = v + ω × r.
#[test]
fn a_box_that_slides_and_turns_is_of_second_order() {
    let (mu, e_r, height) = (0.3, 0.03, 0.05);
    let at = |h: f64| {
        let body = "[[body]]\nname = \"box\"\nshape = { type = \"box\", half_extents = [0.1, 0.08, 0.05] }\nmass = 1\n\
            position = [0, 0, 0.05]\nvelocity = [2, 0, 0]\nangular_velocity = [0, 0, 6]\n";
        torsional(h, mu, e_r, &(FLOOR.to_owned() + body))
    };
    let first = at(1e-3);
    let inertia = first.bodies[1].inertia.m33;
    let rates = |s: &Seen| {
        let spin = s.angular.z;
        let (mut force, mut moment) = (V::zeros(), 0.0);
        for _ in 0..40 {
            let r = force * (-height / G);
            let slip = s.linear + V::z().cross(&r) * spin;
            let scaled = V::new(slip.x, slip.y, e_r * spin).normalize() * (-mu * G);
            (force, moment) = (V::new(scaled.x, scaled.y, 0.0), e_r * scaled.z);
        }
        (s.linear, force, V::z() * (moment / inertia))
    };
    let exact = runge_kutta(start_of(&first), 0.16, 4_000, rates);
    assert_second_order("box that turns", &errors(at, 0.16, &STEPS, &exact));
    // On a box instead of the half-space: a face against a face.
    let on_table = |h: f64| {
        let mut scene = at(h);
        let table = "[[body]]\nname = \"table\"\nshape = { type = \"box\", half_extents = [2, 2, 0.5] }\nfixed = true\n\
            position = [0, 0, -0.5]\n";
        let other = super::scene(
            h,
            1.0,
            mu,
            &(table.to_owned()
                + "[[body]]\nname = \"x\"\nmass = 1\nposition = [0, 0, 9]\nshape = { type = \"sphere\", radius = 1 }\n"),
        );
        scene.bodies[0] = other.bodies[0].clone();
        scene
    };
    assert_second_order("box on a table", &errors(on_table, 0.16, &STEPS, &exact));
}

/// A block on one of its lower edges, which does not slip: a pendulum upside down.
#[test]
fn a_block_on_an_edge_is_of_second_order() {
    let half = V::new(0.1, 0.15, 0.3);
    let turn = UnitQuaternion::from_scaled_axis(V::y() * 0.15);
    // From the edge at the origin to the centre.
    let arm = turn * V::new(-half.x, 0.0, half.z);
    let at = |h: f64| {
        let body = format!(
            "[[body]]\nname = \"block\"\nshape = {{ type = \"box\", half_extents = [0.1, 0.15, 0.3] }}\nmass = 2\nposition = [{:?}, 0, {:?}]\n",
            arm.x, arm.z
        );
        let mut scene = scene(h, 1.0, 1.0, &(FLOOR.to_owned() + &body));
        let block = scene.bodies.last_mut().expect("a body");
        block.pose.orientation = turn;
        block.velocity.angular = V::new(0.0, 0.3, 0.0);
        block.velocity.linear = block.velocity.angular.cross(&arm);
        scene
    };
    let first = at(1e-3);
    let edge = V::new(half.x, 0.0, -half.z);
    let rates = rolling(2.0, first.bodies[1].inertia, move |pose: &Pose| pose.orientation * edge);
    let exact = runge_kutta(start_of(&first), 0.2, 20_000, rates);
    assert_second_order("block", &errors(at, 0.2, &STEPS, &exact));
}

/// The rattleback on a box: an ellipsoid against a face.
#[test]
fn an_ellipsoid_on_a_box_is_of_second_order() {
    let at = |h: f64| -> Scene {
        let mut scene = stone(h);
        let table = "[[body]]\nname = \"table\"\nshape = { type = \"box\", half_extents = [2, 2, 0.5] }\nfixed = true\n\
            position = [0, 0, -0.5]\n[[body]]\nname = \"x\"\nmass = 1\nposition = [0, 0, 9]\nshape = { type = \"sphere\", radius = 1 }\n";
        scene.bodies[0] = super::scene(h, 1.0, 1.0, table).bodies[0].clone();
        scene
    };
    let axes = V::new(0.2, 0.05, 0.03);
    let arm = move |pose: &Pose| {
        let scaled = axes.component_mul(&(pose.orientation.inverse() * -V::z()));
        pose.orientation * (axes.component_mul(&scaled) / scaled.norm() + V::new(0.0, 0.0, 0.006))
    };
    let first = at(1e-3);
    let exact = runge_kutta(start_of(&first), 0.3, 60_000, rolling(1.0, first.bodies[1].inertia, arm));
    assert_second_order("stone on a box", &errors(at, 0.3, &STEPS, &exact));
}

/// A lying cylinder with its mass off the axis rolls to and fro: the ends of a line.
#[test]
fn a_lying_cylinder_is_of_second_order() {
    let at = |h: f64| {
        let body = "[[body]]\nname = \"roller\"\nshape = { type = \"cylinder\", radius = 0.1, length = 0.4 }\n\
            shape_position = [0.02, 0, 0]\nmass = 1\ninertia = [0.02, 0.02, 0.006, 0, 0, 0]\nposition = [0, 0, 0.1]\n\
            orientation = [0.7071067811865476, 0.7071067811865476, 0, 0]\nangular_velocity = [0, 3, 0]\n\
            velocity = [0.3, 0, 0.06]\n";
        scene(h, 1.0, 0.5, &(FLOOR.to_owned() + body))
    };
    let first = at(1e-3);
    let arm = |pose: &Pose| pose.orientation * V::new(0.02, 0.0, 0.0) - V::z() * 0.1;
    let exact = runge_kutta(start_of(&first), 0.3, 20_000, rolling(1.0, first.bodies[1].inertia, arm));
    assert_second_order("roller", &errors(at, 0.3, &STEPS, &exact));
}
