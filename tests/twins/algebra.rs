//! Kernels of the contact law, of the Newton matrix and of its iterative solution.

use crate::harness::{
    Call, Field, Mutation, SKIPS_THE_LAST, Scalar, WRITES_NOTHING, bytes, compare, device, field,
    judge_mutations, random, run, words,
};
use signorini_backend::gpu::{Device, Source, source};
use signorini_kernels::block_jacobi::block_jacobi;
use signorini_kernels::block_product::block_product;
use signorini_kernels::body_momentum::{BODY, body_momentum};
use signorini_kernels::cone_projection::cone_projection;
use signorini_kernels::contact_slip::contact_slip;
use signorini_kernels::contact_weights::contact_weights;
use signorini_kernels::dot_product::{PORTION, dot_product, dot_total};
use signorini_kernels::natural_map::natural_map;
use signorini_kernels::newton_blocks::newton_blocks;
use signorini_kernels::types::{ContactDerivative, ContactLawState, PairRows};

/// Input bytes and expected numbers of a kernel for n items.
type Case<T> = (Vec<Vec<u8>>, Vec<T>);

/// One kernel: its input, its call, and the differences allowed.
struct Kernel<T: 'static> {
    name: &'static str,
    entry: &'static str,
    words: fn(usize) -> [u32; 2],
    /// Threads for n items.
    threads: fn(usize) -> usize,
    case: fn(usize) -> Case<T>,
    fields: Vec<Field>,
    mutations: Vec<Mutation>,
    /// Numbers of a struct that is written in part, and which of them.
    written: Option<(usize, std::ops::Range<usize>)>,
}

fn judge<T: Scalar>(device: &Device, kernel: &Kernel<T>, text: &Source, n: usize) -> Result<(), String> {
    let (inputs, expected) = (kernel.case)(n);
    let length =
        kernel.written.as_ref().map_or(expected.len(), |(length, part)| expected.len() / part.len() * length);
    let call = Call {
        entry: kernel.entry,
        n: (kernel.threads)(n),
        words: (kernel.words)(n),
        inputs,
        outputs: vec![length],
    };
    let mut found = run::<T>(device, text, &call).map_err(|e| e.to_string())?.remove(0);
    if let Some((length, part)) = &kernel.written {
        found = found.chunks_exact(*length).flat_map(|item| item[part.clone()].to_vec()).collect();
    }
    compare(&found, &expected, &kernel.fields).map(|_| ())
}

fn judge_all<T: Scalar>(kernels: Vec<Kernel<T>>, sizes: &[usize]) {
    let Some(device) = device() else { return };
    if !device.supports(T::PRECISION) {
        eprintln!("SKIP: {} has no {}", device.name(), T::PRECISION.as_str());
        return;
    }
    for kernel in kernels {
        let whole = source(kernel.name, T::PRECISION);
        for n in sizes {
            let outcome = judge(&device, &kernel, &whole, *n);
            outcome.unwrap_or_else(|e| panic!("{}, {}, n = {n}: {e}", kernel.entry, T::PRECISION.as_str()));
        }
        judge_mutations(kernel.name, T::PRECISION, &kernel.mutations, &|text| {
            judge(&device, &kernel, text, 130)
        });
    }
}

pub fn numbers<T: Scalar>(seed: u64, n: usize) -> Vec<T> {
    let mut next = random(seed);
    (0..n).map(|_| T::of(next())).collect()
}

fn raw<T: Scalar>(values: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(values).to_vec()
}

/// Open, sticking, slipping, without friction, and exactly on the edge.
fn law_states<T: Scalar>(n: usize) -> Vec<ContactLawState<T>> {
    let mut next = random(11);
    let states = (0..n).map(|i| {
        let mut state = ContactLawState::<f64>::filled(0.0);
        state.centre = [next(), next(), next(), next()];
        state.slip = [next(), next(), next(), next()];
        state.weight = [0.5 + 0.3 * next(), 0.5 + 0.3 * next()];
        state.friction_coefficient = [0.5 + 0.5 * next()];
        match i % 6 {
            1 => (state.centre, state.slip) = ([0.0; 4], [0.0; 4]),
            2 => state.friction_coefficient = [0.0],
            3 => (state.centre[0], state.slip[0]) = (5.0, -1.0),
            4 => (state.centre[3], state.slip[3]) = (0.0, 0.0),
            _ => {}
        }
        state.map(T::of)
    });
    states.collect()
}

