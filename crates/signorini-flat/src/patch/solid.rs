//! Convex polytopes in principal axes, with what the search for contact points needs of them.

use crate::bodies::Pose;
use crate::numbers::{Vector, add, cross, dot, scale, sub};

/// A convex polytope about its centre of mass, in its principal axes (m).
#[derive(Debug, Clone, Default)]
pub struct Solid {
    /// Corners.
    pub vertices: Vec<[f64; 3]>,
    /// Faces.
    pub faces: Vec<Face>,
    /// Edges.
    pub edges: Vec<Edge>,
    /// A box's own data.
    pub as_box: Option<BoxShape>,
}

/// A face { x : normal·x ≤ offset }.
#[derive(Debug, Clone)]
pub struct Face {
    /// Outer unit normal.
    pub normal: [f64; 3],
    /// Distance from the centre of mass.
    pub offset: f64,
    /// Corners, counterclockwise seen from outside.
    pub corners: Vec<u16>,
    /// Sides, the k-th from corner k to the next one.
    pub sides: Vec<Side>,
}

/// A side of a face { x : out·x ≤ offset }.
#[derive(Debug, Clone, Copy)]
pub struct Side {
    /// Unit normal in the plane of the face.
    pub out: [f64; 3],
    /// Distance from the centre of mass.
    pub offset: f64,
    /// Its edge.
    pub edge: u16,
}

/// An edge between two faces.
#[derive(Debug, Clone, Copy)]
pub struct Edge {
    /// Corners at its ends.
    pub vertices: [u16; 2],
    /// Place of the first one.
    pub from: [f64; 3],
    /// Unit direction to the second one.
    pub along: [f64; 3],
    /// Its length.
    pub length: f64,
    /// Faces on both sides.
    pub faces: [u16; 2],
    /// Cross product of the normal of the second face and that of the first.
    pub arc: [f64; 3],
}

/// A box along the principal axes: half extents, and which faces and edges lie where.
#[derive(Debug, Clone)]
pub struct BoxShape {
    /// Half extents (m).
    pub half: [f64; 3],
    /// Face across each axis, on the negative and on the positive side.
    pub faces: [[u16; 2]; 3],
    /// Edge along each axis i, by the signs along axes i + 1 and i + 2: 2 · (first positive) + (second
    /// positive).
    pub edges: [[u16; 4]; 3],
}

impl Solid {
    /// A polytope of corners (m) and the corners of each face, counterclockwise seen from outside. All faces
    /// are flat, no two of them in one plane.
    pub fn new(vertices: &[[f64; 3]], faces: &[Vec<u16>]) -> Self {
        let mut solid = Self { vertices: vertices.to_vec(), ..Self::default() };
        for corners in faces {
            solid.add_face(corners);
        }
        solid
    }

    /// A box of half extents (m).
    pub fn box_(half: [f64; 3]) -> Self {
        let corner = |k: usize| [0, 1, 2].map(|i: usize| if k >> i & 1 == 1 { half[i] } else { -half[i] });
        let vertices: Vec<[f64; 3]> = (0..8).map(corner).collect();
        let face = |k: usize| {
            let (i, up) = (k / 2, k % 2);
            let (j, l) = ((i + 1) % 3, (i + 2) % 3);
            let at = |a: usize, b: usize| (up << i | a << j | b << l) as u16;
            let mut corners = vec![at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
            if up == 0 {
                corners.reverse();
            }
            corners
        };
        let mut solid = Self::new(&vertices, &(0..6).map(face).collect::<Vec<_>>());
        let edge = |i: usize, signs: usize| {
            let (j, l) = ((i + 1) % 3, (i + 2) % 3);
            let start = (signs >> 1 << j | (signs & 1) << l) as u16;
            let ends = [start, start | 1 << i];
            let is_it = |edge: &Edge| ends.iter().all(|end| edge.vertices.contains(end));
            solid.edges.iter().position(is_it).unwrap_or_default() as u16
        };
        let edges = [0, 1, 2].map(|i| [0, 1, 2, 3].map(|signs| edge(i, signs)));
        solid.as_box = Some(BoxShape { half, faces: [[0, 1], [2, 3], [4, 5]], edges });
        solid
    }

    /// The corner of least height along a direction in axes of the solid.
    pub fn lowest(&self, up: Vector<f64>) -> usize {
        let mut best = (0, f64::INFINITY);
        for (i, vertex) in self.vertices.iter().enumerate() {
            let height = dot(*vertex, up);
            if height < best.1 {
                best = (i, height);
            }
        }
        best.0
    }

    fn add_face(&mut self, corners: &[u16]) {
        let at = |k: usize| self.vertices[corners[k % corners.len()] as usize];
        let mut normal = [0.0; 3];
        for k in 1..corners.len() - 1 {
            let area = cross(sub(at(k), at(0)), sub(at(k + 1), at(0)));
            normal = [normal[0] + area[0], normal[1] + area[1], normal[2] + area[2]];
        }
        let normal = unit(normal);
        let offset = (0..corners.len()).map(|k| dot(normal, at(k))).sum::<f64>() / corners.len() as f64;
        let index = self.faces.len() as u16;
        let mut sides = Vec::with_capacity(corners.len());
        for k in 0..corners.len() {
            let (from, to) = (corners[k], corners[(k + 1) % corners.len()]);
            let out = unit(cross(sub(at(k + 1), at(k)), normal));
            sides.push((Side { out, offset: dot(out, at(k)), edge: 0 }, [from, to]));
        }
        let sides =
            sides.into_iter().map(|(side, ends)| Side { edge: self.edge(ends, index, normal), ..side });
        let sides = sides.collect();
        self.faces.push(Face { normal, offset, corners: corners.to_vec(), sides });
    }

    /// Edge between two corners, made where it is new.
    fn edge(&mut self, [from, to]: [u16; 2], face: u16, normal: [f64; 3]) -> u16 {
        if let Some(known) = self.edges.iter().position(|edge| edge.vertices == [to, from]) {
            let edge = &mut self.edges[known];
            edge.faces[1] = face;
            edge.arc = cross(normal, self.faces[edge.faces[0] as usize].normal);
            return known as u16;
        }
        let start = self.vertices[from as usize];
        let way = sub(self.vertices[to as usize], start);
        let length = dot(way, way).sqrt();
        let along = scale(way, 1.0 / length);
        let faces = [face, face];
        self.edges.push(Edge { vertices: [from, to], from: start, along, length, faces, arc: [0.0; 3] });
        self.edges.len() as u16 - 1
    }
}

/// A polytope that is part of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolidPart {
    /// Index among the solids of the problem, in directions of the body's principal axes.
    pub solid: u32,
    /// From the centre of mass of the body to that of the solid, in principal axes (m).
    pub offset: [f64; 3],
}

