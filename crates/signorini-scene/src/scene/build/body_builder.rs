//! Bodies built in Rust.

use crate::scene::body::Body;
use crate::scene::definition::Scene;
use crate::scene::file::{
    BodyEntry, DEFAULT_MATERIAL, Materials, MeshConvex, MeshScale, Meshes, PartEntry, Report, ShapeEntry,
    WallEntry, body_from, no_rotation, place,
};
use nalgebra::{Unit, UnitQuaternion, Vector3};
use signorini_error::Result;
use std::path::{Path, PathBuf};

/// File that messages name for a body built in Rust.
const IN_CODE: &str = "scene";

/// A body in the making: [`Body::sphere`] and its sisters begin one, and
/// [`SceneBuilder::body`](super::SceneBuilder::body) or
/// `Simulation::add_body` takes it.
///
/// A body that moves needs [`density`](Self::density) or [`mass`](Self::mass). All else has a default: at
/// rest at the origin, axes along the world's. Values are checked where the body is taken.
///
/// ```
/// use signorini::Body;
/// let ball = Body::sphere(0.1).density(7800.0).at([0.0, 0.0, 1.0]).velocity([2.0, 0.0, 0.0]).named("ball");
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct BodyBuilder {
    pub(super) entry: BodyEntry,
    /// The wall that the body is: its parts are made and checked where the body is taken.
    pub(super) wall: Option<WallEntry>,
}

/// Constructors. All lengths in m.
impl Body {
    /// A sphere of a radius (m, > 0).
    pub fn sphere(radius: f64) -> BodyBuilder {
        BodyBuilder::of(ShapeEntry::Sphere { radius })
    }

    /// An ellipsoid with semi-axes (m, > 0) along x, y and z of the body.
    pub fn ellipsoid(semi_axes: impl Into<[f64; 3]>) -> BodyBuilder {
        BodyBuilder::of(ShapeEntry::Ellipsoid { semi_axes: semi_axes.into() })
    }

    /// A box with half its lengths (m, > 0) along x, y and z of the body. (`box` is a reserved word of Rust.)
    pub fn box_(half_extents: impl Into<[f64; 3]>) -> BodyBuilder {
        BodyBuilder::of(ShapeEntry::Box { half_extents: half_extents.into() })
    }

    /// The name that [`Body::box_`] had.
    #[deprecated(note = "it is called `box_` now")]
    pub fn cuboid(half_extents: impl Into<[f64; 3]>) -> BodyBuilder {
        Self::box_(half_extents)
    }

    /// A solid cylinder of a radius and a length (m, > 0) about z of the body. A disc is a short one.
    pub fn cylinder(radius: f64, length: f64) -> BodyBuilder {
        BodyBuilder::of(ShapeEntry::Cylinder { radius, length })
    }

    /// A capsule about its z axis: all points within a radius of a line of a length (m, > 0), centred.
    pub fn capsule(radius: f64, length: f64) -> BodyBuilder {
        BodyBuilder::of(ShapeEntry::Capsule { radius, length })
    }

    /// A hollow cylinder about its z axis, centred and open at both ends: outer radius, radius of the bore
    /// and length (m, > 0), of so many flat staves around the axis (3 to 360), each a part. Its volume and
    /// that of its bore are those of the round ones.
    pub fn hollow_cylinder(radius: f64, inner_radius: f64, length: f64, facets: u32) -> BodyBuilder {
        BodyBuilder::of(ShapeEntry::HollowCylinder { radius, inner_radius, length, facets })
    }

    /// The convex hull of points (m), at least four of them. The origin of the body is the hull's centre of
    /// mass, wherever the points were.
    pub fn polytope<P: Into<[f64; 3]>>(points: impl IntoIterator<Item = P>) -> BodyBuilder {
        BodyBuilder::of(ShapeEntry::Polytope { vertices: points.into_iter().map(Into::into).collect() })
    }

    /// The convex hull of a mesh in a file (`.obj`, `.stl`, `.ply`, `.dae`, `.glb`, `.gltf`, `.msh`), its
    /// coordinates times `scale` (m per unit), a number or one for each axis. A relative path begins at the
    /// current folder. The origin of the body is the hull's centre of mass.
    pub fn mesh(file: impl AsRef<Path>, scale: impl Into<MeshScale>) -> BodyBuilder {
        BodyBuilder::of(ShapeEntry::Mesh {
            file: file.as_ref().to_string_lossy().into_owned(),
            scale: scale.into(),
            convex: MeshConvex::Hull,
            resolution: None,
            concavity: None,
        })
    }

    /// The fixed surface of triangles of corners (m), open or closed, counter-clockwise seen from outside: a
    /// solid of a thickness (m, > 0) behind them.
    pub fn surface<P: Into<[f64; 3]>>(
        corners: impl IntoIterator<Item = P>,
        triangles: impl IntoIterator<Item = [u32; 3]>,
        thickness: f64,
    ) -> BodyBuilder {
        let vertices = corners.into_iter().map(Into::into).collect();
        let triangles = triangles.into_iter().collect();
        BodyBuilder::of(ShapeEntry::Surface { thickness, file: None, scale: 1.0, vertices, triangles })
    }

