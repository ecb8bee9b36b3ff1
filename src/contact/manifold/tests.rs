//! Features of flat pairs from refresh to refresh.

use super::*;
use crate::contact::FeatureSearch;
use crate::contact::feature::{Cylinder, Feature, edge_line, rim_point};
use crate::contact::part_model::{MovedPart, PartModel};
use crate::contact::placed::Placed;
use crate::contact::point::support_error;
use nalgebra::{Matrix3, UnitQuaternion};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use signorini_geometry::exposure::exposures;
use signorini_geometry::{Polytope, Pose, Shape};
use signorini_scene::scene::Part;
use std::sync::Arc;

fn cube() -> PartModel {
    PartModel::new(0, 0, &Part::new(Shape::Polytope(Arc::new(Polytope::box_(Vector3::repeat(0.5))))))
}

/// A cube stands on another one, turned by 1e-5 rad and a millimetre aside. An upper edge of one and a lower
/// edge of the other cross a hundred metres away: the load of that crossing goes to a point that both touch.
#[test]
fn edges_that_cross_far_away_carry_nothing() {
    let model = cube();
    let lower = MovedPart::new(&model, &Pose::identity());
    let pose = Pose {
        position: Vector3::new(0.0, 1e-3, 1.0),
        orientation: UnitQuaternion::from_euler_angles(0.0, 0.0, 1e-5),
    };
    let upper = MovedPart::new(&model, &pose);
    let (a, b) = (Placed::new(&model, &lower), Placed::new(&model, &upper));
    let edge = |body: &Placed<'_>, z: f64| {
        (0..12).find(|edge| {
            edge_line(body, *edge).is_some_and(|(arm, along)| along.x > 0.9 && arm.y > 0.4 && arm.z * z > 0.4)
        })
    };
    let edges = [edge(&a, 1.0), edge(&b, -1.0)].map(|edge| edge.expect("an edge along x"));
    let (mut manifold, mut search, mut x) =
        (ContactManifold::default(), FeatureSearch::default(), vec![0.0; 24]);
    let query = FeatureQuery::new(&a, &b, Vector3::z());
    manifold.begin(&query, &mut search);
    manifold.points.push(ContactPoint::new(FeaturePair(Feature::Edge(edges[0]), Feature::Edge(edges[1]))));
    let far = manifold.points.len() - 1;
    x[far] = 1.0;
    manifold.refresh(&query, 0.0, &mut search, &mut x);
    assert!(manifold.points[far].geometry.arm_b.norm() > 50.0, "{:?}", manifold.points[far].geometry);
    assert_eq!((x[far], x.iter().sum::<f64>()), (0.0, 1.0), "{x:?}");
}

/// The upper of two cubes, turned about the vertical, slides and tilts a little to and fro: either face
/// becomes the reference. The crossings of edges stay the same contact points and keep to the place where the
/// edges cross.
#[test]
fn crossings_follow_the_edges_and_outlive_the_reference_face() {
    let model = cube();
    let lower = MovedPart::new(&model, &Pose::identity());
    let a = Placed::new(&model, &lower);
    let (mut manifold, mut search, mut faces) =
        (ContactManifold::default(), FeatureSearch::default(), [0, 0]);
    for k in 0..8 {
        let (tilt, slide) = (4e-6 * (1.7 * k as f64).sin(), 1e-4 * k as f64);
        let pose = Pose {
            position: Vector3::new(0.1 + slide, 0.2, 1.0),
            orientation: UnitQuaternion::from_euler_angles(tilt, -tilt, 0.3),
        };
        let upper = MovedPart::new(&model, &pose);
        let b = Placed::new(&model, &upper);
        if k == 0 {
            manifold.begin(&FeatureQuery::new(&a, &b, Vector3::z()), &mut search);
        } else {
            manifold.refresh(&FeatureQuery::new(&a, &b, Vector3::z()), 0.0, &mut search, &mut []);
        }
        let is_of_a = |f: &FeaturePair| matches!(f, FeaturePair(_, Feature::EdgePoint(..)));
        faces[usize::from(manifold.points.iter().any(|point| is_of_a(&point.feature)))] += 1;
        assert_eq!(manifold.points.len(), 5, "{k}: a pentagon: one corner of each and three crossings");
        for point in &manifold.points {
            let (_, outside) = support_error(point, &a, &b);
            assert!(outside <= 1e-12, "{k}: {:?} lies {outside} outside", point.feature);
        }
    }
    assert!(faces.iter().all(|n| *n > 1), "{faces:?}");
    // Crossings also follow while the separating axis is another one, so that features of this face are not
    // searched.
    let pose = Pose { position: Vector3::new(0.12, 0.19, 1.0), ..Pose::identity() };
    let upper = MovedPart::new(
        &model,
        &Pose { orientation: UnitQuaternion::from_euler_angles(0.0, 0.0, 0.31), ..pose },
    );
    let b = Placed::new(&model, &upper);
    manifold.evaluate(&a, &b, &Vector3::z());
    let crossings = manifold.points.iter().filter(|point| {
        matches!(
            point.feature,
            FeaturePair(_, Feature::EdgePoint(..)) | FeaturePair(Feature::EdgePoint(..), _)
        )
    });
    assert!(crossings.map(|point| support_error(point, &a, &b).1).all(|outside| outside <= 1e-12));
}

