//! The referee lets exact steps pass and catches every kind of lie, each in the part it belongs to.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use signorini::referee::gap::ellipsoids::signed_gap;
use signorini::referee::placed::{PlacedEllipsoid, PlacedShape};
use signorini::referee::{RecordedStep, Referee, Verdict};
use signorini_geometry::{Pose, Shape, Velocity};
use signorini_scene::scene::Body;
use signorini_scene::settings::Gyroscopic;
use support::judged_steps::*;

fn assert_green(step: &Step) -> Verdict {
    let verdict = step.judge();
    assert!(verdict.green, "{verdict:#?}");
    // Built exactly: nothing but rounding may be left.
    for part in [verdict.momentum, verdict.complementarity, verdict.friction] {
        assert!(part < 1e-11, "{verdict:#?}");
    }
    verdict
}

/// Parts of a verdict that are over the limit: m(omentum), c(omplementarity), f(riction), g(ap).
fn red_parts(verdict: &Verdict) -> String {
    let over = |part: f64| part.is_nan() || part > 2e-8;
    let parts = [
        ('m', over(verdict.momentum)),
        ('c', over(verdict.complementarity)),
        ('f', over(verdict.friction)),
        ('g', over(-verdict.min_gap_relative + 1e-8)),
    ];
    parts.iter().filter(|p| p.1).map(|p| p.0).collect()
}

fn assert_red(what: &str, step: &Step, parts: &str) {
    let verdict = step.judge();
    assert!(!verdict.green, "{what}: {verdict:#?}");
    assert_eq!(red_parts(&verdict), parts, "{what}: {verdict:#?}");
}

fn spinning_in_free_flight(gyroscopic: Gyroscopic) -> Step {
    let velocity = Velocity { linear: v(1.0, 2.0, -3.0), angular: v(8.0, -5.0, 11.0) };
    let body = ellipsoid("stone", v(0.3, 0.2, 0.1), 4.0, pose(v(50.0, 0.0, 9.0), v(0.3, 1.0, 0.1)), velocity);
    let mut scene = scene(vec![body], friction(0.5, [1.0, 1.0], 0.0));
    scene.solver.gyroscopic = gyroscopic;
    step_ending_in(scene, vec![])
}

#[test]
fn free_flight_is_green() {
    let step = spinning_in_free_flight(Gyroscopic::Implicit);
    let verdict = assert_green(&step);
    assert_eq!(verdict.energy_created, 0.0);
    // By hand: ½ m v² + ½ ω·I ω in body axes, and −m g·c.
    let spin = step.after.poses[0].orientation.inverse() * v(8.0, -5.0, 11.0);
    let (i_x, i_y, i_z) = (4.0 / 5.0 * 0.05, 4.0 / 5.0 * 0.10, 4.0 / 5.0 * 0.13);
    let kinetic = 28.0 + 0.5 * (i_x * spin.x * spin.x + i_y * spin.y * spin.y + i_z * spin.z * spin.z);
    assert!((verdict.kinetic_energy - kinetic).abs() < 1e-12 * kinetic);
    assert!((verdict.potential_energy - 4.0 * G * 9.0).abs() < 1e-10);
}

/// A top of the inertias 1, 1 and 1.5 turns about its momentum at |L|/I₁, and about its own axis at (I₁ −
/// I₃)/I₁ Ω₃.
fn flown_top(gyroscopic: Gyroscopic) -> Step {
    let semi_axes = v(0.3, 0.3, (0.09_f64 / 3.0).sqrt());
    let spin = v(4.0, -3.0, 9.0);
    let velocity = Velocity { linear: v(1.0, 2.0, -3.0), angular: spin };
    let body = ellipsoid("top", semi_axes, 4.0, Pose::identity(), velocity);
    let inertia = body.inertia;
    let mut scene = scene(vec![body], friction(0.5, [1.0, 1.0], 0.0));
    scene.gravity = Vector3::zeros();
    scene.solver.gyroscopic = gyroscopic;
    let mut step = step_ending_in(scene, vec![]);
    let momentum = inertia * spin;
    let (i_1, i_3) = (inertia[(0, 0)], inertia[(2, 2)]);
    assert!((i_3 / i_1 - 1.5).abs() < 1e-12);
    let own = v(0.0, 0.0, (i_1 - i_3) / i_1 * spin.z);
    let end =
        UnitQuaternion::from_scaled_axis(momentum * (H / i_1)) * UnitQuaternion::from_scaled_axis(own * H);
    step.before = step.after.clone();
    step.after.poses[0] = Pose { position: velocity.linear * H, orientation: end };
    step.after.velocities[0].angular = end * (inertia.try_inverse().unwrap() * (end.inverse() * momentum));
    step
}

