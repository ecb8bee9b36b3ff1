//! Culling of candidates and features of boxes.

use crate::harness::{
    Call, Field, Mutation, SKIPS_THE_LAST, Scalar, WRITES_NOTHING, compare, device, field, judge_mutations,
    random, run,
};
use crate::pairs::{batch, flat};
use nalgebra::{Rotation3, Vector3};
use signorini_backend::Precision;
use signorini_backend::gpu::{Device, Source, source};
use signorini_kernels::box_axis::box_axis;
use signorini_kernels::box_half_space::box_half_space;
use signorini_kernels::candidate_gap::candidate_gap;
use signorini_kernels::types::{BoxAxis, BoxPair, nine};

fn judge_culling<T: Scalar>(device: &Device, text: &Source, n: usize) -> Result<(), String> {
    let batch = batch(n, 8);
    let call =
        Call { entry: "candidate_gap", n, words: [0; 2], inputs: flat::<T>(&batch).into(), outputs: vec![n] };
    let found = run::<T>(device, text, &call).map_err(|e| e.to_string())?;
    let bodies: Vec<_> = batch.bodies.iter().map(|b| b.map(T::of)).collect();
    let pairs = batch.keys.iter().zip(&batch.pairs);
    let expected: Vec<T> = pairs
        .map(|(key, pair)| {
            let sides = [key.body_a, key.body_b].map(|b| &bodies[b as usize]);
            candidate_gap(sides, &pair.map(T::of), key)
        })
        .collect();
    compare(&found[0], &expected, &[Field { scale: 0.1, ..field("bound", 1, 32.0) }]).map(|_| ())
}

/// Boxes about to touch at any angle, now and then aligned or with parallel edges.
fn boxes<T: Scalar>(n: usize) -> Vec<BoxPair<T>> {
    let mut next = random(9);
    let mut vector = move || Vector3::new(next(), next(), next());
    let pairs = (0..n).map(|i| {
        let half = [vector(), vector()].map(|v| Vector3::repeat(0.06) + v * 0.04);
        let a = Rotation3::new(vector() * 3.0);
        let b = match i % 4 {
            0 => a,
            1 => a * Rotation3::new(Vector3::z() * 0.4),
            _ => Rotation3::new(vector() * 3.0),
        };
        let offset = vector().normalize() * (half[0].norm() + half[1].norm()) * 0.6;
        let pair = BoxPair {
            offset: offset.into(),
            half_a: half[0].into(),
            half_b: half[1].into(),
            rotation_a: nine(&a.into_inner()),
            rotation_b: nine(&b.into_inner()),
        };
        pair.map(T::of)
    });
    pairs.collect()
}

fn input<T: Scalar>(pairs: &[BoxPair<T>]) -> Vec<u8> {
    let mut out = vec![T::zero(); pairs.len() * BoxPair::<T>::LEN];
    pairs.iter().zip(out.chunks_exact_mut(BoxPair::<T>::LEN)).for_each(|(p, o)| p.write(o));
    bytemuck::cast_slice(&out).to_vec()
}

fn judge_heights<T: Scalar>(device: &Device, text: &Source, n: usize) -> Result<(), String> {
    let pairs = boxes::<T>(n);
    let call =
        Call { entry: "box_half_space", n, words: [0; 2], inputs: vec![input(&pairs)], outputs: vec![8 * n] };
    let found = run::<T>(device, text, &call).map_err(|e| e.to_string())?;
    let expected: Vec<T> = pairs.iter().flat_map(box_half_space).collect();
    compare(&found[0], &expected, &[field("heights", 8, 16.0)]).map(|_| ())
}