    /// The fixed half-space { x : normal · x ≤ offset }: `normal` points out of the solid (its length does
    /// not count), `offset` is the distance (m) of the plane from the origin along it.
    pub fn half_space(normal: impl Into<[f64; 3]>, offset: f64) -> BodyBuilder {
        BodyBuilder::of(ShapeEntry::HalfSpace { normal: normal.into(), offset })
    }

    /// The solid { x : x² + y² ≥ radius² } around a bore of this radius (m) about z of its frame, without
    /// end: a smooth wall around the bodies inside.
    pub fn bore(radius: f64) -> BodyBuilder {
        BodyBuilder::of(ShapeEntry::Bore { radius })
    }
}

impl Body {
    /// The union of convex parts. Each is given as a body of one shape: its shape, place, material, and mass
    /// or density count. Where none of the parts has a mass or density, the body's counts for all.
    ///
    /// Parts are given in a frame of the caller's. [`at`](BodyBuilder::at) and
    /// [`orientation`](BodyBuilder::orientation) say where that frame is; the origin of the body itself is
    /// its centre of mass. A body with [`mass`](BodyBuilder::mass) and [`inertia`](BodyBuilder::inertia)
    /// gives its parts about the centre of mass.
    ///
    /// ```
    /// use signorini::Body;
    /// let rod = Body::cylinder(0.02, 0.4).density(2700.0);
    /// let ends = [-0.25, 0.25].map(|z| Body::sphere(0.05).density(7800.0).at([0.0, 0.0, z]));
    /// let dumbbell = Body::compound([rod].into_iter().chain(ends)).at([0.0, 0.0, 1.0]);
    /// ```
    pub fn compound(parts: impl IntoIterator<Item = BodyBuilder>) -> BodyBuilder {
        let parts = parts.into_iter().map(BodyBuilder::into_part).collect();
        BodyBuilder { entry: BodyEntry { parts, ..BodyEntry::at_rest(None) }, wall: None }
    }
}

impl BodyBuilder {
    /// The entry of the body as a part of another body.
    fn into_part(self) -> PartEntry {
        let e = self.entry;
        PartEntry {
            mass: e.mass,
            density: e.density,
            material: Some(e.material).filter(|name| name != DEFAULT_MATERIAL),
            position: e.position,
            orientation: e.orientation,
            surface_velocity: e.surface_velocity,
            surface_angular_velocity: e.surface_angular_velocity,
            shape: e.shape.unwrap_or(ShapeEntry::Sphere { radius: f64::NAN }),
        }
    }

    fn of(shape: ShapeEntry) -> Self {
        Self { entry: BodyEntry::at_rest(Some(shape)), wall: None }
    }