#[test]
fn a_free_body_flies() {
    let verdict = assert_green(&flown_top(Gyroscopic::Exact));
    assert_eq!(verdict.energy_created, 0.0);
    let lie = |what: &str, change: &dyn Fn(&mut Step)| {
        let mut step = flown_top(Gyroscopic::Exact);
        change(&mut step);
        assert_red(what, &step, "m");
    };
    lie("end turned", &|s| {
        s.after.poses[0].orientation *= UnitQuaternion::from_scaled_axis(v(0.0, 0.0, 1e-8))
    });
    lie("spin of the start", &|s| s.after.velocities[0].angular = s.before.velocities[0].angular);
    lie("turned about the spin of the start", &|s| {
        s.after.poses[0].orientation = UnitQuaternion::from_scaled_axis(v(4.0, -3.0, 9.0) * H)
    });
    assert!(!flown_top(Gyroscopic::Implicit).judge().green, "a flight judged by the torque");
}

#[test]
fn explicit_gyroscopic_torque_is_judged_at_the_start() {
    // A forward step by hand: I0 (ω⁺ − ω) = −h ω × I0 ω.
    let mut step = spinning_in_free_flight(Gyroscopic::Explicit);
    let r = step.before.poses[0].rotation();
    let inertia = r * step.scene.bodies[0].inertia * r.transpose();
    let spin = step.before.velocities[0].angular;
    let end = spin - inertia.try_inverse().unwrap() * spin.cross(&(inertia * spin)) * H;
    step.after.velocities[0].angular = end;
    step.after.poses[0] = step.before.poses[0].advanced(&step.after.velocities[0], H);
    assert_green(&step);
    step.scene.solver.gyroscopic = Gyroscopic::Implicit;
    assert_red("explicit step judged as implicit", &step, "m");
}

#[test]
fn resting_and_sliding_spheres_are_green() {
    let mut rest = sliding_sphere(friction(0.5, [1.0, 1.0], 0.0));
    rest.after.velocities[1] = Velocity::default();
    rest.contacts[0].friction_impulse = V::zeros();
    let rest = rest.consistent();
    assert!(rest.before.velocities[1].linear.norm() < 1e-15);
    let verdict = assert_green(&rest);
    assert!(verdict.min_gap.abs() < 1e-15);

    // Closed form: v = v⁺ + μ g h s/|s|, s the slip, and the torque r × F / I.
    let step = sliding_sphere(friction(0.3, [1.0, 1.0], 0.0));
    let slip = v(1.0, 0.4, 0.0) + v(2.0, -1.0, 3.0).cross(&v(0.0, 0.0, -0.1));
    let push = slip * (0.3 * G * H / slip.norm());
    assert!((step.before.velocities[1].linear - v(1.0, 0.4, 0.0) - push).norm() < 1e-14);
    assert_green(&step);
    assert_green(&sliding_sphere(friction(0.3, [1.0, 1.0], 0.02)));
    assert_green(&sliding_sphere(friction(0.3, [1.0, 0.5], 0.02)));
    assert_green(&sliding_sphere(friction(0.0, [1.0, 1.0], 0.0)));
}

#[test]
fn touching_ellipsoids_are_green() {
    let verdict = assert_green(&touching_ellipsoids());
    assert!(verdict.min_gap.abs() < 1e-15);
}

#[test]
fn creep_in_the_ellipsoid_is_scaled_by_the_effective_mass() {
    let (e_o, e_r, creep) = (0.5, 0.02, 1e-6);
    let mut step = sliding_sphere(friction(0.3, [1.0, e_o], e_r));
    let velocity = Velocity { linear: v(0.6, 0.8, 0.0) * creep, angular: V::zeros() };
    step.after.velocities[1] = velocity;
    step.contacts[0].friction_impulse = V::zeros();
    step.contacts[0].torsional_impulse = 0.0;
    let verdict = step.consistent().judge();
    // A sphere: 1/m + r²/I = 3.5/m along the plane and 1/I = 2.5/(m r²) about the normal, m = 2, r = 0.1.
    let rows = (1.0 + e_o * e_o) * 3.5 / 2.0 + e_r * e_r * 2.5 / (2.0 * 0.01);
    let expected = 3.0 / rows * creep / (2.0 * G * H);
    assert!((verdict.friction / expected - 1.0).abs() < 1e-9, "{verdict:?} {expected}");
}

