//! Tests of the candidates against a test of all pairs.

use super::*;
use nalgebra::UnitQuaternion;
use rand::{RngExt, SeedableRng};
use signorini_geometry::{Polytope, Pose};
use signorini_scene::scene::{self, LoadOptions, Part};
use std::path::Path;
use std::sync::Arc;

/// A floor, a fixed body and some that move, each a cloud of small parts.
fn clouds(random: &mut rand_pcg::Pcg64Mcg) -> Models {
    let text = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 0.01\n[[body]]\nname = \"floor\"\n\
                shape = { type = \"half_space\", normal = [0, 0, 1], offset = -1.2 }\n[[body]]\nname = \"a\"\n\
                shape = { type = \"sphere\", radius = 0.1 }\nmass = 1\n";
    let mut scene = scene::parse(text, Path::new("clouds"), &LoadOptions::default()).unwrap().scene;
    let one = scene.bodies[1].clone();
    scene.bodies.truncate(1);
    for body in 0..5 {
        let parts = (0..1 + 9 * body).map(|k| {
            let mut three = |reach: f64| Vector3::from_fn(|_, _| random.random_range(-reach..reach));
            let pose =
                Pose { position: three(0.8), orientation: UnitQuaternion::from_scaled_axis(three(2.0)) };
            let shape = match k % 3 {
                0 => Shape::Ellipsoid { semi_axes: Vector3::new(0.1, 0.2, 0.05) },
                1 => Shape::Cylinder { radius: 0.05, half_length: 0.15 },
                _ => Shape::Polytope(Arc::new(Polytope::box_(Vector3::new(0.2, 0.05, 0.02)))),
            };
            Part { pose, ..Part::new(shape) }
        });
        scene.bodies.push(scene::Body { parts: parts.collect(), fixed: body == 2, ..one.clone() });
    }
    Models::of(&scene)
}

#[test]
fn candidates_are_all_parts_whose_boxes_overlap() {
    let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(7);
    let mut n_found = 0;
    for _ in 0..20 {
        let models = clouds(&mut random);
        assert!(models.bodies.iter().any(|body| body.tree.is_some()));
        let mut pose = |_| Pose {
            position: Vector3::from_fn(|_, _| random.random_range(-0.5..0.5)),
            orientation: UnitQuaternion::identity(),
        };
        let poses: Vec<Pose> = (0..models.bodies.len()).map(&mut pose).collect();
        let place = |part: &PartModel| {
            let pose = if part.body == 0 { Pose::identity() } else { poses[part.body] };
            MovedPart::new(part, &pose)
        };
        let moved: Vec<MovedPart> = models.parts.iter().map(place).collect();
        let reach = (0..models.bodies.len()).map(|k| 0.01 * k as f64).collect();
        let margins = Margins { reach, fraction: 0.1 };
        let margin: Vec<f64> = models.parts.iter().map(|part| margins.of(part)).collect();
        let mut broad_phase = BroadPhase::default();
        broad_phase.find(&models, &moved, &margins);
        // Least distance of part p from part q along a direction, by their supports.
        let along = |p: usize, q: usize, n: &Vector3<f64>| {
            n.dot(&(moved[q].position - moved[p].position))
                - models.parts[p].support_width(&moved[p], n)
                - models.parts[q].support_width(&moved[q], &-n)
        };
        let mut expected = Vec::new();
        for q in 0..moved.len() {
            for p in 0..q {
                let near = if p == 0 {
                    models.parts[q].lowest(&moved[q], &Vector3::z()) + 1.2 <= margin[p] + margin[q]
                } else {
                    (0..3).all(|d| {
                        let n = Vector3::ith(d, 1.0);
                        along(p, q, &n).max(along(p, q, &-n)) <= margin[p] + margin[q]
                    })
                };
                let are_fixed = models.is_fixed(p) && models.is_fixed(q);
                if near && !are_fixed && models.parts[p].body != models.parts[q].body {
                    expected.push((p, q, ITSELF));
                }
            }
        }
        expected.sort_unstable();
        // A body of one shape is boxed by its ball: more candidates of it may be found.
        let alone = |part: usize| models.bodies[models.parts[part].body].parts.len() == 1;
        let mut found = broad_phase.candidates.clone();
        found.retain(|pair| expected.contains(pair) || !(alone(pair.0) || alone(pair.1)));
        assert_eq!(found, expected);
        n_found += found.len();
    }
    assert!(n_found > 500, "{n_found}");
}
