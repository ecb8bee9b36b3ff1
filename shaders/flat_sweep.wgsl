// One contact of a sweep of the flat step, one thread a contact of a colour: twin of shaders/flat_sweep.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl
//include shared/flat_contact.wgsl

// grid.first: first contact of the colour.
@group(0) @binding(1) var<storage, read> keys: array<PairKey>;
@group(0) @binding(2) var<storage, read> rows: array<FlatRow>;
@group(0) @binding(3) var<storage, read_write> states: array<FlatState>;
// By body: change of velocity and 1/m, of spin and 0, I⁻¹ and two zeros.
@group(0) @binding(4) var<storage, read_write> swept: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> scalars: array<f32>;

fn inertia(body: u32) -> mat3r {
    let a = swept[4u * body + 2u];
    let b = swept[4u * body + 3u];
    return mat3r(vec3r(a.xyz), vec3r(real(a.y), real(a.w), real(b.x)), vec3r(real(a.z), vec2<real>(b.xy)));
}

fn put(body: u32, inverse_mass: f32, velocity: vec3r, spin: vec3r) {
    // Contacts of one colour may share a body that nothing moves.
    if inverse_mass > 0f {
        swept[4u * body] = vec4<f32>(vec3<f32>(velocity), inverse_mass);
        swept[4u * body + 1u] = vec4<f32>(vec3<f32>(spin), 0f);
    }
}

@compute @workgroup_size(64)
fn flat_sweep(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let c = grid.first + i;
    if scalars[STOPPED] > 0f {
        return;
    }
    let key = keys[c];
    let row = rows[c];
    let at = gone_on(states[c], scalars[FACTOR], scalars[AGE]);
    let a = swept[4u * key.x];
    let b = swept[4u * key.y];
    let before = Moving(
        vec3r(a.xyz),
        vec3r(swept[4u * key.x + 1u].xyz),
        vec3r(b.xyz),
        vec3r(swept[4u * key.y + 1u].xyz),
    );
    let contact = touching_of(row);
    let y = vec4r(row.offset) + slip_of(contact, before);
    let x = vec4r(at.impulse);
    let next = solved(row, y, x, vec4r(at.centre), real(scalars[PROXIMAL]));
    let k = Inertia(real(a.w), real(b.w), inertia(key.x), inertia(key.y));
    let after = pushed(before, push_of(contact, next - x), k);
    put(key.x, a.w, after.v_a, after.w_a);
    put(key.y, b.w, after.v_b, after.w_b);
    states[c].impulse = vec4<f32>(next);
    states[c].direction = at.direction;
    states[c].change = vec4<f32>(next - x);
    states[c].centre = at.centre;
}