#[test]
fn an_off_centre_ellipsoid_on_a_tilted_half_space_is_green() {
    let axes = v(0.10, 0.07, 0.05);
    let velocity = Velocity { linear: v(0.4, -0.2, 0.1), angular: v(3.0, 1.0, -2.0) };
    let mut stone = ellipsoid("stone", axes, 1.3, pose(V::zeros(), v(0.4, 0.9, -0.2)), velocity);
    stone.parts[0].pose = pose(v(0.02, -0.01, 0.015), v(0.0, 0.3, 0.0));
    let mut wall = floor();
    wall.pose = pose(v(1.0, 2.0, 3.0), v(0.5, 0.0, 0.0));
    wall.parts[0].pose = pose(v(0.0, 0.1, 0.2), v(0.0, -0.4, 0.0));
    wall.parts[0].shape = Shape::HalfSpace { normal: v(0.6, 0.0, 0.8), offset: 0.25 };
    // By hand: n, a point of the plane, and the stone put down on it.
    let frame = wall.pose.compose(&wall.parts[0].pose);
    let n = frame.rotation() * v(0.6, 0.0, 0.8);
    let ecp = frame.position + n * 0.25 + n.cross(&V::x()) * 0.7;
    let shape = stone.pose.compose(&stone.parts[0].pose);
    let q =
        shape.rotation() * Matrix3::from_diagonal(&axes.component_mul(&axes)) * shape.rotation().transpose();
    stone.pose.position = ecp + q * n / n.dot(&(q * n)).sqrt() - shape.position;
    let scene = scene(vec![wall, stone], friction(0.4, [1.0, 0.5], 0.02));
    let mut c = contact(0, 1, ecp, n, 0.3);
    slide(&scene, &mut c);
    let step = step_ending_in(scene, vec![c]);
    let verdict = assert_green(&step);
    assert!(verdict.min_gap.abs() < 1e-15);
    let mut unlisted = step;
    unlisted.contacts.clear();
    unlisted.after.poses[1].position -= n * 1e-8;
    assert_red("unlisted overlap with a half-space", &unlisted.consistent(), "g");
}

