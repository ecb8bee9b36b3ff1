// One 6×6 block of A − K + Jᵀ G Y, gathered over the contacts that reach it in their order, one thread a block: twin of
// src/kernels/newton_blocks.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl
//include shared/six.wgsl
//include shared/pair_rows.wgsl

// Place of a block among the diagonal ones plus 1, or 0.
@group(0) @binding(1) var<storage, read> diagonal: array<u32>;
// 42 numbers per body, 36 of which are A by rows.
@group(0) @binding(2) var<storage, read> mass: array<real>;
@group(0) @binding(3) var<storage, read> start: array<u32>;
// 4 contact + 2 side of the row + side of the column
@group(0) @binding(4) var<storage, read> terms: array<u32>;
@group(0) @binding(5) var<storage, read> rows: array<PairRows>;
@group(0) @binding(6) var<storage, read> gains: array<ContactGain>;
// 1/L: what angular rows and columns are multiplied by.
@group(0) @binding(7) var<storage, read> angular: array<real>;
@group(0) @binding(8) var<storage, read_write> blocks: array<real>;

fn scaled(a: Six, x: real) -> Six {
    return Six(a.v * x, a.w * x);
}

fn added(a: Six, b: Six) -> Six {
    return Six(a.v + b.v, a.w + b.w);
}

fn mass_row(at: u32) -> vec3r {
    return vec3r(mass[at], mass[at + 1u], mass[at + 2u]);
}

fn mass_part(at: u32) -> mat3r {
    return transpose(mat3r(mass_row(at), mass_row(at + 6u), mass_row(at + 12u)));
}

fn put(at: u32, m: mat3r) {
    blocks[at] = m[0].x;
    blocks[at + 1u] = m[1].x;
    blocks[at + 2u] = m[2].x;
    blocks[at + 6u] = m[0].y;
    blocks[at + 7u] = m[1].y;
    blocks[at + 8u] = m[2].y;
    blocks[at + 12u] = m[0].z;
    blocks[at + 13u] = m[1].z;
    blocks[at + 14u] = m[2].z;
}

@compute @workgroup_size(64)
fn newton_blocks(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    var sum = Block(zero3(), zero3(), zero3(), zero3());
    if diagonal[i] > 0u {
        let at = 42u * (diagonal[i] - 1u);
        sum = Block(mass_part(at), mass_part(at + 3u), mass_part(at + 18u), mass_part(at + 21u));
    }
    for (var k = start[i]; k < start[i + 1u]; k++) {
        let c = terms[k] >> 2u;
        let p = (terms[k] >> 1u) & 1u;
        let q = terms[k] & 1u;
        let d = gains[c].direction;
        let alpha = gains[c].alpha[0];
        let y_t = answer(c, q, 1u);
        let y_o = answer(c, q, 2u);
        let y_r = answer(c, q, 3u);
        let pressed = scaled(answer(c, q, 0u), gains[c].normal_gain[0]);
        let on_d = added(added(scaled(y_t, d[0]), scaled(y_o, d[1])), scaled(y_r, d[2]));
        let push = added(scaled(pressed, gains[c].coupling[0]), scaled(on_d, -gains[c].beta[0]));
        sum = plus_outer(sum, force(c, p, 0u), pressed);
        sum = plus_outer(sum, force(c, p, 1u), added(scaled(y_t, alpha), scaled(push, d[0])));
        sum = plus_outer(sum, force(c, p, 2u), added(scaled(y_o, alpha), scaled(push, d[1])));
        sum = plus_outer(sum, twist(c, p), added(scaled(y_r, alpha), scaled(push, d[2])));
        let sp = sign_of(p);
        let sq = sign_of(q);
        sum.vv -= stiffness(c, 0u, 0u) * (sp * sq);
        sum.vw -= stiffness(c, 0u, 1u + q) * sp;
        sum.wv -= stiffness(c, 1u + p, 0u) * sq;
        sum.ww -= stiffness(c, 1u + p, 1u + q);
    }
    let s = angular[0];
    put(36u * i, sum.vv);
    put(36u * i + 3u, sum.vw * s);
    put(36u * i + 18u, sum.wv * s);
    put(36u * i + 21u, sum.ww * (s * s));
}