/// An edge of the upper cube lies on the face of the lower one and runs over its rim: the end of the edge and
/// the crossing are active. Then the edge leans by so little that only the edges touch each other, and the
/// crossing above the face makes way for them.
#[test]
fn a_crossing_over_a_leaning_face_makes_way_for_its_edges() {
    let model = cube();
    let lower = MovedPart::new(&model, &Pose::identity());
    let a = Placed::new(&model, &lower);
    // The cube stands on an edge, turned to the side, with one end of it over the face.
    let on_edge = UnitQuaternion::from_euler_angles(std::f64::consts::FRAC_PI_4, 0.0, 0.5);
    for (lean, crossing_carries_load) in [(0.0, true), (1e-11, true), (3e-8, false)] {
        let (mut manifold, mut search) = (ContactManifold::default(), FeatureSearch::default());
        let middle = Vector3::new(0.8, 0.1, 0.5 + 0.5f64.sqrt());
        let upper = MovedPart::new(&model, &Pose { position: middle, orientation: on_edge });
        manifold.begin(&FeatureQuery::new(&a, &Placed::new(&model, &upper), Vector3::z()), &mut search);
        let crossing = |point: &ContactPoint| matches!(point.feature, FeaturePair(_, Feature::EdgePoint(..)));
        let k = manifold.points.iter().position(crossing).expect("the edge runs over the rim");
        // The cube leans about the crossing, the end over the face up.
        let pivot = manifold.points[k].geometry.arm_b;
        let along = on_edge * Vector3::x();
        let turn = UnitQuaternion::from_scaled_axis(along.cross(&Vector3::z()).normalize() * -lean);
        let leant = Pose { position: middle + pivot - turn * pivot, orientation: turn * on_edge };
        let upper = MovedPart::new(&model, &leant);
        let b = Placed::new(&model, &upper);
        let mut x = vec![0.0; 12];
        manifold.reserve();
        let facing = manifold.refresh(&FeatureQuery::new(&a, &b, Vector3::z()), 0.0, &mut search, &mut x);
        let could_carry_load = |x: &[f64]| manifold.could_carry_load(k, &a, &b, &facing.normal, x);
        assert_eq!(could_carry_load(&x), crossing_carries_load, "{lean}: unloaded");
        x[k] = 1.0;
        assert!(could_carry_load(&x), "{lean}: a loaded point is left");
        manifold.exclude_unsupported(&a, &b, 0.5, &mut x);
        assert_eq!(x[k], 1.0, "{lean}: not unsupported");
        manifold.exclude_cutting(&a, &b, 0.5, &mut x);
        assert_eq!(x[k] == 1.0, crossing_carries_load, "{lean}: {x:?}");
        let edges = manifold
            .points
            .iter()
            .position(|point| matches!(point.feature, FeaturePair(Feature::Edge(_), Feature::Edge(_))));
        assert!(crossing_carries_load || edges.is_some_and(|e| x[e] == 1.0), "{lean}: {x:?}");
    }
}

/// A contact point of two edges that crossed, after the bodies have come into line: the edges have no common
/// normal, and the point exerts nothing.
#[test]
fn edges_that_have_become_parallel_exert_nothing() {
    let model = cube();
    let lower = MovedPart::new(&model, &Pose::identity());
    let above = Pose { position: Vector3::new(0.1, 0.2, 1.0), ..Pose::identity() };
    let upper = MovedPart::new(&model, &above);
    let (a, b) = (Placed::new(&model, &lower), Placed::new(&model, &upper));
    let (mut manifold, mut search) = (ContactManifold::default(), FeatureSearch::default());
    manifold.n_slots = usize::MAX;
    manifold.add(&[FeaturePair(Feature::Edge(0), Feature::Edge(0))], 1);
    let mut x = vec![1.0; 16];
    manifold.refresh(&FeatureQuery::new(&a, &b, Vector3::z()), 0.0, &mut search, &mut x);
    assert!(manifold.points.iter().all(|point| point.geometry.normal.iter().all(|n| n.is_finite())));
    assert!(!manifold.points[0].exerts() && x[0] == 0.0, "{:?}", manifold.points[0]);
    assert!(manifold.points[1..].iter().any(ContactPoint::exerts), "the faces touch");
}

