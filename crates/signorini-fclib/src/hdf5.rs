//! FCLIB's own files: HDF5 with the groups `fclib_local` or `fclib_global`, and perhaps `guesses` and
//! `solution`. `cones_file` has the layouts of other contacts.
//!
//! ```text
//! fclib_local   spacedim   W                 vectors: q, mu
//! fclib_global  spacedim   M   H             vectors: f, w, mu
//! a matrix      m, n, nz, nzmax, p, i, x     nz ≥ 0: triplets (p columns, i rows), −1 by columns, −2 by rows
//! guesses       number_of_guesses, 1, 2, …   each with r, perhaps u and v
//! solution      r, perhaps u and v
//! ```
//!
//! Source: fclib.c and fclib.h of the FCLIB library, which define the layout.

use super::fcp::FcpProblem;
use super::file_problem::Impulses;
use super::global::{GlobalPart, reduced};
use hdf5_pure::{Dataset, File, FileBuilder, GroupBuilder};
use signorini_error::{Error, Result, most_unpacked};
use sprs::{CsMat, TriMat};
use std::path::Path;

/// First bytes of a file.
pub const MAGIC: &[u8] = b"\x89HDF\r\n\x1a\n";
/// Rows of a contact.
const DIMENSION: usize = 3;

/// Opens the content of a file.
pub fn open(path: &Path, content: Vec<u8>) -> Result<Reader<'_>> {
    let message = |e: hdf5_pure::Error| Error::Parse { file: path.to_owned(), message: e.to_string() };
    let there = content.len() as u64;
    let file = Reader { file: File::from_bytes(content).map_err(message)?, path, room: most_unpacked(there) };
    // The library reads all that it finds, as long as the file is whole.
    let end = file.file.superblock().eof_address;
    if end > there {
        return Err(file.fault("length", there, &format!("must be {end} bytes: the file is cut off")));
    }
    Ok(file)
}

/// Reads the problem of a file without cones.
pub fn parse(file: &Reader<'_>) -> Result<(FcpProblem, Impulses)> {
    let problem = if file.has("fclib_local/W/m") {
        file.local()?
    } else if file.has("fclib_global/M/m") {
        file.global()?
    } else {
        let allowed = "must have fclib_local, fclib_global, fclib_global_rolling or signorini_global with its \
                       matrices";
        return Err(file.fault("groups", "other", allowed));
    };
    let impulses = file.impulses(3 * problem.friction_coefficient.len())?;
    Ok((problem, impulses))
}

/// A file whose sizes nobody vouches for.
pub struct Reader<'a> {
    file: File,
    path: &'a Path,
    /// Most bytes that can be in the file.
    room: u64,
}

