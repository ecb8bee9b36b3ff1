//! Meshes with triangles that are there twice or run the wrong way round.

use super::triangles::Triangles;
use std::collections::{HashMap, HashSet};

/// A mesh, and the number of triangles that were left out and turned round to make it.
#[derive(Debug, Clone)]
pub struct Mended {
    /// The mesh.
    pub mesh: Triangles,
    /// Triangles that were there before, left out.
    pub repeated: usize,
    /// Triangles that ran the other way than the most around them, turned round.
    pub turned: usize,
}

impl Mended {
    /// Description of what was done to the mesh, if anything.
    pub fn remark(&self) -> Option<String> {
        let mut done = Vec::new();
        if self.repeated > 0 {
            done.push(format!("{} that were there before were left out", self.repeated));
        }
        if self.turned > 0 {
            done.push(format!("{} that ran the other way than those around them were turned", self.turned));
        }
        (!done.is_empty()).then(|| {
            format!("of its {} triangles {}", self.mesh.triangles.len() + self.repeated, done.join(", "))
        })
    }
}

impl Triangles {
    /// This mesh with all its triangles once, running the same way round as their neighbours: of each piece
    /// as most of its triangles do. None is turned where more than two meet at a side, or where some run the
    /// wrong way whatever is turned.
    pub fn mended(self) -> Mended {
        if self.n_open_sides() == 0 {
            return Mended { mesh: self, repeated: 0, turned: 0 };
        }
        let vertex = self.one_vertices();
        let own = |t: &[usize; 3]| t.map(|v| vertex[v]);
        let mut known = HashSet::new();
        let mut mesh = Triangles { points: self.points, triangles: Vec::new() };
        for t in &self.triangles {
            let mut key = own(t);
            let least = (0..3).min_by_key(|k| key[*k]).unwrap_or(0);
            key.rotate_left(least);
            if known.insert(key) {
                mesh.triangles.push(*t);
            }
        }
        let repeated = self.triangles.len() - mesh.triangles.len();
        let corners: Vec<[usize; 3]> = mesh.triangles.iter().map(own).collect();
        let turn = turned(&corners).unwrap_or_else(|| vec![false; corners.len()]);
        for (t, _) in mesh.triangles.iter_mut().zip(&turn).filter(|(_, turn)| **turn) {
            t.swap(1, 2);
        }
        Mended { mesh, repeated, turned: turn.iter().filter(|turn| **turn).count() }
    }
}

/// Which triangles are to be turned; None where sides have more than two triangles, or no choice does.
fn turned(triangles: &[[usize; 3]]) -> Option<Vec<bool>> {
    let mut along: HashMap<(usize, usize), Vec<(usize, bool)>> = HashMap::new();
    let sides = |t: usize| {
        let c = triangles[t];
        [(c[0], c[1]), (c[1], c[2]), (c[2], c[0])].into_iter().filter(|(a, b)| a != b)
    };
    for t in 0..triangles.len() {
        for (a, b) in sides(t) {
            along.entry((a.min(b), a.max(b))).or_default().push((t, a < b));
        }
    }
    if along.values().any(|of| of.len() > 2) {
        return None;
    }
    let mut turn: Vec<Option<bool>> = vec![None; triangles.len()];
    for start in 0..triangles.len() {
        if turn[start].is_some() {
            continue;
        }
        turn[start] = Some(false);
        let (mut piece, mut at) = (vec![start], 0);
        while at < piece.len() {
            let t = piece[at];
            at += 1;
            for (a, b) in sides(t) {
                for (other, forward) in &along[&(a.min(b), a.max(b))] {
                    if *other == t {
                        continue;
                    }
                    // Neighbours run along their side in opposite directions.
                    let due = turn[t].map(|own| own != (*forward == (a < b)));
                    match turn[*other] {
                        None => {
                            turn[*other] = due;
                            piece.push(*other);
                        }
                        known if known != due => return None,
                        _ => {}
                    }
                }
            }
        }
        let n_turned = piece.iter().filter(|t| turn[**t] == Some(true)).count();
        if 2 * n_turned > piece.len() {
            piece.iter().for_each(|t| turn[*t] = turn[*t].map(|turn| !turn));
        }
    }
    Some(turn.into_iter().map(|turn| turn.unwrap_or(false)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    fn cube() -> Triangles {
        let corner = |k: usize| Vector3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2 & 1) as f64);
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        Triangles { points: (0..8).map(corner).collect(), triangles }
    }

    #[test]
    fn triangles_are_turned_and_left_out_aloud() {
        assert_eq!(cube().mended().remark(), None);
        for turned in [vec![3], vec![0, 5], (1..12).collect()] {
            let mut mesh = cube();
            turned.iter().for_each(|t| mesh.triangles[*t].swap(0, 1));
            mesh.triangles.push(mesh.triangles[7]);
            let mended = mesh.mended();
            assert_eq!((mended.repeated, mended.turned), (1, turned.len().min(12 - turned.len())));
            assert!((mended.mesh.volume() - 1.0).abs() < 1e-15 && mended.mesh.n_open_sides() == 0);
            assert!(
                mended
                    .remark()
                    .is_some_and(|remark| remark.contains("of its 13 triangles 1 that were there"))
            );
        }
        // A strip of one side only: nothing to choose.
        let mut strip = cube();
        strip.triangles.extend([[0, 1, 7], [1, 0, 6]]);
        assert_eq!(strip.clone().mended().mesh, strip);
    }
}