/// A cube leans by 4e-6 rad into another. The contact points that just touch are loaded, and none of those
/// that overlap: the iterate is not close enough to tell unsupported contact points, though the plane of each
/// loaded point cuts the cube.
#[test]
fn nothing_is_unsupported_beside_an_overlap_without_load_yet() {
    let model = cube();
    let lower = MovedPart::new(&model, &Pose::identity());
    let a = Placed::new(&model, &lower);
    let orientation = UnitQuaternion::from_euler_angles(4e-6, 0.0, 0.3);
    let (mut manifold, mut search) = (ContactManifold::default(), FeatureSearch::default());
    let mut height = 1.0;
    for _ in 0..3 {
        let upper = MovedPart::new(&model, &Pose { position: Vector3::new(0.1, 0.2, height), orientation });
        let b = Placed::new(&model, &upper);
        manifold.begin(&FeatureQuery::new(&a, &b, Vector3::z()), &mut search);
        let gaps = manifold.points.iter().map(|point| point.geometry.gap);
        let highest = gaps.clone().fold(f64::NEG_INFINITY, f64::max);
        assert!(highest - gaps.fold(f64::INFINITY, f64::min) > 1e-6, "it leans");
        let mut x: Vec<f64> =
            manifold.points.iter().map(|point| f64::from(u8::from(point.geometry.gap == highest))).collect();
        if highest.abs() < 1e-12 {
            let before = x.clone();
            manifold.exclude_unsupported(&a, &b, 0.5, &mut x);
            assert_eq!(x, before);
            return;
        }
        height -= highest;
    }
    panic!("no point just touches");
}

/// The rim of a cylinder crosses an upper edge of a cube at an angle. The point of the rim at that place must
/// stay above the upper face too, but the rim dips below that face beside it: the load of the point goes to
/// edge and rim, unless they touch at another place.
#[test]
fn a_point_of_a_rim_over_the_edge_of_a_face_makes_way_for_rim_and_edge() {
    let (box_model, radius, half) = (cube(), 0.3, 0.5);
    let cylinder = PartModel { shape: Shape::Cylinder { radius, half_length: half }, ..cube() };
    let Shape::Polytope(shape) = &box_model.shape else { panic!("a cube") };
    let (place, along) = (Vector3::new(0.5, 0.0, 0.5), Vector3::y());
    let normal = Vector3::new(0.4f64.sin(), 0.0, 0.4f64.cos());
    let tangent = along * 0.7f64.cos() + normal.cross(&along) * 0.7f64.sin();
    let side = tangent.cross(&normal);
    let axis = normal * 0.6f64.cos() + side * 0.6f64.sin();
    let out = side * 0.6f64.cos() - normal * 0.6f64.sin();
    let orientation = UnitQuaternion::from_matrix(&Matrix3::from_columns(&[out, axis.cross(&out), axis]));
    let lower = MovedPart::new(&box_model, &Pose::identity());
    let a = Placed::new(&box_model, &lower);
    let face = shape.faces.iter().position(|f| f.normal.z > 0.5).expect("the upper face");
    let on_edge = |v: usize| (shape.vertices[v] - place).cross(&along).norm() < 1e-12;
    let edge = shape.edges.iter().position(|e| e.vertices.iter().all(|v| on_edge(*v))).expect("the edge");
    let rim = Cylinder { center: Vector3::zeros(), axis, radius, half, is_capsule: false };
    for (step, stays) in [(0, false), (4, true)] {
        // The point touches the face.
        let [point, first] = [step, 0].map(|step| rim_point(&rim, false, step));
        let drop = orientation * (point - first);
        let position = place - out * radius + axis * half - Vector3::z() * drop.z;
        let upper = MovedPart::new(&cylinder, &Pose { position, orientation });
        let b = Placed::new(&cylinder, &upper);
        let mut manifold = ContactManifold { n_slots: usize::MAX, ..ContactManifold::default() };
        let over_face = FeaturePair(Feature::Face(face), Feature::RimPoint(false, step));
        manifold.add(&[over_face, FeaturePair(Feature::Edge(edge), Feature::Rim(false))], 2);
        manifold.evaluate(&a, &b, &normal);
        assert!(manifold.points[0].geometry.gap.abs() < 1e-12, "{:?}", manifold.points[0]);
        assert!(support_error(&manifold.points[1], &a, &b).0 < 1e-12, "rim and edge cut nothing");
        let mut x = [0.1, 0.0];
        if !stays {
            manifold.exclude_unsupported(&a, &b, 0.3, &mut x);
            assert_eq!(x, [0.1, 0.0], "not unsupported");
        }
        manifold.exclude_cutting(&a, &b, 0.3, &mut x);
        assert_eq!(x, if stays { [0.1, 0.0] } else { [0.0, 0.1] }, "{step}");
    }
}