impl Reader<'_> {
    pub(super) fn fault(&self, field: &str, value: impl ToString, allowed: &str) -> Error {
        Error::Field {
            file: self.path.to_owned(),
            at: None,
            field: field.to_owned(),
            value: value.to_string(),
            allowed: allowed.to_owned(),
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.file.dataset(name).is_ok()
    }

    /// A dataset that the file can hold: the library reserves memory for what is announced.
    fn dataset(&self, name: &str) -> Result<Dataset> {
        let missing = |e| self.fault(name, "missing", &format!("must be there ({e})"));
        let dataset = self.file.dataset(name).map_err(missing)?;
        let sizes = [dataset.shape(), dataset.chunk_shape().map(Option::unwrap_or_default)];
        for shape in sizes {
            let shape = shape.map_err(missing)?;
            let each = dataset.element_size().map_err(missing)?;
            let bytes = shape.iter().try_fold(each, |product, n| product.checked_mul(*n));
            if bytes.is_none_or(|bytes| bytes > self.room) {
                let allowed = format!("must have at most {} bytes in a file of this length", self.room);
                return Err(self.fault(name, format!("{shape:?}"), &allowed));
            }
        }
        Ok(dataset)
    }

    pub(super) fn integers(&self, name: &str) -> Result<Vec<i64>> {
        self.dataset(name)?.read_i64().map_err(|e| self.fault(name, e, "must be integers"))
    }

    fn integer(&self, name: &str) -> Result<i64> {
        match self.integers(name)?[..] {
            [value] => Ok(value),
            ref other => Err(self.fault(name, format!("{} numbers", other.len()), "must be one integer")),
        }
    }

    fn size(&self, name: &str) -> Result<usize> {
        let value = self.integer(name)?;
        let most = self.room / size_of::<f64>() as u64;
        let allowed = || format!("must be 0 or more, and at most {most} in a file of this length");
        u64::try_from(value)
            .ok()
            .filter(|n| *n <= most)
            .map(|n| n as usize)
            .ok_or_else(|| self.fault(name, value, &allowed()))
    }

    /// So many finite numbers.
    pub(super) fn numbers(&self, name: &str, count: usize) -> Result<Vec<f64>> {
        let values = self.dataset(name)?.read_f64().map_err(|e| self.fault(name, e, "must be numbers"))?;
        if values.len() != count {
            return Err(self.fault(name, format!("{} numbers", values.len()), &format!("must be {count}")));
        }
        match values.iter().position(|x| !x.is_finite()) {
            Some(i) => Err(self.fault(&format!("{name}[{i}]"), values[i], "must be finite")),
            None => Ok(values),
        }
    }

    /// So many numbers, of which some may be infinite.
    pub(super) fn limits(&self, name: &str, count: usize) -> Result<Vec<f64>> {
        let values = self.dataset(name)?.read_f64().map_err(|e| self.fault(name, e, "must be numbers"))?;
        match values.iter().position(|x| x.is_nan()) {
            Some(i) => Err(self.fault(&format!("{name}[{i}]"), values[i], "must be a number")),
            None if values.len() != count => {
                Err(self.fault(name, format!("{} numbers", values.len()), &format!("must be {count}")))
            }
            None => Ok(values),
        }
    }

    pub(super) fn matrix(&self, group: &str) -> Result<CsMat<f64>> {
        let name = |field: &str| format!("{group}/{field}");
        let (rows, columns) = (self.size(&name("m"))?, self.size(&name("n"))?);
        let (form, room) = (self.integer(&name("nz"))?, self.size(&name("nzmax"))?);
        let (p, i) = (self.integers(&name("p"))?, self.integers(&name("i"))?);
        let n_entries = match form {
            -1 | -2 => {
                let n_pointers = if form == -1 { columns } else { rows } + 1;
                let ascends = p.first() == Some(&0) && p.windows(2).all(|w| w[0] <= w[1]);
                if p.len() != n_pointers || !ascends {
                    let allowed = format!("must be {n_pointers} that begin with 0 and ascend");
                    return Err(self.fault(&name("p"), format!("{} pointers", p.len()), &allowed));
                }
                p.last().map_or(0, |end| *end as usize)
            }
            0.. => form as usize,
            _ => return Err(self.fault(&name("nz"), form, "must be -1, -2, or the number of triplets")),
        };
        let x = self.numbers(&name("x"), room)?;
        if n_entries > room || n_entries > i.len() || (form >= 0 && n_entries > p.len()) {
            let given = format!("{n_entries} entries, {} indices, {room} numbers", i.len());
            return Err(self.fault(group, given, "must have an index and a number for each entry"));
        }
        let mut entries = TriMat::new((rows, columns));
        let mut line = 0;
        for k in 0..n_entries {
            while form < 0 && p[line + 1] as usize <= k {
                line += 1;
            }
            let (row, column) = match form {
                -1 => (i[k], line as i64),
                -2 => (line as i64, i[k]),
                _ => (i[k], p[k]),
            };
            let is_inside = (0..rows as i64).contains(&row) && (0..columns as i64).contains(&column);
            if !is_inside {
                let given = format!("row {row}, column {column}");
                return Err(self.fault(&format!("{group}: entry {k}"), given, "must be inside the matrix"));
            }
            entries.add_triplet(row as usize, column as usize, x[k]);
        }
        Ok(entries.to_csr())
    }

    /// μ of so many rows.
    fn friction(&self, group: &str, rows: usize) -> Result<Vec<f64>> {
        let name = format!("{group}/spacedim");
        let dimension = self.integer(&name)?;
        if dimension != DIMENSION as i64 {
            return Err(self.fault(&name, dimension, "must be 3: problems of the plane are not solved"));
        }
        if !rows.is_multiple_of(DIMENSION) {
            return Err(self.fault(group, format!("{rows} rows"), "must be three for each contact"));
        }
        self.coefficients(&format!("{group}/vectors/mu"), rows / DIMENSION)
    }

    /// So many coefficients of friction.
    pub(super) fn coefficients(&self, name: &str, count: usize) -> Result<Vec<f64>> {
        let mu = self.numbers(name, count)?;
        match mu.iter().position(|mu| *mu < 0.0) {
            Some(i) => Err(self.fault(&format!("{name}[{i}]"), mu[i], "must be at least 0")),
            None => Ok(mu),
        }
    }

    fn local(&self) -> Result<FcpProblem> {
        let group = "fclib_local";
        if self.has("fclib_local/V/m") {
            return Err(self.fault("fclib_local/V", "equality constraints", "are not solved"));
        }
        let delassus = self.matrix("fclib_local/W")?;
        let rows = delassus.rows();
        if delassus.cols() != rows {
            return Err(self.fault(
                "fclib_local/W",
                format!("{rows} × {}", delassus.cols()),
                "must be square",
            ));
        }
        let friction_coefficient = self.friction(group, rows)?;
        let free_slip = self.numbers("fclib_local/vectors/q", rows)?;
        Ok(FcpProblem { friction_coefficient, free_slip, delassus, global: None })
    }

    /// M, H, f and w of a group.
    pub(super) fn masses(&self, group: &str) -> Result<GlobalPart> {
        let name = |field: &str| format!("{group}/{field}");
        if self.has(&name("G/m")) {
            return Err(self.fault(&name("G"), "equality constraints", "are not solved"));
        }
        let (mass, force_directions) = (self.matrix(&name("M"))?, self.matrix(&name("H"))?);
        let (n, rows) = (mass.rows(), force_directions.cols());
        if mass.cols() != n || force_directions.rows() != n {
            let sizes = format!("M {n} × {}, H {} × {rows}", mass.cols(), force_directions.rows());
            return Err(self.fault(group, sizes, "must have one size"));
        }
        let force = self.numbers(&name("vectors/f"), n)?;
        let offset = self.numbers(&name("vectors/w"), rows)?;
        Ok(GlobalPart { mass, force_directions, force, offset })
    }

    fn global(&self) -> Result<FcpProblem> {
        let group = "fclib_global";
        let global = self.masses(group)?;
        let friction_coefficient = self.friction(group, global.offset.len())?;
        let (delassus, free_slip) =
            reduced(&global).ok_or_else(|| self.fault("fclib_global/M", "singular", "must be regular"))?;
        Ok(FcpProblem { friction_coefficient, free_slip, delassus, global: Some(global) })
    }

    pub(super) fn impulses(&self, rows: usize) -> Result<Impulses> {
        let r = |group: &str| {
            let name = format!("{group}/r");
            if self.has(&name) { self.numbers(&name, rows).map(Some) } else { Ok(None) }
        };
        let mut impulses = Impulses { guesses: Vec::new(), solution: r("solution")? };
        if self.has("guesses/number_of_guesses") {
            for k in 1..=self.size("guesses/number_of_guesses")? {
                let name = format!("guesses/{k}");
                let guess = r(&name)?;
                impulses.guesses.push(guess.ok_or_else(|| self.fault(&name, "no r", "must have r"))?);
            }
        }
        Ok(impulses)
    }
}