/// The sweep against all pairs, crowded (overlaps) and loose (near misses), over two states.
#[test]
fn the_smallest_gap_is_that_of_all_pairs() {
    let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(3);
    for (spread, count, crowded) in [(0.3, 40, true), (0.5, 40, true), (0.0, 27, false), (0.0, 8, false)] {
        let mut three = |low: f64, high: f64| V::from([(); 3].map(|()| random.random_range(low..high)));
        let thinnest = if crowded { 0.02 } else { 0.115 };
        let bodies = (0..count).map(|i| {
            let lattice = v((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64) * 0.241;
            let at = if crowded { three(-spread, spread) } else { lattice };
            let place = pose(at, three(-3.0, 3.0));
            ellipsoid(&format!("{i}"), three(thinnest, 0.12), 1.0, place, Velocity::default())
        });
        let mut step = step_ending_in(scene(bodies.collect(), friction(0.0, [1.0, 1.0], 0.0)), vec![]);
        let mut referee = Referee::new(&step.scene);
        for _ in 0..2 {
            let placed: Vec<PlacedEllipsoid> =
                step.scene.bodies.iter().zip(&step.after.poses).map(placed).collect();
            let pairs = (0..count).flat_map(|i| (0..i).map(move |j| (j, i)));
            let least = pairs.map(|(i, j)| signed_gap(&placed[i], &placed[j], None).0).fold(1e9, f64::min);
            let verdict = referee.judge(&step.record());
            assert_eq!(least < 0.0, crowded, "the case is not what it is meant to be: {least}");
            assert!((verdict.min_gap - least).abs() < 1e-12, "{} against {least}", verdict.min_gap);
            for pose in &mut step.after.poses {
                pose.position += three(-0.001, 0.001);
            }
        }
    }
}

fn placed((body, pose): (&Body, &Pose)) -> PlacedEllipsoid {
    match PlacedShape::new(&body.parts[0].shape, &body.parts[0].pose, pose) {
        PlacedShape::Ellipsoid(e) => e,
        _ => unreachable!("only ellipsoids here"),
    }
}

#[test]
fn momentum_lies_are_caught() {
    let honest = touching_ellipsoids();
    let lie = |what: &str, parts: &str, change: &dyn Fn(&mut Step)| {
        let mut step = honest.clone();
        change(&mut step);
        assert_red(what, &step, parts);
    };
    lie("impulse with the wrong sign", "mcf", &|s| s.contacts[0].normal_impulse *= -1.0);
    lie("friction with the wrong sign", "mf", &|s| s.contacts[0].friction_impulse *= -1.0);
    lie("missing contact", "m", &|s| s.contacts.clear());
    lie("bodies exchanged", "mcf", &|s| {
        let c = &mut s.contacts[0];
        std::mem::swap(&mut c.body_a, &mut c.body_b);
    });
    lie("load forgotten", "m", &|s| s.loads.force[2].z *= 1.0 + 1e-6);
    lie("pose not advanced", "m", &|s| s.before.poses[2].position.x -= 1e-9);
    lie("orientation not advanced", "m", &|s| {
        s.before.poses[2].orientation *= UnitQuaternion::from_scaled_axis(v(0.0, 1e-8, 0.0));
    });
    lie("torsion not applied", "mf", &|s| s.contacts[0].torsional_impulse = 0.0);

    let mut spun = spinning_in_free_flight(Gyroscopic::Implicit);
    spun.before.velocities[0].angular = spun.after.velocities[0].angular;
    assert_red("gyroscopic torque neglected", &spun, "m");

    let mut sunk = sliding_sphere(friction(0.3, [1.0, 1.0], 0.0));
    sunk.contacts[0].ecp.z -= 1e-6;
    slide(&sunk.scene, &mut sunk.contacts[0]);
    assert_red("point below both surfaces", &sunk.consistent(), "c");

    let mut moved = sliding_sphere(friction(0.3, [1.0, 1.0], 0.0));
    moved.after.poses[0].position.x += 1e-3;
    assert_red("fixed body moved", &moved, "m");
}

#[test]
fn contact_lies_are_caught() {
    let honest = touching_ellipsoids();
    let lie = |what: &str, parts: &str, change: &dyn Fn(&mut Step)| {
        let mut step = honest.clone();
        change(&mut step);
        assert_red(what, &step.consistent(), parts);
    };
    lie("normal tilted", "c", &|s| {
        let n = s.contacts[0].normal;
        let turn = UnitQuaternion::from_scaled_axis(n.cross(&V::x()).normalize() * 1e-6);
        s.contacts[0].normal = turn * n;
        s.contacts[0].friction_impulse = turn * s.contacts[0].friction_impulse;
        slide(&s.scene, &mut s.contacts[0]);
    });
    lie("wrong gap", "c", &|s| s.contacts[0].gap = 1e-8);
    lie("point beside the contact", "c", &|s| {
        let c = &mut s.contacts[0];
        c.ecp += c.normal.cross(&V::x()) * 1e-6;
        slide(&s.scene, &mut s.contacts[0]);
    });
    lie("impulse across a gap", "c", &|s| {
        s.after.poses[1].position += s.contacts[0].normal * 1e-6;
        s.scene.bodies[1].pose = s.after.poses[1];
        let c = &mut s.contacts[0];
        c.ecp += c.normal * 5e-7;
        c.gap = 1e-6;
        slide(&s.scene, c);
    });
    lie("listed overlap", "cg", &|s| {
        s.after.poses[1].position -= s.contacts[0].normal * 1e-6;
        s.scene.bodies[1].pose = s.after.poses[1];
        let c = &mut s.contacts[0];
        c.ecp -= c.normal * 5e-7;
        c.gap = -1e-6;
        slide(&s.scene, c);
    });
    lie("pulling impulse", "cf", &|s| s.contacts[0].normal_impulse = -0.1);
    lie("unlisted overlap", "g", &|s| {
        s.after.poses[2].position = s.after.poses[1].position + v(0.1, 0.05, 0.05);
    });
    lie("unlisted overlap with a fixed body", "g", &|s| {
        s.scene.bodies[0].fixed = true;
        s.after.velocities[0] = Velocity::default();
        s.contacts.clear();
        s.after.poses[2].position = s.after.poses[0].position + v(0.08, -0.02, 0.01);
        s.after.poses[1].position += v(1.0, 0.0, 0.0);
    });
    lie("a position that is none", "mg", &|s| s.after.poses[2].position = V::repeat(f64::NAN));
    lie("a velocity that is none", "mf", &|s| s.after.velocities[1].linear.y = f64::NAN);
}

/// Steps at a rough tolerance may have overlaps of that part of the size, and no deeper ones; below the
/// default nothing changes.
#[test]
fn overlaps_are_judged_by_the_tolerance() {
    let mut step = touching_ellipsoids();
    let normal = step.contacts.remove(0).normal;
    step.after.poses[1].position -= normal * 1e-7;
    step.scene.bodies[1].pose = step.after.poses[1];
    let mut step = step.consistent();
    let depth = -step.judge().min_gap_relative;
    assert!(depth > 1e-7, "{depth}");
    for (tolerance, green) in [(1e-12, false), (1e-8, false), (0.9 * depth, false), (1.1 * depth, true)] {
        step.scene.solver.tolerance = tolerance;
        assert_eq!(step.judge().green, green, "{tolerance}: {:#?}", step.judge());
    }
    step.after.poses[1].position += normal * (1e-7 * (1.0 - 0.9e-8 / depth));
    let mut step = step.consistent();
    step.scene.solver.tolerance = 1e-12;
    assert!(step.judge().min_gap < 0.0 && step.judge().green, "{:#?}", step.judge());
}

#[test]
fn friction_lies_are_caught() {
    for torsional in [0.0, 0.02] {
        for e_o in [1.0, 0.5] {
            let honest = sliding_sphere(friction(0.3, [1.0, e_o], torsional));
            assert_green(&honest);
            let lie = |what: &str, change: &dyn Fn(&mut Step)| {
                let mut step = honest.clone();
                change(&mut step);
                assert_red(what, &step.consistent(), "f");
            };
            lie("beyond the ellipsoid", &|s| {
                s.contacts[0].friction_impulse *= 1.0 + 1e-6;
                s.contacts[0].torsional_impulse *= 1.0 + 1e-6;
            });
            lie("along the slip", &|s| s.contacts[0].friction_impulse *= -1.0);
            lie("sliding without friction", &|s| {
                s.contacts[0].friction_impulse = V::zeros();
                s.contacts[0].torsional_impulse = 0.0;
            });
            lie("turned in the plane", &|s| {
                let turn = UnitQuaternion::from_scaled_axis(v(0.0, 0.0, 1e-3));
                s.contacts[0].friction_impulse = turn * s.contacts[0].friction_impulse;
            });
            lie("out of the plane", &|s| s.contacts[0].friction_impulse.z = 1e-7);
            lie("torsion that the law does not give", &|s| s.contacts[0].torsional_impulse += 1e-5);
        }
    }
}

#[test]
fn anisotropy_turns_with_the_body_that_owns_it() {
    let mut step = sliding_sphere(friction(0.3, [1.0, 0.5], 0.02));
    step.scene.friction.materials.push("other".into());
    let f = step.scene.friction.entries[0];
    step.scene.friction.entries = vec![f; 4];
    // The floor carries the direction: as before. The ball carries it: another tangent, another law.
    step.scene.bodies[1].parts[0].material = 1;
    assert_green(&step);
    for f in &mut step.scene.friction.entries {
        f.direction_owner = 1;
    }
    assert_red("direction of the other body", &step, "f");
}

#[test]
fn energy_from_nowhere_is_reported() {
    // A ball that circles on a fixed one: the end normal opens the contact at h v²/(r + r') under load.
    let velocity = Velocity { linear: v(1.0, 0.0, 0.0), angular: V::zeros() };
    let ball = ellipsoid("ball", v(0.1, 0.1, 0.1), 1.0, pose(v(0.0, 0.0, 0.3), V::zeros()), velocity);
    let mut base =
        ellipsoid("base", v(0.2, 0.2, 0.2), 1.0, pose(V::zeros(), V::zeros()), Velocity::default());
    base.fixed = true;
    let mut scene = scene(vec![base, ball], friction(0.0, [1.0, 1.0], 0.0));
    let slope = v(0.02, 0.0, 1.0).normalize();
    scene.bodies[1].pose.position = slope * 0.3;
    scene.gravity = V::zeros();
    // m = 1: ΔKE = p_n v_n − ½ p_n², v_n = e_x·n.
    let p_n = slope.x;
    let c = contact(0, 1, slope * 0.2, slope, p_n);
    let step = step_ending_in(scene, vec![c]);
    let verdict = assert_green(&step);
    let created = 0.5 * slope.x * slope.x;
    assert!((verdict.energy_created - created).abs() < 1e-14, "{verdict:?}");

    let mut kicked = step;
    kicked.after.velocities[1].linear.y = 2.0;
    kicked.before.poses[1] = kicked.after.poses[1];
    kicked.before.poses[1].position -= kicked.after.velocities[1].linear * H;
    let verdict = kicked.judge();
    assert_eq!(red_parts(&verdict), "m");
    assert!((verdict.energy_created - created - 2.0).abs() < 1e-12, "{verdict:?}");
}

/// The step without the state before it.
fn snapshot(step: &Step) -> RecordedStep<'_> {
    RecordedStep { before: None, ..step.record() }
}