/// The gap of a contact point beside a loaded one counts only if its load is larger than on a central path.
#[test]
fn gaps_of_points_with_negligible_load_do_not_count() {
    let model = cube();
    let lower = MovedPart::new(&model, &Pose::identity());
    let tilt = UnitQuaternion::from_euler_angles(0.0, 1e-3, 0.0);
    let upper = MovedPart::new(&model, &Pose { position: Vector3::new(0.1, 0.2, 1.0005), orientation: tilt });
    let (a, b) = (Placed::new(&model, &lower), Placed::new(&model, &upper));
    let (mut manifold, mut search) = (ContactManifold::default(), FeatureSearch::default());
    manifold.begin(&FeatureQuery::new(&a, &b, Vector3::z()), &mut search);
    let gap = |k: &usize| manifold.points[*k].geometry.gap;
    let by_gap = |i: &usize, j: &usize| gap(i).total_cmp(&gap(j));
    let (low, high) = ((0..4).min_by(by_gap).unwrap(), (0..4).max_by(by_gap).unwrap());
    let between = 0.5 * (gap(&low) + gap(&high));
    assert!(gap(&high) - gap(&low) > 5e-4, "{} {}", gap(&low), gap(&high));
    let mut x = vec![0.0; manifold.points.len()];
    x[low] = 1.0;
    for (little, counts) in [(0.0, false), (1e-9, false), (1e-3, true)] {
        x[high] = little;
        assert_eq!(manifold.open(&x) > between, counts, "{little}: {}", manifold.open(&x));
    }
}

/// The edges of two cubes coincide and their faces enclose a thousandth of a radian: either face is an axis.
/// The axis is the normal of the face with the larger load.
#[test]
fn of_coincident_edges_the_axis_is_that_of_the_load() {
    let model = cube();
    let lower = MovedPart::new(&model, &Pose::identity());
    let a = Placed::new(&model, &lower);
    let lean = UnitQuaternion::from_scaled_axis(Vector3::y() * 1e-3);
    let [edge_of_a, edge_of_b] = [Vector3::new(0.5, 0.0, 0.5), lean * Vector3::new(0.5, 0.0, -0.5)];
    let upper = |beyond: f64| {
        let position = edge_of_a - edge_of_b + Vector3::x() * beyond;
        MovedPart::new(&model, &Pose { position, orientation: lean })
    };
    let (mut manifold, mut search) = (ContactManifold::default(), FeatureSearch::default());
    let outside = upper(1e-4);
    manifold.begin(&FeatureQuery::new(&a, &Placed::new(&model, &outside), Vector3::z()), &mut search);
    manifold.reserve();
    let flush = upper(0.0);
    let b = Placed::new(&model, &flush);
    let query = FeatureQuery::new(&a, &b, Vector3::z());
    manifold.refresh(&query, 0.0, &mut search, &mut [0.0; 12]);
    let n_of_b = lean * Vector3::z();
    for (of_a, of_b) in [(1.0, 2.0), (2.0, 1.0)] {
        let mut x: Vec<f64> = Vec::new();
        for point in &manifold.points {
            let touches = point.geometry.gap.abs() < 1e-12;
            let is_of_b = matches!(point.feature.1, Feature::Face(_));
            x.push(if !touches {
                0.0
            } else if is_of_b {
                of_b
            } else {
                of_a
            });
        }
        let facing = manifold.refresh(&query, 0.0, &mut search, &mut x);
        let normal = if of_b > of_a { n_of_b } else { Vector3::z() };
        assert!((facing.normal - normal).norm() < 1e-12, "{of_a} and {of_b}: {:?}", facing.normal);
        assert!(facing.gap.abs() < 1e-12, "{}", facing.gap);
    }
}