/// Where two axes are within rounding of each other either may win: then only the gap is compared.
fn judge_axes<T: Scalar>(device: &Device, text: &Source, n: usize) -> Result<(), String> {
    let pairs = boxes::<T>(n);
    let length = BoxAxis::<T>::LEN;
    let call =
        Call { entry: "box_axis", n, words: [0; 2], inputs: vec![input(&pairs)], outputs: vec![length * n] };
    let found = run::<T>(device, text, &call).map_err(|e| e.to_string())?;
    let mut ties = 0;
    for (i, (pair, found)) in pairs.iter().zip(found[0].chunks_exact(length)).enumerate() {
        let (found, expected) = (BoxAxis::read(found).map(T::into), box_axis(pair).map(T::into));
        let error: f64 = (found.gap[0] - expected.gap[0]) / (0.1 * T::PRECISION.rounding());
        // Rounding is multiplied by 1/|u × w| where edges are nearly parallel.
        if error.is_nan() || error.abs() > 4096.0 {
            return Err(format!("item {i}: {found:?} instead of {expected:?}, {error} units"));
        }
        let apart =
            found.normal.iter().zip(&expected.normal).any(|(f, e): (&f64, &f64)| (f - e).abs() > 1e-3);
        ties += usize::from(found.axis != expected.axis || apart);
    }
    if ties * 50 > n { Err(format!("{ties} of {n} axes differ")) } else { Ok(()) }
}

type Judge = fn(&Device, &Source, usize) -> Result<(), String>;

#[test]
fn culling_and_features_agree() {
    let Some(device) = device() else { return };
    let kernels: [(&str, Judge, Judge, &[Mutation]); 3] = [
        (
            "candidate_gap",
            judge_culling::<f32>,
            judge_culling::<f64>,
            &[
                ("wrong sign", "+ b - dot(n", "+ b + dot(n"),
                ("swapped bodies", "- reach(key.x, n)", "- reach(key.y, n)"),
                ("no plane", "(key.z & PLANE) != 0u", "false"),
            ],
        ),
        (
            "box_half_space",
            judge_heights::<f32>,
            judge_heights::<f64>,
            &[
                ("wrong sign", "centre - along.x", "centre + along.x"),
                ("swapped index", "heights[out + 1u]", "heights[out + 2u]"),
                ("another axis", "rotation_a)[2]", "rotation_a)[1]"),
            ],
        ),
        (
            "box_axis",
            judge_axes::<f32>,
            judge_axes::<f64>,
            &[
                ("wrong sign", "- dot(abs(n * boxes.a)", "+ dot(abs(n * boxes.a)"),
                ("swapped boxes", "abs(n * boxes.b), boxes.half_b", "abs(n * boxes.b), boxes.half_a"),
                ("no edges", "if gap > best.gap + margin", "if margin == ZERO && gap > best.gap"),
                ("inward", "dot(unit, boxes.offset) < ZERO", "dot(unit, boxes.offset) > ZERO"),
            ],
        ),
    ];
    for (name, narrow, wide, mutations) in kernels {
        for (precision, judge) in [(Precision::F32, narrow), (Precision::F64, wide)] {
            if !device.supports(precision) {
                eprintln!("SKIP: {} has no {}", device.name(), precision.as_str());
                continue;
            }
            let text = source(name, precision);
            for n in [0, 1, 63, 64, 65, 5000] {
                judge(&device, &text, n)
                    .unwrap_or_else(|e| panic!("{name}, {}, n = {n}: {e}", precision.as_str()));
            }
            let all = [&[WRITES_NOTHING, SKIPS_THE_LAST], mutations].concat();
            judge_mutations(name, precision, &all, &|text| judge(&device, text, 130));
        }
    }
}

/// The axis is the one of largest gap among all directions tried: any other separates less.
#[test]
fn the_axis_of_boxes_separates_most() {
    let mut next = random(10);
    for (i, pair) in boxes::<f64>(200).iter().enumerate() {
        let best = box_axis(pair);
        let gap = |n: &Vector3<f64>| {
            let reach = |rotation: &[f64; 9], half: &[f64; 3]| -> f64 {
                (0..3).map(|k| half[k] * (0..3).map(|r| rotation[3 * r + k] * n[r]).sum::<f64>().abs()).sum()
            };
            n.dot(&Vector3::from(pair.offset))
                - reach(&pair.rotation_a, &pair.half_a)
                - reach(&pair.rotation_b, &pair.half_b)
        };
        let found = gap(&best.normal.into());
        assert!((found - best.gap[0]).abs() < 1e-14, "pair {i}");
        if best.gap[0] > 0.0 {
            continue;
        }
        // Overlapping boxes: the least overlap is at one of the axes.
        for _ in 0..500 {
            let n = Vector3::new(next(), next(), next()).normalize();
            assert!(gap(&n) <= found + 1e-8, "pair {i}: {} above {found}", gap(&n));
        }
    }
}
