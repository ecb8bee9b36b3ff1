//! Bodies in the making.

use crate::errors::renamed;
use nalgebra::{Quaternion, UnitQuaternion};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini::{Arch, BodyBuilder, Drum, Helix, Hopper};
use std::path::PathBuf;

/// Facets in a turn of a helical track, unless others are given.
const TRACK_FACETS: u32 = 60;

/// A body in the making: `Body.sphere(0.1).density(1000.0).at([0, 0, 1])`.
///
/// `Body.sphere` and its sisters begin one; each method returns another body and leaves the first as it was.
/// `SceneBuilder.body` or `Simulation.add_body` takes it. A body that moves needs `density` or `mass`; all
/// else has a default: at rest at the origin, axes along the world's. Values are checked where the body is
/// taken. Lengths are in m, vectors in world axes.
#[pyclass(frozen, module = "signorini")]
pub struct Body {
    pub builder: BodyBuilder,
}

/// A rotation from a quaternion (w, x, y, z), whose length does not count.
pub fn rotation([w, x, y, z]: [f64; 4]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z))
}

impl Body {
    fn with(&self, change: impl FnOnce(BodyBuilder) -> BodyBuilder) -> Self {
        Self { builder: change(self.builder.clone()) }
    }
}

impl From<BodyBuilder> for Body {
    fn from(builder: BodyBuilder) -> Self {
        Self { builder }
    }
}

#[pymethods]
impl Body {
    /// A sphere of a radius (m, > 0).
    #[staticmethod]
    fn sphere(radius: f64) -> Self {
        signorini::Body::sphere(radius).into()
    }

    /// An ellipsoid with semi-axes (m, > 0) along x, y and z of the body.
    #[staticmethod]
    fn ellipsoid(semi_axes: [f64; 3]) -> Self {
        signorini::Body::ellipsoid(semi_axes).into()
    }

    /// A box with half its lengths (m, > 0) along x, y and z of the body.
    #[staticmethod]
    #[pyo3(name = "box")]
    fn box_(half_extents: [f64; 3]) -> Self {
        signorini::Body::box_(half_extents).into()
    }

    /// The name that `Body.box` had.
    #[staticmethod]
    fn cuboid(py: Python<'_>, half_extents: [f64; 3]) -> PyResult<Self> {
        renamed(py, c"Body.cuboid is called Body.box now")?;
        Ok(Self::box_(half_extents))
    }

    /// A solid cylinder of a radius and a length (m, > 0) about z of the body.
    #[staticmethod]
    fn cylinder(radius: f64, length: f64) -> Self {
        signorini::Body::cylinder(radius, length).into()
    }

    /// A capsule about z of the body: all points within a radius of a line of a length (m, > 0), centred.
    #[staticmethod]
    fn capsule(radius: f64, length: f64) -> Self {
        signorini::Body::capsule(radius, length).into()
    }

    /// A hollow cylinder about z of the body, centred and open at both ends: outer radius, radius of the bore
    /// and length (m, > 0), of flat staves around the axis (3 to 360), each a part. Its volume and that of
    /// its bore are those of the round ones.
    #[staticmethod]
    #[pyo3(signature = (radius, inner_radius, length, facets = 12))]
    fn hollow_cylinder(radius: f64, inner_radius: f64, length: f64, facets: u32) -> Self {
        signorini::Body::hollow_cylinder(radius, inner_radius, length, facets).into()
    }

    /// The convex hull of points (m), shape (n, 3), n ≥ 4. The body's origin is the hull's centre of mass.
    #[staticmethod]
    fn polytope(points: Vec<[f64; 3]>) -> Self {
        signorini::Body::polytope(points).into()
    }

    /// The convex hull of a closed mesh in a file (.obj, .stl, .ply, .dae, .glb, .gltf, .msh), its
    /// coordinates times `scale` (m per unit).
    #[staticmethod]
    #[pyo3(signature = (file, scale = 1.0))]
    fn mesh(file: PathBuf, scale: f64) -> Self {
        signorini::Body::mesh(file, scale).into()
    }

    /// A fixed surface of triangles, open or closed: corners (m), shape (n, 3), and rows of `corners` for
    /// each triangle, shape (m, 3), counter-clockwise seen from outside. It is a solid of a thickness (m, >
    /// 0) behind them.
    #[staticmethod]
    fn surface(corners: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>, thickness: f64) -> Self {
        signorini::Body::surface(corners, triangles, thickness).into()
    }

