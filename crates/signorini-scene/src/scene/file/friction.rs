//! Materials and the friction between them.

use super::place::entry;
use super::raw::SceneFile;
use super::raw_defaults::DEFAULT_MATERIAL;
use super::raw_friction::{FrictionEntry, TorsionEntry, TorsionWord};
use super::report::{Check, Report};
use crate::scene::body::Body;
use crate::scene::friction::{Friction, FrictionTable, Restitution, Torsion};
use crate::scene::joint::Joint;
use crate::scene::mortar::Mortar;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The table has a row per pair; more materials than this are a mistake.
const MAX_MATERIALS: usize = 1000;

/// The known materials. Names are known from `[[material]]`; without it from the `between` of the friction
/// entries; without both every name is known, for then it makes no difference.
#[derive(Debug)]
pub struct Materials {
    names: Vec<String>,
    index: HashMap<String, usize>,
    open: bool,
}

impl Materials {
    /// Collects the names that the file makes known.
    pub fn of_file(file: &SceneFile, report: &mut Report) -> Self {
        let mut known = Self { names: Vec::new(), index: HashMap::new(), open: false };
        for (i, material) in file.material.iter().enumerate() {
            let mut check = report.at(format!("material[{i}]"));
            check.name("name", &material.name);
            if known.index.contains_key(&material.name) {
                check.fault("name", format!("{:?}", material.name), "must be unique among the materials");
            }
            known.add(&material.name);
        }
        let pairs: Vec<&String> = file.friction.iter().filter_map(|f| f.between.as_ref()).flatten().collect();
        if file.material.is_empty() {
            known.open = pairs.is_empty();
            for (i, names) in file.friction.iter().enumerate() {
                for name in names.between.iter().flatten() {
                    report.at(format!("friction[{i}]")).name("between", name);
                    known.add(name);
                }
            }
        }
        known
    }

    /// The materials of a scene that exists; no other becomes known.
    pub fn of_table(table: &FrictionTable) -> Self {
        let names = table.materials.clone();
        let index = names.iter().enumerate().map(|(i, name)| (name.clone(), i)).collect();
        Self { names, index, open: false }
    }

    fn add(&mut self, name: &str) -> usize {
        if let Some(&index) = self.index.get(name) {
            return index;
        }
        self.names.push(name.to_string());
        self.index.insert(name.to_string(), self.names.len() - 1);
        self.names.len() - 1
    }

    /// Index of a material that a field names.
    pub fn index(&mut self, check: &mut Check, field: &str, name: &str) -> usize {
        if let Some(&index) = self.index.get(name) {
            return index;
        }
        if self.open || name == DEFAULT_MATERIAL {
            check.name(field, name);
            return self.add(name);
        }
        let known: Vec<&str> = self.names.iter().map(String::as_str).collect();
        check.unknown(field, name, "material", &known);
        0
    }
}

/// The resolved table: the entry of the pair, else the default entry, else no friction. Call after every
/// body has its material.
pub fn table(entries: &[FrictionEntry], mut materials: Materials, report: &mut Report) -> FrictionTable {
    let mut pairs: HashMap<(usize, usize), Friction> = HashMap::new();
    let mut default = None;
    for (i, e) in entries.iter().enumerate() {
        match &e.between {
            None => {
                let mut check = report.at(format!("friction[{i}]"));
                if default.is_some() {
                    check.fault("between", "absent", "only one entry may be the default of all pairs");
                }
                default = Some(friction(e, None, &mut check));
            }
            Some([first, second]) => {
                let mut check = report.at(entry("friction", i, format!("{first}/{second}")));
                let a = materials.index(&mut check, "between", first);
                let b = materials.index(&mut check, "between", second);
                let friction = friction(e, Some(a), &mut check);
                if pairs.insert((a.min(b), a.max(b)), friction).is_some() {
                    let value = format!("[{first:?}, {second:?}]");
                    check.fault("between", value, "this pair already has an entry");
                }
            }
        }
    }
    let n = materials.names.len();
    if n > MAX_MATERIALS {
        report.fault("material", n, format!("at most {MAX_MATERIALS} materials"));
        return FrictionTable::default();
    }
    let fallback = default.unwrap_or(Friction::NONE);
    let entries = (0..n * n)
        .map(|k| (k / n, k % n))
        .map(|(a, b)| *pairs.get(&(a.min(b), a.max(b))).unwrap_or(&fallback))
        .collect();
    FrictionTable { materials: materials.names, entries }
}

