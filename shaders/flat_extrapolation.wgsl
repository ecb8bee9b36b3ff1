// Extrapolation of bodies along the search direction, one thread a body; before a turn that of impulses, one
// thread a contact: twin of shaders/flat_extrapolation.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl
//include shared/flat_contact.wgsl

// grid.second: 1 in a sweep.
@group(0) @binding(1) var<storage, read> scalars: array<f32>;
@group(0) @binding(2) var<storage, read_write> swept: array<vec4<f32>>;
// By body: changes of velocity and spin at the start of the last sweep, then the search direction.
@group(0) @binding(3) var<storage, read_write> directions: array<vec4<f32>>;

// Of the second entry point.
@group(0) @binding(2) var<storage, read_write> states: array<FlatState>;

fn go_on(i: u32, k: u32) {
    let now = swept[4u * i + k].xyz;
    let step = flushed(directions[4u * i + 2u + k] * scalars[FACTOR]).xyz;
    let along = step + (now - directions[4u * i + k].xyz);
    directions[4u * i + 2u + k] = vec4<f32>(along, 0f);
    directions[4u * i + k] = vec4<f32>(now + step, 0f);
    swept[4u * i + k] = vec4<f32>(now + step, swept[4u * i + k].w);
}

@compute @workgroup_size(64)
fn flat_extrapolation(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    if grid.second == 1u && scalars[STOPPED] > 0f {
        return;
    }
    go_on(i, 0u);
    go_on(i, 1u);
}

@compute @workgroup_size(64)
fn flat_impulses(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    states[i] = gone_on(states[i], scalars[FACTOR], scalars[AGE]);
}
