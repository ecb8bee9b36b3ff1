//! Closest points and rows of smooth pairs.

use crate::harness::{
    Call, Field, SKIPS_THE_LAST, Scalar, WRITES_NOTHING, bytes, compare, device, field, judge_mutations,
    random, run, words,
};
use nalgebra::{Matrix3, Rotation3, Vector3};
use signorini_backend::gpu::{Device, Gpu, Source, source};
use signorini_backend::sample::{sample_batch, sample_island};
use signorini_backend::{
    Backend, Batch, DeviceLinearization, Evaluated, Fault, Precision, Twin, differences,
};
use signorini_geometry::pose::left_jacobian;
use signorini_kernels::contact_rows::contact_rows;
use signorini_kernels::pair_geometry::pair_geometry;
use signorini_kernels::smooth_pair::{Ellipsoid, Search};
use signorini_kernels::types::{BodyState, PairGeometry, PairKey, PairRows, PairState, nine, six};
use std::sync::Arc;

/// Semi-axes (m): a ball, two usual ones, a lens and a needle.
const SHAPES: [[f64; 3]; 5] =
    [[0.1, 0.1, 0.1], [0.1, 0.07, 0.05], [0.05, 0.08, 0.06], [0.1, 0.1, 0.02], [0.02, 0.1, 0.02]];

fn vector(next: &mut impl FnMut() -> f64) -> Vector3<f64> {
    Vector3::new(next(), next(), next())
}

/// Pairs of bodies 2 i and 2 i + 1: apart, touching, overlapping; with a half-space; with every kind of
/// friction; with and without load.
pub fn batch(n: usize, seed: u64) -> Batch {
    let mut next = random(seed);
    let mut batch = Batch { time_step: 0.005, ..Batch::default() };
    for i in 0..n {
        let mut shape = |k: usize| {
            let rotation = Rotation3::new(vector(&mut next) * 3.0).into_inner();
            let center = if i % 3 == 0 { Vector3::zeros() } else { vector(&mut next) * 0.01 };
            let shape = Ellipsoid::new(center, &rotation, &SHAPES[k % 5].into());
            let spin = vector(&mut next) * 4.0;
            let body = BodyState {
                center: center.into(),
                q: six(&shape.q),
                velocity: vector(&mut next).into(),
                spin: spin.into(),
                turn: nine(&left_jacobian(&(spin * 0.005))),
            };
            (shape, body)
        };
        let ((a, body_a), (b, body_b)) = (shape(i), shape(i / 5));
        batch.bodies.extend([body_a, body_b]);
        let n = vector(&mut next).normalize();
        let gap = [0.0, 0.004, -0.002, 1e-6][i % 4];
        let (_, on_a) = a.support(&n);
        let (_, on_b) = b.support(&-n);
        let offset = a.center + on_a + n * gap - on_b - b.center;
        let is_plane = i % 7 == 3;
        // A start a few degrees off, as the last step leaves it; now and then one far off.
        let off = if i % 11 == 5 { 0.8 } else { 0.05 };
        let start = if is_plane { n } else { (n + vector(&mut next) * off).normalize() };
        let frame = Rotation3::new(vector(&mut next) * 0.1) * n;
        let tangent = frame.cross(&vector(&mut next)).normalize();
        let mut flags = 0;
        flags |= if is_plane { PairKey::PLANE } else { 0 };
        flags |= if i % 5 == 4 { PairKey::DIRECTED } else { 0 };
        flags |= if i % 3 != 1 { PairKey::LOADED } else { 0 };
        flags |= [0, PairKey::FRICTION, PairKey::FRICTION | PairKey::TORSION][(i / 2) % 3];
        batch.keys.push(PairKey { body_a: 2 * i as u32, body_b: 2 * i as u32 + 1, flags });
        batch.pairs.push(PairState {
            offset: offset.into(),
            start: start.into(),
            frame_normal: frame.into(),
            frame_tangent: tangent.into(),
            direction: vector(&mut next).normalize().into(),
            height: [0.05 + 0.01 * next()],
            scale: [1.0, 0.7 + 0.2 * next(), 0.02],
            impulse: [0.3 + 0.2 * next(), next() * 0.1, next() * 0.1, next() * 0.1],
        });
    }
    batch
}