/// Writes a problem as FCLIB does, global where it has M and H, with impulses if there are some.
///
/// # Errors
/// When the file cannot be written.
pub fn write(path: &Path, problem: &FcpProblem, impulses: &Impulses, title: &str) -> Result<()> {
    let mut file = FileBuilder::new();
    let name = if problem.global.is_some() { "fclib_global" } else { "fclib_local" };
    let mut group = file.create_group(name);
    one(&mut group, "spacedim", DIMENSION as i32);
    let mut vectors = group.create_group("vectors");
    match &problem.global {
        Some(global) => {
            put_matrix(&mut group, "M", &global.mass);
            put_matrix(&mut group, "H", &global.force_directions);
            vectors.create_dataset("f").with_f64_data(&global.force);
            vectors.create_dataset("w").with_f64_data(&global.offset);
        }
        None => {
            put_matrix(&mut group, "W", &problem.delassus);
            vectors.create_dataset("q").with_f64_data(&problem.free_slip);
        }
    }
    vectors.create_dataset("mu").with_f64_data(&problem.friction_coefficient);
    group.add_group(vectors.finish());
    put_info(&mut group, title, &[]).map_err(|e| failed(path, &e))?;
    file.add_group(group.finish());
    put_impulses(&mut file, impulses, |group, r| {
        let mut u = problem.free_slip.clone();
        for (u, row) in u.iter_mut().zip(problem.delassus.outer_iterator()) {
            *u += row.iter().map(|(j, w)| w * r[j]).sum::<f64>();
        }
        group.create_dataset("u").with_f64_data(&u);
        if let Some(v) = problem.global.as_ref().and_then(|global| super::global::velocity(global, r)) {
            group.create_dataset("v").with_f64_data(&v);
        }
    });
    file.write(path).map_err(|e| failed(path, &e))
}

