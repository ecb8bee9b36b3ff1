//! Kernels of the flat step, one by one: sweeps and changes in f32, turns and sums of impulses in f64.

use crate::flat_laid::{Laid, laid};
use crate::harness::{
    Field, Mutation, SKIPS_THE_LAST, WRITES_NOTHING, compare, device, field, judge_mutations,
};
use signorini_backend::Precision;
use signorini_backend::gpu::device::numbers;
use signorini_backend::gpu::{Device, Source};
use signorini_kernels::flat_change::{PORTION, flat_change, flat_scalars};
use signorini_kernels::flat_contact::{AGE, FACTOR, LAST_SQUARE, STILL, STOPPED};
use signorini_kernels::flat_extrapolation::flat_extrapolation;
use signorini_kernels::flat_gather::{Gathering, flat_answers, flat_gather};
use signorini_kernels::flat_parameters::MISMATCH;
use signorini_kernels::flat_sweep::{SWEPT, flat_sweep};
use signorini_kernels::flat_turn::{Turned, flat_turn};
use signorini_kernels::real::Real;
use signorini_kernels::smooth_pair::Search;
use signorini_kernels::types::PairKey;

/// Numbers of contacts: one, around a group, many groups.
const SIZES: [usize; 4] = [1, 63, 65, 1500];

/// Runs a kernel over buffers, in order of binding; returns them.
fn run(
    device: &Device,
    text: &Source,
    (entry, n, words): (&str, usize, [u32; 2]),
    buffers: &[Vec<u8>],
) -> Result<Vec<Vec<u8>>, String> {
    let call = || {
        let kernel = device.compile_entry(text, entry)?;
        let uploads = buffers.iter().map(|bytes| device.upload("buffer", bytes));
        let uploads: Vec<_> = uploads.collect::<Result<_, _>>()?;
        let command = device.bind(&kernel, n, words, &uploads.iter().collect::<Vec<_>>())?;
        let reads: Vec<_> = uploads.iter().zip(buffers).map(|(b, bytes)| (b, bytes.len() as u64)).collect();
        device.submit(&[&command], &reads)
    };
    call().map_err(|fault| fault.to_string())
}

fn judge_f32(found: &[u8], expected: &[u8], fields: &[Field]) -> Result<(), String> {
    compare::<f32>(&numbers(found), &numbers(expected), fields).map(drop)
}

fn judge_f64(found: &[u8], expected: &[u8], fields: &[Field]) -> Result<(), String> {
    compare::<f64>(&numbers(found), &numbers(expected), fields).map(drop)
}

/// Units of f32 that the numbers of a contact, and of a body, may differ by.
fn state_fields(allowed: f64) -> Vec<Field> {
    vec![
        Field { scale: 1.0, ..field("impulse", 4, allowed) },
        Field { scale: 1.0, ..field("direction", 4, allowed) },
        Field { scale: 1.0, ..field("change", 4, allowed) },
        field("centre", 4, 0.0),
        Field { scale: 1.0, ..field("moved", 1, allowed) },
        field("unused", 3, 0.0),
    ]
}

fn swept_fields(allowed: f64) -> Vec<Field> {
    vec![
        Field { scale: 1.0, ..field("velocity", 4, allowed) },
        Field { scale: 30.0, ..field("spin", 4, allowed) },
        field("inertia", 8, 0.0),
    ]
}

/// Two bodies of a contact.
fn two<T>(all: &mut [T], key: &PairKey) -> [T; 2]
where
    T: Copy,
{
    [all[key.body_a as usize], all[key.body_b as usize]]
}

#[test]
fn sweeps_agree() {
    let Some(device) = device() else { return };
    let judge = |text: &Source| {
        for (n, age, stopped) in SIZES.into_iter().flat_map(|n| [(n, 0.0, 0.0), (n, 3.0, 0.0), (n, 3.0, 1.0)])
        {
            let mut at = laid(n, age);
            at.scalars[STOPPED] = stopped;
            let buffers = [at.keys(), at.rows(), at.states(), at.swept(), at.scalars()];
            let found = run(&device, text, ("flat_sweep", n, [0; 2]), &buffers)?;
            for ((key, row), state) in at.keys.iter().zip(&at.rows).zip(&mut at.states) {
                let [mut a, mut b] = two(&mut at.swept, key);
                flat_sweep(row, state, [&mut a, &mut b], &at.scalars);
                (at.swept[key.body_a as usize], at.swept[key.body_b as usize]) = (a, b);
            }
            judge_f32(&found[2], &at.states(), &state_fields(32.0))?;
            judge_f32(&found[3], &at.swept(), &swept_fields(32.0))?;
        }
        Ok(())
    };
    let mutations: &[Mutation] = &[
        WRITES_NOTHING,
        SKIPS_THE_LAST,
        ("forgets to stop", "scalars[STOPPED] > 0f", "false"),
        ("wrong sign", "m.v_a - by.impulse", "m.v_a + by.impulse"),
        ("no coupling", "vec3r(row.coupling) * (x_n - x.x)", "vec3r(row.coupling) * ZERO"),
        ("no friction bound", "let shrink = min(", "let shrink = max("),
        ("no proximal term", "(x + z * weight)", "(x + x * weight)"),
        ("centre at the wrong age", "if age == 0f", "if age == 3f"),
        ("swapped arms", "vec3r(row.arm_a), vec3r(row.arm_b)", "vec3r(row.arm_b), vec3r(row.arm_a)"),
        ("wrong inertia", "real(a.y), real(a.w)", "real(a.y), real(a.z)"),
    ];
    judge_mutations("flat_sweep", Precision::F32, mutations, &judge);
}