    /// Unique name. Default: the kind of shape and the number of the body, such as `sphere-3`.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.entry.name = name.into();
        self
    }

    /// Density (kg/m³, > 0): mass and inertia are those of the homogeneous shape.
    pub fn density(mut self, density: f64) -> Self {
        self.entry.density = Some(density);
        self
    }

    /// Mass (kg, > 0). The inertia is that of the homogeneous shape, if [`inertia`](Self::inertia) gives no
    /// other.
    pub fn mass(mut self, mass: f64) -> Self {
        self.entry.mass = Some(mass);
        self
    }

    /// Inertia tensor about the centre of mass, in body axes (kg m²): xx, yy, zz, xy, xz, yz. Together with a
    /// mass.
    pub fn inertia(mut self, entries: [f64; 6]) -> Self {
        self.entry.inertia = Some(entries);
        self
    }

    /// The name of the material. Default: `"default"`.
    pub fn material(mut self, name: impl Into<String>) -> Self {
        self.entry.material = name.into();
        self
    }

    /// Position of the centre of mass (m), world.
    pub fn at(mut self, position: impl Into<[f64; 3]>) -> Self {
        self.entry.position = position.into();
        self
    }

    /// Orientation: the rotation that takes body axes to world axes.
    pub fn orientation(mut self, orientation: UnitQuaternion<f64>) -> Self {
        self.entry.orientation = entries(&orientation);
        self
    }

    /// Rotates the body by an angle (rad) about an axis through its centre of mass, world (the axis' length
    /// does not count), after the orientation given so far.
    pub fn turned(mut self, axis: impl Into<[f64; 3]>, angle: f64) -> Self {
        let axis = Unit::new_normalize(Vector3::from(axis.into()));
        let [w, x, y, z] = self.entry.orientation;
        let before = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(w, x, y, z));
        self.entry.orientation = entries(&(UnitQuaternion::from_axis_angle(&axis, angle) * before));
        self
    }

    /// Velocity of the centre of mass (m/s), world.
    pub fn velocity(mut self, velocity: impl Into<[f64; 3]>) -> Self {
        self.entry.velocity = velocity.into();
        self
    }

    /// Angular velocity (rad/s), world axes.
    pub fn angular_velocity(mut self, angular_velocity: impl Into<[f64; 3]>) -> Self {
        self.entry.angular_velocity = angular_velocity.into();
        self
    }

    /// The body never moves, whatever pushes it.
    pub fn fixed(mut self) -> Self {
        self.entry.fixed = Some(true);
        self
    }

    /// Constant force at the centre of mass (N), world, besides gravity.
    pub fn force(mut self, force: impl Into<[f64; 3]>) -> Self {
        self.entry.force = force.into();
        self
    }

    /// Constant torque (N m), world axes.
    pub fn torque(mut self, torque: impl Into<[f64; 3]>) -> Self {
        self.entry.torque = torque.into();
        self
    }

    /// Velocity with which its surface runs over it, as that of a belt (m/s), in axes that turn with the
    /// body:
    /// friction sees it, nothing moves. Slip at ξ from the origin is that of a surface which moves with
    /// `surface_velocity` + [`surface_angular_velocity`](Self::surface_angular_velocity) × ξ on the body.
    pub fn surface_velocity(mut self, velocity: impl Into<[f64; 3]>) -> Self {
        self.entry.surface_velocity = Some(velocity.into());
        self
    }

    /// Angular velocity with which its surface runs about its origin, as that of a turntable (rad/s).
    pub fn surface_angular_velocity(mut self, angular_velocity: impl Into<[f64; 3]>) -> Self {
        self.entry.surface_angular_velocity = Some(angular_velocity.into());
        self
    }

    /// Place of the shape in the body: origin (m) and orientation of the shape's axes. A body whose shape is
    /// off its centre of mass needs mass and inertia.
    pub fn shape_at(mut self, origin: impl Into<[f64; 3]>, orientation: UnitQuaternion<f64>) -> Self {
        self.entry.shape_position = origin.into();
        self.entry.shape_orientation = entries(&orientation);
        self
    }

    /// The name, or one made of the shape's kind and a number.
    pub(super) fn name_or(&self, number: usize) -> String {
        if self.entry.name.is_empty() {
            let shape = || self.entry.shape.as_ref().map_or("compound", ShapeEntry::kind);
            format!("{}-{number}", self.wall.as_ref().map_or_else(shape, WallEntry::kind))
        } else {
            self.entry.name.clone()
        }
    }
}

/// The body of a builder as number `number` of a scene that exists, whose materials it uses.
///
/// # Errors
/// All faults of its values, by field.
pub fn resolve_body(builder: &BodyBuilder, number: usize, scene: &Scene) -> Result<Body> {
    let mut report = Report::new(Path::new(IN_CODE));
    let entry = BodyEntry { name: builder.name_or(number), ..builder.entry.clone() };
    let entry = match &builder.wall {
        None => entry,
        Some(wall) => {
            let mut check = report.at(place::entry("body", number, &entry.name));
            let made = wall.put_into(entry.clone(), &mut check);
            report.stop_if_faulty()?;
            made.unwrap_or(entry)
        }
    };
    let mut materials = Materials::of_table(&scene.friction);
    let mut meshes = Meshes::beside(&PathBuf::from(IN_CODE), true);
    let body = body_from(number, &entry, &mut materials, &mut meshes, &mut report);
    if scene.bodies.iter().any(|b| b.name == body.name) {
        report.fault("name", format!("{:?}", body.name), "must be unique among the bodies");
    }
    report.stop_if_faulty()?;
    Ok(body)
}

fn entries(q: &UnitQuaternion<f64>) -> [f64; 4] {
    [q.w, q.i, q.j, q.k]
}

impl BodyEntry {
    /// A nameless body at rest at the origin.
    pub(in crate::scene) fn at_rest(shape: Option<ShapeEntry>) -> Self {
        Self {
            name: String::new(),
            fixed: None,
            mass: None,
            density: None,
            inertia: None,
            material: crate::scene::file::DEFAULT_MATERIAL.to_owned(),
            position: [0.0; 3],
            orientation: no_rotation(),
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            force: [0.0; 3],
            torque: [0.0; 3],
            surface_velocity: None,
            surface_angular_velocity: None,
            shape_position: [0.0; 3],
            shape_orientation: no_rotation(),
            shape,
            parts: Vec::new(),
        }
    }
}

impl ShapeEntry {
    /// The kind of shape, one word.
    fn kind(&self) -> &'static str {
        match self {
            ShapeEntry::Ellipsoid { .. } => "ellipsoid",
            ShapeEntry::Sphere { .. } => "sphere",
            ShapeEntry::Box { .. } => "box",
            ShapeEntry::Polytope { .. } => "polytope",
            ShapeEntry::Mesh { .. } => "mesh",
            ShapeEntry::Cylinder { .. } => "cylinder",
            ShapeEntry::Capsule { .. } => "capsule",
            ShapeEntry::HollowCylinder { .. } => "hollow_cylinder",
            ShapeEntry::Surface { .. } => "surface",
            ShapeEntry::HalfSpace { .. } => "half-space",
            ShapeEntry::Bore { .. } => "bore",
        }
    }
}
