// Extrapolation of sweeps, four numbers of impulses and motions: twin of shaders/sweep_extrapolation.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl

@group(0) @binding(1) var<storage, read> scalars: array<real>;
@group(0) @binding(2) var<storage, read_write> state: array<vec4r>;
@group(0) @binding(3) var<storage, read_write> direction: array<vec4r>;
// Change by the last sweep; then the numbers that the next one starts from.
@group(0) @binding(4) var<storage, read_write> change: array<vec4r>;

@compute @workgroup_size(64)
fn sweep_extrapolation(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let mode = scalars[SWEEP_MODE];
    var x = state[i];
    if mode == EXTRAPOLATED {
        let along = direction[i] * scalars[SWEEP_STEP];
        x = x + along;
        state[i] = x;
        direction[i] = along + change[i];
    } else if mode == FIRST_DIRECTION {
        direction[i] = change[i];
    }
    change[i] = x;
}
