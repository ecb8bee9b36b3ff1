//! The tree of bodies.

use super::super::model::{Geom, GeomShape, Inertia, Link, Model, Positions};
use super::super::xml::Element;
use super::document::{Compiler, Defaults, FromGeoms};
use super::frames::{orientation_of, pose_of};
use super::geoms::{self, Read};
use super::joints::{self, BodyJoints};
use super::known;
use super::mesh::Mesh;
use nalgebra::{Matrix3, SymmetricEigen, Vector3};
use signorini_error::Result;
use signorini_geometry::Pose;
use std::collections::{HashMap, HashSet};

/// Links by the names of bodies; None is the world. Welded bodies are their parent's link.
pub type Names = HashMap<String, (Option<usize>, Pose)>;

/// Reads bodies into a model.
pub struct Reader<'a> {
    compiler: &'a Compiler,
    defaults: &'a Defaults,
    meshes: &'a HashMap<String, Mesh>,
    positions: &'a Positions,
    /// Names of geoms of which a pair is told.
    paired: HashSet<String>,
    model: &'a mut Model,
    names: Names,
}

/// The body around the element that is read.
struct ParentBody {
    /// Its link; None is the world.
    link: Option<usize>,
    /// Its frame in the world.
    pose: Pose,
    childclass: Option<String>,
}

impl ParentBody {
    fn within(&self, element: &Element, pose: Pose) -> Self {
        let childclass = element.get("childclass").map(str::to_owned).or_else(|| self.childclass.clone());
        Self { link: self.link, pose, childclass }
    }
}