/// Rows, impulses and frames of a contact in f64, and back.
fn turned_by_the_twin(at: &mut Laid) {
    let scalars = at.scalars.map(f64::from);
    for (c, key) in at.keys.clone().iter().enumerate() {
        let wide = |x: [f32; SWEPT]| x.map(f64::from);
        let [mut a, mut b] = two(&mut at.swept, key).map(wide);
        let (mut row, mut state) = (at.rows[c].map(f64::from), at.states[c].map(f64::from));
        let [i, j] = [key.body_a as usize, key.body_b as usize];
        let of =
            Turned { frame: &mut at.frames[c], row: &mut row, state: &mut state, swept: [&mut a, &mut b] };
        let bodies = ([&at.bodies[i], &at.bodies[j]], [&at.bases[i], &at.bases[j]]);
        flat_turn(key, of, bodies, &scalars, &Search::to(MISMATCH));
        (at.rows[c], at.states[c]) = (row.map(|x| x as f32), state.map(|x| x as f32));
        (at.swept[i], at.swept[j]) = (a.map(|x| x as f32), b.map(|x| x as f32));
    }
}

#[test]
fn turns_agree() {
    let Some(device) = device().filter(|device| device.supports(Precision::F64)) else { return };
    let judge = |text: &Source| {
        for n in SIZES {
            let mut at = laid(n, 0.0);
            let (keys, bodies, bases, scalars) = (at.keys(), at.bodies(), at.bases(), at.scalars());
            let buffers = [keys, bodies, bases, scalars, at.frames(), at.rows(), at.states(), at.swept()];
            let found = run(&device, text, ("flat_turn", n, [0, 0]), &buffers)?;
            turned_by_the_twin(&mut at);
            let row_fields = [
                Field { scale: 1.0, ..field("normal", 4, 4.0) },
                Field { scale: 1.0, ..field("tangent", 4, 4.0) },
                Field { scale: 1.0, ..field("arm and step", 4, 4.0) },
                Field { scale: 1.0, ..field("arm and step", 4, 4.0) },
                Field { scale: 1.0, ..field("offset", 4, 8.0) },
                Field { scale: 1.0, ..field("coupling and unit", 4, 4.0) },
            ];
            judge_f64(&found[4], &at.frames(), &[Field { scale: 1.0, ..field("frame", 8, 1e5) }])?;
            judge_f32(&found[5], &at.rows(), &row_fields)?;
            judge_f32(&found[6], &at.states(), &state_fields(32.0))?;
            judge_f32(&found[7], &at.swept(), &swept_fields(32.0))?;
        }
        Ok(())
    };
    let mutations: &[Mutation] = &[
        WRITES_NOTHING,
        SKIPS_THE_LAST,
        ("no pull", "vec4r(frames[c].pull, ZERO", "vec4r(ZERO, ZERO"),
        ("no shift", "+ frame.shift", ""),
        ("wrong height", "- frame.offset - height", "- frame.offset + height"),
        ("old tangent", "last - n * dot(n, last)", "last"),
        ("no correction", "pushed(change, moved, k)", "change"),
        ("wrong pose", "velocity * h", "velocity * (h + h)"),
        ("no gyroscopic turn", "first * HALF + cubic", "vec3r(ZERO)"),
        ("wrong turn", "v = turn * half.y", "v = turn * half.x"),
        ("swapped semi-axes", "r[0] * a.x, r[1] * a.y", "r[0] * a.y, r[1] * a.x"),
        ("wrong step", "select(two, three, contact.torsion > ZERO)", "two"),
        ("larger unit", "min(bases[2u * key.x].w", "max(bases[2u * key.x].w"),
        ("gap at the corrected velocities", "slip_of(contact, v).x", "slip_of(contact, corrected).x"),
    ];
    judge_mutations("flat_turn", Precision::F64, mutations, &judge);
}