/// One entry; `owner` is the first material of `between`.
fn friction(e: &FrictionEntry, owner: Option<usize>, check: &mut Check) -> Friction {
    let coefficient = check.not_negative("coefficient", e.coefficient);
    let t = check.positive("ellipsoid.t", e.ellipsoid.t);
    let o = check.positive("ellipsoid.o", e.ellipsoid.o);
    let torsional = match e.ellipsoid.r {
        TorsionEntry::Radius(radius) => Torsion::Radius(check.not_negative("ellipsoid.r", radius)),
        TorsionEntry::Word(TorsionWord::Patch) => Torsion::Patch,
    };
    let direction = e.direction.map(|d| check.direction("direction", d));
    if t == o && direction.is_some() {
        check.fault("direction", "given", "only with t ≠ o in `ellipsoid`");
    }
    if t != o && owner.is_none() {
        let value = format!("t = {t:?}, o = {o:?}");
        check.fault("ellipsoid", value, "t ≠ o needs `between`, whose first material carries `direction`");
    } else if t != o && direction.is_none() {
        check.fault("direction", "absent", "required with t ≠ o in `ellipsoid`");
    }
    // Without a direction no material owns it: 0, whatever the order of the names.
    let direction_owner = owner.filter(|_| direction.is_some()).unwrap_or(0);
    if !(0.0..=1.0).contains(&e.restitution) {
        check.fault("restitution", format!("{:?}", e.restitution), "must be between 0 and 1");
    }
    let restitution = Restitution {
        coefficient: e.restitution,
        law: e.restitution_law,
        threshold: check.not_negative("restitution_threshold", e.restitution_threshold),
    };
    let rolling = check.not_negative("rolling", e.rolling);
    let cohesion = check.not_negative("cohesion", e.cohesion);
    let tangential = [t, o];
    if let Some(mortar) = &e.mortar {
        check_mortar(mortar, coefficient, check);
    }
    Friction {
        coefficient,
        tangential,
        torsional,
        direction,
        direction_owner,
        restitution,
        rolling,
        cohesion,
        mortar: e.mortar,
    }
}

/// Faults of the strengths of mortar, with the friction coefficient of its pair.
fn check_mortar(mortar: &Mortar, coefficient: f64, check: &mut Check) {
    let tension = check.not_negative("mortar.tensile_strength", mortar.tensile_strength);
    let shear = check.positive("mortar.shear_strength", mortar.shear_strength);
    check.not_negative("mortar.fracture_energy", mortar.fracture_energy);
    if coefficient == 0.0 {
        check.fault("coefficient", "0.0", "must be positive with `mortar`");
    } else if tension * coefficient > shear {
        let allowed =
            format!("at most {:?}, shear_strength over the friction coefficient", shear / coefficient);
        check.fault("mortar.tensile_strength", format!("{tension:?}"), allowed);
    }
}

/// Notes that no faces touch at time 0, where materials have mortar.
pub fn note_mortar(table: &FrictionTable, joints: &[Joint], report: &mut Report) {
    if table.has_mortar() && joints.iter().all(|joint| joint.mortar.is_none()) {
        report.notes.push("no faces of materials with `mortar` touch at time 0: none has mortar".to_owned());
    }
}

/// Notes, once, pairs of materials that could touch and have no entry: they are frictionless.
pub fn note_frictionless(
    entries: &[FrictionEntry],
    table: &FrictionTable,
    bodies: &[Body],
    report: &mut Report,
) {
    if entries.iter().any(|e| e.between.is_none()) {
        return;
    }
    let mut count: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for body in bodies {
        for material in body.materials() {
            let (all, moving) = count.entry(material).or_default();
            *all += 1;
            *moving += usize::from(!body.fixed);
        }
    }
    let has_entry: BTreeSet<(&str, &str)> = entries
        .iter()
        .filter_map(|e| e.between.as_ref())
        .flat_map(|[a, b]| [(a.as_str(), b.as_str()), (b.as_str(), a.as_str())])
        .collect();
    let mut without = Vec::new();
    for (&a, &(all_a, moving_a)) in &count {
        for (&b, &(_, moving_b)) in count.range(a..) {
            let can_touch = if a == b { all_a > 1 && moving_a > 0 } else { moving_a + moving_b > 0 };
            let names = (table.materials[a].as_str(), table.materials[b].as_str());
            if can_touch && !has_entry.contains(&names) {
                without.push(format!("{:?} on {:?}", names.0, names.1));
            }
        }
    }
    if !without.is_empty() {
        let more = if without.len() > 8 { format!(" and {} more", without.len() - 8) } else { String::new() };
        let list = without[..without.len().min(8)].join(", ");
        report.notes.push(format!("no [[friction]] entry for {list}{more}: frictionless"));
    }
}
