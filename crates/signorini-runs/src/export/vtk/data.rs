//! Data of a frame for ParaView: bodies as points or as surfaces, contacts as points.

use super::poly_data::{Array, PolyData};
use crate::export::mesh::Mesh;
use crate::export::run_files::Contact;
use nalgebra::{Quaternion, Vector3};
use signorini_geometry::{Pose, Shape};
use signorini_scene::scene::{Body, Scene, State};
use std::borrow::Cow;

/// Number of a body of several parts, after those of the shapes.
const COMPOUND: usize = 5;
/// Width of the squares that stand for half-spaces, over the bodies' bounds.
const GROUND: f64 = 2.0;

fn triple(v: &Vector3<f64>) -> [f64; 3] {
    [v.x, v.y, v.z]
}

/// Number of a shape's kind.
fn code(shape: &Shape) -> usize {
    match shape {
        Shape::Ellipsoid { .. } => 0,
        Shape::Polytope(p) if p.half_extents().is_some() => 1,
        Shape::Cylinder { .. } => 2,
        Shape::Polytope(_) => 3,
        Shape::HalfSpace { .. } => 4,
        Shape::Bore { .. } => 6,
        Shape::Capsule { .. } => 7,
    }
}

/// Semi-axes, half extents, or (radius, radius, half length) of a shape; of a polytope half its bounds.
fn semi_axes(shape: &Shape) -> [f64; 3] {
    match shape {
        Shape::Ellipsoid { semi_axes } => triple(semi_axes),
        Shape::Cylinder { radius, half_length } | Shape::Capsule { radius, half_length } => {
            [*radius, *radius, *half_length]
        }
        Shape::Polytope(p) => {
            let most = |c: usize| p.vertices.iter().fold(f64::NEG_INFINITY, |m, v| m.max(v[c]));
            let least = |c: usize| p.vertices.iter().fold(f64::INFINITY, |m, v| m.min(v[c]));
            [0, 1, 2].map(|c| 0.5 * (most(c) - least(c)))
        }
        Shape::HalfSpace { .. } | Shape::Bore { .. } => [0.0; 3],
    }
}

/// Number of a body's kind of shape.
fn body_code(body: &Body) -> usize {
    match body.parts.as_slice() {
        [part, ..] if body.is_bore() => code(&part.shape),
        [part] => code(&part.shape),
        _ => COMPOUND,
    }
}

/// Semi-axes of a body as of its shape; of several parts the half extents of a cube as large.
fn body_axes(body: &Body) -> [f64; 3] {
    match body.parts.as_slice() {
        [part] => semi_axes(&part.shape),
        _ => [body.size().unwrap_or(0.0); 3],
    }
}

/// Makes points at the centres of bodies, with their poses and velocities.
pub fn bodies(scene: &Scene, state: &State, ids: &[usize]) -> PolyData {
    let drawn = wrapped(scene, state);
    let body = |i: &usize| &scene.bodies[*i];
    let components = |q: &Quaternion<f64>| [q.w, q.i, q.j, q.k];
    let quaternion = |i: &usize| components(state.poses[*i].orientation.quaternion());
    let first = |i: &usize| &body(i).parts[0];
    let of_shape =
        |i: &usize| components((state.poses[*i].orientation * first(i).pose.orientation).quaternion());
    let mut data = PolyData {
        points: ids.iter().map(|i| triple(&drawn.poses[*i].position)).collect(),
        polygons: None,
        point_data: vec![
            Array::whole("id", ids.iter().copied()),
            Array::text("name", ids.iter().map(|i| body(i).name.clone())),
            Array::whole("shape", ids.iter().map(|i| body_code(body(i)))),
            Array::real("semi_axes", ids.iter().map(|i| body_axes(body(i)))),
            Array::real("quaternion", ids.iter().map(quaternion)),
            Array::real("shape_quaternion", ids.iter().map(of_shape)),
            Array::real("velocity", ids.iter().map(|i| triple(&state.velocities[*i].linear))),
            Array::real("angular_velocity", ids.iter().map(|i| triple(&state.velocities[*i].angular))),
            Array::real("mass", ids.iter().map(|i| [if body(i).fixed { 0.0 } else { body(i).mass }])),
            Array::whole("material", ids.iter().map(|i| first(i).material)),
        ],
        cell_data: Vec::new(),
    };
    if scene.periodic.is_some() {
        let places = ids.iter().map(|i| triple(&state.poses[*i].position));
        data.point_data.push(Array::real("unwrapped", places));
    }
    data
}

/// Returns the state with all bodies in the periodic box, if the scene has one.
fn wrapped<'a>(scene: &Scene, state: &'a State) -> Cow<'a, State> {
    let Some(periodic) = &scene.periodic else { return Cow::Borrowed(state) };
    let mut wrapped = state.clone();
    for pose in &mut wrapped.poses {
        pose.position = periodic.wrapped(&pose.position);
    }
    Cow::Owned(wrapped)
}

