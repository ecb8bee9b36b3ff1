// Velocities that the impulses explain, one thread a body over its contacts in their order: twin of
// shaders/flat_gather.rs. What the check of a solution reads is laid out beside it.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl
//include shared/flat_contact.wgsl

// grid.first: in flat_answers the first contact; grid.n: bodies that impulses move.
// For each body where its contacts begin, and the end; then contact · 2 + side, body by body.
@group(0) @binding(1) var<storage, read> incidence: array<u32>;
@group(0) @binding(2) var<storage, read> rows: array<FlatRow>;
@group(0) @binding(3) var<storage, read> states: array<FlatState>;
@group(0) @binding(4) var<storage, read> frames: array<FlatFrame>;
@group(0) @binding(5) var<storage, read> bodies: array<FlatBody>;
// By body: velocity and unit, spin and h.
@group(0) @binding(6) var<storage, read_write> bases: array<vec4r>;
@group(0) @binding(7) var<storage, read_write> swept: array<vec4<f32>>;
// By body: changes of velocity and spin at the start of the last sweep, then the search direction.
@group(0) @binding(8) var<storage, read_write> directions: array<vec4<f32>>;

// Of the second and third entry points.
@group(0) @binding(6) var<storage, read_write> explained: array<vec4r>;
@group(0) @binding(1) var<storage, read> answer_rows: array<FlatRow>;
@group(0) @binding(2) var<storage, read> answer_states: array<FlatState>;
@group(0) @binding(3) var<storage, read_write> answers: array<vec4<f32>>;

struct Gathered {
    velocity: vec3r,
    spin: vec3r,
    unit: real,
}

fn gathered(i: u32) -> Gathered {
    var impulse = vec3r(ZERO);
    var moment = vec3r(ZERO);
    var unit = bodies[i].acting[0];
    for (var k = incidence[i]; k < incidence[i + 1u]; k++) {
        let c = incidence[k] >> 1u;
        let x = vec4r(states[c].impulse);
        unit = max(unit, x.x);
        let push = push_of(touching_of(rows[c]), x - vec4r(frames[c].pull, ZERO, ZERO, ZERO));
        if (incidence[k] & 1u) == 1u {
            impulse = impulse + push.impulse;
            moment = moment + push.on_b;
        } else {
            impulse = impulse - push.impulse;
            moment = moment - push.on_a;
        }
    }
    let free = bodies[i].free;
    return Gathered(
        vec3r(free[0], free[1], free[2]) + impulse * bodies[i].inverse_mass[0],
        vec3r(free[3], free[4], free[5]) + symmetric(bodies[i].inverse_inertia) * moment,
        unit,
    );
}

@compute @workgroup_size(64)
fn flat_gather(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let found = gathered(i);
    bases[2u * i] = vec4r(found.velocity, found.unit);
    bases[2u * i + 1u] = vec4r(found.spin, bases[2u * i + 1u].w);
    swept[4u * i] = vec4<f32>(vec3<f32>(0f), swept[4u * i].w);
    swept[4u * i + 1u] = vec4<f32>(0f);
    directions[4u * i] = vec4<f32>(0f);
    directions[4u * i + 1u] = vec4<f32>(0f);
}

@compute @workgroup_size(64)
fn flat_explained(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let found = gathered(i);
    explained[2u * i] = vec4r(found.velocity, ZERO);
    explained[2u * i + 1u] = vec4r(found.spin, ZERO);
}

@compute @workgroup_size(64)
fn flat_answers(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    answers[3u * i] = answer_states[i].impulse;
    answers[3u * i + 1u] = vec4<f32>(answer_rows[i].normal, 0f);
    answers[3u * i + 2u] = vec4<f32>(answer_rows[i].tangent, 0f);
}
