// Slip, force directions, response and stiffness of smooth pairs, one thread a pair: twin of src/kernels/contact_rows.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl
//include shared/pair_tangent.wgsl

@group(0) @binding(1) var<storage, read> bodies: array<BodyState>;
@group(0) @binding(2) var<storage, read> keys: array<PairKey>;
@group(0) @binding(3) var<storage, read> pairs: array<PairState>;
@group(0) @binding(4) var<storage, read> geometry: array<PairGeometry>;
// h
@group(0) @binding(5) var<storage, read> step: array<real>;
@group(0) @binding(6) var<storage, read_write> rows: array<PairRows>;

fn put_jacobian(i: u32, at: u32, v: vec3r) {
    rows[i].jacobian[at] = v.x;
    rows[i].jacobian[at + 1u] = v.y;
    rows[i].jacobian[at + 2u] = v.z;
}

fn put_response(i: u32, at: u32, v: vec3r) {
    rows[i].response[at] = v.x;
    rows[i].response[at + 1u] = v.y;
    rows[i].response[at + 2u] = v.z;
}

// 3×3 block of K.
fn put_stiffness(i: u32, row: u32, column: u32, m: mat3r) {
    let at = 27u * row + 3u * column;
    rows[i].stiffness[at] = m[0].x;
    rows[i].stiffness[at + 1u] = m[1].x;
    rows[i].stiffness[at + 2u] = m[2].x;
    rows[i].stiffness[at + 9u] = m[0].y;
    rows[i].stiffness[at + 10u] = m[1].y;
    rows[i].stiffness[at + 11u] = m[2].y;
    rows[i].stiffness[at + 18u] = m[0].z;
    rows[i].stiffness[at + 19u] = m[1].z;
    rows[i].stiffness[at + 20u] = m[2].z;
}

// [v]× m
fn skew_times(v: vec3r, m: mat3r) -> mat3r {
    return mat3r(cross(v, m[0]), cross(v, m[1]), cross(v, m[2]));
}

// One column of blocks of K: what moves the pose by dn (normal), da and db (arms), scaled by s.
fn put_column(i: u32, column: u32, w: Work, dn: mat3r, da: mat3r, db: mat3r, s: mat3r) {
    let linear = w.turned * dn;
    let on_a = skew_times(w.arm_a, linear) - skew_times(w.push, da) + dn * w.torsion;
    let on_b = skew_times(w.arm_b, linear) - skew_times(w.push, db) + dn * w.torsion;
    put_stiffness(i, 0u, column, linear * s);
    put_stiffness(i, 1u, column, negative(on_a) * s);
    put_stiffness(i, 2u, column, on_b * s);
}

struct Work {
    turned: mat3r,
    push: vec3r,
    arm_a: vec3r,
    arm_b: vec3r,
    torsion: real,
}

// What a friction row's direction gains per pose coordinate: ∂(slip)/∂(c, θ) of one side.
fn along(on_n: vec3r, on_a: vec3r, on_b: vec3r, dn: mat3r, da: mat3r, db: mat3r) -> vec3r {
    return on_n * dn + on_a * da + on_b * db;
}

