//! `[[bodies]]`: many bodies, one for each row of a table.

use super::friction::Materials;
use super::grains::of_shape;
use super::limits::MAX_BODIES;
use super::parts;
use super::place::entry;
use super::raw::SceneFile;
use super::raw_table::{BodyTableEntry, NamedShape};
use super::report::{Check, Report};
use super::scene_folder::SceneFolder;
use super::shapes::{self, Meshes};
use super::table_file::{Row, TableFile};
use super::weight::is_mass;
use crate::scene::body::Body;
use crate::scene::form::Form;
use nalgebra::Vector3;
use signorini_error::{Error, Result};
use signorini_geometry::{Pose, Velocity};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

/// Columns that a table must have, in the words of `bodies.csv`.
const REQUIRED: [&str; 3] = ["x", "y", "z"];
/// Columns that stand together.
const TOGETHER: [&[&str]; 3] = [&["qw", "qx", "qy", "qz"], &["vx", "vy", "vz"], &["wx", "wy", "wz"]];
/// Columns that may be there.
const OPTIONAL: [&str; 4] = ["shape", "scale", "material", "body"];
/// Columns of `bodies.csv` that say nothing about a body.
const IGNORED: [&str; 2] = ["step", "time"];
/// Most faulty rows of a table that are named.
const MAX_FAULTY: usize = 20;

/// Bodies of the tables, in the list of all bodies.
pub struct TableBodies {
    /// Place of the table in messages.
    pub place: String,
    /// Ids of its bodies.
    pub ids: Range<usize>,
}

/// Adds the bodies of all tables to the list.
pub fn add(
    file: &SceneFile,
    folder: &SceneFolder,
    bodies: &mut Vec<Body>,
    (materials, meshes): (&mut Materials, &mut Meshes),
    report: &mut Report,
) -> Vec<TableBodies> {
    let mut tables = Vec::new();
    for (i, e) in file.bodies.iter().enumerate() {
        let (place, first) = (entry("bodies", i, &e.name), bodies.len());
        let forms = forms(e, &place, meshes, report);
        let material = materials.index(&mut report.at(place.clone()), "material", &e.material);
        match folder.find(&e.file) {
            Ok(_) => {
                let path = report.file().with_file_name(&e.file);
                let known = Known { entry: e, forms: &forms, material };
                let read = Rows::new(&path, &known).and_then(|rows| rows.read(materials, bodies));
                if let Err(error) = read {
                    report.error(error);
                }
            }
            Err(fault) => report.at(place.clone()).fault("file", format!("{:?}", e.file), fault),
        }
        tables.push(TableBodies { place, ids: first..bodies.len() });
    }
    tables
}

/// The shapes of an entry, checked.
fn forms(e: &BodyTableEntry, place: &str, meshes: &mut Meshes, report: &mut Report) -> Vec<(String, Form)> {
    let mut check = report.at(place);
    check.name("name", &e.name);
    check.positive("density", e.density);
    if e.shapes.is_empty() {
        check.fault("shapes", "[]", "needs one shape at least");
    }
    let mut found: Vec<(String, Form)> = Vec::new();
    for (i, shape) in e.shapes.iter().enumerate() {
        let field = |name: &str| format!("shapes[{i}].{name}");
        check.name(&field("name"), &shape.name);
        if found.iter().any(|(name, _)| *name == shape.name) {
            check.fault(&field("name"), format!("{:?}", shape.name), "must be unique among these shapes");
        }
        let form = form(shape, &field, meshes, &mut check);
        found.extend(form.map(|form| (shape.name.clone(), form)));
    }
    found
}

fn form(
    e: &NamedShape,
    field: &impl Fn(&str) -> String,
    meshes: &mut Meshes,
    check: &mut Check,
) -> Option<Form> {
    match (&e.shape, e.parts.is_empty()) {
        (Some(shape), true) => of_shape("a body of a table", shape, &field("shape"), meshes, check),
        (None, false) => Some(parts::form(&e.parts, &field("parts"), meshes, check)),
        _ => {
            check.fault(&field("shape"), "unclear", "give either `shape` or `parts`");
            None
        }
    }
}

/// The scene's part of a table.
struct Known<'a> {
    entry: &'a BodyTableEntry,
    forms: &'a [(String, Form)],
    /// Material of the rows that name none.
    material: usize,
}

/// A table that is read, row by row.
struct Rows<'a> {
    table: TableFile,
    known: &'a Known<'a>,
    /// Forms by their place in the list and the bits of their factor: sizes repeat themselves.
    scaled: HashMap<(usize, u64), Form>,
    names: HashSet<String>,
}