    /// A rigid body of several convex parts. Shape, material, place and turn of a part count, and its density
    /// or mass, which may be given for the whole body instead. The body's origin is its centre of mass; `at`
    /// and `orientation` of the body place the frame that the parts are given in.
    #[staticmethod]
    fn compound(parts: Vec<PyRef<'_, Self>>) -> Self {
        signorini::Body::compound(parts.iter().map(|part| part.builder.clone())).into()
    }

    /// The fixed half-space { x : normal · x ≤ offset }: `normal` points out of the solid, `offset` is the
    /// distance (m) of the plane from the origin along it.
    #[staticmethod]
    #[pyo3(signature = (normal = [0.0, 0.0, 1.0], offset = 0.0), text_signature = "(normal=(0, 0, 1), offset=0.0)")]
    fn half_space(normal: [f64; 3], offset: f64) -> Self {
        signorini::Body::half_space(normal, offset).into()
    }

    /// The solid { x : x² + y² ≥ radius² } around a bore of this radius (m) about z of the body, without end,
    /// fixed or driven: a smooth wall around the bodies inside.
    #[staticmethod]
    fn bore(radius: f64) -> Self {
        signorini::Body::bore(radius).into()
    }

    /// A hollow prism about z of the body, fixed or driven: distance of its inner corners from the axis,
    /// inner length and thickness of the walls (m, > 0), facets around the axis (3 to 360). The ends are open
    /// with `ends=False`.
    #[staticmethod]
    #[pyo3(signature = (radius, length, thickness, facets = 48, ends = true))]
    fn drum(radius: f64, length: f64, thickness: f64, facets: u32, ends: bool) -> Self {
        signorini::Body::drum(Drum { radius, length, thickness, facets, ends }).into()
    }

    /// Four walls between a rectangle above and a smaller one below, fixed or driven: inner lengths along x
    /// and y at the top and at the opening, height and thickness (m, > 0). The middle of the opening is the
    /// body's origin; `closed=True` closes it by a plate.
    #[staticmethod]
    #[pyo3(signature = (top, bottom, height, thickness, closed = false))]
    fn hopper(top: [f64; 2], bottom: [f64; 2], height: f64, thickness: f64, closed: bool) -> Self {
        signorini::Body::hopper(Hopper { top, bottom, height, thickness, closed }).into()
    }

    /// A solid under heights (m) on a grid, fixed or driven: lengths along x and y (m, > 0), rows along y of
    /// heights along x, shape (n_y, n_x), and how far it reaches below the lowest height (m, > 0). The middle
    /// of the grid at height 0 is the body's origin.
    #[staticmethod]
    fn heightfield(size: [f64; 2], heights: Vec<Vec<f64>>, thickness: f64) -> Self {
        signorini::Body::heightfield(size, heights, thickness).into()
    }

    /// A helical track about z of the body, as that of a vibrating bowl, fixed or driven. `radii` are the
    /// distances of its middle from the axis at its start and its end (m, > 0), `pitch` is the height that it
    /// gains in a turn (m), `width` and `thickness` are > 0 (m), facets in a turn 3 to 720. The outer side
    /// leans down by `tilt` (rad, −1.2 to 1.2) and has a wall of a height `wall` (m, ≥ 0). The track begins
    /// on x, at the height of the body's origin, and runs counter-clockwise, seen from above, unless
    /// `clockwise`.
    #[staticmethod]
    #[pyo3(signature = (radii, pitch, turns, width, thickness, **options), text_signature = "(radii, pitch, turns, width, thickness, *, facets=60, tilt=0.0, wall=0.0, clockwise=False)")]
    fn helix(
        radii: [f64; 2],
        pitch: f64,
        turns: f64,
        width: f64,
        thickness: f64,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (tilt, wall, facets, clockwise) = (0.0, 0.0, TRACK_FACETS, false);
        let mut track = Helix { radii, pitch, turns, width, tilt, wall, facets, thickness, clockwise };
        for (key, value) in options.into_iter().flatten() {
            match key.extract::<String>()?.as_str() {
                "facets" => track.facets = value.extract()?,
                "tilt" => track.tilt = value.extract()?,
                "wall" => track.wall = value.extract()?,
                "clockwise" => track.clockwise = value.extract()?,
                other => return Err(PyTypeError::new_err(format!("helix() has no argument {other:?}"))),
            }
        }
        Ok(signorini::Body::helix(track).into())
    }

