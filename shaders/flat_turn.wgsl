// One contact of a turn of the flat step, one thread a contact of a colour: twin of shaders/flat_turn.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl
//include shared/smooth_pair.wgsl
//include shared/flat_contact.wgsl
//include shared/flat_flight.wgsl

// grid.first: first contact of the colour.
@group(0) @binding(1) var<storage, read> keys: array<PairKey>;
@group(0) @binding(2) var<storage, read> bodies: array<FlatBody>;
// By body: velocity and unit, spin and h.
@group(0) @binding(3) var<storage, read> bases: array<vec4r>;
@group(0) @binding(4) var<storage, read> scalars: array<f32>;
@group(0) @binding(5) var<storage, read_write> frames: array<FlatFrame>;
@group(0) @binding(6) var<storage, read_write> rows: array<FlatRow>;
@group(0) @binding(7) var<storage, read_write> states: array<FlatState>;
@group(0) @binding(8) var<storage, read_write> swept: array<vec4<f32>>;

fn changes_of(key: PairKey) -> Moving {
    return Moving(
        vec3r(swept[4u * key.x].xyz),
        vec3r(swept[4u * key.x + 1u].xyz),
        vec3r(swept[4u * key.y].xyz),
        vec3r(swept[4u * key.y + 1u].xyz),
    );
}

fn base_of(key: PairKey) -> Moving {
    return Moving(
        bases[2u * key.x].xyz,
        bases[2u * key.x + 1u].xyz,
        bases[2u * key.y].xyz,
        bases[2u * key.y + 1u].xyz,
    );
}

fn put(body: u32, velocity: vec3r, spin: vec3r) {
    // Contacts of one colour may share a body that nothing moves.
    if bodies[body].inverse_mass[0] > ZERO {
        swept[4u * body] = vec4<f32>(vec3<f32>(velocity), swept[4u * body].w);
        swept[4u * body + 1u] = vec4<f32>(vec3<f32>(spin), 0f);
    }
}

// The last tangent carried along with the normal, or any where it has come near the normal.
fn carried(n: vec3r, last: vec3r) -> vec3r {
    let across = last - n * dot(n, last);
    let square = dot(across, across);
    if square > FLAT_SHORT_TANGENT {
        return across / sqrt(square);
    }
    return tangent_of(n);
}

struct Meeting {
    contact: Touching,
    gap: real,
}

fn meeting_of(c: u32, key: PairKey, v: Moving, h: real) -> Meeting {
    let frame = frames[c];
    let b = ellipsoid_at_end(bodies[key.y], v.v_b, v.w_b, h);
    let a = ellipsoid_at_end(bodies[key.x], v.v_a, v.w_a, h);
    let way = b.center - a.center + frame.shift;
    let torsion = real(rows[c].torsion);
    let last = vec3r(rows[c].tangent);
    if (key.z & PLANE) != 0u {
        let n = frame.normal;
        let q = b.q * n;
        let height = sqrt(dot(n, q));
        let arm_b = -q / height;
        let t = carried(n, last);
        return Meeting(
            Touching(n, t, cross(n, t), way + arm_b, arm_b, torsion),
            dot(n, b.center) - frame.offset - height,
        );
    }
    let at = closest_points(
        Ellipsoid(vec3r(ZERO), a.q),
        Ellipsoid(way, b.q),
        frame.normal,
        FLAT_MISMATCH,
    );
    let t = carried(at.normal, last);
    let o = cross(at.normal, t);
    return Meeting(Touching(at.normal, t, o, at.support_a, at.support_b, torsion), at.gap);
}

// Change of both spins by moments on both bodies.
struct Turned {
    a: vec3r,
    b: vec3r,
}

fn turned(k: Inertia, by: Push) -> Turned {
    return Turned(k.i_a * by.on_a, k.i_b * by.on_b);
}

fn couple(turned: Turned, by: Push) -> real {
    return dot(turned.a, by.on_a) + dot(turned.b, by.on_b);
}