/// Makes the surfaces of bodies; half-spaces are squares about the others.
pub fn surfaces(scene: &Scene, state: &State, ids: &[usize]) -> PolyData {
    let drawn = wrapped(scene, state);
    let mut data = PolyData { polygons: Some(Vec::new()), ..PolyData::default() };
    let mut owners = Vec::new();
    let parts = |i: &usize| (0..scene.bodies[*i].parts.len()).map(|k| (*i, k)).collect::<Vec<_>>();
    for (i, k) in ids.iter().flat_map(parts) {
        let mesh = placed_mesh(scene, &drawn, i, k);
        let first = data.points.len();
        data.points.extend(mesh.points.iter().map(triple));
        owners.extend(std::iter::repeat_n((i, k), mesh.faces.len()));
        let shifted = mesh.faces.into_iter().map(|face| face.into_iter().map(|v| v + first).collect());
        data.polygons.get_or_insert_default().extend(shifted);
    }
    let part = |(i, k): &(usize, usize)| &scene.bodies[*i].parts[*k];
    let velocity = |(i, _): &(usize, usize)| &state.velocities[*i];
    data.cell_data = vec![
        Array::whole("id", owners.iter().map(|(i, _)| *i)),
        Array::whole("shape", owners.iter().map(|owner| code(&part(owner).shape))),
        Array::whole("material", owners.iter().map(|owner| part(owner).material)),
        Array::real("velocity", owners.iter().map(|owner| triple(&velocity(owner).linear))),
        Array::real("angular_velocity", owners.iter().map(|owner| triple(&velocity(owner).angular))),
        Array::whole("part", owners.iter().map(|(_, k)| *k)),
    ];
    data
}

/// Makes the surface of part k of body i in the world.
pub fn placed_mesh(scene: &Scene, state: &State, i: usize, k: usize) -> Mesh {
    let part = &scene.bodies[i].parts[k];
    let pose = state.poses[i].compose(&part.pose);
    if let Some(surface) = &scene.bodies[i].triangles {
        return Mesh::of_triangle(surface, k).placed(&state.poses[i]);
    }
    let drawn = if k == 0 { Mesh::of_bore(scene, state, i) } else { None };
    if let Some(mesh) = drawn {
        return mesh.placed(&state.poses[i]);
    }
    match (&part.shape, Mesh::of(&part.shape)) {
        (_, Some(mesh)) => mesh.placed(&pose),
        (Shape::HalfSpace { normal, offset }, None) => {
            let (centre, reach) = bounds(scene, state);
            let inner = pose.orientation.inverse() * (centre - pose.position);
            Mesh::plane(normal, *offset, &inner, GROUND * reach).placed(&pose)
        }
        _ => Mesh { points: Vec::new(), faces: Vec::new() },
    }
}

/// Middle of the bounded bodies, and the largest half extent about it.
fn bounds(scene: &Scene, state: &State) -> (Vector3<f64>, f64) {
    let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    for (body, pose) in scene.bodies.iter().zip(&state.poses) {
        for part in &body.parts {
            let reach = part.shape.bounding_radius();
            if reach.is_finite() {
                let Pose { position, .. } = pose.compose(&part.pose);
                low = low.inf(&position.add_scalar(-reach));
                high = high.sup(&position.add_scalar(reach));
            }
        }
    }
    match low.x <= high.x {
        true => (0.5 * (low + high), 0.5 * (high - low).norm()),
        false => (Vector3::zeros(), 1.0),
    }
}

/// Makes points at the equivalent contact points; force is the mean over the step (N), on body B.
pub fn contacts(scene: &Scene, contacts: &[Contact]) -> PolyData {
    let time_step = scene.time_step;
    let drawn = |c: &Contact| scene.periodic.map_or(c.point, |periodic| periodic.wrapped(&c.point));
    let real = |name, of: &dyn Fn(&Contact) -> f64| Array::real(name, contacts.iter().map(|c| [of(c)]));
    let vector = |name, of: &dyn Fn(&Contact) -> Vector3<f64>| {
        Array::real(name, contacts.iter().map(|c| triple(&of(c))))
    };
    PolyData {
        points: contacts.iter().map(|c| triple(&drawn(c))).collect(),
        polygons: None,
        point_data: vec![
            Array::whole("body_a", contacts.iter().map(|c| c.bodies[0])),
            Array::whole("body_b", contacts.iter().map(|c| c.bodies[1])),
            vector("normal", &|c| c.normal),
            real("gap", &|c| c.gap),
            real("normal_impulse", &|c| c.normal_impulse),
            vector("friction_impulse", &|c| c.friction_impulse),
            real("torsional_impulse", &|c| c.torsional_impulse),
            vector("force", &|c| c.impulse() / time_step),
            real("slip_speed", &|c| c.slip_speed),
            Array::whole("state", contacts.iter().map(|c| c.state as usize)),
            Array::whole("kind", contacts.iter().map(|c| c.kind as usize)),
            Array::whole("points", contacts.iter().map(|c| c.points)),
            Array::whole("part_a", contacts.iter().map(|c| c.parts[0])),
            Array::whole("part_b", contacts.iter().map(|c| c.parts[1])),
        ],
        cell_data: Vec::new(),
    }
}
