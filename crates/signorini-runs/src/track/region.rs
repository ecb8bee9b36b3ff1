//! Regions of a track: boxes in which a part has come to an exit, or is rejected.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use signorini_error::{Error, Result, read_regular_text};
use signorini_scene::scene::LONGEST_FILE;
use std::path::Path;

/// Fate of a part in a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegionKind {
    /// The part has come to an exit.
    Exit,
    /// The part is rejected.
    Reject,
}

/// Box with faces along the world axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Unique name.
    pub name: String,
    /// Fate of a part in it.
    pub kind: RegionKind,
    /// Smallest coordinates (m, world); −∞ for no bound.
    pub min: [f64; 3],
    /// Largest coordinates (m, world); ∞ for no bound.
    pub max: [f64; 3],
    /// Normal of the track there, out of it (unit, world), by which poses are told; None: that of the test.
    pub up: Option<[f64; 3]>,
}

/// Contents of a file of regions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RegionFile {
    format: u32,
    region: Vec<Region>,
}

impl Region {
    /// Whether a point (m, world) is in the box.
    pub fn contains(&self, point: &Vector3<f64>) -> bool {
        (0..3).all(|k| self.min[k] <= point[k] && point[k] <= self.max[k])
    }

    /// Field, value and what is allowed, of a region that is none.
    fn fault(&self) -> Option<(&'static str, String, &'static str)> {
        if self.name.is_empty() || self.name == "stuck" {
            return Some(("name", format!("{:?}", self.name), "must be a name, and not \"stuck\""));
        }
        // NaN is in no order.
        if !(0..3).all(|k| self.min[k] < self.max[k]) {
            return Some(("max", format!("{:?}", self.max), "must be larger than min in each coordinate"));
        }
        let up = self.up.map(|up| Vector3::from(up).norm());
        if up.is_some_and(|norm| !(norm > 0.0 && norm.is_finite())) {
            return Some(("up", format!("{:?}", self.up.unwrap_or_default()), "must be a direction"));
        }
        None
    }
}

/// Reads a file of regions.
///
/// # Errors
/// When the file cannot be read, or as of [`parse_regions`].
pub fn read_regions(path: &Path) -> Result<Vec<Region>> {
    parse_regions(&read_regular_text(path, LONGEST_FILE)?, path)
}

/// Reads the text of a file of regions.
///
/// # Errors
/// When the text is not TOML, or a value is not allowed.
pub fn parse_regions(text: &str, path: &Path) -> Result<Vec<Region>> {
    let told = |message: String| Error::Parse { file: path.to_owned(), message };
    let file: RegionFile = toml::from_str(text).map_err(|e| told(e.to_string().trim_end().to_owned()))?;
    let fault = |field: String, value: String, allowed: &str| Error::Field {
        file: path.to_owned(),
        at: None,
        field,
        value,
        allowed: allowed.to_owned(),
    };
    let mut faults = Vec::new();
    if file.format != 1 {
        faults.push(fault("format".to_owned(), file.format.to_string(), "must be 1"));
    }
    for (i, region) in file.region.iter().enumerate() {
        if let Some((field, value, allowed)) = region.fault() {
            faults.push(fault(format!("region[{i}]: {field}"), value, allowed));
        }
        if file.region[..i].iter().any(|other| other.name == region.name) {
            let value = format!("{:?}", region.name);
            faults.push(fault(format!("region[{i}]: name"), value, "must be unique"));
        }
    }
    if faults.is_empty() { Ok(file.region) } else { Err(Error::all(faults)) }
}

/// Reads a box X0,Y0,Z0,X1,Y1,Z1 (m, world; inf and -inf for no bound) as a region.
///
/// # Errors
/// When the text is no such box; the message says what is allowed.
pub fn parse_box(name: String, kind: RegionKind, text: &str) -> std::result::Result<Region, String> {
    let allowed = "must be X0,Y0,Z0,X1,Y1,Z1 in metres, each first number below its second; inf for no bound";
    let numbers: Option<Vec<f64>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
    let Some([x, y, z, p, q, r]) = numbers.as_deref().and_then(|list| <[f64; 6]>::try_from(list).ok()) else {
        return Err(allowed.to_owned());
    };
    let region = Region { name, kind, min: [x, y, z], max: [p, q, r], up: None };
    if region.fault().is_some() { Err(allowed.to_owned()) } else { Ok(region) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_hold_their_points() {
        let region = parse_box("end".to_owned(), RegionKind::Exit, "0.1, -inf,0,inf,1,2").expect("a box");
        assert!(region.contains(&Vector3::new(5.0, -9.0, 1.0)));
        for out in [[0.0, 0.0, 1.0], [1.0, 1.1, 1.0], [1.0, 0.0, 2.1], [f64::NAN, 0.0, 1.0]] {
            assert!(!region.contains(&Vector3::from(out)), "{out:?}");
        }
        for text in ["1,2,3", "1,0,0,0,1,1", "a,0,0,1,1,1", "nan,0,0,1,1,1", "0,0,0,1,1,1,1"] {
            assert!(parse_box("end".to_owned(), RegionKind::Exit, text).is_err(), "{text}");
        }
    }

    #[test]
    fn faults_of_a_file_are_all_told() {
        let text = "format = 2\n[[region]]\nname = \"a\"\nkind = \"exit\"\nmin = [0, 0, 0]\nmax = [1, 0, 1]\n\
            [[region]]\nname = \"a\"\nkind = \"reject\"\nmin = [0, 0, 0]\nmax = [1, 1, 1]\nup = [0, 0, 0]\n";
        let fault = parse_regions(text, Path::new("r.toml")).unwrap_err().to_string();
        for part in
            ["format = 2", "region[0]: max", "region[1]: up", "region[1]: name = \"a\": must be unique"]
        {
            assert!(fault.contains(part), "{part} is not in {fault}");
        }
        let wrong = text.replace("\"reject\"", "\"lost\"");
        assert!(parse_regions(&wrong, Path::new("r.toml")).unwrap_err().to_string().contains("lost"));
    }
}
