//! Files of triangles: STL (binary and text), PLY and OBJ.

use super::facets::Facets;
use super::plan::Plan;
use super::rounding::rounded;
use nalgebra::Vector3;
use signorini_error::printable;
use signorini_geometry::Pose;
use std::io::{Result, Write};

/// Format of a file of triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SolidFormat {
    /// Binary STL: coordinates in single precision, rounded so that the volume of each part stays.
    Stl,
    /// STL as text: all digits, and a solid for each body.
    StlText,
    /// Binary PLY: coordinates in double precision, and the number of its body for each triangle.
    Ply,
    /// Wavefront OBJ, which is text: all digits, and an object for each body.
    Obj,
}

impl SolidFormat {
    /// Extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            SolidFormat::Stl | SolidFormat::StlText => "stl",
            SolidFormat::Ply => "ply",
            SolidFormat::Obj => "obj",
        }
    }
}

/// A body: its name, and its parts with their poses in the world. Each part is closed.
#[derive(Debug)]
pub struct Solid<'a> {
    pub name: &'a str,
    pub parts: Vec<(Plan<'a>, Pose)>,
}

/// Bodies that go into one file.
#[derive(Debug, Clone, Copy)]
pub struct Group<'a> {
    pub solids: &'a [Solid<'a>],
    pub keep_volume: bool,
}

impl Group<'_> {
    /// Numbers of corners and triangles.
    pub fn counts(&self) -> [usize; 2] {
        let parts = self.solids.iter().flat_map(|solid| &solid.parts);
        parts.fold([0, 0], |sum, (plan, _)| {
            let [points, triangles] = plan.counts();
            [sum[0] + points, sum[1] + triangles]
        })
    }

    /// Writes the file.
    pub fn write(&self, format: SolidFormat, out: &mut impl Write) -> Result<()> {
        match format {
            SolidFormat::Stl => self.stl(out),
            SolidFormat::StlText => self.stl_text(out),
            SolidFormat::Ply => self.ply(out),
            SolidFormat::Obj => self.obj(out),
        }
    }

    /// Calls `visit` with the triangles of each part, in the world.
    fn each(&self, solid: &Solid<'_>, mut visit: impl FnMut(&Facets) -> Result<()>) -> Result<()> {
        let placed = |(plan, pose): &(Plan<'_>, Pose)| plan.make(self.keep_volume).placed(pose);
        solid.parts.iter().try_for_each(|part| visit(&placed(part)))
    }

    fn stl(&self, out: &mut impl Write) -> Result<()> {
        // A file that begins with "solid" would be taken for text.
        let mut head = [b' '; 80];
        let words = b"binary STL of signorini, metres";
        head[..words.len()].copy_from_slice(words);
        out.write_all(&head)?;
        out.write_all(&(self.counts()[1] as u32).to_le_bytes())?;
        self.solids.iter().try_for_each(|solid| {
            self.each(solid, |facets| {
                let corners = rounded(facets);
                facets.triangles.iter().try_for_each(|triangle| {
                    let n = normal(&triangle.map(|k| facets.points[k]));
                    let numbers = [[n.x, n.y, n.z].map(|x| x as f32)].into_iter();
                    for x in numbers.chain(triangle.map(|k| corners[k])).flatten() {
                        out.write_all(&x.to_le_bytes())?;
                    }
                    out.write_all(&[0; 2])
                })
            })
        })
    }

    fn stl_text(&self, out: &mut impl Write) -> Result<()> {
        for solid in self.solids {
            let name = printable(solid.name);
            writeln!(out, "solid {name}")?;
            self.each(solid, |facets| {
                facets.triangles.iter().try_for_each(|triangle| {
                    let corners = triangle.map(|k| facets.points[k]);
                    let n = normal(&corners);
                    writeln!(out, "facet normal {} {} {}\nouter loop", n.x, n.y, n.z)?;
                    corners.iter().try_for_each(|p| writeln!(out, "vertex {} {} {}", p.x, p.y, p.z))?;
                    out.write_all(b"endloop\nendfacet\n")
                })
            })?;
            writeln!(out, "endsolid {name}")?;
        }
        Ok(())
    }

    fn ply(&self, out: &mut impl Write) -> Result<()> {
        let [points, triangles] = self.counts();
        out.write_all(b"ply\nformat binary_little_endian 1.0\ncomment signorini, metres\n")?;
        for (number, solid) in self.solids.iter().enumerate() {
            writeln!(out, "comment body {number} {}", printable(solid.name))?;
        }
        writeln!(out, "element vertex {points}\nproperty double x\nproperty double y\nproperty double z")?;
        writeln!(out, "element face {triangles}\nproperty list uchar uint vertex_indices")?;
        out.write_all(b"property uint body\nend_header\n")?;
        for solid in self.solids {
            self.each(solid, |facets| {
                let numbers = facets.points.iter().flat_map(|p| [p.x, p.y, p.z]);
                numbers.map(f64::to_le_bytes).try_for_each(|x| out.write_all(&x))
            })?;
        }
        let mut first = 0;
        for (number, solid) in self.solids.iter().enumerate() {
            for (plan, _) in &solid.parts {
                for triangle in plan.make(self.keep_volume).triangles {
                    out.write_all(&[3])?;
                    let words = triangle.map(|k| (first + k) as u32).into_iter().chain([number as u32]);
                    words.map(u32::to_le_bytes).try_for_each(|x| out.write_all(&x))?;
                }
                first += plan.counts()[0];
            }
        }
        Ok(())
    }

    fn obj(&self, out: &mut impl Write) -> Result<()> {
        out.write_all(b"# signorini, metres\n")?;
        // Corners are counted from 1.
        let mut first = 1;
        for solid in self.solids {
            writeln!(out, "o {}", printable(solid.name))?;
            self.each(solid, |facets| {
                facets.points.iter().try_for_each(|p| writeln!(out, "v {} {} {}", p.x, p.y, p.z))?;
                for [a, b, c] in facets.triangles.iter().map(|t| t.map(|k| first + k)) {
                    writeln!(out, "f {a} {b} {c}")?;
                }
                first += facets.points.len();
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Outer unit normal of a triangle.
fn normal([a, b, c]: &[Vector3<f64>; 3]) -> Vector3<f64> {
    (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default()
}
