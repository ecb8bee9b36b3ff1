//! Kernels of sweeps, one by one.

use crate::harness::{
    Field, Mutation, SKIPS_THE_LAST, Scalar, WRITES_NOTHING, compare, device, field, judge_mutations, random,
};
use signorini_backend::gpu::device::numbers;
use signorini_backend::gpu::{Device, Source};
use signorini_backend::sweeps::{KernelArrays, narrow_unit};
use signorini_kernels::device_sweeps::SweptRows;
use signorini_kernels::dot_product::{PORTION, dot_product, dot_total};
use signorini_kernels::sweep_batch::{BATCH, LAW_UNIT, LAWS, NO_BODY, WIDTH};
use signorini_kernels::sweep_change::{SWEEP_DIRECTED, SWEEP_MODE, SWEEP_SCALARS, SWEEP_SQUARE, SWEEP_STEP};
use signorini_kernels::sweep_change::{sweep_change, sweep_scalars};
use signorini_kernels::sweep_contacts::{Held, sweep_contacts};
use signorini_kernels::sweep_extrapolation::sweep_extrapolation;
use signorini_kernels::sweep_follow::{Following, sweep_follow};
use signorini_kernels::sweep_map::{sweep_map, sweep_map_group};

/// Kinds of batches: normal rows, friction rows, whether bounded, whether moving.
const KINDS: [[u32; 4]; 5] = [[1, 2, 0, 0], [1, 3, 0, 0], [4, 2, 0, 1], [3, 0, 1, 0], [2, 0, 0, 0]];

/// Rows of n batches of all kinds that move no common body; some lanes move one body or none.
fn laid<T: Scalar>(n: usize) -> KernelArrays<T> {
    let mut next = random(51);
    let (mut row, mut shift) = (0, 0);
    let mut batches = Vec::new();
    for k in 0..n {
        let [normal, friction, bounded, moves] = KINDS[k % KINDS.len()];
        let mut words = [0; BATCH];
        words[..6].copy_from_slice(&[row, shift, normal, friction, bounded, moves]);
        for (at, word) in words[8..].iter_mut().enumerate() {
            let lonely = at % WIDTH == 2 && at >= WIDTH || at % WIDTH == 5;
            *word = if lonely { NO_BODY } else { (2 * WIDTH * k + at) as u32 };
        }
        row += normal + friction;
        shift += if moves > 0 { 2 * normal } else { 0 };
        batches.push(words);
    }
    let (n_rows, n_shifts) = (row as usize, shift as usize);
    let mut some = |n: usize| -> Vec<f64> { (0..WIDTH * n).map(|_| next()).collect() };
    let (laws, weight) = (some(LAWS * n), some(n_rows));
    let (laws, weight) = (laws.iter().map(|x| 0.5 + 0.4 * x), weight.iter().map(|x| 30.0 + 20.0 * x));
    let bounds = some(2 * n_rows);
    let bounds = bounds.chunks_exact(2 * WIDTH).flat_map(|b| {
        let (low, high) = b.split_at(WIDTH);
        let low = low.iter().map(|x| if *x > 0.8 { f64::NEG_INFINITY } else { x - 1.0 });
        low.chain(high.iter().map(|x| x + 1.0))
    });
    let mut x = some(n_rows);
    // A contact in the third lane carries no load.
    x.iter_mut().skip(2).step_by(WIDTH).for_each(|x| *x = -x.abs());
    let laws: Vec<f64> = laws.collect();
    let (weight, bounds): (Vec<f64>, Vec<f64>) = (weight.collect(), bounds.collect());
    let rows = SweptRows {
        batches: &batches,
        laws: &laws,
        colours: &[],
        rows: &some(12 * n_rows),
        offset: &some(n_rows),
        weight: &weight,
        bounds: &bounds,
        load_fraction: &some(n_rows),
        shift_rows: &some(12 * n_shifts),
        shift_offset: &some(n_shifts),
        x: &x,
        w: &some(2 * WIDTH * n),
    };
    KernelArrays::new(&rows, narrow_unit(&rows))
}