pub fn flat<T: Scalar>(batch: &Batch) -> [Vec<u8>; 3] {
    let mut numbers = [0.0; 64];
    let mut bodies = Vec::new();
    for body in &batch.bodies {
        body.write(&mut numbers[..BodyState::<f64>::LEN]);
        bodies.extend_from_slice(&numbers[..BodyState::<f64>::LEN]);
    }
    let mut pairs = Vec::new();
    for pair in &batch.pairs {
        pair.write(&mut numbers[..PairState::<f64>::LEN]);
        pairs.extend_from_slice(&numbers[..PairState::<f64>::LEN]);
    }
    [bytes::<T>(bodies), words(batch.keys.iter().flat_map(PairKey::words)), bytes::<T>(pairs)]
}

fn search<T: Scalar>() -> Search<T> {
    match T::PRECISION {
        Precision::F32 => Search::coarse(),
        Precision::F64 => Search::to(T::of(1e-13)),
    }
}

/// Geometry of each pair by the twin.
fn geometries<T: Scalar>(batch: &Batch) -> Vec<PairGeometry<T>> {
    let bodies: Vec<_> = batch.bodies.iter().map(|b| b.map(T::of)).collect();
    let pairs = batch.keys.iter().zip(&batch.pairs);
    pairs
        .map(|(key, pair)| {
            let sides = [key.body_a, key.body_b].map(|b| &bodies[b as usize]);
            pair_geometry(sides, &pair.map(T::of), key, &search())
        })
        .collect()
}

fn judge_geometry<T: Scalar>(device: &Device, text: &Source, n: usize, seed: u64) -> Result<(), String> {
    let batch = batch(n, seed);
    let length = PairGeometry::<T>::LEN;
    let mut expected = vec![T::zero(); n * length];
    for (g, out) in geometries::<T>(&batch).iter().zip(expected.chunks_exact_mut(length)) {
        g.write(out);
    }
    let call = Call {
        entry: "pair_geometry",
        n,
        words: [0; 2],
        inputs: flat::<T>(&batch).into(),
        outputs: vec![n * length],
    };
    let found = run::<T>(device, text, &call).map_err(|e| e.to_string())?;
    // Mismatch and residual are rounding errors themselves.
    let fields = [
        field("normal", 3, 128.0),
        // The projection of a direction that may lie near the normal.
        field("tangent", 3, 16384.0),
        field("arm_a", 3, 128.0),
        field("arm_b", 3, 128.0),
        field("gap", 1, f64::INFINITY),
        field("mismatch", 1, f64::INFINITY),
        field("residual", 1, f64::INFINITY),
        field("slope_a", 6, 512.0),
        field("slope_b", 6, 512.0),
    ];
    tell::<T>(n, &fields, &compare(&found[0], &expected, &fields)?);
    for (found, expected) in found[0].chunks_exact(length).zip(expected.chunks_exact(length)) {
        let (found, expected) =
            (PairGeometry::read(found).map(T::into), PairGeometry::read(expected).map(T::into));
        // The gap is stationary: it hardly changes with the normal. Bodies are 0.1 m large.
        let error: f64 = (found.gap[0] - expected.gap[0]) / (0.1 * T::PRECISION.rounding());
        let open = 2.0 * search::<T>().tolerance.into();
        if error.is_nan() || error.abs() > 32.0 || found.residual[0] > open {
            return Err(format!("gap {found:?} instead of {expected:?}, {error} units"));
        }
    }
    Ok(())
}

fn judge_rows<T: Scalar>(device: &Device, text: &Source, n: usize, seed: u64) -> Result<(), String> {
    let batch = batch(n, seed);
    let bodies: Vec<_> = batch.bodies.iter().map(|b| b.map(T::of)).collect();
    let geometry = geometries::<T>(&batch);
    let (length, h) = (PairRows::<T>::LEN, T::of(batch.time_step));
    let mut expected = vec![T::zero(); n * length];
    let mut flat_geometry = Vec::new();
    for (i, out) in expected.chunks_exact_mut(length).enumerate() {
        let key = &batch.keys[i];
        let sides = [key.body_a, key.body_b].map(|b| &bodies[b as usize]);
        contact_rows(sides, &batch.pairs[i].map(T::of), key, &geometry[i], h).write(out);
        let mut g = [T::zero(); 64];
        geometry[i].write(&mut g[..PairGeometry::<T>::LEN]);
        flat_geometry.extend_from_slice(&g[..PairGeometry::<T>::LEN]);
    }
    let [bodies, keys, pairs] = flat::<T>(&batch);
    let flat_geometry = bytemuck::cast_slice(&flat_geometry).to_vec();
    let inputs = vec![bodies, keys, pairs, flat_geometry, bytes::<T>([batch.time_step])];
    let call = Call { entry: "contact_rows", n, words: [0; 2], inputs, outputs: vec![n * length] };
    let found = run::<T>(device, text, &call).map_err(|e| e.to_string())?;
    let fields = [
        field("slip", 4, 128.0),
        field("jacobian", 36, 8.0),
        field("response", 36, 16.0),
        // An impulse of 0.3 N s at 0.1 m, times h.
        Field { scale: 1e-4, ..field("stiffness", 84, 32.0) },
    ];
    tell::<T>(n, &fields, &compare(&found[0], &expected, &fields)?);
    Ok(())
}