#[test]
fn gathered_velocities_agree() {
    let Some(device) = device().filter(|device| device.supports(Precision::F64)) else { return };
    let judge = |text: &Source| {
        for n in SIZES {
            let mut at = laid(n, 0.0);
            let (incidence, rows, states) = (at.incidence(), at.rows(), at.states());
            let words = bytemuck::cast_slice(&incidence).to_vec();
            let all =
                [words, rows, states, at.frames(), at.bodies(), at.bases(), at.swept(), at.directions()];
            let found = run(&device, text, ("flat_gather", 2 * n, [0; 2]), &all)?;
            let nothing: Vec<u8> = bytemuck::cast_slice(&vec![[f64::NAN; 8]; 2 * n]).to_vec();
            let explained = [&all[..5], &[nothing]].concat();
            let explained = run(&device, text, ("flat_explained", 2 * n, [0; 2]), &explained)?;
            let (wide_rows, wide_states): (Vec<_>, Vec<_>) =
                at.rows.iter().zip(&at.states).map(|(r, s)| (r.map(f64::from), s.map(f64::from))).unzip();
            let of = Gathering {
                incidence: &incidence,
                rows: &wide_rows,
                states: &wide_states,
                frames: &at.frames,
            };
            let mut only = at.bases.clone();
            for (i, (body, base)) in at.bodies.iter().zip(&mut at.bases).enumerate() {
                let [a, b, c, unit, d, e, f, _] = flat_gather(i, body, &of);
                *base = [a, b, c, unit, d, e, f, base[7]];
                only[i] = [a, b, c, 0.0, d, e, f, 0.0];
                at.swept[i][..3].fill(0.0);
                at.swept[i][4..8].fill(0.0);
                at.directions[i][..8].fill(0.0);
            }
            let fields = [
                Field { scale: 1.0, ..field("velocity", 4, 64.0) },
                Field { scale: 30.0, ..field("spin", 4, 64.0) },
            ];
            judge_f64(&found[5], &at.bases(), &fields)?;
            judge_f64(&explained[5], bytemuck::cast_slice(&only), &fields)?;
            judge_f32(&found[6], &at.swept(), &[field("swept", SWEPT, 0.0)])?;
            judge_f32(&found[7], &at.directions(), &[field("directions", SWEPT, 0.0)])?;
            let nothing: Vec<u8> = bytemuck::cast_slice(&vec![[f32::NAN; 12]; n]).to_vec();
            let answers =
                run(&device, text, ("flat_answers", n, [0; 2]), &[at.rows(), at.states(), nothing])?;
            let expected: Vec<f32> =
                at.rows.iter().zip(&at.states).flat_map(|(row, state)| flat_answers(row, state)).collect();
            judge_f32(&answers[2], bytemuck::cast_slice(&expected), &[field("answer", 12, 0.0)])?;
        }
        Ok(())
    };
    let mutations: &[Mutation] = &[
        WRITES_NOTHING,
        SKIPS_THE_LAST,
        ("wrong side", "(incidence[k] & 1u) == 1u", "(incidence[k] & 1u) == 0u"),
        ("stops early", "k < incidence[i + 1u]", "k + 1u < incidence[i + 1u]"),
        ("no pull", "x - vec4r(frames[c].pull", "x - vec4r(ZERO"),
        ("smaller unit", "unit = max(unit", "unit = min(unit"),
        ("keeps changes", "swept[4u * i + 1u] = vec4<f32>(0f);", ""),
        ("forgets the step", "bases[2u * i + 1u].w)", "ZERO)"),
        ("swapped answers", "answer_rows[i].normal", "answer_rows[i].tangent"),
    ];
    judge_mutations("flat_gather", Precision::F64, mutations, &judge);
}

#[test]
fn extrapolations_agree() {
    let Some(device) = device() else { return };
    let judge = |text: &Source| {
        for (n, word, stopped) in SIZES.into_iter().flat_map(|n| [(n, 0, 1.0), (n, 1, 0.0), (n, 1, 1.0)]) {
            let mut at = laid(n, 0.0);
            at.scalars[STOPPED] = stopped;
            let buffers = [at.scalars(), at.swept(), at.directions()];
            let found = run(&device, text, ("flat_extrapolation", 2 * n, [0, word]), &buffers)?;
            let impulses = run(&device, text, ("flat_impulses", n, [0; 2]), &[at.scalars(), at.states()])?;
            for (swept, direction) in at.swept.iter_mut().zip(&mut at.directions) {
                flat_extrapolation(swept, direction, &at.scalars, word == 1);
            }
            at.states.iter_mut().for_each(|state| state.go_on(at.scalars[FACTOR], at.scalars[AGE]));
            let fields = [Field { scale: 1.0, ..field("numbers", SWEPT, 4.0) }];
            judge_f32(&found[1], &at.swept(), &fields)?;
            judge_f32(&found[2], &at.directions(), &fields)?;
            judge_f32(&impulses[1], &at.states(), &state_fields(4.0))?;
        }
        Ok(())
    };
    let mutations: &[Mutation] = &[
        WRITES_NOTHING,
        SKIPS_THE_LAST,
        ("forgets to stop", "grid.second == 1u && ", "grid.second == 2u && "),
        ("never goes", "grid.second == 1u && ", ""),
        ("no spin", "go_on(i, 1u);", ""),
        ("forgets the change", "step + (now - directions[4u * i + k].xyz)", "step"),
        ("keeps the change", "next.change = vec4<f32>(0f);", ""),
    ];
    judge_mutations("flat_extrapolation", Precision::F32, mutations, &judge);
}

