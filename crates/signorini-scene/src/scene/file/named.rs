//! Bodies by the names in a scene file.

use super::report::Check;
use crate::scene::body::Body;
use nalgebra::Vector3;
use std::collections::HashMap;

/// Names of the bodies that may be named by joints and motions.
pub struct Named<'a> {
    /// Ids of all bodies.
    pub ids: &'a HashMap<String, usize>,
    /// Names of the bodies that are written down one by one, sorted.
    pub listed: Vec<&'a str>,
    /// Bodies that are written down one by one.
    pub bodies: &'a [Body],
    /// Origins of the frames in which bodies of `[[body]]` are written, each in the body's own frame (m).
    origins: &'a [Vector3<f64>],
}

impl<'a> Named<'a> {
    /// The names of a scene.
    pub fn new(ids: &'a HashMap<String, usize>, bodies: &'a [Body], origins: &'a [Vector3<f64>]) -> Self {
        let mut listed: Vec<&str> = ids.keys().map(String::as_str).collect();
        listed.sort_unstable();
        Self { ids, listed, bodies, origins }
    }

    /// A point of the frame in which a body is written, in the body's own frame (m).
    pub fn point(&self, body: usize, written: Vector3<f64>) -> Vector3<f64> {
        match self.origins.get(body) {
            Some(origin) if *origin != Vector3::zeros() => written + origin,
            _ => written,
        }
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
