//! Surfaces of bodies as triangles with normals, for programs that draw.

use super::mesh::{Mesh, normal_at};
use nalgebra::Vector3;
use signorini_geometry::{Pose, Shape};
use signorini_scene::scene::{Scene, State};

/// Triangles of a body's surface in the frame of the body, about its centre of mass.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Surface {
    /// Corners (m).
    pub points: Vec<Vector3<f64>>,
    /// Unit normals at the corners, outwards.
    pub normals: Vec<Vector3<f64>>,
    /// Indices of the corners of the triangles, counter-clockwise from outside.
    pub triangles: Vec<[usize; 3]>,
}

impl Surface {
    fn add(&mut self, mesh: &Mesh, shape: &Shape, pose: &Pose) {
        let first = self.points.len();
        let normals: Option<Vec<_>> = mesh.points.iter().map(|p| normal_at(shape, p)).collect();
        if let Some(normals) = normals {
            self.points.extend(mesh.points.iter().map(|p| pose.point(p)));
            self.normals.extend(normals.iter().map(|n| pose.orientation * n));
            let fans = mesh.faces.iter().flat_map(|f| (1..f.len() - 1).map(|k| [f[0], f[k], f[k + 1]]));
            self.triangles.extend(fans.map(|corners| corners.map(|k| first + k)));
            return;
        }
        // Normals jump at edges: each face has corners of its own.
        for face in &mesh.faces {
            let start = self.points.len();
            let corners: Vec<_> = face.iter().map(|k| pose.point(&mesh.points[*k])).collect();
            let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).normalize();
            self.triangles.extend((1..face.len() - 1).map(|k| [start, start + k, start + k + 1]));
            self.normals.extend(corners.iter().map(|_| normal));
            self.points.extend(corners);
        }
    }
}

/// Makes the surface of each body. A half-space is a square about the bodies of the state.
pub fn surfaces(scene: &Scene, state: &State) -> Vec<Surface> {
    let of_body = |i: usize| {
        let mut surface = Surface::default();
        let pose = &state.poses[i];
        let back = pose.orientation.inverse();
        let from_world = Pose { position: back * -pose.position, orientation: back };
        for (k, part) in scene.bodies[i].parts.iter().enumerate() {
            match Mesh::of(&part.shape) {
                Some(mesh) => surface.add(&mesh, &part.shape, &part.pose),
                None => {
                    let square = super::vtk::placed_mesh(scene, state, i, k);
                    surface.add(&square, &part.shape, &from_world);
                }
            }
        }
        surface
    };
    (0..scene.bodies.len()).map(of_body).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use signorini_scene::scene::Body;

    #[test]
    fn normals_look_outwards_and_fit_the_triangles() {
        let mut builder = Scene::builder();
        builder.body(Body::half_space([0.0, 0.6, 0.8], 0.1));
        let ball = Body::ellipsoid([0.3, 0.2, 0.1]).at([0.0, 0.0, 0.5]);
        let rod = Body::cylinder(0.05, 0.4).at([0.0, 0.0, 0.8]);
        builder.body(Body::compound([ball, rod]).density(1000.0).at([1.0, 2.0, 3.0]));
        let scene = builder.build().unwrap();
        let surfaces = surfaces(&scene, &scene.initial_state());
        for p in &surfaces[0].points {
            assert!((Vector3::new(0.0, 0.6, 0.8).dot(p) - 0.1).abs() < 1e-12);
        }
        for surface in &surfaces {
            assert_eq!(surface.points.len(), surface.normals.len());
            for [a, b, c] in &surface.triangles {
                let p = &surface.points;
                let across = (p[*b] - p[*a]).cross(&(p[*c] - p[*a]));
                for corner in [a, b, c] {
                    let normal = surface.normals[*corner];
                    assert!((normal.norm() - 1.0).abs() < 1e-12);
                    assert!(normal.dot(&across) > 0.9 * across.norm());
                }
            }
        }
        // Points are relative to the centre of mass.
        let top = surfaces[1].points.iter().fold(f64::NEG_INFINITY, |z, p| z.max(p.z));
        let centre = scene.bodies[1].pose.position.z;
        assert!((centre + top - 4.0).abs() < 1e-12, "{centre} {top}");
    }
}
