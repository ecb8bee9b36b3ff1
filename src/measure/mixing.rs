//! Lacey's mixing index of two kinds of bodies.
//!
//! With n_c bodies of both kinds in cell c, of which the fraction φ_c is of the first kind, N in all and the
//! fraction φ among them, in K cells that are not empty:
//!
//! ```text
//! σ²  = Σ n_c (φ_c − φ)² / N
//! σ₀² = φ (1 − φ)                     nothing is mixed
//! σᵣ² = φ (1 − φ) (K − 1)/(N − 1)     mean of σ² when the bodies are drawn at random
//! M   = (σ₀² − σ²) / (σ₀² − σᵣ²)
//! ```
//!
//! Lacey, J. Appl. Chem. 4:257 (1954), with cells that weigh as many bodies as they hold.

use super::observed::Observed;
use super::value::{Value, numbers};
use signorini_scene::scene::cells::Cells;
use signorini_scene::scene::measure::is_named;

pub const COLUMNS: [&str; 7] =
    ["bodies", "occupied", "fraction", "variance", "segregated", "random", "index"];

/// The row of a step.
pub fn row(step: &Observed<'_>, cells: &Cells, kinds: &[String; 2]) -> Vec<Value> {
    let mut counts = vec![[0_usize; 2]; cells.total()];
    for (body, pose) in step.scene.bodies.iter().zip(&step.state.poses).filter(|(body, _)| !body.fixed) {
        let Some(kind) = kinds.iter().position(|kind| is_named(&body.name, kind)) else { continue };
        if let Some(cell) = cells.cell_at(&pose.position, step.scene.periodic.as_ref()) {
            counts[cell][kind] += 1;
        }
    }
    index(&counts)
}

/// The row of numbers of bodies of both kinds by cell.
fn index(counts: &[[usize; 2]]) -> Vec<Value> {
    let total = |counts: &[usize; 2]| counts[0] + counts[1];
    let n: usize = counts.iter().map(total).sum();
    let occupied = counts.iter().filter(|counts| total(counts) > 0).count();
    let mut row = vec![Value::Count(n), Value::Count(occupied)];
    if n == 0 {
        row.extend([const { Value::Nothing }; 5]);
        return row;
    }
    let whole = n as f64;
    let fraction = counts.iter().map(|counts| counts[0]).sum::<usize>() as f64 / whole;
    let variance = counts.iter().filter(|counts| total(counts) > 0).map(|counts| {
        let own = total(counts) as f64;
        own * (counts[0] as f64 / own - fraction).powi(2)
    });
    let variance = variance.sum::<f64>() / whole;
    let segregated = fraction * (1.0 - fraction);
    let random = if n > 1 { segregated * (occupied - 1) as f64 / (whole - 1.0) } else { 0.0 };
    row.extend(numbers([fraction, variance, segregated, random]));
    let span = segregated - random;
    row.push(if span > 0.0 { Value::Number((segregated - variance) / span) } else { Value::Nothing });
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lacey_is_0_apart_and_1_at_random() {
        let of = |counts: &[[usize; 2]]| match index(counts).pop() {
            Some(Value::Number(index)) => index,
            other => panic!("{other:?}"),
        };
        assert_eq!(of(&[[5, 0], [0, 7], [0, 0], [3, 0]]), 0.0);
        // Two and two bodies in two cells of two: of the six draws, two are apart and four are even.
        let mean = (2.0 * of(&[[2, 0], [0, 2]]) + 4.0 * of(&[[1, 1], [1, 1]])) / 6.0;
        assert!((mean - 1.0).abs() < 1e-12, "{mean}");
        assert_eq!(index(&[[3, 0], [2, 0]]).pop(), Some(Value::Nothing), "one kind alone");
        assert_eq!(index(&[[0, 0]]).pop(), Some(Value::Nothing));
    }
}