/// A corner goes over the rim of a face by a billionth, on an edge that leans: the corner and the crossing of
/// the edge with the rim are at one place, and the crossing, which is still on the face, takes the load of
/// both.
#[test]
fn of_coincident_points_one_carries_the_load() {
    let model = cube();
    let lower = MovedPart::new(&model, &Pose::identity());
    let a = Placed::new(&model, &lower);
    let turn = UnitQuaternion::from_euler_angles(1e-3, 0.0, 0.3);
    let corner = turn * Vector3::new(0.5, -0.5, -0.5);
    let upper = |over: f64| {
        let position = Vector3::new(0.5 + over, 0.1, 0.5) - corner;
        MovedPart::new(&model, &Pose { position, orientation: turn })
    };
    let (mut manifold, mut search) = (ContactManifold::default(), FeatureSearch::default());
    let before = upper(-1e-9);
    manifold.begin(&FeatureQuery::new(&a, &Placed::new(&model, &before), Vector3::z()), &mut search);
    manifold.reserve();
    let after = upper(1e-9);
    let b = Placed::new(&model, &after);
    let query = FeatureQuery::new(&a, &b, Vector3::z());
    manifold.refresh(&query, 0.0, &mut search, &mut [0.0; 12]);
    let at_corner = |point: &ContactPoint| (point.geometry.arm_b - corner).norm() < 1e-7;
    let there: Vec<usize> = (0..manifold.points.len()).filter(|k| at_corner(&manifold.points[*k])).collect();
    assert!(there.len() >= 2, "a corner and a crossing: {:?}", manifold.points);
    let mut x: Vec<f64> =
        (0..manifold.points.len()).map(|k| f64::from(u8::from(there.contains(&k)))).collect();
    manifold.refresh(&query, 0.0, &mut search, &mut x);
    let loaded: Vec<usize> = there.iter().copied().filter(|k| manifold.points[*k].exerts()).collect();
    assert_eq!(loaded.len(), 1, "{:?}", manifold.points);
    assert_eq!(x[loaded[0]], there.len() as f64, "{x:?}");
}

/// A cube is deep in a wall and in the floor below it: whatever axis the parts are the least deep along, one
/// of the two pairs pushes it out of the one that it is deeper in.
#[test]
fn a_cube_deep_in_a_wall_and_the_floor_is_pushed_out() {
    let slab = |half: [f64; 3], at: [f64; 3]| {
        let pose = Pose { position: at.into(), orientation: UnitQuaternion::identity() };
        Part { pose, ..Part::new(Shape::Polytope(Arc::new(Polytope::box_(half.into())))) }
    };
    let parts = [slab([2.0, 2.0, 0.5], [0.0, 0.0, -0.5]), slab([0.5, 2.0, 1.0], [-1.5, 0.0, 1.0])];
    let found = exposures(&parts.each_ref().map(|part| (&part.shape, &part.pose)));
    let union = [0, 1]
        .map(|k| PartModel { exposed: found[k].clone(), ..PartModel::new(0, k, &parts[k]) })
        .map(|model| (MovedPart::new(&model, &Pose::identity()), model));
    let (cube, mut random) = (cube(), Pcg64Mcg::seed_from_u64(3));
    for round in 0..20_000 {
        let orientation = UnitQuaternion::from_euler_angles(
            random.random_range(-3.0..3.0),
            random.random_range(-1.5..1.5),
            random.random_range(-3.0..3.0),
        );
        let reach = orientation.to_rotation_matrix().into_inner().abs() * Vector3::repeat(0.5);
        let depths = [0, 1].map(|_| random.random_range(0.001..0.03));
        let position = Vector3::new(-1.0 + reach.x - depths[1], 0.0, reach.z - depths[0]);
        let moved = MovedPart::new(&cube, &Pose { position, orientation });
        let b = Placed::new(&cube, &moved);
        let gaps = union.each_ref().map(|(moved, model)| {
            let (mut manifold, a) = (ContactManifold::default(), Placed::new(model, moved));
            manifold.begin(&FeatureQuery::new(&a, &b, Vector3::z()), &mut FeatureSearch::default());
            let exerting = manifold.points.iter().filter(|point| point.exerts());
            exerting.map(|point| point.geometry.gap).fold(0.0, f64::min)
        });
        let deepest = depths[0].max(depths[1]);
        assert!(gaps[0].min(gaps[1]) < -0.99 * deepest, "{round}: {gaps:?}, but {depths:?}");
    }
}
