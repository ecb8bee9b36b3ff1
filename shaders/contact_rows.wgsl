// Constraint velocity, force directions, velocity Jacobian and stiffness of smooth pairs, one thread a pair:
// twin of shaders/contact_rows.rs.
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

// Three vectors and a fourth, one after another.
fn put_jacobian(i: u32, at: u32, a: vec3r, b: vec3r, c: vec3r, d: vec3r) {
    rows[i].jacobian[at] = vec4r(a, b.x);
    rows[i].jacobian[at + 1u] = vec4r(b.yz, c.xy);
    rows[i].jacobian[at + 2u] = vec4r(c.z, d);
}

fn put_response(i: u32, at: u32, a: vec3r, b: vec3r, c: vec3r, d: vec3r) {
    rows[i].response[at] = vec4r(a, b.x);
    rows[i].response[at + 1u] = vec4r(b.yz, c.xy);
    rows[i].response[at + 2u] = vec4r(c.z, d);
}

// Three rows of K: by c_b − c_a, θ_a, θ_b.
fn put_stiffness(i: u32, at: u32, apart: mat3r, by_a: mat3r, by_b: mat3r) {
    let c = transpose(apart);
    let a = transpose(by_a);
    let b = transpose(by_b);
    rows[i].stiffness[at] = vec4r(c[0], c[1].x);
    rows[i].stiffness[at + 1u] = vec4r(c[1].yz, c[2].xy);
    rows[i].stiffness[at + 2u] = vec4r(c[2].z, a[0]);
    rows[i].stiffness[at + 3u] = vec4r(a[1], a[2].x);
    rows[i].stiffness[at + 4u] = vec4r(a[2].yz, b[0].xy);
    rows[i].stiffness[at + 5u] = vec4r(b[0].z, b[1]);
    rows[i].stiffness[at + 6u] = vec4r(b[2], ZERO);
}

// [v]× m
fn skew_times(v: vec3r, m: mat3r) -> mat3r {
    return mat3r(cross(v, m[0]), cross(v, m[1]), cross(v, m[2]));
}

// Blocks of K in a column: force on B, torques on A and B.
struct Column {
    force: mat3r,
    on_a: mat3r,
    on_b: mat3r,
}

// Blocks of K for a change of the pose by dn (normal), da and db (arms), scaled by s.
fn column_of(w: Work, dn: mat3r, da: mat3r, db: mat3r, s: mat3r) -> Column {
    let linear = w.turned * dn;
    let on_a = skew_times(w.arm_a, linear) - skew_times(w.push, da) + dn * w.torsion;
    let on_b = skew_times(w.arm_b, linear) - skew_times(w.push, db) + dn * w.torsion;
    return Column(linear * s, negative(on_a) * s, on_b * s);
}

struct Work {
    turned: mat3r,
    push: vec3r,
    arm_a: vec3r,
    arm_b: vec3r,
    torsion: real,
}

// Change of the slip along a friction row's direction per pose coordinate: ∂(slip)/∂(c, θ) of one side.
fn along(on_n: vec3r, on_a: vec3r, on_b: vec3r, dn: mat3r, da: mat3r, db: mat3r) -> vec3r {
    return on_n * dn + on_a * da + on_b * db;
}

// A tangent scaled where the friction direction rises out of the contact plane: twin of shaders/grain.rs.
fn faded(i: u32, flat: vec3r, u: real, t: vec3r) -> vec3r {
    let e_t = pairs[i].scale[0];
    let e_o = pairs[i].scale[1];
    let mean = (e_t + e_o) * HALF;
    let apart = (e_t - e_o) * HALF;
    let slope = ONE + ONE + ONE - u - u;
    let bend = slope / (GRAIN_FADES * GRAIN_FADES);
    return t * (mean - apart * (u * u * slope)) + flat * (dot(flat, t) * apart * bend * (ONE + ONE));
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
    let direction = vector(pairs[i].direction);
    let flat = direction - n * dot(n, direction);
    let sine = norm3(flat);
    var t = tangent * pairs[i].scale[0];
    var o = cross(n, tangent) * pairs[i].scale[1];
    if (key.z & DIRECTED) != 0u && sine < GRAIN_FADES {
        t = faded(i, flat, sine / GRAIN_FADES, tangent);
        o = faded(i, flat, sine / GRAIN_FADES, cross(n, tangent));
    }
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

    let sliding = select(vec2<real>(ZERO), vec2<real>(dot(t, u), dot(o, u)), rubs);
    rows[i].slip = vec4r(gap / h, sliding, select(ZERO, e_r * dot(n, spin), twists));

    // Force directions as in PairRows; rows that the pair lacks are 0.
    let none = vec3r(ZERO);
    let jt = select(none, t, rubs);
    let jo = select(none, o, rubs);
    let jr = select(none, n * e_r, twists);
    put_jacobian(i, 0u, n, jt, jo, jr);
    put_jacobian(i, 3u, -cross(ra, n), -cross(ra, jt), -cross(ra, jo), none);
    put_jacobian(i, 6u, cross(rb, n), cross(rb, jt), cross(rb, jo), none);

    let d = pair_tangent(n, gap, symmetric(geometry[i].slope_a), symmetric(geometry[i].slope_b), ra, rb, (key.z & PLANE) != 0u, loaded);
    // Velocity Jacobian: J with its normal rows rotated, and its friction rows with the changes of frame and
    // arms as the pose moves.
    let approach = dot(n, u);
    let tn = -jt * approach;
    let ta = -cross(jt, wa);
    let tb = cross(jt, wb);
    let on = -jo * approach;
    let oa = -cross(jo, wa);
    let ob = cross(jo, wb);
    let rn = select(none, spin * e_r, twists);
    put_response(
        i, 0u, n,
        jt + along(tn, ta, tb, d.n2, d.a2, d.b2) * h,
        jo + along(on, oa, ob, d.n2, d.a2, d.b2) * h,
        rn * d.n2 * h,
    );
    put_response(
        i, 3u, -cross(ra, n) * turn_a,
        -cross(ra, jt) + along(tn, ta, tb, d.n1, d.a1, d.b1) * turn_a * h,
        -cross(ra, jo) + along(on, oa, ob, d.n1, d.a1, d.b1) * turn_a * h,
        -jr + (rn * d.n1) * turn_a * h,
    );
    put_response(
        i, 6u, cross(rb, n) * turn_b,
        cross(rb, jt) + along(tn, ta, tb, d.n3, d.a3, d.b3) * turn_b * h,
        cross(rb, jo) + along(on, oa, ob, d.n3, d.a3, d.b3) * turn_b * h,
        jr + (rn * d.n3) * turn_b * h,
    );

    // Stiffness at fixed impulses; 0 without load, as d is 0 then.
    let x_n = pairs[i].impulse[0];
    let friction = jt * pairs[i].impulse[1] + jo * pairs[i].impulse[2];
    let torsion = select(ZERO, e_r * pairs[i].impulse[3], twists);
    let turned = identity3() * x_n - outer(n, friction);
    let w = Work(turned, n * x_n + friction, ra, rb, torsion);
    let apart = column_of(w, d.n2, d.a2, d.b2, identity3() * h);
    let by_a = column_of(w, d.n1, d.a1, d.b1, turn_a * h);
    let by_b = column_of(w, d.n3, d.a3, d.b3, turn_b * h);
    put_stiffness(i, 0u, apart.force, by_a.force, by_b.force);
    put_stiffness(i, 7u, apart.on_a, by_a.on_a, by_b.on_a);
    put_stiffness(i, 14u, apart.on_b, by_a.on_b, by_b.on_b);
}
