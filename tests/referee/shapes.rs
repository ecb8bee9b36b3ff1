//! The referee and bodies with faces, edges and rims: exact steps pass, and every kind of lie is caught.

use signorini::referee::{Referee, Verdict};
use signorini::step::ContactRecord;
use signorini_geometry::{ContactKind, Polytope, Pose, Shape, Touch, Velocity, mass_properties};
use signorini_scene::scene::{Body, Part};
use std::f64::consts::FRAC_PI_4;
use support::judged_steps::*;

const HALF: f64 = 0.12;

fn solid(name: &str, shape: Shape, mass: f64, pose: Pose, velocity: Velocity) -> Body {
    let inertia = mass_properties::inertia(&shape, mass).unwrap();
    Body { parts: vec![Part::new(shape)], inertia, ..ellipsoid(name, v(1.0, 1.0, 1.0), mass, pose, velocity) }
}

fn cube() -> Shape {
    Shape::Polytope(Polytope::box_(v(HALF, HALF, HALF)).into())
}

fn can() -> Shape {
    Shape::Cylinder { radius: 0.1, half_length: 0.2 }
}

fn sliding(shape: Shape, pose: Pose, ecp: V) -> Step {
    let velocity = Velocity { linear: v(0.8, 0.6, 0.0), angular: V::zeros() };
    let body = solid("body", shape, 2.0, pose, velocity);
    let scene = scene(vec![floor(), body], friction(0.5, [1.0, 1.0], 0.01));
    let mut c = contact(0, 1, ecp, V::z(), 2.0 * G * H);
    slide(&scene, &mut c);
    step_ending_in(scene, vec![c])
}

fn assert_green(what: &str, step: &Step) -> Verdict {
    let verdict = step.judge();
    assert!(verdict.green, "{what}: {verdict:#?}");
    assert!(verdict.complementarity < 1e-11, "{what}: {verdict:#?}");
    verdict
}

/// The change is red, in complementarity alone: gaps, normals and places are judged there.
fn assert_caught(what: &str, honest: &Step, lie: impl Fn(&mut ContactRecord)) {
    let mut step = honest.consistent();
    lie(&mut step.contacts[0]);
    let step = step.consistent();
    let verdict = step.judge();
    assert!(!verdict.green && verdict.complementarity > 2e-8, "{what}: {verdict:#?}");
    assert!(verdict.momentum < 1e-11, "{what}: {verdict:#?}");
}

#[test]
fn a_sliding_cube_has_its_point_anywhere_on_its_face() {
    let at = pose(v(0.3, -0.2, HALF), v(0.0, 0.0, 0.7));
    for offset in [v(0.0, 0.0, 0.0), v(0.048, 0.036, 0.0), v(-0.07, 0.06, 0.0)] {
        assert_green("a face", &sliding(cube(), at, v(0.3, -0.2, 0.0) + offset));
    }
    // A corner of the face, and the middle of one of its edges, which ends the contact surface.
    let corner = at.point(&v(HALF, HALF, -HALF));
    assert_green("a corner", &sliding(cube(), at, corner));
    assert_green("an edge", &sliding(cube(), at, at.point(&v(HALF, 0.01, -HALF))));
    let honest = sliding(cube(), at, v(0.348, -0.164, 0.0));
    assert_caught("a point beside the face", &honest, |c| c.ecp = at.point(&v(HALF + 1e-6, 0.0, -HALF)));
    assert_caught("a point far beside the face", &honest, |c| c.ecp += v(0.3, 0.0, 0.0));
    assert_caught("a point above the floor", &honest, |c| c.ecp.z += 1e-6);
    assert_caught("a point below the floor", &honest, |c| c.ecp.z -= 1e-6);
    assert_caught("a tilted normal", &honest, |c| c.normal = v(1e-6, 0.0, 1.0).normalize());
    assert_caught("a gap that is none", &honest, |c| c.gap = 1e-6);
}

