//! Bodies by the names in a scene file.

use super::report::Check;
use crate::scene::body::Body;
use std::collections::HashMap;

/// Names of the bodies that may be named by joints and motions.
pub struct Named<'a> {
    /// Ids of all bodies.
    pub ids: &'a HashMap<String, usize>,
    /// Sorted.
    pub listed: Vec<&'a str>,
    /// Those written down one by one.
    pub bodies: &'a [Body],
}

impl<'a> Named<'a> {
    /// The names of a scene.
    pub fn new(ids: &'a HashMap<String, usize>, bodies: &'a [Body]) -> Self {
        let mut listed: Vec<&str> = ids.keys().map(String::as_str).collect();
        listed.sort_unstable();
        Self { ids, listed, bodies }
    }

    /// A body that is written down; a fault otherwise.
    pub fn find(&self, field: &str, name: &str, check: &mut Check<'_>) -> Option<usize> {
        match self.ids.get(name) {
            Some(id) if *id >= self.bodies.len() => {
                check.fault(field, format!("{name:?}"), "must not be a body of a fill");
                None
            }
            Some(id) => Some(*id),
            None => {
                check.unknown(field, name, "body", &self.listed);
                None
            }
        }
    }
}
