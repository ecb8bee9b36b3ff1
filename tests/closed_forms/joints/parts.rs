//! Each of the referee's claims about joints is a claim of its own: a step in which nothing but this one
//! thing is wrong is red for it. An invented load makes up for the momentum that a lie about a reaction
//! changes.

use super::judged::{Told, hinge};
use super::{body, head, joint};
use nalgebra::{UnitQuaternion, Vector3};
use signorini::referee::{Findings, Referee};
use signorini_scene::scene::Scene;
use signorini_scene::settings::Integrator;
use support::runs::exact_from_text;

/// Twice the tolerance, as the referee allows.
const ALLOWED: f64 = 2e-8;

fn findings(told: &Told) -> (bool, Findings) {
    let mut referee = Referee::new(&told.scene);
    let verdict = referee.judge(&told.record());
    (verdict.green, *referee.findings())
}

/// Red, for the parts named and no other.
fn red_for(told: &Told, parts: &[&str], change: impl Fn(&mut Told)) {
    let mut lie = told.clone();
    change(&mut lie);
    let (green, found) = findings(&lie);
    assert!(!green, "{parts:?}: {found:?}");
    for (name, value, allowed) in [
        ("pose", found.pose, ALLOWED),
        ("linear", found.linear, ALLOWED),
        ("angular", found.angular, ALLOWED),
        ("position", found.joint_position, ALLOWED),
        ("law", found.joint_law, ALLOWED),
        ("error", found.joint_error, 2e-10),
    ] {
        assert_eq!(value > allowed, parts.contains(&name), "{parts:?}, {name}: {found:?}");
    }
}

/// A hinge after some steps: on its way at 20, at its limit at 200. The axis is y.
fn told(scene: &Scene, integrator: Integrator, step: usize) -> Told {
    let mut scene = scene.clone();
    scene.solver.integrator = integrator;
    let told = Told::step(scene, step);
    assert!(findings(&told).0, "{:?}", findings(&told));
    told
}

/// Rotates the rod about the hinge before and after the step.
fn turned(told: &mut Told, angle: f64) {
    let turn = UnitQuaternion::from_scaled_axis(Vector3::y() * angle);
    for state in [&mut told.before, &mut told.after] {
        state.poses[1].position = turn * state.poses[1].position;
        state.poses[1].orientation = turn * state.poses[1].orientation;
    }
}

/// A moment about the axis recorded as the joint's, and taken back by a load.
fn twisted(told: &mut Told, moment: f64) {
    told.joints[0].torque.y += moment;
    told.loads.angular_impulse[1].y -= moment;
}

#[test]
fn each_claim_about_joints_is_red_alone() {
    for integrator in [Integrator::ImplicitEuler, Integrator::Staggered] {
        let moving = told(&hinge(), integrator, 3);
        let stopped = told(&hinge(), integrator, 200);
        let [free, held] = [&moving, &stopped].map(|t| t.joints[0]);
        assert!(free.limit[1] == 0.0 && (free.motor[1] - 0.002).abs() < 1e-9, "{free:?}");
        assert!(held.limit[1] < -1e-3 && (held.motor[1] - 0.002).abs() < 1e-9, "{held:?}");
        for honest in [&moving, &stopped] {
            // The joint open.
            red_for(honest, &["position", "error"], |t| {
                t.before.poses[1].position.y += 1e-9;
                t.after.poses[1].position.y += 1e-9;
            });
            // A moment about the axis without a motor or limit that carries it.
            red_for(honest, &["law"], |t| twisted(t, 1e-8));
            // A force that moves nothing.
            red_for(honest, &["linear", "angular"], |t| t.joints[0].force.y += 1e-7);
            // A motor beyond its bound, and one that holds back while it is too slow.
            for more in [1e-8, -1e-8] {
                red_for(honest, &["law"], |t| {
                    t.joints[0].motor[1] += more;
                    twisted(t, more);
                });
            }
        }
        // The impulse of a limit that is not reached, on either side; and a reached limit without its
        // impulse.
        for more in [1e-8, -1e-8] {
            red_for(&moving, &["law"], |t| {
                t.joints[0].limit[1] += more;
                twisted(t, more);
            });
        }
        red_for(&stopped, &["law"], |t| {
            t.joints[0].limit[1] = 1e-8;
            twisted(t, 1e-8 - held.limit[1]);
        });
        // A limit overrun.
        red_for(&stopped, &["law", "error"], |t| turned(t, 1e-9));
    }
}

#[test]
fn a_prescribed_motion_that_is_missed_is_red_alone() {
    let text = head(0.002, 1.0)
        + &body("base", [0.05; 3], None, [0.0; 3])
        + &body("rod", [0.3, 0.05, 0.05], Some(1.0), [0.4, 0.0, 0.0])
        + &joint("hinge", "revolute", ["base", "rod"], [0.0; 3], "axis = [0, 1, 0]")
        + "[[motion]]\njoint = \"hinge\"\nvelocity = { type = \"sine\", amplitude = 0.3, frequency = 3 }\n";
    for integrator in [Integrator::ImplicitEuler, Integrator::Staggered] {
        let honest = told(&exact_from_text(&text), integrator, 40);
        red_for(&honest, &["position", "error"], |t| turned(t, 1e-9));
        // The prescribed motion drives it, no motor and no limit.
        red_for(&honest, &["law"], |t| {
            t.joints[0].motor[1] += 1e-8;
            t.joints[0].motion[1] -= 1e-8;
        });
        red_for(&honest, &["law"], |t| {
            t.joints[0].limit[1] -= 1e-8;
            t.joints[0].motion[1] += 1e-8;
        });
    }
}
