//! Triangles from the bytes of .stl files, as text or binary.

use super::triangles::Triangles;
use nalgebra::Vector3;
use std::collections::HashMap;

/// Header, count and one record of a binary file (bytes).
const BINARY: (usize, usize, usize) = (80, 4, 50);
/// A text names its first facet within so many bytes, after the name of the solid.
const HEAD: usize = 4096;
/// Longest word that is quoted in a message.
const LONGEST_WORD: usize = 30;

/// The solids of a file with their names. Normals are not read.
pub fn read(bytes: &[u8]) -> Result<Vec<(String, Triangles)>, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (header, count, record) = BINARY;
    let announced = bytes.get(header..header + count).and_then(|c| c.try_into().ok()).map(u32::from_le_bytes);
    let expected = announced.map(|n| (header + count) as u64 + record as u64 * u64::from(n));
    let is_longer = |least: u64| bytes.len() as u64 > least;
    match expected {
        // Many programs begin the header of a binary file with "solid" too.
        Some(expected) if expected == bytes.len() as u64 => Ok(vec![binary(bytes)]),
        _ if is_text(bytes) => Words::new(bytes).solids(),
        // Programs append data of their own.
        Some(expected) if announced > Some(0) && is_longer(expected) => Ok(vec![binary(bytes)]),
        Some(expected) => Err(format!(
            "is not a mesh in .stl format: a binary file of {} triangles has {expected} bytes, this one has {}",
            announced.unwrap_or_default(),
            bytes.len()
        )),
        None => {
            Err("is not a mesh in .stl format: too short, and it does not begin with \"solid\"".to_owned())
        }
    }
}

/// Whether the file begins with "solid", in letters of any size, and goes on as a text does.
fn is_text(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(bytes.len());
    let head = bytes[start..].get(..HEAD).unwrap_or(&bytes[start..]).to_ascii_lowercase();
    let has = |word: &[u8]| head.windows(word.len()).any(|w| w == word);
    head.starts_with(b"solid") && (bytes.len() < BINARY.0 + BINARY.1 || has(b"facet") || has(b"end"))
}

fn binary(bytes: &[u8]) -> (String, Triangles) {
    let (header, count, record) = BINARY;
    let announced = bytes.get(header..header + count).and_then(|c| c.try_into().ok()).map(u32::from_le_bytes);
    let mut corners = Corners::default();
    let records = bytes[header + count..].chunks_exact(record);
    for record in records.take(announced.unwrap_or(0) as usize) {
        // A normal, then three corners.
        let number = |k: usize| {
            let four = record.get(12 + 4 * k..16 + 4 * k).and_then(|c| <[u8; 4]>::try_from(c).ok());
            f64::from(four.map_or(f32::NAN, f32::from_le_bytes))
        };
        let corner = |k: usize| Vector3::new(number(3 * k), number(3 * k + 1), number(3 * k + 2));
        corners.add(&[0, 1, 2].map(corner));
    }
    (String::new(), corners.mesh)
}

/// A mesh whose corners of the same digits are one.
#[derive(Default)]
struct Corners {
    mesh: Triangles,
    known: HashMap<[u64; 3], usize>,
}

impl Corners {
    /// Adds a polygon as a fan of triangles about its first corner.
    fn add(&mut self, polygon: &[Vector3<f64>]) {
        let mut index = |p: &Vector3<f64>| {
            // −0 is 0.
            let key = [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits());
            *self.known.entry(key).or_insert_with(|| {
                self.mesh.points.push(*p);
                self.mesh.points.len() - 1
            })
        };
        let corners: Vec<usize> = polygon.iter().map(&mut index).collect();
        let fan = (2..corners.len()).map(|k| [corners[0], corners[k - 1], corners[k]]);
        self.mesh.triangles.extend(fan);
    }
}

/// The words of a text, with the line that they are on.
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> Words<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, line: 1 }
    }

    /// The next word in small letters, and its line; empty at the end of the file.
    fn next(&mut self) -> (String, usize) {
        while let Some(byte) = self.bytes.get(self.at).filter(|b| b.is_ascii_whitespace()) {
            self.line += usize::from(*byte == b'\n');
            self.at += 1;
        }
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += end;
        (String::from_utf8_lossy(&rest[..end]).to_ascii_lowercase(), self.line)
    }

    /// The rest of the line: names may be of any words, in any encoding.
    fn rest_of_line(&mut self) -> String {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        self.at += end;
        String::from_utf8_lossy(&rest[..end]).trim().to_owned()
    }

    fn expect(&mut self, words: &[&str]) -> Result<(), String> {
        words.iter().try_for_each(|word| match self.next() {
            (found, _) if found == *word => Ok(()),
            (found, line) => Err(fault(line, &format!("{word:?} is expected"), &found)),
        })
    }

    fn number(&mut self) -> Result<f64, String> {
        let (word, line) = self.next();
        word.parse().map_err(|_| fault(line, "a number is expected", &word))
    }

    fn solids(mut self) -> Result<Vec<(String, Triangles)>, String> {
        let mut solids = Vec::new();
        loop {
            match self.next() {
                (word, _) if word == "solid" => {
                    let name = self.rest_of_line();
                    solids.push((name, self.facets()?));
                }
                (word, _) if word.is_empty() => return Ok(solids),
                (word, line) => return Err(fault(line, "\"solid\" is expected", &word)),
            }
        }
    }

    /// The facets of a solid, up to and with its end.
    fn facets(&mut self) -> Result<Triangles, String> {
        let mut corners = Corners::default();
        loop {
            let (word, line) = self.next();
            match word.as_str() {
                "facet" => {
                    let polygon = self.facet()?;
                    corners.add(&polygon);
                }
                "end" => {
                    self.expect(&["solid"])?;
                    self.rest_of_line();
                    return Ok(corners.mesh);
                }
                "endsolid" => {
                    self.rest_of_line();
                    return Ok(corners.mesh);
                }
                // Colours and the like, a line each.
                other if !other.is_empty() && !KEYWORDS.contains(&other) => drop(self.rest_of_line()),
                other => return Err(fault(line, "\"facet\" or \"endsolid\" is expected", other)),
            }
        }
    }

    /// The corners of a facet, behind its first word.
    fn facet(&mut self) -> Result<Vec<Vector3<f64>>, String> {
        // The normal, whatever it is, may be left out.
        let (mut word, mut line) = self.next();
        while !word.is_empty() && !KEYWORDS.contains(&word.as_str()) {
            (word, line) = self.next();
        }
        if word != "outer" {
            return Err(fault(line, "\"outer loop\" is expected", &word));
        }
        self.expect(&["loop"])?;
        let mut polygon = Vec::new();
        loop {
            let (word, line) = self.next();
            match word.as_str() {
                "vertex" => polygon.push(Vector3::new(self.number()?, self.number()?, self.number()?)),
                "endloop" if polygon.len() >= 3 => break,
                other => return Err(fault(line, "three \"vertex\" and \"endloop\" are expected", other)),
            }
        }
        self.expect(&["endfacet"])?;
        Ok(polygon)
    }
}

/// Words that have a place of their own.
const KEYWORDS: [&str; 8] = ["solid", "facet", "outer", "loop", "vertex", "endloop", "endfacet", "endsolid"];

fn fault(line: usize, expected: &str, found: &str) -> String {
    let found = match found.char_indices().nth(LONGEST_WORD) {
        _ if found.is_empty() => "the file ends".to_owned(),
        Some((end, _)) => format!("it has {:?}", format!("{}…", &found[..end])),
        None => format!("it has {found:?}"),
    };
    format!("is not a mesh in .stl format: line {line}: {expected}, {found}")
}
