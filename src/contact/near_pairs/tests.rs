//! Pairs that pass through each other though they were expected to move little.

use super::*;
use signorini_scene::scene::{self, LoadOptions};
use std::path::Path;

/// A thin plate and a bullet that flies at it.
fn shot(plate: &str, bullet: &str) -> signorini_scene::scene::Scene {
    let text = format!(
        "format = 1
[simulation]
time_step = 0.005
duration = 0.005
[[friction]]
coefficient = 0.3
[[body]]
name = \"plate\"
shape = {{ {plate} }}
mass = 5
[[body]]
name = \"bullet\"
shape = {{ {bullet} }}
mass = 0.5
position = [0.01, 0.02, 0.04]
"
    );
    scene::parse(&text, Path::new("shot"), &LoadOptions::default()).unwrap().scene
}

#[test]
fn what_passed_through_is_followed_and_what_went_beside_is_not() {
    let plates = [
        "type = \"ellipsoid\", semi_axes = [0.3, 0.3, 0.005]",
        "type = \"box\", half_extents = [0.3, 0.3, 0.005]",
    ];
    let bullets = ["type = \"sphere\", radius = 0.03", "type = \"box\", half_extents = [0.03, 0.03, 0.03]"];
    for plate in plates {
        for bullet in bullets {
            let scene = shot(plate, bullet);
            let models = Models::of(&scene);
            let poses = scene.initial_state().poses;
            // The bullet flies to the middle, or down beside the rim at a distance of a millimetre.
            for (from, down, caught) in [([0.0, 0.0], 0.09, 1), ([0.321, -0.01], 0.07, 0)] {
                let at = |x: f64, z: f64| {
                    let mut pose = poses[1];
                    pose.position += Vector3::new(x, 0.0, z);
                    [MovedPart::new(&models.parts[0], &poses[0]), MovedPart::new(&models.parts[1], &pose)]
                };
                let (start, end) = (at(from[0], from[1]), at(from[0], from[1] - down));
                let mut near = NearPairs::default();
                near.find(&models, &scene.friction, &start, |_| 0.006);
                assert!(near.pairs.len() == 1 && near.pairs[0].swept.is_none(), "{bullet}, {plate}");
                let mut search = FeatureSearch::default();
                let mut normal_at = |end: &[MovedPart; 2], pair: &mut Pair| {
                    let [a, b] = models.sides(pair, end);
                    pair.refresh([&a, &b], &mut search, PointLoads::default(), CheckLevel::None);
                    pair.geometry.normal
                };
                // The iterates get to the far side around the rim.
                for way in [at(0.5, 0.0), at(0.5, -0.09), end] {
                    normal_at(&way, &mut near.pairs[0]);
                }
                assert_eq!(
                    catch_passed(&mut near.pairs, &models, [&start, &end]),
                    caught,
                    "{bullet}, {plate}"
                );
                assert_eq!(near.pairs[0].swept.is_some(), caught == 1);
                let normal = normal_at(&end, &mut near.pairs[0]);
                assert_eq!(normal.z > 0.9, caught == 1, "{bullet}, {plate}: {normal}");
                assert_eq!(catch_passed(&mut near.pairs, &models, [&start, &end]), 0, "once");
            }
        }
    }
}