#[test]
fn cylinders_touch_with_caps_sides_and_rims() {
    let lying = pose(v(0.0, 0.0, 0.1), v(-2.0 * FRAC_PI_4, 0.0, 0.0));
    assert_green("a side", &sliding(can(), lying, v(0.0, 0.15, 0.0)));
    let standing = pose(v(0.0, 0.0, 0.2), v(0.0, 0.0, 0.4));
    assert_green("a cap", &sliding(can(), standing, v(0.05, 0.03, 0.0)));
    let tilt: f64 = 0.3;
    let (s, c) = tilt.sin_cos();
    let leaning = pose(v(0.0, 0.0, 0.1 * s + 0.2 * c), v(0.0, tilt, 0.0));
    let lowest = leaning.point(&v(0.1, 0.0, -0.2));
    assert!(lowest.z.abs() < 1e-16);
    assert_green("a rim", &sliding(can(), leaning, lowest));
    let side = sliding(can(), lying, v(0.0, 0.15, 0.0));
    assert_caught("beyond the end of the side", &side, |c| c.ecp.y = 0.201);
    assert_caught("beside the line", &side, |c| c.ecp.x = 1e-3);
    let cap = sliding(can(), standing, v(0.05, 0.03, 0.0));
    assert_caught("beside the cap", &cap, |c| c.ecp.x = 0.101);
    assert_caught("a tilted normal", &cap, |c| c.normal = v(0.0, 1e-6, 1.0).normalize());
}

/// A cube rests on another at 1e-4. Along a normal that leans as far as the law of contact allows, the
/// corners extend beyond the plane by 36 µm, where a gap of 0.1 µm passes as closed: the records are those of
/// the step.
#[test]
fn a_normal_that_leans_as_it_may_is_no_fault_of_the_gap() {
    for (lean, is_green) in [(0.0, true), (1.5e-4, true), (1e-3, false)] {
        let still = Velocity::default();
        let lower = Body { fixed: true, ..solid("lower", cube(), 1.0, Pose::identity(), still) };
        let upper = solid("upper", cube(), 2.0, pose(v(0.0, 0.0, 2.0 * HALF), V::zeros()), still);
        let mut scene = scene(vec![lower, upper], friction(0.0, [1.0, 1.0], 0.0));
        scene.solver.tolerance = 1e-4;
        let mut c = contact(0, 1, v(0.0, 0.0, HALF), v(lean, 0.0, 1.0).normalize(), 2.0 * G * H);
        c.touch = Touch { kind: ContactKind::Surface, points: 4, active_facets: [1, 1] };
        let step = step_ending_in(scene, vec![c]);
        let mut referee = Referee::of_records(&step.scene);
        let verdict = referee.judge(&step.record());
        assert_eq!(verdict.green, is_green, "{lean}: {verdict:#?}");
        assert_eq!(referee.record_faults().is_empty(), is_green, "{lean}: {:?}", referee.record_faults());
    }
}

/// Two cubes with crossed edges up and down, touching at one point, and a third far away.
fn crossed_edges(gap: f64) -> Step {
    let reach = HALF * 2f64.sqrt();
    let moving = Velocity { linear: v(0.1, 0.2, -0.1), angular: v(0.3, -0.2, 0.5) };
    let lower = solid("lower", cube(), 1.0, pose(v(1.0, 2.0, 3.0), v(FRAC_PI_4, 0.0, 0.0)), moving);
    let above = v(1.03, 1.98, 3.0 + 2.0 * reach + gap);
    let upper = solid("upper", cube(), 2.0, pose(above, v(0.0, FRAC_PI_4, 0.0)), Velocity::default());
    let far = solid("far", can(), 1.0, pose(v(3.0, 2.0, 3.0), v(0.1, 0.2, 0.3)), moving);
    let scene = scene(vec![lower, upper, far], friction(0.3, [1.0, 1.0], 0.0));
    let mut c = contact(0, 1, v(1.03, 2.0, 3.0 + reach), V::z(), 0.05);
    // The edges: the lower one along x at y = 2, the upper one along y at x = 1.03.
    c.ecp.y = 2.0;
    slide(&scene, &mut c);
    step_ending_in(scene, vec![c])
}