fn flat<T: Copy, I>(items: &[I], length: usize, zero: T, write: impl Fn(&I, &mut [T])) -> Vec<T> {
    let mut out = vec![zero; items.len() * length];
    items.iter().zip(out.chunks_exact_mut(length)).for_each(|(item, out)| write(item, out));
    out
}

fn law_case<T: Scalar>(n: usize) -> Case<T> {
    let states = law_states::<T>(n);
    let input = flat(&states, ContactLawState::<T>::LEN, T::zero(), ContactLawState::write);
    let derivatives: Vec<_> = states.iter().map(|s| cone_projection(s, T::of(1.5))).collect();
    let expected = flat(&derivatives, ContactDerivative::<T>::LEN, T::zero(), ContactDerivative::write);
    (vec![raw(&input), bytes::<T>([1.5])], expected)
}

fn map_case<T: Scalar>(n: usize) -> Case<T> {
    let states = law_states::<T>(n);
    let input = flat(&states, ContactLawState::<T>::LEN, T::zero(), ContactLawState::write);
    (vec![raw(&input)], states.iter().flat_map(natural_map).collect())
}

/// Contacts with arbitrary rows and derivatives.
fn contacts<T: Scalar>(n: usize) -> (Vec<PairRows<T>>, Vec<ContactDerivative<T>>) {
    let length = PairRows::<T>::LEN;
    let values = numbers::<T>(21, n * length);
    let rows = values.chunks_exact(length).map(PairRows::read).collect();
    (rows, law_states::<T>(n).iter().map(|s| cone_projection(s, T::of(1.5))).collect())
}

/// Starts of 0 to 6 terms per item, each a number below 4 n_contacts.
fn lists(n: usize, below: u32) -> (Vec<u32>, Vec<u32>) {
    let (mut start, mut terms) = (vec![0], Vec::new());
    for i in 0..n {
        terms.extend((0..i % 7).map(|k| (i * 31 + k * 17) as u32 % below));
        start.push(terms.len() as u32);
    }
    (start, terms)
}

fn slice(list: &(Vec<u32>, Vec<u32>), i: usize) -> &[u32] {
    &list.1[list.0[i] as usize..list.0[i + 1] as usize]
}

fn momentum_case<T: Scalar>(n: usize) -> Case<T> {
    let (rows, derivatives) = contacts::<T>(n.max(1));
    let list = lists(n, 2 * n.max(1) as u32);
    let (bodies, w) = (numbers::<T>(22, n * BODY), numbers::<T>(33, 6 * n));
    let pairs = list.1.iter().enumerate().map(|(k, term)| [*term, (k * 7 % n.max(1)) as u32]);
    let terms: Vec<[u32; 2]> = pairs.collect();
    let expected = (0..n).flat_map(|i| {
        let terms = &terms[list.0[i] as usize..list.0[i + 1] as usize];
        body_momentum(i, &bodies[BODY * i..BODY * (i + 1)], &w, terms, &rows, &derivatives)
    });
    let expected = expected.collect();
    let rows = flat(&rows, PairRows::<T>::LEN, T::zero(), PairRows::write);
    let derivatives = flat(&derivatives, ContactDerivative::<T>::LEN, T::zero(), ContactDerivative::write);
    let terms = words(terms.into_iter().flatten());
    (vec![raw(&bodies), raw(&w), words(list.0), terms, raw(&rows), raw(&derivatives)], expected)
}

/// Bodies of contacts, as they go to the device.
fn keys(n: usize) -> Vec<[u32; 4]> {
    let n = n.max(1) as u32;
    (0..n).map(|i| [i, (i * 13 + 5) % n, 0, 0]).collect()
}

fn slip_case<T: Scalar>(n: usize) -> Case<T> {
    let (rows, _) = contacts::<T>(n);
    let (keys, w) = (keys(n), numbers::<T>(34, 6 * n.max(1)));
    let expected = rows.iter().zip(&keys).flat_map(|(rows, key)| {
        contact_slip(rows, [key[0], key[1]].map(|body| &w[6 * body as usize..][..6]))
    });
    let expected = expected.collect();
    let rows = flat(&rows, PairRows::<T>::LEN, T::zero(), PairRows::write);
    (vec![words(keys.into_iter().flatten()), raw(&rows), raw(&w)], expected)
}

