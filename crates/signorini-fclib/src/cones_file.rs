//! Files of problems over cones:
//! ```text
//! fclib_global_rolling   spacedim 5   M   H   vectors: f, w, mu, mu_r
//! signorini_global       M   H        vectors: f, w, low, high, compliance
//!                                     cones: normal, friction, mu, bounded, rolls_with
//! ```
//! The first is FCLIB's: a contact has the rows normal, tangent, tangent, and two of its rolling. The second
//! has the rows of one cone after the other: so many normal ones, so many of friction.

use super::cones::{CONTACT_ROWS, ConeProblem, Layout, ROLLING_ROWS};
use super::file_problem::{Content, FileProblem, Impulses};
use super::global;
use super::hdf5::{Reader, failed, one, put_impulses, put_info, put_matrix};
use super::reduced::ReducedProblem;
use hdf5_pure::FileBuilder;
use signorini_error::Result;
use signorini_ncp::problem::Cone;
use std::path::Path;

/// FCLIB's group of problems with rolling resistance.
const ROLLING: &str = "fclib_global_rolling";
/// FCLIB's group of problems without.
const PLAIN: &str = "fclib_global";
/// Group of all others.
const OWN: &str = "signorini_global";
/// Most friction rows of a cone.
const MOST_FRICTION: i64 = 3;