#[test]
fn changes_agree() {
    let Some(device) = device() else { return };
    let judge = |text: &Source| {
        for (n, word, last) in [1, 65, 1024, 70_000]
            .into_iter()
            .flat_map(|n| [(n, 1, 1e9), (n, 1, -1.0), (n, 1, 1e-9), (n, 1, 0.0), (n, 0, 1e5)])
        {
            let mut at = laid(n.min(2000), 15.0);
            at.rows = at.rows.iter().copied().cycle().take(n).collect();
            at.states = at.states.iter().copied().cycle().take(n).collect();
            // A ratio between the largest factor and 1.
            let square: f32 = at.states.iter().map(|state| state.changed().0).sum();
            let last = if last == 0.0 { 1.02 * square } else { last };
            (at.scalars[LAST_SQUARE], at.scalars[STILL]) = (last, if n == 65 { 9.0 } else { 0.5 });
            let groups = n.div_ceil(PORTION);
            let parts = vec![0xff_u8; 16 * groups];
            let call = ("flat_change", 64 * groups, [n as u32, 0]);
            let found = run(&device, text, call, &[at.rows(), at.states(), parts])?;
            let call = ("flat_scalars", 1, [groups as u32, word]);
            let scalars = run(&device, text, call, &[found[2].clone(), at.scalars()])?;
            let expected: Vec<[f32; 4]> = (0..groups).map(|g| flat_change(&at.rows, &at.states, g)).collect();
            judge_f32(&found[2], bytemuck::cast_slice(&expected), &[field("part", 4, 64.0)])?;
            flat_scalars(&mut at.scalars, bytemuck::cast_slice::<u8, [f32; 4]>(&found[2]), word == 1);
            judge_f32(&scalars[1], &at.scalars(), &[field("scalar", 1, 4.0)])?;
        }
        Ok(())
    };
    let mutations: &[Mutation] = &[
        ("skips the last", "if i < grid.first {", "if i + 1u < grid.first {"),
        ("writes nothing", "parts[g] = total;", ""),
        ("smallest", "max(a.yz, b.yz)", "min(a.yz, b.yz)"),
        ("no unit", "most * rows[i].per_unit", "most"),
        ("goes on where changes grow", "ratio <= 1f", "ratio <= 1e30f"),
        ("beta without its bound", "min(ratio, FLAT_MOST_BETA)", "ratio"),
        ("never renews the centre", ">= FLAT_RECENTRE", ">= 1e30f"),
        ("does not count", "scalars[SWEEPS] + 1f", "scalars[SWEEPS]"),
        ("never stops", "total.y < scalars[STILL]", "total.y < 0f"),
        ("tree without its last level", "half > 0u", "half > 1u"),
    ];
    judge_mutations("flat_change", Precision::F32, mutations, &judge);
}

/// The twins are generic: f32 and f64 agree to the rounding of f32.
#[test]
fn twins_agree_with_themselves_in_both_precisions() {
    fn swept<T: Real>(of: impl Fn(f32) -> T + Copy) -> Vec<T> {
        let mut at = laid(40, 3.0);
        let scalars: Vec<T> = at.scalars.iter().map(|x| of(*x)).collect();
        let mut out = Vec::new();
        for ((key, row), state) in at.keys.iter().zip(&at.rows).zip(&at.states) {
            let [mut a, mut b] = two(&mut at.swept, key).map(|body| body.map(of));
            let mut state = state.map(of);
            flat_sweep(&row.map(of), &mut state, [&mut a, &mut b], &scalars);
            out.extend(state.impulse.into_iter().chain(a).chain(b));
        }
        out
    }
    let (narrow, wide) = (swept(|x| x), swept(f64::from));
    let apart = narrow.iter().zip(&wide).map(|(n, w)| (f64::from(*n) - w).abs() / w.abs().max(1.0));
    assert!(apart.fold(0.0, f64::max) < 1e-5);
}