/// Every fifth body is fixed, contacts with themselves too; every seventh contact has no torsion.
fn weights_case<T: Scalar>(n: usize) -> Case<T> {
    let (mut rows, _) = contacts::<T>(n);
    for rows in rows.iter_mut().step_by(7) {
        rows.jacobian[9..12].fill(T::zero());
    }
    let mut keys = keys(n);
    for key in keys.iter_mut().skip(5).step_by(10) {
        key[1] = key[0];
    }
    let mut inverse = numbers::<T>(35, 36 * n.max(1));
    for (body, block) in inverse.chunks_exact_mut(36).enumerate() {
        (0..6).for_each(|i| block[7 * i] += T::of(8.0));
        if body % 5 == 0 {
            block.fill(T::zero());
        }
    }
    let expected = rows.iter().zip(&keys).flat_map(|(rows, key)| {
        contact_weights(rows, [key[0], key[1]].map(|body| &inverse[36 * body as usize..][..36]))
    });
    let expected = expected.collect();
    let rows = flat(&rows, PairRows::<T>::LEN, T::zero(), PairRows::write);
    (vec![words(keys.into_iter().flatten()), raw(&rows), raw(&inverse)], expected)
}

/// Bodies that touch 0 to 4 others, some of them twice, and some without unknowns.
fn touching(n: usize) -> Vec<Vec<[u32; 2]>> {
    let n = n as u32;
    let terms = |i: u32| {
        let others = (0..i % 5).map(|k| (i * 31 + k * 17) % (n + n / 4 + 2)).filter(|other| *other != i);
        let mut terms: Vec<_> = others
            .enumerate()
            .flat_map(|(k, other)| (0..=k as u32 % 2).map(move |_| other))
            .enumerate()
            .map(|(k, other)| [(i * 7 + k as u32 * 13) % (2 * n), other])
            .collect();
        terms.sort_by_key(|[_, other]| *other);
        terms
    };
    (0..n).map(terms).collect()
}

fn blocks_case<T: Scalar>(n: usize) -> Case<T> {
    let (rows, derivatives) = contacts::<T>(n.max(1));
    let (mass, angular) = (numbers::<T>(23, BODY * n), T::of(2.5));
    let (mut first, mut start) = (vec![0], vec![0]);
    let (mut all, mut expected) = (Vec::<[u32; 2]>::new(), Vec::new());
    for (i, terms) in touching(n).iter().enumerate() {
        let mut columns: Vec<u32> = terms.iter().map(|t| t[1]).filter(|other| *other < n as u32).collect();
        columns.push(i as u32);
        columns.sort_unstable();
        columns.dedup();
        for column in &columns {
            let is_own = *column == i as u32;
            let reached = terms.iter().filter(|[_, other]| is_own || other == column).map(|[end, _]| {
                let (contact, side) = (end >> 1, end & 1);
                4 * contact + 2 * side + if is_own { side } else { 1 - side }
            });
            let reached: Vec<u32> = reached.collect();
            let mass = is_own.then(|| &mass[BODY * i..][..36]);
            expected.extend(newton_blocks(mass, angular, &reached, &rows, &derivatives));
        }
        first.push(first[i] + columns.len() as u32);
        all.extend(terms);
        start.push(all.len() as u32);
    }
    let rows = flat(&rows, PairRows::<T>::LEN, T::zero(), PairRows::write);
    let derivatives = flat(&derivatives, ContactDerivative::<T>::LEN, T::zero(), ContactDerivative::write);
    let pattern = [words(first), raw(&mass), words(start), words(all.into_iter().flatten())];
    ([pattern.to_vec(), vec![raw(&rows), raw(&derivatives), raw(&[angular])]].concat(), expected)
}

fn product_case<T: Scalar>(n: usize) -> Case<T> {
    let list = lists(n, n.max(1) as u32);
    let (blocks, x) = (numbers::<T>(24, 36 * list.1.len()), numbers::<T>(25, 6 * n));
    let expected = (0..n).flat_map(|i| {
        let range = 36 * list.0[i] as usize..36 * list.0[i + 1] as usize;
        block_product(slice(&list, i), &blocks[range], &x)
    });
    let expected = expected.collect();
    (vec![words(list.0), words(list.1), raw(&blocks), raw(&x)], expected)
}

