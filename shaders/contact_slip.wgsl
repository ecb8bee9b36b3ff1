// y = y_k + Y (v − v_k) of one contact, written where its law looks: twin of src/kernels/contact_slip.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl

@group(0) @binding(1) var<storage, read> keys: array<PairKey>;
@group(0) @binding(2) var<storage, read> rows: array<PairRows>;
// v − v_k, six numbers a body.
@group(0) @binding(3) var<storage, read> w: array<real>;
@group(0) @binding(4) var<storage, read_write> contacts: array<ContactLawState>;

fn at(k: u32) -> vec3r {
    return vec3r(w[k], w[k + 1u], w[k + 2u]);
}

fn answer(c: u32, at: u32) -> vec3r {
    return vec3r(rows[c].response[at], rows[c].response[at + 1u], rows[c].response[at + 2u]);
}

@compute @workgroup_size(64)
fn contact_slip(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let a = 6u * keys[i].x;
    let b = 6u * keys[i].y;
    let va = at(a);
    let wa = at(a + 3u);
    let vb = at(b);
    let wb = at(b + 3u);
    contacts[i].slip[0] = rows[i].slip[0] + ((dot(answer(i, 0u), va) + dot(answer(i, 3u), wa)) + (dot(answer(i, 24u), vb) + dot(answer(i, 27u), wb)));
    contacts[i].slip[1] = rows[i].slip[1] + ((dot(answer(i, 6u), va) + dot(answer(i, 9u), wa)) + (dot(answer(i, 30u), vb) + dot(answer(i, 33u), wb)));
    contacts[i].slip[2] = rows[i].slip[2] + ((dot(answer(i, 12u), va) + dot(answer(i, 15u), wa)) + (dot(answer(i, 36u), vb) + dot(answer(i, 39u), wb)));
    contacts[i].slip[3] = rows[i].slip[3] + ((dot(answer(i, 18u), va) + dot(answer(i, 21u), wa)) + (dot(answer(i, 42u), vb) + dot(answer(i, 45u), wb)));
}