impl<'a> Reader<'a> {
    pub fn new(
        compiler: &'a Compiler,
        defaults: &'a Defaults,
        meshes: &'a HashMap<String, Mesh>,
        (positions, paired): (&'a Positions, HashSet<String>),
        model: &'a mut Model,
    ) -> Self {
        Self { compiler, defaults, meshes, positions, paired, model, names: Names::new() }
    }

    /// Reads the world.
    pub fn read_world(&mut self, world: &Element) -> Result<()> {
        let around = ParentBody { link: None, pose: Pose::identity(), childclass: None }
            .within(world, Pose::identity());
        self.names.insert("world".to_owned(), (None, Pose::identity()));
        self.read_contents(world, &around)
    }

    /// The links by name.
    pub fn finish(self) -> Result<Names> {
        let moving = |link: &&mut Link| !link.fixed;
        let total: f64 =
            self.model.links.iter().filter(|link| !link.fixed).map(|link| link.inertia.mass).sum();
        if self.compiler.total > 0.0 && total > 0.0 {
            let scale = self.compiler.total / total;
            for link in self.model.links.iter_mut().filter(moving) {
                link.inertia.mass *= scale;
                link.inertia.tensor *= scale;
            }
        }
        Ok(self.names)
    }

    /// Bodies, geoms and frames in a body, a frame or the world.
    fn read_contents(&mut self, element: &Element, around: &ParentBody) -> Result<()> {
        for child in &element.children {
            match child.tag.as_str() {
                "body" => self.read_body(child, around)?,
                "frame" => {
                    known::check(child, self.model);
                    let pose = around.pose.compose(&pose_of(child, self.compiler)?);
                    self.read_contents(child, &around.within(child, pose))?;
                }
                "geom" if around.link.is_none() => self.read_world_geom(child, around)?,
                "geom" => self.read_geom(child, around)?,
                "replicate" | "attach" | "composite" | "flexcomp" => {
                    return Err(
                        child.refusal("is not read: write its bodies out (MuJoCo's mj_saveLastXML does)")
                    );
                }
                "joint" | "freejoint" | "inertial" if element.tag != "body" => {
                    return Err(
                        child.refusal(&format!("is read in a <body> only, not in a <{}>", element.tag))
                    );
                }
                // These elements are read with their body, or touch nothing.
                "joint" | "freejoint" | "inertial" | "site" | "camera" | "light" => {}
                _ => self.model.drop(child, format!("in {:?}", element.name())),
            }
        }
        Ok(())
    }

    fn read_body(&mut self, element: &Element, around: &ParentBody) -> Result<()> {
        known::check(element, self.model);
        let name = element.name();
        let start = around.pose.compose(&pose_of(element, self.compiler)?);
        let inner = around.within(element, start);
        let childclass = inner.childclass.as_deref();
        let elements: Vec<Element> = joints::elements(element)
            .map(|joint| self.defaults.complete(joint, childclass))
            .collect::<Result<_>>()?;
        elements.iter().for_each(|joint| known::check(joint, self.model));
        let freedom = BodyJoints::of(element, &elements, self.compiler, &start, self.positions)?;
        let pose = freedom.pose;
        for (joint, what) in &freedom.lost {
            self.model.drop(&elements[*joint], what);
        }
        let link = match (freedom.joints.is_empty(), freedom.free) {
            // A body welded to the world is a fixed link.
            (true, false) if around.link.is_none() => self.add(&name, element, pose, true),
            // A body welded to a moving body becomes a part of it.
            (true, false) => around.link.unwrap_or_default(),
            (true, true) if around.link.is_some() => {
                return Err(element.refusal("a free joint is for bodies of the world only"));
            }
            (true, true) => self.add(&name, element, pose, false),
            (false, _) => self.add_jointed(element, freedom, around.link),
        };
        self.names.insert(name, (Some(link), pose));
        let inner = ParentBody { link: Some(link), pose, childclass: inner.childclass };
        // A fixed link needs no mass.
        if !self.model.links[link].fixed {
            let inertia = self.inertia_of(element, &inner)?.placed(&self.relative(link, &pose));
            self.model.links[link].inertia = self.model.links[link].inertia.with(&inertia);
        }
        self.read_contents(element, &inner)
    }

    /// Adds a link that joints hold to its parent, and the links between several joints.
    fn add_jointed(&mut self, element: &Element, freedom: BodyJoints, parent: Option<usize>) -> usize {
        // A body touches its parent only where the parent never moves.
        let collide = parent.is_none_or(|parent| self.model.links[parent].fixed);
        let between = freedom.between.len();
        let first = self.model.links.len();
        for (joint, pose) in freedom.joints.iter().zip(&freedom.between) {
            let link = self.add(&format!("behind {}", joint.name), element, *pose, false);
            self.model.links[link].between = Some(first + between);
        }
        let link = self.add(&element.name(), element, freedom.pose, false);
        let mut before = parent;
        for (k, mut joint) in freedom.joints.into_iter().enumerate() {
            joint.links = [before, Some(first + k)];
            joint.collide = collide;
            before = joint.links[1];
            self.model.joints.push(joint);
        }
        if let Some(parent) = parent.filter(|_| between > 0 && !collide) {
            self.model.excluded.push([parent, link]);
        }
        link
    }

    fn add(&mut self, name: &str, element: &Element, pose: Pose, fixed: bool) -> usize {
        self.model.links.push(Link {
            name: name.to_owned(),
            place: element.origin(),
            pose,
            inertia: Inertia::none(),
            geoms: Vec::new(),
            fixed,
            between: None,
        });
        self.model.links.len() - 1
    }

    /// A pose of the world in the frame of a link.
    fn relative(&self, link: usize, pose: &Pose) -> Pose {
        let frame = &self.model.links[link].pose;
        let back = frame.orientation.inverse();
        Pose { position: back * (pose.position - frame.position), orientation: back * pose.orientation }
    }

    fn read_geom(&mut self, element: &Element, around: &ParentBody) -> Result<()> {
        let element = self.defaults.complete(element, around.childclass.as_deref())?;
        known::check(&element, self.model);
        let Some(link) = around.link else { return Ok(()) };
        match geoms::read(&element, self.compiler, self.meshes)? {
            Read::Geom(geom, _) | Read::Mesh(geom) => {
                let is_paired = geom.name.as_ref().is_some_and(|name| self.paired.contains(name));
                let is_moving_plane = geom.shape == GeomShape::Plane && !self.model.links[link].fixed;
                if is_moving_plane {
                    self.model.drop(&element, "plane of a body that moves");
                } else if is_paired || !geom.mask.is_none() {
                    let pose = self.relative(link, &around.pose).compose(&geom.pose);
                    self.model.links[link].geoms.push(Geom { pose, ..geom });
                }
            }
            Read::Unknown(what) => {
                let mask = geoms::mask(&element)?;
                match mask.is_none() {
                    false => self.model.drop_shape(&element, link, what),
                    true => self.model.drop(&element, what),
                }
            }
        }
        Ok(())
    }

    /// A geom of the world is a fixed body of its own.
    fn read_world_geom(&mut self, element: &Element, around: &ParentBody) -> Result<()> {
        let name = format!("world-{}", element.name());
        let link = self.add(&name, element, Pose::identity(), true);
        let inner = ParentBody { link: Some(link), pose: around.pose, childclass: around.childclass.clone() };
        self.read_geom(element, &inner)?;
        if self.model.links[link].geoms.is_empty() {
            self.model.links.truncate(link);
        }
        Ok(())
    }

    /// Mass and inertia of a body without those in it, in its frame.
    fn inertia_of(&mut self, element: &Element, around: &ParentBody) -> Result<Inertia> {
        let given = element.child("inertial");
        let explicit = match (self.compiler.from_geoms, given) {
            (FromGeoms::Always, _) | (_, None) => None,
            (_, Some(inertial)) => Some(self.explicit(inertial)?),
        };
        let mut inertia = match explicit {
            Some(inertia) => inertia,
            None => self.inertia_of_geoms(element, around, &Pose::identity())?,
        };
        let [least_mass, least_moment] = self.compiler.bounds;
        inertia.mass = inertia.mass.max(least_mass);
        let eigen = SymmetricEigen::new(inertia.tensor);
        let mut moments = eigen.eigenvalues.map(|moment| moment.max(least_moment));
        let [a, b, c] = [moments[0], moments[1], moments[2]];
        if self.compiler.balance && (a + b < c || a + c < b || b + c < a) {
            moments = Vector3::repeat((a + b + c) / 3.0);
        }
        if moments != eigen.eigenvalues {
            let axes = eigen.eigenvectors;
            inertia.tensor = axes * Matrix3::from_diagonal(&moments) * axes.transpose();
        }
        Ok(inertia)
    }

    fn explicit(&mut self, element: &Element) -> Result<Inertia> {
        known::check(element, self.model);
        let mass = element.not_negative("mass")?.ok_or_else(|| element.refusal("needs a mass"))?;
        let center = Vector3::from(element.numbers("pos")?.unwrap_or_default());
        if let Some([xx, yy, zz, xy, xz, yz]) = element.numbers("fullinertia")? {
            return Ok(Inertia { mass, center, tensor: Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz) });
        }
        let moments = element.numbers::<3>("diaginertia")?;
        let moments = moments.ok_or_else(|| element.refusal("needs diaginertia or fullinertia"))?;
        let axes = orientation_of(element, self.compiler)?.unwrap_or_default().to_rotation_matrix();
        let tensor = axes * Matrix3::from_diagonal(&Vector3::from(moments)) * axes.inverse();
        Ok(Inertia { mass, center, tensor })
    }

