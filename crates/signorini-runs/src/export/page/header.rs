//! Description of the scene in a page.

use crate::export::mesh::Mesh;
use crate::export::recording::Recording;
use crate::export::run_files::RunFiles;
use nalgebra::Vector3;
use serde_json::{Value, json};
use signorini_geometry::{Polytope, Pose, Shape, Surface};
use signorini_scene::scene::Part;
use std::sync::Arc;

/// Describes the scene as the page draws it: geometries, bodies, joints, names. Lengths in m, quaternions (w,
/// x, y, z).
///
/// A geometry is a unit sphere, box or cylinder, which bodies scale, a polytope or a half-space. Equal
/// polytopes share one geometry.
pub fn scene(run: &RunFiles, recording: &Recording) -> Value {
    let scene = &run.scene;
    let mut geometries = Geometries::default();
    let mut slots = vec![-1_i64; scene.bodies.len()];
    recording.moving.iter().enumerate().for_each(|(k, i)| slots[*i] = k as i64);
    let bodies: Vec<Value> =
        slots.into_iter().enumerate().map(|(id, slot)| body(run, id, slot, &mut geometries)).collect();
    let joint = |j: &signorini_scene::scene::Joint| {
        let anchors = j.frames.map(|f| json!(f.position.as_slice()));
        json!({ "name": j.name, "kind": j.kind.as_str(), "bodies": j.bodies, "anchors": anchors })
    };
    // Lengths of a periodic box are null along axes that do not repeat.
    let lengths = [0, 1, 2].map(|axis| scene.periodic.and_then(|periodic| periodic.length(axis)));
    json!({
        "step": scene.time_step,
        "gravity": scene.gravity.as_slice(),
        "lengths": lengths,
        "tolerance": scene.solver.tolerance,
        "formulation": scene.solver.formulation.as_str(),
        "materials": scene.friction.materials,
        "geometries": geometries.list,
        "bodies": bodies,
        // Mortar is no mechanism to be drawn.
        "joints": scene.joints.iter().filter(|j| j.mortar.is_none()).map(joint).collect::<Vec<Value>>(),
    })
}

fn body(run: &RunFiles, id: usize, slot: i64, geometries: &mut Geometries) -> Value {
    let body = &run.scene.bodies[id];
    let part = |part: &Part| {
        let drawn = |(shape, at): (Shape, Pose)| {
            let (geometry, scale) = geometries.of(&shape);
            json!({ "geometry": geometry, "scale": scale, "inner": pose(&at), "material": part.material })
        };
        drawn_as(part).into_iter().map(drawn).collect::<Vec<Value>>()
    };
    let mut about = json!({
        "name": body.name,
        "kind": body.kind(),
        "parts": match &body.triangles {
            // A surface is drawn as one geometry: a geometry for each of many triangles would be slow.
            Some(surface) => vec![json!({
                "geometry": geometries.surface(surface),
                "scale": [1.0, 1.0, 1.0],
                "inner": pose(&Pose::identity()),
                "material": body.parts[0].material,
            })],
            None if body.is_bore() => vec![json!({
                "geometry": geometries.wall(run, id),
                "scale": [1.0, 1.0, 1.0],
                "inner": pose(&Pose::identity()),
                "material": body.parts[0].material,
            })],
            None => body.parts.iter().flat_map(part).collect::<Vec<Value>>(),
        },
        "pose": pose(&body.pose),
        "mass": if body.fixed { Value::Null } else { json!(body.mass) },
        "slot": slot,
    });
    if let Some(there) = run.came_and_left(id) {
        about["there"] = json!(there);
    }
    about
}

/// Shapes that the page draws for a part: a cylinder and two balls for a capsule, which no factors make of
/// another.
fn drawn_as(part: &Part) -> Vec<(Shape, Pose)> {
    let Shape::Capsule { radius, half_length } = part.shape else {
        return vec![(part.shape.clone(), part.pose)];
    };
    let end = |up: f64| {
        let center = part.pose.point(&(Vector3::z() * (up * half_length)));
        (Shape::Ellipsoid { semi_axes: Vector3::repeat(radius) }, Pose { position: center, ..part.pose })
    };
    vec![(Shape::Cylinder { radius, half_length }, part.pose), end(-1.0), end(1.0)]
}

fn pose(pose: &Pose) -> [f64; 7] {
    let (p, q) = (&pose.position, pose.orientation.quaternion());
    [p.x, p.y, p.z, q.w, q.i, q.j, q.k]
}

#[derive(Default)]
struct Geometries {
    list: Vec<Value>,
    /// Polytopes in the list, with their indices.
    polytopes: Vec<(Arc<Polytope>, usize)>,
    /// Indices of the unit sphere, box and cylinder.
    units: [Option<usize>; 3],
}

impl Geometries {
    /// Index of the geometry of a shape in the list, and the factors along the axes of the shape frame.
    fn of(&mut self, shape: &Shape) -> (usize, [f64; 3]) {
        match shape {
            Shape::Ellipsoid { semi_axes: a } => (self.unit(0, "sphere"), [a.x, a.y, a.z]),
            Shape::Cylinder { radius, half_length } => {
                (self.unit(2, "cylinder"), [*radius, *radius, *half_length])
            }
            Shape::HalfSpace { normal, offset } => {
                let plane = json!({ "type": "half-space", "normal": normal.as_slice(), "offset": offset });
                (self.push(plane), [1.0; 3])
            }
            // Bores have a wall, and capsules are drawn as others.
            Shape::Bore { .. } | Shape::Capsule { .. } => {
                (self.push(json!({ "type": "polytope", "vertices": [], "faces": [] })), [1.0; 3])
            }
            Shape::Polytope(polytope) => match polytope.half_extents() {
                Some(h) => (self.unit(1, "box"), [h.x, h.y, h.z]),
                None => (self.polytope(polytope), [1.0; 3]),
            },
        }
    }

    fn unit(&mut self, which: usize, name: &str) -> usize {
        if let Some(place) = self.units[which] {
            return place;
        }
        let place = self.push(json!({ "type": name }));
        self.units[which] = Some(place);
        place
    }

    fn polytope(&mut self, polytope: &Arc<Polytope>) -> usize {
        let known = self.polytopes.iter().find(|(p, _)| Arc::ptr_eq(p, polytope) || p == polytope);
        if let Some((_, place)) = known {
            return *place;
        }
        let vertices: Vec<&[f64]> = polytope.vertices.iter().map(|v| v.as_slice()).collect();
        let faces: Vec<&Vec<usize>> = polytope.faces.iter().map(|f| &f.vertices).collect();
        let place = self.push(json!({ "type": "polytope", "vertices": vertices, "faces": faces }));
        self.polytopes.push((Arc::clone(polytope), place));
        place
    }

    fn surface(&mut self, surface: &Surface) -> usize {
        let vertices: Vec<&[f64]> = surface.points.iter().map(|v| v.as_slice()).collect();
        self.push(json!({ "type": "polytope", "vertices": vertices, "faces": surface.triangles }))
    }

    /// The wall of a bore, as long as what is in it at the start.
    fn wall(&mut self, run: &RunFiles, id: usize) -> usize {
        let mesh = Mesh::of_bore(&run.scene, &run.scene.initial_state(), id).unwrap_or_default();
        let vertices: Vec<&[f64]> = mesh.points.iter().map(|v| v.as_slice()).collect();
        self.push(json!({ "type": "polytope", "vertices": vertices, "faces": mesh.faces }))
    }

    fn push(&mut self, geometry: Value) -> usize {
        self.list.push(geometry);
        self.list.len() - 1
    }
}
