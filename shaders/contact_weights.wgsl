// Proximal weights of one contact from J A⁻¹ Jᵀ: twin of src/kernels/contact_weights.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl
//include shared/six.wgsl
//include shared/pair_rows.wgsl

@group(0) @binding(1) var<storage, read> keys: array<PairKey>;
@group(0) @binding(2) var<storage, read> rows: array<PairRows>;
// A⁻¹, 36 numbers a body by rows; 0 for fixed bodies.
@group(0) @binding(3) var<storage, read> inverse: array<real>;
@group(0) @binding(4) var<storage, read_write> contacts: array<ContactLawState>;

fn row(at: u32) -> vec3r {
    return vec3r(inverse[at], inverse[at + 1u], inverse[at + 2u]);
}

fn part(at: u32) -> mat3r {
    return transpose(mat3r(row(at), row(at + 6u), row(at + 12u)));
}

// f·A⁻¹ f
fn yielding(m: Block, f: Six) -> real {
    let moved = times(m, f);
    return dot(f.v, moved.v) + dot(f.w, moved.w);
}

fn inverted(d: real) -> real {
    return select(ZERO, ONE / select(ONE, d, d > ZERO), d > ZERO);
}

fn counted(d: real) -> real {
    return select(ZERO, ONE, d > ZERO);
}

@compute @workgroup_size(64)
fn contact_weights(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let at_a = 36u * keys[i].x;
    let at_b = 36u * keys[i].y;
    let a = Block(part(at_a), part(at_a + 3u), part(at_a + 18u), part(at_a + 21u));
    let b = Block(part(at_b), part(at_b + 3u), part(at_b + 18u), part(at_b + 21u));
    let n = yielding(a, force(i, 0u, 0u)) + yielding(b, force(i, 1u, 0u));
    let t = yielding(a, force(i, 0u, 1u)) + yielding(b, force(i, 1u, 1u));
    let o = yielding(a, force(i, 0u, 2u)) + yielding(b, force(i, 1u, 2u));
    let r = yielding(a, twist(i, 0u)) + yielding(b, twist(i, 1u));
    contacts[i].weight[0] = inverted(n);
    contacts[i].weight[1] = (counted(t) + counted(o) + counted(r)) * inverted(t + o + r);
}
