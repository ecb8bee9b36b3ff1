//! VTK's polygonal data, and its XML file (`.vtp`): a head of XML, then the arrays as they are in memory.

use std::io::{self, Write};

/// Values of points or cells: numbers or names.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// 64-bit floating point.
    Real(Vec<f64>),
    /// 64-bit integers.
    Whole(Vec<i64>),
    /// Names.
    Text(Vec<String>),
}

/// Named array with a number of components for each point or cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Name as ParaView shows it.
    pub name: &'static str,
    /// Number of components of each entry.
    pub components: usize,
    /// Values of the entries, one after the other.
    pub values: Values,
}

impl Array {
    /// Makes an array of floating-point numbers, `N` for each entry.
    pub fn real<const N: usize>(name: &'static str, entries: impl Iterator<Item = [f64; N]>) -> Self {
        Self { name, components: N, values: Values::Real(entries.flatten().collect()) }
    }

    /// Makes an array of integers, one for each entry.
    pub fn whole(name: &'static str, entries: impl Iterator<Item = usize>) -> Self {
        Self { name, components: 1, values: Values::Whole(entries.map(|n| n as i64).collect()) }
    }

    /// Makes an array of names, one for each entry.
    pub fn text(name: &'static str, entries: impl Iterator<Item = String>) -> Self {
        Self { name, components: 1, values: Values::Text(entries.collect()) }
    }

    fn n_entries(&self) -> usize {
        match &self.values {
            Values::Real(v) => v.len() / self.components,
            Values::Whole(v) => v.len() / self.components,
            Values::Text(v) => v.len(),
        }
    }

    fn kind(&self) -> &'static str {
        match self.values {
            Values::Real(_) => "Float64",
            Values::Whole(_) => "Int64",
            Values::Text(_) => "String",
        }
    }

    /// Bytes of the entries as in memory, lowest byte first.
    pub fn bytes(&self) -> Vec<u8> {
        match &self.values {
            Values::Real(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Values::Whole(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            // Each name ends with a zero.
            Values::Text(v) => v.iter().flat_map(|s| s.bytes().chain([0])).collect(),
        }
    }
}

/// Points with data, joined to polygons or single.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PolyData {
    /// Points (m), world.
    pub points: Vec<[f64; 3]>,
    /// Indices of the corners of each polygon. None: every point is a vertex of its own.
    pub polygons: Option<Vec<Vec<usize>>>,
    /// Arrays over the points.
    pub point_data: Vec<Array>,
    /// Arrays over the polygons.
    pub cell_data: Vec<Array>,
}

impl PolyData {
    /// Writes a `.vtp` file.
    ///
    /// # Errors
    /// When `to` cannot be written.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut arrays = Appended::default();
        let points = Array::real("Points", self.points.iter().copied());
        let (n_verts, n_polys, cells) = self.cells();
        let mut head = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\">\n<PolyData>\n",
        );
        head += &format!(
            "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{n_verts}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" \
             NumberOfPolys=\"{n_polys}\">\n",
            self.points.len()
        );
        head += &format!("<PointData>\n{}</PointData>\n", arrays.all(&self.point_data));
        head += &format!("<CellData>\n{}</CellData>\n", arrays.all(&self.cell_data));
        head += &format!("<Points>\n{}</Points>\n", arrays.all(&[points]));
        let kind = if self.polygons.is_some() { "Polys" } else { "Verts" };
        head += &format!("<{kind}>\n{}</{kind}>\n", arrays.all(&cells));
        head += "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
        to.write_all(head.as_bytes())?;
        to.write_all(&arrays.bytes)?;
        to.write_all(b"\n</AppendedData>\n</VTKFile>\n")
    }

    /// Numbers of vertices and polygons, the points of all cells one after the other, and the end of each
    /// cell.
    pub fn cells(&self) -> (usize, usize, [Array; 2]) {
        let n = self.points.len();
        let (n_verts, n_polys, connectivity, ends): (_, _, Vec<usize>, Vec<usize>) = match &self.polygons {
            None => (n, 0, (0..n).collect(), (1..=n).collect()),
            Some(polygons) => {
                let ends = polygons.iter().scan(0, |end, polygon| {
                    *end += polygon.len();
                    Some(*end)
                });
                (0, polygons.len(), polygons.iter().flatten().copied().collect(), ends.collect())
            }
        };
        let arrays = [
            Array::whole("connectivity", connectivity.into_iter()),
            Array::whole("offsets", ends.into_iter()),
        ];
        (n_verts, n_polys, arrays)
    }
}

/// Arrays behind the XML, each after its length.
#[derive(Default)]
struct Appended {
    bytes: Vec<u8>,
}

impl Appended {
    /// Appends arrays and returns their XML elements.
    fn all(&mut self, arrays: &[Array]) -> String {
        let mut elements = String::new();
        for array in arrays {
            elements += &format!(
                "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" NumberOfTuples=\"{}\" \
                 format=\"appended\" offset=\"{}\"/>\n",
                array.kind(),
                array.name,
                array.components,
                array.n_entries(),
                self.bytes.len()
            );
            let bytes = array.bytes();
            self.bytes.extend((bytes.len() as u64).to_le_bytes());
            self.bytes.extend(bytes);
        }
        elements
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_where_the_head_says() {
        let data = PolyData {
            points: vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]],
            polygons: Some(vec![vec![0, 1, 2]]),
            point_data: vec![Array::text(
                "name",
                ["a".to_owned(), "bc".to_owned(), String::new()].into_iter(),
            )],
            cell_data: vec![Array::whole("id", [7].into_iter())],
        };
        let mut file = Vec::new();
        data.write(&mut file).unwrap();
        let marker = b"encoding=\"raw\">\n_";
        let start = file.windows(marker.len()).position(|w| w == marker).unwrap() + marker.len();
        let head = String::from_utf8(file[..start].to_vec()).unwrap();
        let offset = |name: &str| -> usize {
            let element = head.lines().find(|l| l.contains(&format!("Name=\"{name}\""))).unwrap();
            element.split("offset=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        let length = |at: usize| u64::from_le_bytes(file[start + at..start + at + 8].try_into().unwrap());
        let names = start + offset("name") + 8;
        assert_eq!((length(offset("name")), &file[names..names + 6]), (6, &b"a\0bc\0\0"[..]));
        assert_eq!(length(offset("Points")), 72);
        let id = start + offset("id") + 8;
        assert_eq!(file[id..id + 8], 7_i64.to_le_bytes());
        assert_eq!(length(offset("connectivity")), 24);
    }
}
