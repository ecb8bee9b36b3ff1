//! Flat pairs under the explicit models: one contact per corner, and edges against edges.

use super::{run, scene, under};
use signorini::simulation::Simulation;
use signorini_scene::scene::{ContactKind, LoadOptions, load};
use signorini_scene::settings::Formulation::{Compliant, Cone, Implicit, StewartTrinkle};
use std::path::Path;

const G: f64 = 9.81;

/// A bar lying with its lower edge across the upper edges of two rails, without friction: in balance, each
/// rail carries half of it on one point.
fn crossed(velocity: f64) -> String {
    let half = std::f64::consts::FRAC_PI_8;
    let (c, s) = (half.cos(), half.sin());
    let height = 0.2 * std::f64::consts::SQRT_2;
    format!(
        "format = 1\n[simulation]\ntime_step = 0.002\nduration = 0.05\n[[friction]]\ncoefficient = 0\n\
         [[body]]\nname = \"rail\"\nfixed = true\norientation = [{c:?}, {s:?}, 0, 0]\n\
         shape = {{ type = \"box\", half_extents = [0.5, 0.1, 0.1] }}\n\
         [[body]]\nname = \"other\"\nfixed = true\nposition = [0, 0.6, 0]\norientation = [{c:?}, {s:?}, 0, 0]\n\
         shape = {{ type = \"box\", half_extents = [0.5, 0.1, 0.1] }}\n\
         [[body]]\nname = \"bar\"\nmass = 40\nposition = [0, 0.3, {height:?}]\norientation = [{c:?}, 0, {s:?}, 0]\n\
         velocity = [0, 0, {velocity:?}]\nshape = {{ type = \"box\", half_extents = [0.1, 0.5, 0.1] }}\n"
    )
}

fn loads(simulation: &Simulation) -> Vec<f64> {
    simulation.contacts().iter().map(|c| c.normal_impulse).filter(|p| *p > 0.0).collect()
}

#[test]
fn an_edge_bears_a_body_on_an_edge() {
    for model in [Implicit, StewartTrinkle, Cone, Compliant] {
        let end = run(under(&scene(&crossed(0.0)), model), |s| {
            // The compliant contacts take some steps to press in.
            if s.step_index() > 10 {
                let found = loads(s);
                assert_eq!(found.len(), 2, "{model:?}: {found:?}");
                for p in found {
                    assert!((p / (20.0 * G * 0.002) - 1.0).abs() < 1e-3, "{model:?}: {p}");
                }
                assert!(s.contacts().iter().all(|c| c.normal.z.abs() > 1.0 - 1e-6), "{model:?}");
            }
        });
        let off = end.state().poses[2].position.z - 0.2 * std::f64::consts::SQRT_2;
        assert!(off.abs() < if model == Compliant { 1e-5 } else { 1e-9 }, "{model:?}: {off}");
    }
}

#[test]
fn an_edge_is_stopped_by_an_edge() {
    for model in [Implicit, StewartTrinkle, Cone, Compliant] {
        let mut simulation = Simulation::new(under(&scene(&crossed(-2.0)), model)).unwrap();
        let outcome = simulation.advance();
        assert!(outcome.info.status.is_solved());
        let v = simulation.state().velocities[2];
        let slow = if model == Compliant { 0.1 } else { 1e-9 };
        assert!(v.linear.norm() < slow && v.angular.norm() < slow, "{model:?}: {v:?}");
        let sum: f64 = loads(&simulation).iter().sum();
        assert!((sum / (40.0 * (2.0 + G * 0.002)) - 1.0).abs() < slow, "{model:?}: {sum}");
    }
}

#[test]
fn a_stack_of_boxes_stands_on_its_corners() {
    let boxes: String = (0..4)
        .map(|k| {
            let z = 0.1 + 0.2 * f64::from(k);
            format!(
                "[[body]]\nname = \"box {k}\"\nmass = 2\nposition = [{:?}, 0, {z:?}]\n\
                 shape = {{ type = \"box\", half_extents = [0.1, 0.1, 0.1] }}\n",
                0.01 * f64::from(k % 2)
            )
        })
        .collect();
    let base = scene(&format!(
        "format = 1\n[simulation]\ntime_step = 0.005\nduration = 0.5\n[[friction]]\ncoefficient = 0.5\n\
         [[body]]\nname = \"ground\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n{boxes}"
    ));
    for model in [Implicit, StewartTrinkle, Cone, Compliant] {
        let end = run(under(&base, model), |_| {});
        for k in 0..4 {
            let (upper, lower) = (k + 1, k);
            let sum: f64 = end
                .contacts()
                .iter()
                .filter(|c| (c.body_a, c.body_b) == (lower, upper))
                .map(|c| c.normal_impulse)
                .sum();
            let weight = (4 - k) as f64 * 2.0 * G * 0.005;
            assert!((sum / weight - 1.0).abs() < 1e-5, "{model:?} {k}: {sum} against {weight}");
            // The soft one gives way by what the step resolves.
            let off = end.state().poses[upper].position.z - (0.1 + 0.2 * k as f64);
            assert!(off.abs() < if model == Compliant { 1e-4 } else { 1e-9 }, "{model:?} {k}: {off}");
        }
    }
}

/// A cube on one corner that falls on an edge and then on a face, pushed by the impulses of its scene when it
/// does.
#[test]
fn all_models_tell_points_from_lines_and_surfaces() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/seeds/tumbling-cube.toml");
    let mut base = load(&path, &LoadOptions::default()).unwrap().scene;
    base.duration = 1.0;
    for model in [Implicit, StewartTrinkle, Cone, Compliant] {
        // When it first touches along a line and over a surface, and how fast it is at last.
        let mut first = [f64::NAN; 2];
        let end = run(under(&base, model), |s| {
            for (seen, kind) in first.iter_mut().zip([ContactKind::Line, ContactKind::Surface]) {
                let mut loaded = s.contacts().iter().filter(|c| c.normal_impulse > 0.0);
                let facets = 3 - kind as usize;
                if seen.is_nan() && loaded.any(|c| c.touch.kind >= kind) {
                    *seen = s.time();
                    let of_cube = s.contacts().iter().map(|c| c.touch.active_facets[1]);
                    assert!(
                        of_cube.clone().all(|n| n == facets),
                        "{model:?}: {:?}",
                        of_cube.collect::<Vec<_>>()
                    );
                }
            }
        });
        // Steps of 10 ms: the fall on the face comes up to a tenth of a second later where the edge is
        // lifted.
        assert!((first[0] - 0.44).abs() < 0.02 && (first[1] - 0.67).abs() < 0.12, "{model:?}: {first:?}");
        // 1 and then 14 N s on 1 kg, less what friction takes.
        assert!(end.state().velocities[1].linear.norm() > 12.0, "{model:?}: {:?}", end.state().velocities[1]);
    }
}