fn held<T: Scalar>(laid: &KernelArrays<T>, k: usize) -> Held<'_, T> {
    Held {
        batch: &laid.batches[BATCH * k..BATCH * (k + 1)],
        laws: &laid.laws[WIDTH * LAWS * k..WIDTH * LAWS * (k + 1)],
        rows: &laid.rows,
        offset: &laid.offset,
        weight: &laid.weight,
        bounds: &laid.bounds,
    }
}

/// Runs an entry point over arrays, words first if there are some; returns the contents of all arrays.
fn run<T: Scalar>(
    device: &Device,
    (text, entry): (&Source, &str),
    (n, words): (usize, [usize; 2]),
    batches: &[u32],
    arrays: &[&[T]],
) -> Result<Vec<Vec<T>>, String> {
    let said = |fault: signorini_backend::Fault| fault.to_string();
    let kernel = device.compile_entry(text, entry).map_err(said)?;
    let mut buffers = Vec::new();
    if !batches.is_empty() {
        buffers.push(device.upload("batches", batches).map_err(said)?);
    }
    let first = buffers.len();
    for array in arrays {
        buffers.push(device.upload("array", array).map_err(said)?);
    }
    let all: Vec<_> = buffers.iter().collect();
    let command = device.bind(&kernel, n, words.map(|word| word as u32), &all).map_err(said)?;
    let reads = buffers[first..].iter().zip(arrays).map(|(b, array)| (b, size_of_val(*array) as u64));
    let read = device.submit(&[&command], &reads.collect::<Vec<_>>()).map_err(said)?;
    Ok(read.iter().map(|bytes| numbers(bytes)).collect())
}

/// Numbers whose terms are about this large.
fn near<T: Scalar>(what: &'static str, found: &[T], expected: &[T], scale: f64) -> Result<(), String> {
    compare(found, expected, &[Field { scale, ..field(what, 1, 64.0) }]).map(|_| ())
}

fn nothing<T: Scalar>(n: usize) -> Vec<T> {
    vec![T::of(f64::NAN); n]
}

const BATCHES: usize = 21;
/// Sizes at which damage is tried, and the kernels are checked.
const SIZES: [usize; 3] = [1, 8, BATCHES];

fn on_both(kernel: &str, mutations: &[Mutation], wide: Judge, narrow: Judge) {
    let Some(device) = device() else { return };
    for precision in super::steps::BOTH.into_iter().filter(|p| device.supports(*p)) {
        let judge = if precision == <f64 as Scalar>::PRECISION { wide } else { narrow };
        judge_mutations(kernel, precision, mutations, &|text| {
            SIZES.iter().try_for_each(|n| judge(&device, text, *n))
        });
    }
}

type Judge = fn(&Device, &Source, usize) -> Result<(), String>;

/// The first batch is another dispatch's.
fn contacts<T: Scalar>(device: &Device, text: &Source, n: usize) -> Result<(), String> {
    let laid = laid::<T>(n + 1);
    let KernelArrays { laws, rows, offset, weight, bounds, state, motions, .. } = &laid;
    let arrays: [&[T]; 6] = [laws, rows, offset, weight, bounds, state];
    let entry = (text, "sweep_contacts");
    let found = run(device, entry, (WIDTH * n, [1, *motions]), &laid.batches, &arrays)?;
    let mut expected = state.clone();
    for (k, lane) in (1..=n).flat_map(|k| (0..WIDTH).map(move |lane| (k, lane))) {
        sweep_contacts(&held(&laid, k), lane, *motions, &mut expected);
    }
    near("state", &found[5], &expected, 10.0)
}