    /// The stones of an arch, `name-0`, `name-1`, … from −x to x, and with `springers` the fixed blocks
    /// `name.left` and `name.right` after them, as a list of bodies with the same origin, the centre of the
    /// circle. Stones stand between flat joints at equal angles about y; the crown is above the origin.
    /// `radius` of the middle line of the joints, `thickness` along the radius, `depth` along y (m, > 0), 2
    /// to 1000 stones of a `density` (kg/m³, > 0), and the angle of embrace (rad, less than 2π, at most π/2 a
    /// stone).
    #[staticmethod]
    #[pyo3(signature = (radius, thickness, depth, stones, density, **options), text_signature = "(radius, thickness, depth, stones, density, *, angle=3.141592653589793, springers=True, name='arch')")]
    fn arch(
        radius: f64,
        thickness: f64,
        depth: f64,
        stones: u32,
        density: f64,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Self>> {
        let (angle, springers, mut name) = (std::f64::consts::PI, true, "arch".to_owned());
        let mut arch = Arch { radius, thickness, depth, stones, angle, density, springers };
        for (key, value) in options.into_iter().flatten() {
            match key.extract::<String>()?.as_str() {
                "angle" => arch.angle = value.extract()?,
                "springers" => arch.springers = value.extract()?,
                "name" => name = value.extract()?,
                other => return Err(PyTypeError::new_err(format!("arch() has no argument {other:?}"))),
            }
        }
        Ok(signorini::Body::arch(&name, arch).into_iter().map(Into::into).collect())
    }

    /// Unique name. Default: the kind of shape and the number of the body, such as `sphere-3`.
    fn named(&self, name: String) -> Self {
        self.with(|body| body.named(name))
    }

    /// Density (kg/m³, > 0): mass and inertia are those of the homogeneous shape.
    fn density(&self, density: f64) -> Self {
        self.with(|body| body.density(density))
    }

    /// Mass (kg, > 0); the inertia is that of the homogeneous shape, if `inertia` gives no other.
    fn mass(&self, mass: f64) -> Self {
        self.with(|body| body.mass(mass))
    }

    /// Inertia tensor about the centre of mass, body axes (kg m²): xx, yy, zz, xy, xz, yz.
    fn inertia(&self, entries: [f64; 6]) -> Self {
        self.with(|body| body.inertia(entries))
    }

    /// The name of the material. Default: `default`.
    fn material(&self, name: String) -> Self {
        self.with(|body| body.material(name))
    }

    /// Position of the centre of mass (m), world.
    fn at(&self, position: [f64; 3]) -> Self {
        self.with(|body| body.at(position))
    }

    /// Orientation as a quaternion (w, x, y, z) that takes body axes to world axes; its length does not
    /// count.
    fn orientation(&self, quaternion: [f64; 4]) -> Self {
        self.with(|body| body.orientation(rotation(quaternion)))
    }

    /// Rotates the body by an angle (rad) about an axis through the centre of mass, world, after its
    /// orientation so far.
    fn turned(&self, axis: [f64; 3], angle: f64) -> Self {
        self.with(|body| body.turned(axis, angle))
    }

    /// Velocity of the centre of mass (m/s), world.
    fn velocity(&self, velocity: [f64; 3]) -> Self {
        self.with(|body| body.velocity(velocity))
    }

    /// Angular velocity (rad/s), world axes.
    fn angular_velocity(&self, angular_velocity: [f64; 3]) -> Self {
        self.with(|body| body.angular_velocity(angular_velocity))
    }

    /// The body never moves, whatever pushes it.
    fn fixed(&self) -> Self {
        self.with(BodyBuilder::fixed)
    }

    /// Constant force at the centre of mass (N), world, besides gravity.
    fn force(&self, force: [f64; 3]) -> Self {
        self.with(|body| body.force(force))
    }

    /// Velocity with which the surface runs over the body, as that of a belt (m/s), in axes that turn with
    /// the body:
    /// friction sees it, nothing moves.
    fn surface_velocity(&self, velocity: [f64; 3]) -> Self {
        self.with(|body| body.surface_velocity(velocity))
    }

    /// Angular velocity with which the surface runs about the body's origin, as that of a turntable (rad/s).
    fn surface_angular_velocity(&self, angular_velocity: [f64; 3]) -> Self {
        self.with(|body| body.surface_angular_velocity(angular_velocity))
    }

    /// Constant torque (N m), world axes.
    fn torque(&self, torque: [f64; 3]) -> Self {
        self.with(|body| body.torque(torque))
    }

    /// Place of the shape in the body: origin (m) and quaternion of the shape's axes. A body whose shape is
    /// off its centre of mass needs mass and inertia.
    #[pyo3(signature = (origin, quaternion = [1.0, 0.0, 0.0, 0.0]), text_signature = "($self, origin, quaternion=(1, 0, 0, 0))")]
    fn shape_at(&self, origin: [f64; 3], quaternion: [f64; 4]) -> Self {
        self.with(|body| body.shape_at(origin, rotation(quaternion)))
    }
}