const SIZES: [usize; 6] = [0, 1, 63, 64, 65, 3000];

/// The figures of docs/guide/gpu.md, with --nocapture.
fn tell<T: Scalar>(n: usize, fields: &[Field], worst: &[f64]) {
    if n == SIZES[5] {
        for (field, worst) in fields.iter().zip(worst).filter(|(field, _)| field.allowed.is_finite()) {
            eprintln!("{}, {}: {worst:.0} of {} units", T::PRECISION.as_str(), field.name, field.allowed);
        }
    }
}

fn all_sizes<T: Scalar>() {
    let Some(device) = device() else { return };
    if !device.supports(T::PRECISION) {
        eprintln!("SKIP: {} has no {}", device.name(), T::PRECISION.as_str());
        return;
    }
    for n in SIZES {
        let [geometry, rows] = ["pair_geometry", "contact_rows"].map(|name| source(name, T::PRECISION));
        judge_geometry::<T>(&device, &geometry, n, 1).unwrap_or_else(|e| panic!("geometry, n = {n}: {e}"));
        judge_rows::<T>(&device, &rows, n, 2).unwrap_or_else(|e| panic!("rows, n = {n}: {e}"));
    }
}

#[test]
fn pairs_agree_in_f32() {
    all_sizes::<f32>();
}

#[test]
fn pairs_agree_in_f64() {
    all_sizes::<f64>();
}

#[test]
fn damaged_pair_kernels_are_noticed() {
    let Some(device) = device() else { return };
    damage_pair_kernels::<f32>(&device);
    if device.supports(Precision::F64) {
        damage_pair_kernels::<f64>(&device);
    }
}

fn damage_pair_kernels<T: Scalar>(device: &Device) {
    judge_mutations(
        "pair_geometry",
        T::PRECISION,
        &[
            WRITES_NOTHING,
            SKIPS_THE_LAST,
            (
                "wrong sign",
                "now.support_b - a.center - now.support_a",
                "now.support_b - a.center + now.support_a",
            ),
            ("swapped bodies", "vector(bodies[key.x].center)", "vector(bodies[key.y].center)"),
            ("does not iterate", "i < MOST_ITERATIONS", "i < 1u"),
            ("swapped index", "so = slope * o;\n    var m00", "so = slope * t;\n    var m00"),
            (
                "no second slope",
                "geometry[i].slope_b = six(support_slope(q_b, closest.height_b, closest.support_b));",
                "",
            ),
            ("frame of the start", "t = t0 - (n0 + n) * (dot(n, t0) / cosine);", "t = t0;"),
        ],
        &|text| judge_geometry::<T>(device, text, 200, 3),
    );
    judge_mutations(
        "contact_rows",
        T::PRECISION,
        &[
            WRITES_NOTHING,
            SKIPS_THE_LAST,
            ("wrong sign", "put_jacobian(i, 0u, n,", "put_jacobian(i, 0u, -n,"),
            (
                "swapped index",
                "let by_a = column_of(w, d.n1, d.a1, d.b1",
                "let by_a = column_of(w, d.n3, d.a1, d.b1",
            ),
            ("no left Jacobian", "d.b1, turn_a * h", "d.b1, identity3() * h"),
            ("no torsion", "- skew_times(w.push, db) + dn * w.torsion", "- skew_times(w.push, db)"),
            ("a plane turns", "turns = loaded && !is_plane", "turns = loaded"),
            ("stiff without load", "turns = loaded && !is_plane", "turns = !is_plane"),
            ("transposed", "return on_n * dn", "return dn * on_n"),
            ("not of this h", "gap / h", "gap / (h + h)"),
            ("torques trade places", "apart.on_a, by_a.on_a, by_b.on_a", "apart.on_b, by_a.on_b, by_b.on_b"),
            ("four numbers are forgotten", "rows[i].stiffness[at + 6u] = vec4r(b[2], ZERO);", ""),
        ],
        &|text| judge_rows::<T>(device, text, 200, 4),
    );
}

