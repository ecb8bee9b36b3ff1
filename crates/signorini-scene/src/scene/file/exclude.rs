//! `[[exclude]]`.

use super::raw::SceneFile;
use super::report::Report;
use std::collections::HashMap;

/// Pairs of bodies without contact, those of fills too.
pub fn excluded(file: &SceneFile, names: &HashMap<String, usize>, report: &mut Report) -> Vec<[usize; 2]> {
    let mut pairs = Vec::new();
    let mut known: Vec<&str> = names.keys().map(String::as_str).collect();
    known.sort_unstable();
    for (i, e) in file.exclude.iter().enumerate() {
        let mut check = report.at(format!("exclude[{i}]"));
        let mut find = |name: &String| {
            let found = names.get(name).copied();
            if found.is_none() {
                check.unknown("between", name, "body", &known);
            }
            found
        };
        if let [Some(a), Some(b)] = e.between.each_ref().map(&mut find) {
            if a == b {
                check.fault("between", format!("{:?}", e.between), "must be two bodies");
            } else {
                pairs.push([a, b]);
            }
        }
    }
    pairs
}