#[test]
fn crossed_edges_have_one_point() {
    let honest = crossed_edges(0.0);
    assert_green("edges", &honest);
    assert_caught("a point along the lower edge", &honest, |c| c.ecp.x += 1e-6);
    assert_caught("a point off both", &honest, |c| c.ecp += v(1e-3, 1e-3, 0.0));
    assert_caught("a normal within one cone only", &honest, |c| c.normal = v(0.0, 0.1, 1.0).normalize());
    assert_caught("an open gap under load", &crossed_edges(1e-5), |_| ());
    let deep = crossed_edges(-1e-6);
    let verdict = deep.judge();
    assert!((verdict.min_gap + 1e-6).abs() < 1e-14 && !verdict.green, "{verdict:#?}");
}

#[test]
fn a_corner_beside_the_face_that_it_presses_on_is_caught() {
    // A cube on its corner at the height of the upper face of another one, but 1 cm beside it: the separation
    // along the face normal is 0, the point is on one body, the force balances, and yet nothing touches.
    let upright = v(1.0, -1.0, 0.0).normalize() * (1.0 / 3f64.sqrt()).acos();
    let tip = HALF * 3f64.sqrt();
    let still = Velocity::default();
    for (beside, is_green) in [(-0.01, true), (0.01, false)] {
        let lower = Body { fixed: true, ..solid("lower", cube(), 1.0, Pose::identity(), still) };
        let ecp = v(HALF + beside, 0.02, HALF);
        let upper = solid("upper", cube(), 2.0, pose(ecp + v(0.0, 0.0, tip), upright), still);
        let scene = scene(vec![lower, upper], friction(0.3, [1.0, 1.0], 0.0));
        let step = step_ending_in(scene, vec![contact(0, 1, ecp, V::z(), 2.0 * G * H)]);
        let verdict = step.judge();
        assert_eq!(verdict.green, is_green, "{verdict:#?}");
        assert!(verdict.momentum < 1e-11 && (is_green || verdict.min_gap > 1e-4), "{verdict:#?}");
    }
}

#[test]
fn unlisted_overlaps_of_every_pair_are_seen() {
    let egg = Shape::Ellipsoid { semi_axes: v(0.15, 0.1, HALF) };
    let upright = Shape::Cylinder { radius: 0.1, half_length: HALF };
    let free = Velocity { linear: v(0.0, 0.0, 1.0), angular: v(0.0, 0.0, 2.0) };
    for lower in [cube(), upright.clone(), egg.clone()] {
        for upper in [cube(), upright.clone(), egg.clone()] {
            for gap in [1e-4, 0.0, -1e-6, -1e-2] {
                let low = solid("low", lower.clone(), 1.0, pose(v(9.0, 9.0, 0.0), V::zeros()), free);
                let high = v(9.0, 9.0, 2.0 * HALF + gap);
                let high = solid("high", upper.clone(), 1.0, pose(high, v(0.0, 0.0, 0.5)), free);
                let mut step = step_ending_in(scene(vec![low, high], friction(0.3, [1.0, 1.0], 0.0)), vec![]);
                let mut referee = Referee::new(&step.scene);
                // Twice: the second time with the directions that the first one kept.
                for _ in 0..2 {
                    let verdict = referee.judge(&step.record());
                    assert!(
                        (verdict.min_gap - gap).abs() < 1e-12,
                        "{lower:?} {upper:?}: {} for {gap}",
                        verdict.min_gap
                    );
                    assert_eq!(verdict.green, gap >= 0.0);
                    step = step.consistent();
                }
            }
        }
    }
}