fn jacobi_case<T: Scalar>(n: usize) -> Case<T> {
    let mut blocks = numbers::<T>(26, 36 * n);
    for (k, x) in blocks.iter_mut().enumerate() {
        // Diagonally dominant.
        if k % 36 % 7 == 0 {
            *x += T::of(6.0);
        }
    }
    // In another order.
    let place: Vec<u32> = (0..n as u32).rev().collect();
    let expected = place.iter().flat_map(|p| block_jacobi(&blocks[36 * *p as usize..][..36])).collect();
    (vec![words(place), raw(&blocks)], expected)
}

fn total_case<T: Scalar>(n: usize) -> Case<T> {
    let parts = numbers::<T>(29, n);
    (vec![raw(&parts), bytes::<T>([1.0])], vec![dot_total(&parts)])
}

fn dot_case<T: Scalar>(n: usize) -> Case<T> {
    let (x, y) = (numbers::<T>(27, n), numbers::<T>(28, n));
    let expected = (0..n.div_ceil(PORTION)).map(|g| dot_product(&x, &y, g)).collect();
    (vec![raw(&x), raw(&y)], expected)
}

fn none(_: usize) -> [u32; 2] {
    [0; 2]
}

fn same(n: usize) -> usize {
    n
}

fn kernels<T: Scalar>() -> Vec<Kernel<T>> {
    let scaled = |name, length, allowed, scale| Field { scale, ..field(name, length, allowed) };
    let kernel = |name, case, fields, mutations: &[Mutation]| Kernel {
        name,
        entry: name,
        words: none,
        threads: same,
        case,
        fields,
        mutations: [&[WRITES_NOTHING, SKIPS_THE_LAST], mutations].concat(),
        written: None,
    };
    let length = ContactLawState::<T>::LEN;
    vec![
        kernel(
            "cone_projection",
            law_case::<T>,
            vec![
                scaled("impulse", 4, 16.0, 1.0),
                field("normal_derivative", 1, 4.0),
                // Little of z_n may be left, and a chip may round a product and a sum at once.
                scaled("alpha", 1, 32.0, 1.0),
                scaled("beta", 1, 32.0, 1.0),
                field("coupling", 1, 1.0),
                field("direction", 3, 16.0),
                field("unused", 1, 0.0),
            ],
            &[
                ("wrong sign", "centre[0] - w_n", "centre[0] + w_n"),
                ("never slips", "closed && !sticks", "false"),
                ("open pushes", "select(ZERO, z_n, closed)", "z_n"),
                ("swapped index", "slip[1], slip[2], slip[3]", "slip[2], slip[1], slip[3]"),
                ("derivatives trade places", "closed), alpha, select", "closed), mu, select"),
            ],
        ),
        kernel(
            "natural_map",
            map_case::<T>,
            vec![scaled("normal", 1, 4.0, 1.0), scaled("friction", 1, 16.0, 1.0)],
            &[
                ("max for min", "abs(min(", "abs(max("),
                ("wrong sign", "x_t - vec3r(y[1]", "x_t + vec3r(y[1]"),
                ("radius of a pulling contact", "max(x[0], ZERO)", "abs(x[0])"),
            ],
        ),
        kernel(
            "body_momentum",
            momentum_case::<T>,
            vec![scaled("momentum", 6, 64.0, 1.0)],
            &[
                ("wrong sign", "mw.v + f.xyz", "mw.v - f.xyz"),
                ("swapped sides", "torques(c, side)", "torques(c, 1u - side)"),
                ("forces of the other side", "let sign = sign_of(side)", "let sign = sign_of(1u - side)"),
                ("skips a term", "k = start[i]; k", "k = start[i] + 1u; k"),
                (
                    "transposed",
                    "let mw = times(mass, own);",
                    "let mw = Six(own.v * mass.vv, own.w * mass.ww);",
                ),
                ("no stiffness across", "(k.a * wa + k.b * wb)", "k.a * wa"),
                ("the same body twice", "moved(term.y)", "moved(i)"),
            ],
        ),
        Kernel {
            written: Some((length, 4..8)),
            ..kernel(
                "contact_slip",
                slip_case::<T>,
                vec![scaled("slip", 4, 64.0, 1.0)],
                &[
                    ("swapped bodies", "moved(key.x)", "moved(key.y)"),
                    ("wrong sign", "return slip + (", "return slip - ("),
                    ("swapped index", "dot(by_b, wb)", "dot(by_b, wa)"),
                    ("not of this row", "row_slip(y.w, c.r,", "row_slip(y.w, c.o,"),
                ],
            )
        },
        Kernel {
            written: Some((length, 8..10)),
            ..kernel(
                "contact_weights",
                weights_case::<T>,
                vec![field("normal", 1, 256.0), field("friction", 1, 256.0)],
                &[
                    ("swapped bodies", "inverse_of(key.x)", "inverse_of(key.y)"),
                    ("torsion always counts", "+ counted(r)", "+ ONE"),
                    (
                        "fixed bodies move",
                        "select(ZERO, ONE / select(ONE, d, d > ZERO), d > ZERO)",
                        "ONE / select(ONE, d, d > ZERO)",
                    ),
                    ("no torsion", "t + o + r)", "t + o)"),
                ],
            )
        },
        kernel(
            "newton_blocks",
            blocks_case::<T>,
            vec![scaled("block", 36, 64.0, 1.0)],
            &[
                ("wrong sign", "own.vw += ", "own.vw -= "),
                ("no coupling", "slopes.w", "ZERO"),
                ("swapped sides", "picked(force.b, force.a, on_b)", "picked(force.a, force.b, on_b)"),
                ("transposed", "m.wv * s,", "transpose(m.wv * s),"),
                ("other units", "m.ww * (s * s)", "m.ww * s"),
                ("no mass", "var own = mass_of(i);", "var own = Block(zero3(), zero3(), zero3(), zero3());"),
                ("bodies do not oppose", "other.wv -= ", "other.wv += "),
                ("torque of the other", "yielding(c, 1u + side)", "yielding(c, 2u - side)"),
                ("the other block goes on", "            other = none;\n", ""),
                ("a block per contact", "is_last = terms[k + 1u].y != term.y;", "is_last = true;"),
                ("fixed bodies have blocks", "if term.y < grid.n", "if true"),
                ("the own block first", "own_place += select(0u, 1u, term.y < i);", ""),
            ],
        ),
        kernel(
            "block_product",
            product_case::<T>,
            vec![scaled("y", 6, 64.0, 1.0)],
            &[
                ("swapped index", "3u * column[k]", "3u * column[start[i]]"),
                ("skips a block", "k < end", "k + 1u < end"),
                ("wrong sign", "dot(p.xyz, a) + ", "dot(p.xyz, a) - "),
                ("swapped rows", "two_rows(b + 3u", "two_rows(b + 6u"),
            ],
        ),
        kernel(
            "block_jacobi",
            jacobi_case::<T>,
            vec![field("inverse", 36, 64.0)],
            &[
                ("wrong sign", "zero3() - right", "right"),
                ("swapped index", "9u * place[i]", "9u * i"),
                ("no Schur complement", "- m.wv * p_inverse * m.vw", ""),
            ],
        ),
        Kernel {
            words: |n| [n as u32, 0],
            threads: |n| n.div_ceil(PORTION) * 64,
            mutations: vec![
                ("skips the last item", "i < grid.first", "i + 1u < grid.first"),
                ("writes nothing", "if t == 0u && 64u * g < grid.n", "if false"),
                ("skips a quarter", "half = 32u", "half = 16u"),
                ("the square", "sum + x[i] * y[i]", "sum + x[i] * x[i]"),
            ],
            ..kernel("dot_product", dot_case::<T>, vec![scaled("sum", 1, 64.0, 1.0)], &[])
        },
        Kernel {
            entry: "dot_total",
            words: |n| [n as u32, 0],
            threads: |_| 64,
            mutations: vec![("skips the last item", "i < grid.first; i =", "i + 1u < grid.first; i =")],
            ..kernel("dot_product", total_case::<T>, vec![scaled("sum", 1, 64.0, 1.0)], &[])
        },
    ]
}

const SIZES: [usize; 6] = [0, 1, 63, 64, 65, 5000];

#[test]
fn algebra_agrees_in_f32() {
    judge_all(kernels::<f32>(), &SIZES);
}

#[test]
fn algebra_agrees_in_f64() {
    judge_all(kernels::<f64>(), &SIZES);
}
