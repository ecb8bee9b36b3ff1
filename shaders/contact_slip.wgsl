// y = y_k + Y (v − v_k) of one contact, written where its law looks: twin of src/kernels/contact_slip.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl
//include shared/six.wgsl
//include shared/pair_rows.wgsl

@group(0) @binding(1) var<storage, read> keys: array<PairKey>;
@group(0) @binding(2) var<storage, read> rows: array<PairRows>;
// v − v_k, six numbers a body.
@group(0) @binding(3) var<storage, read> w: array<real>;
@group(0) @binding(4) var<storage, read_write> contacts: array<ContactLawState>;

fn at(k: u32) -> vec3r {
    return vec3r(w[k], w[k + 1u], w[k + 2u]);
}

// y of row k: what it is, and what the bodies do to it.
fn row_slip(c: u32, k: u32, apart: vec3r, wa: vec3r, wb: vec3r) -> real {
    let turned = dot(response(c, 12u + 3u * k), wa) + dot(response(c, 24u + 3u * k), wb);
    return rows[c].slip[k] + (dot(response(c, 3u * k), apart) + turned);
}

@compute @workgroup_size(64)
fn contact_slip(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let a = 6u * keys[i].x;
    let b = 6u * keys[i].y;
    let apart = at(b) - at(a);
    let wa = at(a + 3u);
    let wb = at(b + 3u);
    contacts[i].slip[0] = row_slip(i, 0u, apart, wa, wb);
    contacts[i].slip[1] = row_slip(i, 1u, apart, wa, wb);
    contacts[i].slip[2] = row_slip(i, 2u, apart, wa, wb);
    contacts[i].slip[3] = row_slip(i, 3u, apart, wa, wb);
}
