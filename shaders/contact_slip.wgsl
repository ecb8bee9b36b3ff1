// y = y_k + Y (v − v_k) of one contact, written where its law reads it: twin of shaders/contact_slip.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl
//include shared/six.wgsl
//include shared/pair_rows.wgsl

@group(0) @binding(1) var<storage, read> keys: array<PairKey>;
@group(0) @binding(2) var<storage, read> rows: array<PairRows>;
// v − v_k, six numbers a body.
@group(0) @binding(3) var<storage, read> w: array<vec2<real>>;
@group(0) @binding(4) var<storage, read_write> contacts: array<ContactLawState>;

fn moved(body: u32) -> Six {
    let at = 3u * body;
    let p = w[at];
    let q = w[at + 1u];
    return Six(vec3r(p, q.x), vec3r(q.y, w[at + 2u]));
}

// y of a row: its value at v_k, and the change by the motions of the bodies.
fn row_slip(slip: real, by_apart: vec3r, by_a: vec3r, by_b: vec3r, apart: vec3r, wa: vec3r, wb: vec3r) -> real {
    return slip + (dot(by_apart, apart) + (dot(by_a, wa) + dot(by_b, wb)));
}

@compute @workgroup_size(64)
fn contact_slip(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let key = keys[i];
    let a = moved(key.x);
    let b = moved(key.y);
    let apart = b.v - a.v;
    let y = rows[i].slip;
    let c = answers(i, 0u);
    let d = answers(i, 1u);
    let e = answers(i, 2u);
    contacts[i].slip = array<real, 4>(
        row_slip(y.x, c.n, d.n, e.n, apart, a.w, b.w),
        row_slip(y.y, c.t, d.t, e.t, apart, a.w, b.w),
        row_slip(y.z, c.o, d.o, e.o, apart, a.w, b.w),
        row_slip(y.w, c.r, d.r, e.r, apart, a.w, b.w),
    );
}