/// A solid at a pose.
#[derive(Clone, Copy)]
pub struct PlacedSolid<'a> {
    /// The solid.
    pub solid: &'a Solid,
    /// Its centre (m).
    pub centre: [f64; 3],
    /// Centre of mass of its body (m).
    pub mass_centre: [f64; 3],
    /// Rotation of its axes, row by row.
    pub rotation: [f64; 9],
}

/// The solid of a body whose shape the caller alone knows.
pub static UNKNOWN: Solid =
    Solid { vertices: Vec::new(), faces: Vec::new(), edges: Vec::new(), as_box: None };

impl<'a> PlacedSolid<'a> {
    /// A solid of a body whose centre of mass (m) and rotation are given; `offset` is the way from there to
    /// the centre of the solid, in axes of the body (m).
    pub fn new(solid: &'a Solid, (mass_centre, rotation): Pose, offset: Vector<f64>) -> Self {
        let placed = Self { solid, centre: mass_centre, mass_centre, rotation };
        if offset == [0.0; 3] { placed } else { Self { centre: placed.at(offset), ..placed } }
    }
}

impl PlacedSolid<'_> {
    /// The point at an arm from the centre of mass of the body, in axes of the body (m).
    pub fn at_arm(&self, arm: Vector<f64>) -> Vector<f64> {
        add(self.mass_centre, self.turned(arm))
    }

    /// A direction of the body in world axes.
    #[inline]
    pub fn turned(&self, v: Vector<f64>) -> Vector<f64> {
        let r = &self.rotation;
        [dot([r[0], r[1], r[2]], v), dot([r[3], r[4], r[5]], v), dot([r[6], r[7], r[8]], v)]
    }

    /// A direction of the world in axes of the body.
    #[inline]
    pub fn turned_back(&self, v: Vector<f64>) -> Vector<f64> {
        let r = &self.rotation;
        [dot([r[0], r[3], r[6]], v), dot([r[1], r[4], r[7]], v), dot([r[2], r[5], r[8]], v)]
    }

    /// A point of the body in the world (m).
    #[inline]
    pub fn at(&self, point: Vector<f64>) -> Vector<f64> {
        let arm = self.turned(point);
        [self.centre[0] + arm[0], self.centre[1] + arm[1], self.centre[2] + arm[2]]
    }

    /// Principal axis i in the world.
    #[inline]
    pub fn axis(&self, i: usize) -> Vector<f64> {
        [self.rotation[i], self.rotation[3 + i], self.rotation[6 + i]]
    }

    /// Largest extent from the centre of mass along a direction of the world (m).
    #[inline]
    pub fn reach(&self, n: Vector<f64>) -> f64 {
        let local = self.turned_back(n);
        match &self.solid.as_box {
            Some(BoxShape { half, .. }) => dot(*half, local.map(f64::abs)),
            None => self.solid.vertices.iter().map(|v| dot(*v, local)).fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// v / |v|.
#[inline]
pub fn unit(v: Vector<f64>) -> Vector<f64> {
    scale(v, 1.0 / dot(v, v).sqrt())
}

/// A unit vector across n, without a jump but at −z.
#[inline]
pub fn any_tangent(n: Vector<f64>) -> Vector<f64> {
    let sign = if n[2] >= 0.0 { 1.0 } else { -1.0 };
    let a = -1.0 / (sign + n[2]);
    [1.0 + sign * n[0] * n[0] * a, sign * n[0] * n[1] * a, -sign * n[0]]
}
