//! Parts on a vibrating track: every step is solved and green, and no part is outside. The distance queries
//! of `parry3d`, which know nothing of contact, check that.

use nalgebra::Vector3;
use parry3d_f64::math::{Pose as ParryPose, Vector3 as ParryVector};
use parry3d_f64::query::{Ray, RayCast, distance};
use parry3d_f64::shape::{Cuboid, TriMesh};
use signorini_geometry::{Pose, Shape};
use signorini_scene::scene::Scene;
use support::runs::{Run, body, shipped};

/// Parry's tolerances are absolute: lengths are told in centimetres.
const UNIT: f64 = 0.01;
/// Boxes are smaller by this fraction of their half extents on each side when they are checked.
const ROOM: f64 = 1e-6;

fn vector(v: &Vector3<f64>) -> ParryVector {
    ParryVector::new(v.x / UNIT, v.y / UNIT, v.z / UNIT)
}

fn placed(pose: &Pose) -> ParryPose {
    let turn = pose.orientation.scaled_axis();
    ParryPose::new(vector(&pose.position), ParryVector::new(turn.x, turn.y, turn.z))
}

/// The triangles of a surface, and the boxes of all moving bodies: body, place in it, shape.
struct Seen {
    track: (usize, TriMesh),
    boxes: Vec<(usize, Pose, Cuboid)>,
}

impl Seen {
    fn new(scene: &Scene) -> Self {
        let track = body(scene, "bowl");
        let surface = scene.bodies[track].triangles.as_ref().expect("a surface");
        let triangles = surface.triangles.iter().map(|t| t.map(|v| v as u32)).collect();
        let mesh = TriMesh::new(surface.points.iter().map(vector).collect(), triangles).expect("triangles");
        let moving = scene.bodies.iter().enumerate().filter(|(_, b)| !b.fixed);
        let parts = moving.flat_map(|(i, b)| b.parts.iter().map(move |part| (i, part)));
        let boxes = parts.map(|(i, part)| {
            let Shape::Polytope(p) = &part.shape else { panic!("a box: {part:?}") };
            let half = p.half_extents().expect("a box") * (1.0 - ROOM);
            (i, part.pose, Cuboid::new(vector(&half)))
        });
        Self { track: (track, mesh), boxes: boxes.collect() }
    }

    /// Checks that no box extends through a triangle or into a box of another body, and that under each there
    /// is the track, seen from its outer side.
    fn look(&self, poses: &[Pose], said: &str) {
        let (track, mesh) = &self.track;
        let bowl = poses[*track];
        let under = placed(&bowl);
        let at: Vec<Pose> = self.boxes.iter().map(|(i, pose, _)| poses[*i].compose(pose)).collect();
        let there: Vec<ParryPose> = at.iter().map(placed).collect();
        let apart = |k: usize, pose: &ParryPose, other: &dyn parry3d_f64::shape::Shape, what: &str| {
            let found = distance(&there[k], &self.boxes[k].2, pose, other).expect("a distance").distance;
            assert!(found > 0.0, "{said}: box {k} of body {} is inside {what}", self.boxes[k].0);
        };
        for (k, pose) in at.iter().enumerate() {
            apart(k, &under, mesh, "the track");
            for l in (0..k).filter(|l| self.boxes[*l].0 != self.boxes[k].0) {
                if (at[l].position - pose.position).norm() < 0.025 {
                    apart(k, &there[l], &self.boxes[l].2, "another part");
                }
            }
            let seen = bowl.orientation.inverse() * (pose.position - bowl.position);
            let ray = Ray::new(vector(&seen), ParryVector::new(0.0, 0.0, -1.0));
            let hit = mesh.cast_local_ray_and_get_normal(&ray, 0.02 / UNIT, true);
            let facing = hit.and_then(|hit| mesh.triangle_normal(hit.subshape));
            assert!(
                facing.is_some_and(|n| n.z > 0.9),
                "{said}: nothing under body {}: {seen:?}, {facing:?}",
                self.boxes[k].0
            );
        }
    }
}

fn twenty_parts_stay_on_the_track(steps: usize) {
    let scene = shipped("gallery/vibrating-track.toml");
    assert_eq!(scene.solver.tolerance, shipped("seeds/stack.toml").solver.tolerance);
    let seen = Seen::new(&scene);
    assert_eq!(seen.boxes.len(), 40);
    let mut run = Run::new(scene);
    seen.look(&run.state().poses, "at the start");
    for step in 1..=steps {
        run.advance();
        seen.look(&run.state().poses, &format!("step {step}"));
    }
}

#[test]
fn parts_are_on_a_track_that_vibrates() {
    twenty_parts_stay_on_the_track(80);
}

/// `cargo test --release --test robustness track::parts_stay -- --ignored`
#[test]
#[ignore = "half a minute in release"]
fn parts_stay_on_a_track_that_vibrates() {
    twenty_parts_stay_on_the_track(2000);
}