impl<'a> Rows<'a> {
    fn new(path: &Path, known: &'a Known<'a>) -> Result<Self> {
        let table = TableFile::open(path)?;
        let optional = TOGETHER.concat();
        let optional = [optional.as_slice(), &OPTIONAL, &IGNORED].concat();
        table.check_columns(&REQUIRED, &optional, &TOGETHER)?;
        Ok(Self { table, known, scaled: HashMap::new(), names: HashSet::new() })
    }

    /// Reads all rows, and adds their bodies when none is at fault.
    fn read(mut self, materials: &mut Materials, bodies: &mut Vec<Body>) -> Result<()> {
        let (mut faults, mut n_faulty) = (Vec::new(), 0);
        let first = bodies.len();
        while let Some(row) = self.table.next_row()? {
            let number = bodies.len() - first + n_faulty;
            if bodies.len() + n_faulty >= MAX_BODIES {
                let allowed = format!("at most {MAX_BODIES} bodies in a scene");
                return Err(row.fault("rows", "more", allowed));
            }
            let mut report = Report::new(self.table.path());
            let mut check = report.at(format!("row {number}"));
            let body = self.body(&row, number, materials, &mut check);
            match report.stop_if_faulty() {
                Ok(()) => bodies.extend(body),
                Err(error) => {
                    n_faulty += 1;
                    faults.extend(row.located(error));
                }
            }
            if n_faulty == MAX_FAULTY {
                break;
            }
        }
        if bodies.len() == first && faults.is_empty() {
            return Err(self.table.fault_of_file("has no rows; each row is a body"));
        }
        if faults.is_empty() { Ok(()) } else { Err(Error::all(faults)) }
    }

    /// The body of a row. None where its form cannot be told, which is a fault.
    fn body(
        &mut self,
        row: &Row,
        number: usize,
        materials: &mut Materials,
        check: &mut Check,
    ) -> Option<Body> {
        let e = self.known.entry;
        let vector = |names: [&str; 3], check: &mut Check| -> Vector3<f64> {
            names.map(|name| row.number(name, 0.0, check)).into()
        };
        let position = vector(["x", "y", "z"], check);
        let q = ["qw", "qx", "qy", "qz"];
        let q = [1.0, 0.0, 0.0, 0.0].iter().zip(q).map(|(default, name)| row.number(name, *default, check));
        let q: Vec<f64> = q.collect();
        let orientation = check.quaternion("qw", [q[0], q[1], q[2], q[3]]);
        let (linear, angular) = (vector(["vx", "vy", "vz"], check), vector(["wx", "wy", "wz"], check));
        let name = match row.text("body") {
            Some(name) => {
                check.name("body", name);
                name.to_owned()
            }
            None => format!("{}-{number}", e.name),
        };
        if !self.names.insert(name.clone()) {
            check.fault("body", format!("{name:?}"), "must be unique among the bodies");
        }
        let material = match row.text("material") {
            Some(name) => materials.index(check, "material", name),
            None => self.known.material,
        };
        let form = self.form(row, check)?;
        let (pose, velocity) = (Pose { position, orientation }, Velocity { linear, angular });
        Some(form.body((name, e.density), material, (pose, velocity)))
    }

    /// The form of a row at its size.
    fn form(&mut self, row: &Row, check: &mut Check) -> Option<&Form> {
        let forms = self.known.forms;
        let place = match row.text("shape") {
            Some(name) => {
                let found = forms.iter().position(|(known, _)| known == name);
                if found.is_none() {
                    let known: Vec<&str> = forms.iter().map(|(name, _)| name.as_str()).collect();
                    check.unknown("shape", name, "shape", &known);
                }
                found?
            }
            None if self.known.entry.shapes.len() == 1 => 0,
            None => {
                check.fault("shape", "absent", "must name one of the shapes, which are several");
                return None;
            }
        };
        let (_, form) = forms.get(place)?;
        let factor = row.number("scale", 1.0, check);
        let factor = check.positive("scale", factor);
        let mass = self.known.entry.density * form.volume().unwrap_or(f64::NAN) * factor.powi(3);
        if !form.parts().iter().all(|(shape, _)| shapes::is_size(shape, factor)) {
            check.fault("scale", format!("{factor:?}"), "lengths of a shape must be 1e-9 to 1e9 m");
        } else if !is_mass(mass) {
            let allowed = format!("gives a body of {mass:e} kg, out of 1e-15 to 1e15");
            check.fault("scale", format!("{factor:?}"), allowed);
        }
        Some(self.scaled.entry((place, factor.to_bits())).or_insert_with(|| form.scaled(factor)))
    }
}