#[test]
fn contacts_are_swept() {
    let mutations = [
        WRITES_NOTHING,
        SKIPS_THE_LAST,
        ("another batch", "(grid.first + i / WIDTH);", "(i / WIDTH);"),
        ("wrong sign", "x - weight[k]", "x + weight[k]"),
        ("pulls", "var next = max(z, ZERO)", "var next = z"),
        ("unbounded", "if bounded {", "if false {"),
        ("bounds trade places", "bounds[at]), bounds[at + WIDTH]", "bounds[at + WIDTH]), bounds[at]"),
        ("half the load", "sum = sum + next", "sum = next"),
        ("sticks", "z * shrink_of(radius, dot(z, z))", "z"),
        ("no torsion", "if count == 3u {", "if false {"),
        ("another law", "LAW_STEP]", "LAW_WEIGHT]"),
        ("a body stays", "state[k + 5u] = m.d.z;", ""),
        (
            "another body",
            "let second = batches[batch + BATCH_SECOND",
            "let second = batches[batch + BATCH_FIRST",
        ),
        ("is not pushed", "moved = pushed(entries, next - x, moved);", ""),
    ];
    on_both("sweep_contacts", &mutations, contacts::<f64>, contacts::<f32>);
}

/// The largest entry of the natural map comes from any contact, the last one, overlaps, and friction with
/// torsion.
fn map<T: Scalar>(device: &Device, text: &Source, n: usize) -> Result<(), String> {
    map_of(device, text, laid::<T>(n))?;
    let mut last = laid::<T>(n);
    *last.laws[..WIDTH * (LAWS * (n - 1) + LAW_UNIT + 1)].last_mut().expect("a law") = T::of(99.0);
    map_of(device, text, last)?;
    let mut overlaps = laid::<T>(n);
    for laws in overlaps.laws.chunks_exact_mut(WIDTH * LAWS) {
        laws[WIDTH * LAW_UNIT..WIDTH * (LAW_UNIT + 1)].fill(T::zero());
    }
    map_of(device, text, overlaps)?;
    let mut friction = laid::<T>(n);
    friction.weight.fill(T::zero());
    for laws in friction.laws.chunks_exact_mut(WIDTH * LAWS).skip(1).step_by(KINDS.len()) {
        laws[WIDTH * LAW_UNIT..WIDTH * (LAW_UNIT + 1)].fill(T::of(99.0));
    }
    map_of(device, text, friction)
}

fn map_of<T: Scalar>(device: &Device, text: &Source, laid: KernelArrays<T>) -> Result<(), String> {
    let n = laid.batches.len() / BATCH;
    let KernelArrays { laws, rows, offset, weight, bounds, state, motions, .. } = &laid;
    let (items, parts) = (WIDTH * n, (WIDTH * n).div_ceil(64));
    let none = nothing(parts);
    let arrays: [&[T]; 7] = [laws, rows, offset, weight, bounds, state, &none];
    let found = run(device, (text, "sweep_map"), (items, [0, *motions]), &laid.batches, &arrays)?;
    let maps: Vec<T> =
        (0..items).map(|i| sweep_map(&held(&laid, i / WIDTH), i % WIDTH, *motions, state)).collect();
    let expected: Vec<T> = (0..parts).map(|g| sweep_map_group(&maps, g)).collect();
    near("largest of a group", &found[6], &expected, 10.0)?;
    let scalars = nothing::<T>(SWEEP_SCALARS);
    // More parts than threads.
    let many: Vec<T> = (0..n * 17).map(|i| T::of(i as f64)).collect();
    let found = run(device, (text, "sweep_map_total"), (1, [many.len(), 0]), &[], &[&many, &scalars])?;
    let expected = many.iter().fold(T::zero(), |worst, map| worst.max(*map));
    near("largest of all", &found[1][4..5], &[expected], 1.0)
}