/// Reads a problem over cones, if the file has one.
pub fn parse(file: &Reader<'_>, name: &str) -> Option<Result<FileProblem>> {
    let (group, read): (_, fn(&Reader<'_>) -> Result<ConeProblem>) = match () {
        () if file.has(&format!("{ROLLING}/M/m")) => (ROLLING, rolling),
        () if file.has(&format!("{OWN}/M/m")) => (OWN, own),
        () => return None,
    };
    let checked = |problem: ConeProblem| {
        let impulses = file.impulses(problem.bounds.len())?;
        let allowed = "must be symmetric, positive definite and of blocks of at most six";
        let reduced = ReducedProblem::of_cones(&problem)
            .ok_or_else(|| file.fault(&format!("{group}/M"), "another matrix", allowed))?;
        let content = Content::Cones(Box::new(problem));
        Ok(FileProblem { name: name.to_owned(), content, reduced, impulses })
    };
    Some(read(file).and_then(checked))
}

fn rolling(file: &Reader<'_>) -> Result<ConeProblem> {
    let global = file.masses(ROLLING)?;
    let rows = global.offset.len();
    let name = format!("{ROLLING}/spacedim");
    if file.integers(&name)? != [ROLLING_ROWS as i64] {
        return Err(file.fault(&name, "another number", "must be 5"));
    }
    if !rows.is_multiple_of(ROLLING_ROWS) {
        return Err(file.fault(ROLLING, format!("{rows} rows"), "must be five for each contact"));
    }
    let n = rows / ROLLING_ROWS;
    let coefficients = |field: &str| file.coefficients(&format!("{ROLLING}/vectors/{field}"), n);
    let (mu, mu_r) = (coefficients("mu")?, coefficients("mu_r")?);
    let contacts = mu.iter().enumerate().map(|(c, mu)| cone(ROLLING_ROWS * c, (1, 2), *mu));
    let couples = mu_r
        .iter()
        .enumerate()
        .map(|(c, mu)| Cone { rolls_with: Some(c), ..cone(ROLLING_ROWS * c + CONTACT_ROWS, (0, 2), *mu) });
    let (bounds, compliance) = (vec![[0.0, f64::INFINITY]; rows], vec![0.0; rows]);
    Ok(ConeProblem {
        global,
        cones: contacts.chain(couples).collect(),
        bounds,
        compliance,
        layout: Layout::Rolling,
        bodies: Vec::new(),
    })
}

fn cone(row: usize, (n_normal, n_friction): (usize, usize), friction_coefficient: f64) -> Cone {
    let n_used = n_normal;
    Cone { row, n_normal, n_used, n_friction, friction_coefficient, bounded: false, rolls_with: None }
}

fn own(file: &Reader<'_>) -> Result<ConeProblem> {
    let global = file.masses(OWN)?;
    let rows = global.offset.len();
    let vector = |field: &str| format!("{OWN}/vectors/{field}");
    let [low, high] = [file.limits(&vector("low"), rows)?, file.limits(&vector("high"), rows)?];
    if let Some(row) = low.iter().zip(&high).position(|(low, high)| low > high) {
        return Err(file.fault(&format!("{}[{row}]", vector("low")), low[row], "must not be above high"));
    }
    let bounds = low.into_iter().zip(high).map(|(low, high)| [low, high]).collect();
    let compliance = file.coefficients(&vector("compliance"), rows)?;
    let cones = cones(file, rows)?;
    Ok(ConeProblem { global, cones, bounds, compliance, layout: Layout::Own, bodies: Vec::new() })
}

fn cones(file: &Reader<'_>, n_rows: usize) -> Result<Vec<Cone>> {
    let name = |field: &str| format!("{OWN}/cones/{field}");
    let normal = file.integers(&name("normal"))?;
    let column = |field: &str| {
        let values = file.integers(&name(field))?;
        let (given, n) = (format!("{} numbers", values.len()), normal.len());
        (values.len() == n)
            .then_some(values)
            .ok_or_else(|| file.fault(&name(field), given, &format!("must be {n}, one for each cone")))
    };
    let (friction, bounded, rolls_with) = (column("friction")?, column("bounded")?, column("rolls_with")?);
    let mu = file.coefficients(&name("mu"), normal.len())?;
    let mut cones: Vec<Cone> = Vec::with_capacity(normal.len());
    let mut row = 0;
    for c in 0..normal.len() {
        let fault = |field: &str, value: i64, allowed: &str| {
            Err(file.fault(&format!("{}[{c}]", name(field)), value, allowed))
        };
        let is_rolling = rolls_with[c] >= 0;
        if !(0..=n_rows as i64).contains(&normal[c]) || (normal[c] == 0) != is_rolling {
            return fault("normal", normal[c], "must be 1 or more, and 0 of a rolling resistance");
        }
        if !(0..=MOST_FRICTION).contains(&friction[c]) || friction[c] == 1 || (is_rolling && friction[c] != 2)
        {
            return fault("friction", friction[c], "must be 0, 2 or 3, and 2 of a rolling resistance");
        }
        if !(0..=1).contains(&bounded[c]) || (bounded[c] == 1 && (friction[c] > 0 || is_rolling)) {
            return fault("bounded", bounded[c], "must be 0, or 1 of a cone without friction rows");
        }
        let last = cones.last().and_then(|cone| cone.rolls_with);
        let contact = usize::try_from(rolls_with[c]).ok();
        let is_contact = |k: usize| {
            let of: Option<&Cone> = cones.get(k);
            of.is_some_and(|of| !of.bounded && of.rolls_with.is_none()) && last.is_none_or(|last| last < k)
        };
        if rolls_with[c] < -1 || !contact.map_or(last.is_none(), is_contact) {
            let allowed = "must be -1, or a contact; rolling resistances come last, in the order of those";
            return fault("rolls_with", rolls_with[c], allowed);
        }
        let own = cone(row, (normal[c] as usize, friction[c] as usize), mu[c]);
        row += own.n_law_rows();
        cones.push(Cone { bounded: bounded[c] == 1, rolls_with: contact, ..own });
    }
    if row != n_rows {
        return Err(file.fault(&format!("{OWN}/cones"), format!("{row} rows"), &format!("must be {n_rows}")));
    }
    Ok(cones)
}

impl ConeProblem {
    /// Writes the problem in the layout that its contacts need, with impulses if there are some.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path, impulses: &Impulses, title: &str) -> Result<()> {
        let mut file = FileBuilder::new();
        let name = match self.layout {
            Layout::Plain => PLAIN,
            Layout::Rolling => ROLLING,
            Layout::Own => OWN,
        };
        let mut group = file.create_group(name);
        put_matrix(&mut group, "M", &self.global.mass);
        put_matrix(&mut group, "H", &self.global.force_directions);
        let mut vectors = group.create_group("vectors");
        vectors.create_dataset("f").with_f64_data(&self.global.force);
        vectors.create_dataset("w").with_f64_data(&self.global.offset);
        if self.layout == Layout::Own {
            let [low, high] = [0, 1].map(|k| self.bounds.iter().map(|b| b[k]).collect::<Vec<_>>());
            vectors.create_dataset("low").with_f64_data(&low);
            vectors.create_dataset("high").with_f64_data(&high);
            vectors.create_dataset("compliance").with_f64_data(&self.compliance);
            let mut cones = group.create_group("cones");
            let mut column = |name: &str, of: fn(&Cone) -> i32| {
                let values: Vec<i32> = self.cones.iter().map(of).collect();
                cones.create_dataset(name).with_i32_data(&values);
            };
            column("normal", |cone| cone.n_normal as i32);
            column("friction", |cone| cone.n_friction as i32);
            column("bounded", |cone| i32::from(cone.bounded));
            column("rolls_with", |cone| cone.rolls_with.map_or(-1, |contact| contact as i32));
            let mu: Vec<f64> = self.cones.iter().map(|cone| cone.friction_coefficient).collect();
            cones.create_dataset("mu").with_f64_data(&mu);
            group.add_group(cones.finish());
        } else {
            let width = self.layout.rows();
            one(&mut group, "spacedim", width as i32);
            vectors.create_dataset("mu").with_f64_data(&self.friction_coefficients());
        }
        if self.layout == Layout::Rolling {
            let mut mu_r = vec![0.0; self.bounds.len() / ROLLING_ROWS];
            for cone in &self.cones {
                cone.rolls_with.iter().for_each(|contact| mu_r[*contact] = cone.friction_coefficient);
            }
            vectors.create_dataset("mu_r").with_f64_data(&mu_r);
        }
        group.add_group(vectors.finish());
        put_info(&mut group, title, &self.bodies).map_err(|e| failed(path, &e))?;
        file.add_group(group.finish());
        put_impulses(&mut file, impulses, |group, r| {
            if let Some(v) = global::velocity(&self.global, r) {
                group.create_dataset("u").with_f64_data(&self.slip(r, &v));
                group.create_dataset("v").with_f64_data(&v);
            }
        });
        file.write(path).map_err(|e| failed(path, &e))
    }

    /// u = Hᵀ v + w + R r.
    fn slip(&self, r: &[f64], v: &[f64]) -> Vec<f64> {
        let mut slip: Vec<f64> =
            self.global.offset.iter().zip(&self.compliance).zip(r).map(|((w, c), r)| w + c * r).collect();
        for (v, row) in v.iter().zip(self.global.force_directions.to_csr().outer_iterator()) {
            row.iter().for_each(|(j, h)| slip[j] += h * v);
        }
        slip
    }
}