// Writes step sizes and couplings.
fn put_steps(c: u32, contact: Touching, k: Inertia) {
    let unit = vec4r(ONE, ZERO, ZERO, ZERO);
    let p_n = push_of(contact, unit);
    let p_t = push_of(contact, unit.yxzw);
    let p_o = push_of(contact, unit.yzxw);
    let p_r = push_of(contact, unit.yzwx);
    let by_n = turned(k, p_n);
    let by_t = turned(k, p_t);
    let by_o = turned(k, p_o);
    let m = k.m_a + k.m_b;
    let d_tt = m + couple(by_t, p_t);
    let d_oo = m + couple(by_o, p_o);
    let d_rr = couple(turned(k, p_r), p_r);
    let off = vec3r(couple(by_t, p_o), couple(by_t, p_r), couple(by_o, p_r));
    let square = d_tt * d_tt + d_oo * d_oo + d_rr * d_rr + (dot(off, off) + dot(off, off));
    let two = (ONE + ONE) / max(d_tt + d_oo, FLAT_LEAST_RESPONSE);
    let three = FLAT_FRICTION_STEP / max(sqrt(square), FLAT_LEAST_RESPONSE);
    rows[c].normal_step = f32(ONE / max(m + couple(by_n, p_n), FLAT_LEAST_RESPONSE));
    rows[c].friction_step = f32(select(two, three, contact.torsion > ZERO));
    rows[c].coupling = vec3<f32>(vec3r(couple(by_n, p_t), couple(by_n, p_o), couple(by_n, p_r)));
}

fn put_row(c: u32, contact: Touching, offset: vec4r, per_unit: real) {
    rows[c].normal = vec3<f32>(contact.n);
    rows[c].tangent = vec3<f32>(contact.t);
    rows[c].arm_a = vec3<f32>(contact.arm_a);
    rows[c].arm_b = vec3<f32>(contact.arm_b);
    rows[c].offset = vec4<f32>(offset);
    rows[c].per_unit = f32(per_unit);
}

@compute @workgroup_size(64)
fn flat_turn(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let c = grid.first + i;
    var at = states[c];
    let key = keys[c];
    let h = bases[2u * key.y + 1u].w;
    let base = base_of(key);
    let change = changes_of(key);
    let v = Moving(
        base.v_a + change.v_a,
        base.w_a + change.w_a,
        base.v_b + change.v_b,
        base.w_b + change.w_b,
    );
    let now = meeting_of(c, key, v, h);
    let contact = now.contact;
    let k = Inertia(
        bodies[key.x].inverse_mass[0],
        bodies[key.y].inverse_mass[0],
        symmetric(bodies[key.x].inverse_inertia),
        symmetric(bodies[key.y].inverse_inertia),
    );
    // The change of Jᵀx by the new geometry, on both bodies.
    let x = vec4r(at.impulse);
    let acting = x - vec4r(frames[c].pull, ZERO, ZERO, ZERO);
    let was = push_of(touching_of(rows[c]), acting);
    let found = push_of(contact, acting);
    let moved = Push(found.impulse - was.impulse, found.on_a - was.on_a, found.on_b - was.on_b);
    let corrected = pushed(change, moved, k);
    // The gap is that at the velocities found; the change of Jᵀx moves it along.
    let offset = vec4r(now.gap / h - slip_of(contact, v).x, ZERO, ZERO, ZERO);
    let y_base = offset + slip_of(contact, base);
    put_steps(c, contact, k);
    let y = y_base + slip_of(contact, corrected);
    let next = solved(rows[c], y, x, vec4r(at.centre), real(scalars[PROXIMAL]));
    let after = pushed(corrected, push_of(contact, next - x), k);
    put(key.x, after.v_a, after.w_a);
    put(key.y, after.v_b, after.w_b);
    let per_unit = ONE / min(bases[2u * key.x].w, bases[2u * key.y].w);
    put_row(c, contact, y_base, per_unit);
    frames[c].normal = contact.n;
    let size = norm3(moved.impulse) * per_unit;
    at.moved = f32(size);
    at.impulse = vec4<f32>(next);
    at.change = vec4<f32>(next - x);
    states[c] = at;
}
