// Proximal step sizes of one contact from J A⁻¹ Jᵀ: twin of shaders/contact_weights.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl
//include shared/six.wgsl
//include shared/pair_rows.wgsl

@group(0) @binding(1) var<storage, read> keys: array<PairKey>;
@group(0) @binding(2) var<storage, read> rows: array<PairRows>;
// A⁻¹, 36 numbers a body by rows; 0 for fixed bodies.
@group(0) @binding(3) var<storage, read> inverse: array<vec4r>;
@group(0) @binding(4) var<storage, read_write> contacts: array<ContactLawState>;

fn inverse_of(body: u32) -> Block {
    let k = 9u * body;
    return unpacked(Packed(
        inverse[k], inverse[k + 1u], inverse[k + 2u], inverse[k + 3u], inverse[k + 4u],
        inverse[k + 5u], inverse[k + 6u], inverse[k + 7u], inverse[k + 8u],
    ));
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
    let key = keys[i];
    let a = inverse_of(key.x);
    let b = inverse_of(key.y);
    let f = forces(i);
    let on_a = torques(i, 0u);
    let on_b = torques(i, 1u);
    let n = yielding(a, Six(-f.n, on_a.n)) + yielding(b, Six(f.n, on_b.n));
    let t = yielding(a, Six(-f.t, on_a.t)) + yielding(b, Six(f.t, on_b.t));
    let o = yielding(a, Six(-f.o, on_a.o)) + yielding(b, Six(f.o, on_b.o));
    let r = yielding(a, Six(vec3r(ZERO), -f.r)) + yielding(b, Six(vec3r(ZERO), f.r));
    contacts[i].weight[0] = inverted(n);
    contacts[i].weight[1] = (counted(t) + counted(o) + counted(r)) * inverted(t + o + r);
}
