use super::Mechanism;
use nalgebra::DVector;
use signorini_scene::scene::{Body, BodyId, Joint, JointBuilder, Scene, energy};

/// A tree of bodies that hang on each other by joints of every kind, and a joint that closes a loop. Its
/// first body is fixed, or free.
fn tree(is_fixed: bool) -> Scene {
    let mut scene = Scene::builder();
    let base = Body::box_([0.1, 0.2, 0.05]).mass(2.0);
    let base = scene.body(if is_fixed { base.fixed() } else { base });
    let mut body = |at: [f64; 3]| scene.body(Body::ellipsoid([0.1, 0.05, 0.07]).mass(1.5).at(at));
    let bodies: Vec<BodyId> = (1..7).map(|k| body([0.5 * f64::from(k), 0.1, -0.2])).collect();
    let [axis, anchor] = [[1.0, 2.0, -1.0], [0.2, 0.0, 0.1]];
    let joints: [JointBuilder; 6] = [
        Joint::ball(base, bodies[0], anchor),
        Joint::revolute(bodies[0], bodies[1], anchor, axis).armature(0.3),
        // Its first body is the child.
        Joint::cylindrical(bodies[2], bodies[1], anchor, axis),
        Joint::universal(bodies[2], bodies[3], anchor, [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
        Joint::planar(bodies[3], bodies[4], anchor, axis),
        Joint::prismatic(bodies[3], bodies[5], axis),
    ];
    joints.into_iter().for_each(|joint| {
        scene.joint(joint);
    });
    scene.joint(Joint::ball(bodies[0], bodies[5], anchor));
    scene.build().expect("a scene")
}

/// Numbers between −1 and 1.
fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|i| (7.3 * i as f64 + 0.4).sin()).collect()
}

#[test]
fn coordinates_go_there_and_back_with_the_energy_of_the_mass_matrix() {
    for (is_fixed, [n_q, n_rates]) in [(true, [13, 12]), (false, [20, 18])] {
        let scene = tree(is_fixed);
        let mechanism = Mechanism::of(&scene);
        assert_eq!([mechanism.n_coordinates(), mechanism.n_rates()], [n_q, n_rates]);
        assert_eq!(mechanism.coordinate_names().len(), n_q);
        assert_eq!(mechanism.rate_names().len(), n_rates);
        assert_eq!(mechanism.loops(), [6]);
        let (mut q, rates) = (numbers(n_q), numbers(n_rates));
        for first in if is_fixed { vec![0] } else { vec![3, 7] } {
            let length = q[first..first + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
            q[first..first + 4].iter_mut().for_each(|x| *x /= length);
        }
        let state = mechanism.state_at(&scene.initial_state(), &q, Some(&rates)).expect("a state");
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close(&mechanism.coordinates(&state), &q), "{:?} {q:?}", mechanism.coordinates(&state));
        assert!(close(&mechanism.rates(&state), &rates), "{:?} {rates:?}", mechanism.rates(&state));
        for (joint, violation) in scene.joints[..6].iter().map(|j| (j, j.bodies.map(|id| &state.poses[id]))) {
            assert!(joint.violation(violation).iter().all(|error| *error < 1e-12), "{}", joint.name);
        }
        let rates = DVector::from_vec(rates);
        let matrix = mechanism.mass_matrix(&state);
        let armature = 0.3 * rates[if is_fixed { 3 } else { 9 }].powi(2);
        let found = rates.dot(&(&matrix * &rates)) - armature;
        let expected = 2.0 * energy::kinetic(&scene, &state);
        assert!((found - expected).abs() < 1e-11 * expected, "{found} {expected}");
        assert!((&matrix - matrix.transpose()).amax() < 1e-12);
        // Rates and the equations of the loop are those of the coordinates a moment later.
        let moment = 1e-6;
        let moved = signorini_scene::scene::State {
            poses: state.poses.iter().zip(&state.velocities).map(|(p, v)| p.advanced(v, moment)).collect(),
            velocities: state.velocities.clone(),
        };
        let loop_joint = &scene.joints[6];
        let values = |state: &signorini_scene::scene::State| -> Vec<f64> {
            let at = loop_joint.bodies.map(|id| signorini_scene::scene::joint::placement(&state.poses[id]));
            loop_joint.equations().iter().map(|(row, ..)| row.value(&at)).collect()
        };
        let slopes = mechanism.loop_jacobian(&state) * &rates;
        for (i, (after, before)) in values(&moved).iter().zip(values(&state)).enumerate() {
            assert!(((after - before) / moment - slopes[i]).abs() < 1e-4, "row {i}");
        }
    }
}