#[test]
fn natural_maps_of_sweeps_agree() {
    let mutations = [
        ("writes nothing", "64u * g < grid.n", "64u * g < 0u"),
        ("skips the last", "if i < grid.n {", "if i + 1u < grid.n {"),
        ("wrong sign", "max(overlap, -y)", "max(overlap, y)"),
        ("another law", "map * laws[law + WIDTH * LAW_UNIT]", "map * laws[law + WIDTH * LAW_OVERLAP]"),
        ("no friction", "if !bounded && n_friction > 0u {", "if false {"),
        ("no torsion", "if count == 3u {", "if false {"),
        ("unbounded", "if bounded {", "if false {"),
        ("half a tree", "var half = 32u", "var half = 16u"),
        ("forgets the rest", "i = i + 64u", "i = i + 6400u"),
    ];
    on_both("sweep_map", &mutations, map::<f64>, map::<f32>);
}

fn extrapolation<T: Scalar>(device: &Device, text: &Source, n: usize) -> Result<(), String> {
    for mode in [0.0, 1.0, 2.0] {
        let mut scalars = [T::zero(); SWEEP_SCALARS];
        (scalars[SWEEP_MODE], scalars[SWEEP_STEP]) = (T::of(mode), T::of(0.7));
        let [x, p, c] = [61, 62, 63].map(|seed| super::algebra::numbers::<T>(seed, 4 * n));
        let arrays: [&[T]; 4] = [&scalars, &x, &p, &c];
        let found = run(device, (text, "sweep_extrapolation"), (n, [0; 2]), &[], &arrays)?;
        for (i, [x, p, c]) in x.iter().zip(&p).zip(&c).map(|((x, p), c)| [*x, *p, *c]).enumerate() {
            let expected = sweep_extrapolation(&scalars, [x, p, c]);
            near("numbers", &[found[1][i], found[2][i], found[3][i]], &expected, 1.0)?;
        }
    }
    Ok(())
}

#[test]
fn sweeps_are_extrapolated() {
    let mutations = [
        WRITES_NOTHING,
        SKIPS_THE_LAST,
        ("always", "if mode == EXTRAPOLATED {", "if true {"),
        ("no first direction", "mode == FIRST_DIRECTION", "false"),
        ("another direction", "along + change[i]", "direction[i] + change[i]"),
        ("wrong sign", "x = x + along", "x = x - along"),
        ("starts elsewhere", "change[i] = x;", "change[i] = state[0];"),
    ];
    on_both("sweep_extrapolation", &mutations, extrapolation::<f64>, extrapolation::<f32>);
}

fn change<T: Scalar>(device: &Device, text: &Source, n: usize) -> Result<(), String> {
    let (all, counted) = (700 * n, 617 * n);
    let [now, before] = [71, 72].map(|seed| super::algebra::numbers::<T>(seed, all));
    let groups = all.div_ceil(PORTION);
    let parts = nothing(groups);
    let arrays: [&[T]; 3] = [&now, &before, &parts];
    let found = run(device, (text, "sweep_change"), (64 * groups, [counted, all]), &[], &arrays)?;
    let expected: Vec<T> = now.iter().zip(&before).map(|(x, c)| sweep_change(*x, *c)).collect();
    near("change", &found[1], &expected, 1.0)?;
    let x = &expected[..counted];
    let expected: Vec<T> = (0..groups).map(|g| dot_product(x, x, g)).collect();
    near("squares", &found[2], &expected, 100.0)?;
    let many: Vec<T> = (0..n * 17).map(|i| T::of(1.0 + (i % 7) as f64)).collect();
    for (directed, before) in [(0.0, 0.0), (1.0, 1e4), (1.0, 1.0)] {
        for none in [false, true] {
            let parts = if none { vec![T::zero(); many.len()] } else { many.clone() };
            let mut expected = [T::of(0.25); SWEEP_SCALARS];
            (expected[SWEEP_DIRECTED], expected[SWEEP_SQUARE]) = (T::of(directed), T::of(before));
            let entry = (text, "sweep_scalars");
            let found = run(device, entry, (1, [parts.len(), 0]), &[], &[&parts, expected.as_slice()])?;
            sweep_scalars(&mut expected, dot_total(&parts));
            near("scalars", &found[1], &expected, 1.0)?;
        }
    }
    Ok(())
}