#[test]
fn a_snapshot_is_judged_without_its_past() {
    let step = touching_ellipsoids();
    let mut referee = Referee::new(&step.scene);
    let verdict = referee.judge(&snapshot(&step));
    assert!(verdict.green && verdict.momentum == 0.0, "{verdict:#?}");
    let mut lie = step.clone();
    lie.contacts[0].friction_impulse *= 1.1;
    let verdict = referee.judge(&snapshot(&lie));
    assert_eq!(red_parts(&verdict), "f");
    let mut lie = step;
    lie.contacts[0].body_b = 7;
    assert!(!referee.judge(&snapshot(&lie)).green);
}

#[test]
fn the_referee_remembers_nothing_that_matters() {
    // One step judged twice by one referee, after another one in between: the same bits.
    let step = touching_ellipsoids();
    let mut other = step.clone();
    other.after.poses[2].position = v(0.3, 0.25, 0.9);
    let mut referee = Referee::new(&step.scene);
    let mut judge = |s: &Step| referee.judge(&s.record());
    let first = judge(&step);
    judge(&other);
    assert_eq!(first, judge(&step));
}

/// A ball of 1 kg carries one of 10 t. In a step that is solved too loosely the gap between them
/// opens by a tenth of what a body falls in the step, which is nothing to the light one under its load. The
/// heavy one is then pushed with a tenth more than its weight.
#[test]
fn a_heavy_body_is_weighed_with_its_own_mass() {
    let heavy = 1e4;
    let pushed = |excess: f64| {
        let lift = excess * G * H;
        let ball = |name: &str, mass: f64, z: f64, speed: f64| {
            let velocity = Velocity { linear: v(0.0, 0.0, speed), angular: V::zeros() };
            ellipsoid(name, v(0.1, 0.1, 0.1), mass, pose(v(0.0, 0.0, z), V::zeros()), velocity)
        };
        let bodies = vec![floor(), ball("light", 1.0, 0.1, 0.0), ball("heavy", heavy, 0.3 + lift * H, lift)];
        let mut scene = scene(bodies, friction(0.0, [1.0, 1.0], 0.0));
        scene.solver.tolerance = 1e-4;
        let load = heavy * (G * H + lift);
        let mut between = contact(1, 2, v(0.0, 0.0, 0.2 + 0.5 * lift * H), V::z(), load);
        between.gap = lift * H;
        step_ending_in(scene, vec![contact(0, 1, V::zeros(), V::z(), load + G * H), between]).judge()
    };
    assert!(pushed(1e-4).green, "within the tolerance");
    let verdict = pushed(0.1);
    assert!(!verdict.green, "a tenth too much: {verdict:#?}");
    assert!(verdict.momentum < 1e-11 && verdict.friction < 1e-11, "{verdict:#?}");
    assert!((verdict.complementarity - 0.05).abs() < 0.01, "{verdict:#?}");
}