pub(super) fn failed(path: &Path, e: &dyn std::fmt::Display) -> Error {
    Error::Io { path: path.to_owned(), source: std::io::Error::other(e.to_string()) }
}

/// Writes the title of a problem, and the names of its bodies if there are some.
pub(super) fn put_info(
    group: &mut GroupBuilder,
    title: &str,
    bodies: &[String],
) -> std::result::Result<(), hdf5_pure::Error> {
    let mut info = group.create_group("info");
    info.create_dataset("title").with_strings(&[title])?;
    if !bodies.is_empty() {
        let names: Vec<&str> = bodies.iter().map(String::as_str).collect();
        info.create_dataset("bodies").with_strings(&names)?;
    }
    group.add_group(info.finish());
    Ok(())
}

/// Writes guesses and the solution, each with r, and what `more` adds to it: slips and velocities.
pub(super) fn put_impulses(
    file: &mut FileBuilder,
    impulses: &Impulses,
    more: impl Fn(&mut GroupBuilder, &[f64]),
) {
    let put = |group: &mut GroupBuilder, r: &[f64]| {
        group.create_dataset("r").with_f64_data(r);
        more(group, r);
    };
    if !impulses.guesses.is_empty() {
        let mut guesses = file.create_group("guesses");
        one(&mut guesses, "number_of_guesses", impulses.guesses.len() as i32);
        for (k, r) in impulses.guesses.iter().enumerate() {
            let mut guess = guesses.create_group(&(k + 1).to_string());
            put(&mut guess, r);
            guesses.add_group(guess.finish());
        }
        file.add_group(guesses.finish());
    }
    if let Some(r) = &impulses.solution {
        let mut solution = file.create_group("solution");
        put(&mut solution, r);
        file.add_group(solution.finish());
    }
}

pub(super) fn one(group: &mut GroupBuilder, name: &str, value: i32) {
    group.create_dataset(name).with_i32_data(&[value]).with_shape(&[1]);
}

/// Writes a matrix by columns, as FCLIB's own files have it.
pub(super) fn put_matrix(group: &mut GroupBuilder, name: &str, matrix: &CsMat<f64>) {
    let matrix = matrix.to_csc();
    let integers = |values: &[usize]| values.iter().map(|i| *i as i32).collect::<Vec<_>>();
    let mut own = group.create_group(name);
    one(&mut own, "m", matrix.rows() as i32);
    one(&mut own, "n", matrix.cols() as i32);
    one(&mut own, "nz", -1);
    one(&mut own, "nzmax", matrix.nnz() as i32);
    own.create_dataset("p").with_i32_data(&integers(&matrix.proper_indptr()));
    own.create_dataset("i").with_i32_data(&integers(matrix.indices()));
    own.create_dataset("x").with_f64_data(matrix.data());
    group.add_group(own.finish());
}