fn gpu(precision: Precision) -> Option<Gpu> {
    let device = device()?;
    match Gpu::new(Arc::clone(&device), precision) {
        Ok(gpu) => Some(gpu),
        Err(Fault::Missing(why)) => {
            eprintln!("SKIP: {why}");
            None
        }
        Err(fault) => panic!("{fault}"),
    }
}

/// Both kernels in a row, in portions: against the same in Rust, and twice the same bits.
fn whole(n: usize, precision: Precision) {
    let Some(gpu) = gpu(precision) else { return };
    let batch = batch(n, 5);
    let (mut found, mut expected) = (Evaluated::default(), Evaluated::default());
    gpu.evaluate(&batch, &mut found).unwrap_or_else(|e| panic!("{e}"));
    gpu.evaluate(&batch, &mut expected).unwrap_or_else(|e| panic!("{e}"));
    assert!(found.geometry == expected.geometry && found.rows == expected.rows, "not the same bits twice");
    assert_eq!((found.geometry.len(), found.rows.len()), (n, n));
    Twin { precision }.evaluate(&batch, &mut expected).expect("the twin");
    let allowed = match precision {
        Precision::F32 => 1e-4,
        Precision::F64 => 1e-12,
    };
    for (what, difference) in differences::compare(&batch, &found, &expected).parts() {
        assert!(difference <= allowed, "{n} pairs, {}, {what}: {difference:e}", precision.as_str());
    }
}

#[test]
fn any_number_of_pairs_is_evaluated() {
    for n in [0, 1, 63, 64, 65] {
        whole(n, Precision::F32);
        whole(n, Precision::F64);
    }
    whole(100_000, Precision::F32);
    whole(100_000, Precision::F64);
}

/// Arrays that do not fit at once go through in portions, each with the bodies it names: the same bits.
#[test]
fn portions_give_the_same_bits() {
    for precision in [Precision::F32, Precision::F64] {
        let (Some(whole), Some(part)) = (gpu(precision), gpu(precision)) else { return };
        // 27 or 54 pairs at once, and fewer bodies than there are.
        let part = part.with_portion(1 << 15);
        assert!(part.pairs_at_once() < 100, "{}", part.pairs_at_once());
        let batch = batch(1000, 9);
        let (mut found, mut expected) = (Evaluated::default(), Evaluated::default());
        part.evaluate(&batch, &mut found).unwrap_or_else(|e| panic!("{e}"));
        whole.evaluate(&batch, &mut expected).unwrap_or_else(|e| panic!("{e}"));
        assert!(found.geometry == expected.geometry && found.rows == expected.rows);
    }
}

/// Pairs that stay on the device are those that would have come back; a number that is not finite is reported
/// there too.
#[test]
fn pairs_that_stay_have_the_same_rows() {
    for precision in [Precision::F32, Precision::F64] {
        let Some(gpu) = gpu(precision) else { return };
        let mut on_device = gpu.device_island().expect("it keeps pairs");
        for n in [1, 63, 64, 65, 5000, 64] {
            let mut batch = sample_batch(n);
            let (island, mut linearization) = (sample_island(&batch), DeviceLinearization::default());
            let (mut found, mut expected) = (Evaluated::default(), Evaluated::default());
            on_device
                .linearize(&batch, &island, &mut linearization)
                .unwrap_or_else(|e| panic!("n = {n}: {e}"));
            on_device.fetch(&mut found).unwrap_or_else(|e| panic!("n = {n}: {e}"));
            gpu.evaluate(&batch, &mut expected).unwrap_or_else(|e| panic!("n = {n}: {e}"));
            assert!(found.geometry == expected.geometry && found.rows == expected.rows, "n = {n}");
            batch.pairs[n / 2].offset[2] = f64::NAN;
            let fault = on_device.linearize(&batch, &island, &mut linearization).expect_err("a NaN");
            assert_eq!(fault, Fault::NonFinite { what: "pairs", item: n / 2 });
        }
    }
}

/// More rows than a binding holds are not kept: the limit is named.
#[test]
fn an_island_that_is_too_large_is_refused_with_the_limit() {
    let Some(gpu) = gpu(Precision::F64) else { return };
    let n = gpu.device().largest_binding() as usize / (8 * PairRows::<f64>::LEN) + 1;
    if n > 500_000 {
        return eprintln!("SKIP: {n} pairs would be needed");
    }
    let batch = sample_batch(n);
    let mut on_device = gpu.device_island().expect("it keeps pairs");
    let fault = on_device
        .linearize(&batch, &sample_island(&batch), &mut DeviceLinearization::default())
        .expect_err("it does not fit");
    assert!(matches!(&fault, Fault::TooLarge { what, .. } if what == "Rows"), "{fault}");
    assert!(fault.to_string().contains("max_storage_buffer_binding_size"), "{fault}");
}