    fn inertia_of_geoms(&mut self, element: &Element, around: &ParentBody, pose: &Pose) -> Result<Inertia> {
        let mut sum = Inertia::none();
        for child in &element.children {
            if child.tag == "frame" {
                let inner = around.within(child, around.pose);
                let pose = pose.compose(&pose_of(child, self.compiler)?);
                sum = sum.with(&self.inertia_of_geoms(child, &inner, &pose)?);
            }
            if child.tag != "geom" {
                continue;
            }
            let geom = self.defaults.complete(child, around.childclass.as_deref())?;
            let group = geom.number("group")?.unwrap_or(0.0);
            let [low, high] = self.compiler.groups;
            if self.compiler.from_geoms == FromGeoms::Never || !(low..=high).contains(&group) {
                continue;
            }
            let inertia = match geoms::mesh_inertia(&geom, self.compiler, self.meshes)? {
                Some(inertia) => inertia,
                None => match geoms::read(&geom, self.compiler, self.meshes)? {
                    Read::Geom(_, Some(inertia)) => inertia,
                    Read::Geom(_, None) => {
                        let value = geom.get("shellinertia").unwrap_or_default();
                        let allowed =
                            "is computed of spheres, boxes, cylinders and capsules: give the body <inertial>";
                        return Err(geom.fault("shellinertia", value, allowed));
                    }
                    Read::Mesh(_) | Read::Unknown(_) => continue,
                },
            };
            sum = sum.with(&inertia.placed(pose));
        }
        Ok(sum)
    }
}