@compute @workgroup_size(64)
fn contact_rows(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let key = keys[i];
    let h = step[0];
    let n = vector(geometry[i].normal);
    let tangent = vector(geometry[i].tangent);
    let ra = vector(geometry[i].arm_a);
    let rb = vector(geometry[i].arm_b);
    let gap = geometry[i].gap[0];
    let t = tangent * pairs[i].scale[0];
    let o = cross(n, tangent) * pairs[i].scale[1];
    let e_r = pairs[i].scale[2];
    let va = vector(bodies[key.x].velocity);
    let wa = vector(bodies[key.x].spin);
    let vb = vector(bodies[key.y].velocity);
    let wb = vector(bodies[key.y].spin);
    let turn_a = matrix(bodies[key.x].turn);
    let turn_b = matrix(bodies[key.y].turn);
    let rubs = (key.z & FRICTION) != 0u;
    let twists = rubs && (key.z & TORSION) != 0u;
    let loaded = (key.z & LOADED) != 0u;
    let u = (vb + cross(wb, rb)) - (va + cross(wa, ra));
    let spin = wb - wa;

    rows[i].slip[0] = gap / h;
    rows[i].slip[1] = select(ZERO, dot(t, u), rubs);
    rows[i].slip[2] = select(ZERO, dot(o, u), rubs);
    rows[i].slip[3] = select(ZERO, e_r * dot(n, spin), twists);

    // Force directions as in PairRows; rows that the pair lacks are 0.
    let none = vec3r(ZERO);
    let jt = select(none, t, rubs);
    let jo = select(none, o, rubs);
    let jr = select(none, n * e_r, twists);
    put_jacobian(i, 0u, n);
    put_jacobian(i, 3u, jt);
    put_jacobian(i, 6u, jo);
    put_jacobian(i, 9u, jr);
    put_jacobian(i, 12u, -cross(ra, n));
    put_jacobian(i, 15u, -cross(ra, jt));
    put_jacobian(i, 18u, -cross(ra, jo));
    put_jacobian(i, 21u, cross(rb, n));
    put_jacobian(i, 24u, cross(rb, jt));
    put_jacobian(i, 27u, cross(rb, jo));

    let d = pair_tangent(n, gap, symmetric(geometry[i].slope_a), symmetric(geometry[i].slope_b), ra, rb, (key.z & PLANE) != 0u, loaded);
    // Response: J, its normal rows turned, its friction rows with what frame and arms do as the pose moves.
    let approach = dot(n, u);
    let tn = -jt * approach;
    let ta = -cross(jt, wa);
    let tb = cross(jt, wb);
    let on = -jo * approach;
    let oa = -cross(jo, wa);
    let ob = cross(jo, wb);
    let rn = select(none, spin * e_r, twists);
    put_response(i, 0u, n);
    put_response(i, 3u, jt + along(tn, ta, tb, d.n2, d.a2, d.b2) * h);
    put_response(i, 6u, jo + along(on, oa, ob, d.n2, d.a2, d.b2) * h);
    put_response(i, 9u, rn * d.n2 * h);
    put_response(i, 12u, -cross(ra, n) * turn_a);
    put_response(i, 15u, -cross(ra, jt) + along(tn, ta, tb, d.n1, d.a1, d.b1) * turn_a * h);
    put_response(i, 18u, -cross(ra, jo) + along(on, oa, ob, d.n1, d.a1, d.b1) * turn_a * h);
    put_response(i, 21u, -jr + (rn * d.n1) * turn_a * h);
    put_response(i, 24u, cross(rb, n) * turn_b);
    put_response(i, 27u, cross(rb, jt) + along(tn, ta, tb, d.n3, d.a3, d.b3) * turn_b * h);
    put_response(i, 30u, cross(rb, jo) + along(on, oa, ob, d.n3, d.a3, d.b3) * turn_b * h);
    put_response(i, 33u, jr + (rn * d.n3) * turn_b * h);

    // Stiffness at fixed impulses; 0 without load, for then d is.
    let x_n = pairs[i].impulse[0];
    let friction = jt * pairs[i].impulse[1] + jo * pairs[i].impulse[2];
    let torsion = select(ZERO, e_r * pairs[i].impulse[3], twists);
    let turned = identity3() * x_n - outer(n, friction);
    let w = Work(turned, n * x_n + friction, ra, rb, torsion);
    put_column(i, 0u, w, d.n2, d.a2, d.b2, identity3() * h);
    put_column(i, 1u, w, d.n1, d.a1, d.b1, turn_a * h);
    put_column(i, 2u, w, d.n3, d.a3, d.b3, turn_b * h);
}