/// More bodies than a binding of 128 MiB holds, so that each portion takes along its own.
#[test]
#[ignore = "6 GB and minutes: cargo test --release --test twins two_million -- --ignored"]
fn two_million_pairs_are_evaluated() {
    for precision in [Precision::F32, Precision::F64] {
        let Some(gpu) = gpu(precision) else { return };
        let n = 2_000_000;
        let batch = sample_batch(n);
        let mut found = Evaluated::default();
        gpu.evaluate(&batch, &mut found).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((found.geometry.len(), found.rows.len()), (n, n));
        // A part of them against the twin.
        for first in [0, 1_000_000, n - 1000] {
            let range = first..first + 1000;
            let some = Batch {
                keys: batch.keys[range.clone()].to_vec(),
                pairs: batch.pairs[range.clone()].to_vec(),
                bodies: batch.bodies.clone(),
                time_step: batch.time_step,
            };
            let (mut expected, mut part) = (Evaluated::default(), Evaluated::default());
            Twin { precision }.evaluate(&some, &mut expected).expect("the twin");
            part.geometry.extend_from_slice(&found.geometry[range.clone()]);
            part.rows.extend_from_slice(&found.rows[range]);
            for (what, difference) in differences::compare(&some, &part, &expected).parts() {
                let allowed = if precision == Precision::F32 { 1e-4 } else { 1e-12 };
                assert!(difference <= allowed, "{what}: {difference:e}");
            }
        }
    }
}

#[test]
fn what_is_not_finite_is_reported() {
    let Some(gpu) = gpu(Precision::F32) else { return };
    let mut bad = batch(100, 6);
    bad.pairs[70].offset[1] = f64::NAN;
    let fault = gpu.evaluate(&bad, &mut Evaluated::default()).expect_err("a NaN");
    assert_eq!(fault, Fault::NonFinite { what: "pairs", item: 70 });
    let mut bad = batch(100, 6);
    bad.bodies[31].q = [0.0; 6];
    let fault = gpu.evaluate(&bad, &mut Evaluated::default()).expect_err("a body without width");
    assert_eq!(fault, Fault::NonFinite { what: "geometry", item: 15 });
}

#[test]
fn what_is_too_large_is_refused_with_the_limit() {
    let Some(device) = device() else { return };
    let most = device.largest_binding();
    let fault = device.buffer("rows", most + 16).expect_err("too large");
    assert!(matches!(&fault, Fault::TooLarge { allowed, .. } if *allowed == most), "{fault}");
    assert!(fault.to_string().contains("max_storage_buffer_binding_size"), "{fault}");
}

/// f64 twins are the CPU path; this is the same number by another road: rows of a sphere on a plane.
#[test]
fn a_ball_on_a_plane_has_the_rows_of_the_book() {
    let mut batch = batch(4, 7);
    let r = 0.1;
    let body = &mut batch.bodies[7];
    body.q = six(&(Matrix3::identity() * r * r));
    body.center = [0.0; 3];
    body.spin = [0.0; 3];
    body.velocity = [1.0, 2.0, -3.0];
    body.turn = nine(&Matrix3::identity());
    batch.bodies[6] = BodyState::filled(0.0);
    let pair = &mut batch.pairs[3];
    (pair.start, pair.frame_normal, pair.frame_tangent) = ([0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]);
    (pair.height, pair.scale) = ([0.25], [1.0, 1.0, 0.02]);
    batch.keys[3].flags = PairKey::PLANE | PairKey::FRICTION;
    let mut out = Evaluated::default();
    Twin { precision: Precision::F64 }.evaluate(&batch, &mut out).expect("the twin");
    let rows = &out.rows[3];
    assert!((out.geometry[3].gap[0] - 0.15).abs() < 1e-15);
    assert!((rows.slip[0] - 30.0).abs() < 1e-12 && rows.slip[1..3] == [1.0, 2.0]);
    assert_eq!(rows.force(1, 0), [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    let expected = [1.0, 0.0, 0.0, 0.0, -r, 0.0];
    assert!(rows.force(1, 1).iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15));
}
