//! Plates that press large piles, in flat arrays and by Newton's method.

use nalgebra::Vector3;
use signorini_ncp::solver::Phase;
use signorini_scene::scene::Scene;
use support::runs::{Run, body, from_text};

/// Force of the lid (N).
const FORCE: f64 = 400.0;
/// Steps in which a pile comes to rest that starts without impulses.
const SAGGING: usize = 5;

/// 80 grains in a box without friction on its walls, under a lid that presses.
fn pressed(shape: &str) -> Scene {
    from_text(&format!(
        "format = 1\n[simulation]\ntime_step = 0.005\nduration = 5\nseed = 3\n[solver]\ntolerance = 1e-3\n\
         [[friction]]\nbetween = [\"grain\", \"grain\"]\ncoefficient = 0.4\n\
         ellipsoid = {{ t = 1, o = 1, r = 0.02 }}\n\
         [[friction]]\nbetween = [\"grain\", \"wall\"]\ncoefficient = 0\n\
         [[container]]\nname = \"box\"\nsize = [0.4, 0.4, 2]\nmaterial = \"wall\"\n\
         [[fill]]\nname = \"grain\"\ncount = 80\ndensity = 2500\nmaterial = \"grain\"\nshape = {shape}\n\
         region = {{ min = [-0.2, -0.2, 0], max = [0.2, 0.2, 0.6] }}\n\
         [[body]]\nname = \"lid\"\nmass = 5\nmaterial = \"wall\"\n\
         shape = {{ type = \"box\", half_extents = [0.19, 0.19, 0.02] }}\nposition = [0, 0, 0.65]\n\
         [[press]]\nbody = \"lid\"\ndirection = [0, 0, -1]\nforce = {FORCE}\nspeed = 1\n"
    ))
}

/// Mean force of the contacts on a body over steps (N), and how many of them were in flat arrays.
fn mean_force(run: &mut Run, name: &str, steps: usize) -> (Vector3<f64>, usize) {
    let (id, h) = (body(run.scene(), name), run.scene().time_step);
    let (mut sum, mut n_flat) = (Vector3::zeros(), 0);
    for _ in 0..steps {
        n_flat += usize::from(run.advance().info.phase == Phase::Flat);
        for contact in run.contacts().iter().filter(|c| c.body_a == id || c.body_b == id) {
            let sign = if contact.body_a == id { -1.0 } else { 1.0 };
            let push = contact.normal * contact.normal_impulse + contact.friction_impulse;
            sum += push * (sign / (h * steps as f64));
        }
    }
    (sum, n_flat)
}

/// Weight of all bodies that can move but the lid, whose weight the press carries (N).
fn weight(scene: &Scene) -> f64 {
    let grains = scene.bodies.iter().filter(|body| !body.fixed && body.name != "lid");
    grains.map(|body| body.mass * 9.81).sum()
}

/// Once the pile rests the floor carries the force of the lid and the grains' weight, and the joint of the
/// lid the force, in flat arrays; and by Newton's method from there.
#[test]
fn a_lid_presses_a_pile_on_both_paths() {
    for shape in [
        "{ type = \"ellipsoid\", semi_axes = [0.04, 0.036, 0.033] }",
        "{ type = \"box\", half_extents = [0.03, 0.03, 0.03] }",
    ] {
        let mut run = Run::new(pressed(shape));
        run.steps(300);
        let borne = FORCE + weight(run.scene());
        let (floor, n_flat) = mean_force(&mut run, "box.z_min", 20);
        assert!(n_flat > 10, "{shape}: {n_flat} steps in flat arrays");
        assert!((floor.z + borne).abs() < 2e-3 * borne, "{shape}: {floor} N of {borne}");
        let joint = &run.simulation.joints()[0];
        let motor = joint.motor[0] / run.scene().time_step;
        assert!((motor - FORCE).abs() < 1e-3 * FORCE, "{shape}: {motor} N");
        assert!(joint.error.iter().all(|error| *error < 1e-12), "{shape}: {:?}", joint.error);
        let mut other = run.scene().clone();
        for (body, (pose, velocity)) in
            other.bodies.iter_mut().zip(run.state().poses.iter().zip(&run.state().velocities))
        {
            (body.pose, body.velocity) = (*pose, *velocity);
        }
        other.solver.methods.flat_from_bodies = usize::MAX;
        // Without the impulses of the last step the pile sags a little for some steps.
        let mut other = Run::new(other);
        other.steps(SAGGING);
        let (floor, n_flat) = mean_force(&mut other, "box.z_min", 2);
        assert_eq!(n_flat, 0);
        assert!((floor.z + borne).abs() < 2e-3 * borne, "{shape}: {floor} N of {borne} by Newton's method");
    }
}

/// Hulls whose edges lean on each other: the friction of a pair is bounded by the normal impulse of all its
/// points together, along the normal of their load, and not by the sum over them.
#[test]
fn hulls_that_fall_obey_coulombs_law_where_edges_lean() {
    let mut run = Run::new(from_text(
        "format = 1\n[simulation]\ntime_step = 0.005\nduration = 2\nseed = 3\n[solver]\ntolerance = 1e-3\n\
         [[friction]]\ncoefficient = 0.4\n\
         [[friction]]\nbetween = [\"grain\", \"wall\"]\ncoefficient = 0\n\
         [[container]]\nname = \"box\"\nsize = [0.4, 0.4, 2]\nmaterial = \"wall\"\n\
         [[fill]]\nname = \"grain\"\ncount = 80\ndensity = 2500\nmaterial = \"grain\"\n\
         region = { min = [-0.2, -0.2, 0], max = [0.2, 0.2, 0.7] }\n\
         shape = { type = \"polytope\", vertices = [[0.03, 0, 0.02], [-0.02, 0.03, 0.02], [-0.02, -0.03, 0.02], \
         [0.03, 0.02, -0.02], [-0.03, 0.01, -0.02], [0, -0.03, -0.03], [0, 0.01, 0.035]] }\n",
    ));
    let n_flat = (0..92).filter(|_| run.advance().info.phase == Phase::Flat).count();
    assert!(n_flat > 20, "{n_flat} steps in flat arrays");
}