#[test]
fn changes_of_sweeps_are_summed() {
    let mutations = [
        ("writes nothing", "64u * g < grid.n", "64u * g < 0u"),
        ("skips the last", "if i < grid.second {", "if i + 1u < grid.second {"),
        ("wrong sign", "state[i] - change[i]", "state[i] + change[i]"),
        ("counts motions too", "if i < grid.first {", "if i < grid.second {"),
        ("goes on whatever", "beta <= real(1)", "true"),
        ("divides by nothing", "select(real(0), square / scalars", "select(real(1), square / scalars"),
        ("no first direction", "scalars[SWEEP_MODE] = FIRST_DIRECTION", "scalars[SWEEP_MODE] = PLAIN"),
        ("forgets the square", "scalars[SWEEP_SQUARE] = square;", ""),
        ("forgets the step", "scalars[SWEEP_STEP] = beta;", ""),
    ];
    on_both("sweep_change", &mutations, change::<f64>, change::<f32>);
}

fn follow<T: Scalar>(device: &Device, text: &Source, n: usize) -> Result<(), String> {
    let mut laid = laid::<T>(n + 2);
    laid.load_fractions = super::algebra::numbers::<T>(83, laid.load_fractions.len());
    let (first, motions) = (1, laid.motions);
    let [mut p, mut c] = [81, 82].map(|seed| super::algebra::numbers::<T>(seed, laid.state.len()));
    let KernelArrays { shifts, rows, offset, load_fractions, state, .. } = &laid;
    let arrays: [&[T]; 7] = [shifts, rows, offset, load_fractions, state, &p, &c];
    let entry = (text, "sweep_follow");
    let found = run(device, entry, (WIDTH * (n + 1), [first, motions]), &laid.batches, &arrays)?;
    let batches = std::mem::take(&mut laid.batches);
    let mut at = Following {
        shifts: &laid.shifts,
        rows: &mut laid.rows,
        offset: &mut laid.offset,
        load_fractions: &mut laid.load_fractions,
        vectors: [&mut laid.state, &mut p, &mut c],
        motions,
    };
    for batch in batches.chunks_exact(BATCH).skip(first).filter(|batch| batch[5] > 0) {
        (0..WIDTH).for_each(|lane| sweep_follow(batch, lane, &mut at));
    }
    let expected: [(&'static str, &[T]); 6] = [
        ("rows", &laid.rows),
        ("offset", &laid.offset),
        ("load_fractions", &laid.load_fractions),
        ("state", &laid.state),
        ("direction", &p),
        ("change", &c),
    ];
    expected
        .iter()
        .zip(&found[1..])
        .try_for_each(|((what, expected), found)| near(what, found, expected, 10.0))
}

#[test]
fn friction_rows_follow_the_load() {
    let mutations = [
        WRITES_NOTHING,
        SKIPS_THE_LAST,
        ("moves what stands", "if batches[batch + BATCH_MOVES] == 0u {", "if false {"),
        ("half the load", "sum = sum + max(", "sum = max("),
        ("no excess yet", "excess - load_fractions[index + WIDTH]", "excess"),
        ("forgets the excess", "load_fractions[index + WIDTH] = excess;", ""),
        ("one row", "beside = pushed(shift_of(shift + 1u", "beside = pushed(shift_of(shift"),
        ("one offset", "grown * raise_of(shift + 1u", "grown * raise_of(shift"),
        (
            "no excess where nothing bears",
            "select(ZERO, x / load - load_fractions[index], loaded)",
            "x / load - load_fractions[index]",
        ),
        ("direction stays", "push_direction(at + 3u, on_direction.b);", ""),
        ("change stays", "push_change(at + 3u, on_change.d);", ""),
        ("motion stays", "push_state(at, on_state.c);", ""),
    ];
    on_both("sweep_follow", &mutations, follow::<f64>, follow::<f32>);
}
