//! A hash grid of boxes: which shapes are near a place, in expected constant time.

use super::overlap::Placed;
use nalgebra::Vector3;
use std::collections::HashMap;

/// A shape that covers more cells than this is kept on one list that every query returns.
const MAX_CELLS: f64 = 4096.0;

/// Shapes by the cells that their boxes cover.
#[derive(Debug)]
pub struct Nearby {
    cell: f64,
    cells: HashMap<[i64; 3], Vec<usize>>,
    everywhere: Vec<usize>,
}

impl Nearby {
    /// An empty grid with cells of `cell` metres.
    pub fn new(cell: f64) -> Self {
        Self { cell, cells: HashMap::new(), everywhere: Vec::new() }
    }

    /// An empty grid with cells fit for these shapes: the mean length of their boxes.
    pub fn fit_for<'a>(shapes: impl Iterator<Item = &'a Placed>) -> Self {
        let (sum, count) = shapes
            .filter_map(Placed::reach)
            .fold((0.0, 0), |(sum, count), [below, above]| (sum + (below + above).mean(), count + 1));
        Self::new(if count == 0 { 1.0 } else { sum / f64::from(count) })
    }

    /// Adds a shape under a number of the caller's.
    pub fn insert(&mut self, id: usize, shape: &Placed) {
        match self.range(shape, 0.0) {
            Some((low, high)) => {
                for key in keys(low, high) {
                    self.cells.entry(key).or_default().push(id);
                }
            }
            None => self.everywhere.push(id),
        }
    }

    /// Takes out a shape that was inserted under this number.
    pub fn remove(&mut self, id: usize, shape: &Placed) {
        match self.range(shape, 0.0) {
            Some((low, high)) => {
                for key in keys(low, high) {
                    if let Some(list) = self.cells.get_mut(&key) {
                        list.retain(|other| *other != id);
                    }
                }
            }
            None => self.everywhere.retain(|other| *other != id),
        }
    }

    /// The numbers, ascending, of the shapes whose cells are within `margin` (m) of `shape`: all that could
    /// be that near, and some that are not.
    pub fn query(&self, shape: &Placed, margin: f64, found: &mut Vec<usize>) {
        found.clear();
        match self.range(shape, margin) {
            Some((low, high)) => {
                found.extend_from_slice(&self.everywhere);
                for key in keys(low, high) {
                    found.extend(self.cells.get(&key).into_iter().flatten());
                }
            }
            None => {
                found.extend_from_slice(&self.everywhere);
                found.extend(self.cells.values().flatten());
            }
        }
        found.sort_unstable();
        found.dedup();
    }

    /// First and last cell of the shape's box; None for one that covers too many.
    fn range(&self, shape: &Placed, margin: f64) -> Option<([i64; 3], [i64; 3])> {
        let (center, [below, above]) = (shape.center()?, shape.reach()?);
        let low = (center - below.add_scalar(margin)).map(|x| (x / self.cell).floor());
        let high = (center + above.add_scalar(margin)).map(|x| (x / self.cell).floor());
        let spans: Vector3<f64> = (high - low).add_scalar(1.0);
        let in_reach = low.amax() < 1e15 && high.amax() < 1e15;
        (in_reach && spans.product() <= MAX_CELLS)
            .then(|| (low.map(|x| x as i64).into(), high.map(|x| x as i64).into()))
    }
}

fn keys(low: [i64; 3], high: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    (low[0]..=high[0])
        .flat_map(move |x| (low[1]..=high[1]).flat_map(move |y| (low[2]..=high[2]).map(move |z| [x, y, z])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::UnitQuaternion;
    use signorini_geometry::{Pose, Shape};

    #[test]
    fn queries_find_all_that_is_near_and_little_else() {
        // A jittered grid of 1000 balls of radius 0.4, a large one, and a plane.
        let ball = |radius: f64, position: Vector3<f64>| {
            let shape = Shape::Ellipsoid { semi_axes: Vector3::repeat(radius) };
            Placed::new(&shape, &Pose { position, orientation: UnitQuaternion::identity() })
        };
        let mut shapes: Vec<(Placed, f64)> = (0..1000)
            .map(|i| {
                let at = Vector3::new(f64::from(i % 10), f64::from(i / 10 % 10), f64::from(i / 100));
                let jitter = Vector3::new(0.1, -0.2, 0.3) * (f64::from(i) * 0.7).sin();
                (ball(0.4, at + jitter), 0.4)
            })
            .collect();
        shapes.push((ball(100.0, Vector3::repeat(5.0)), 100.0));
        shapes.push((Placed::HalfSpace { normal: Vector3::z(), offset: -1.0 }, f64::INFINITY));
        let mut nearby = Nearby::fit_for(shapes.iter().take(1000).map(|s| &s.0));
        for (id, (shape, _)) in shapes.iter().enumerate() {
            nearby.insert(id, shape);
        }
        nearby.remove(17, &shapes[17].0);
        let mut found = Vec::new();
        for (shape, radius) in &shapes[..1000] {
            nearby.query(shape, 0.5, &mut found);
            // Oracle: every pair of balls.
            for (id, (other, size)) in shapes.iter().enumerate() {
                let distance = match (shape.center(), other.center()) {
                    (Some(a), Some(b)) => (a - b).norm() - radius - size,
                    _ => 0.0,
                };
                assert!(distance > 0.5 || id == 17 || found.binary_search(&id).is_ok(), "{id} at {distance}");
            }
            // At most five cells of 0.8 each way, with two boxes to a cell and direction.
            assert!(found.len() < 130 && found.binary_search(&17).is_err(), "{} found", found.len());
        }
    }
}
