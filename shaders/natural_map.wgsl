// |x − Proj(x − r y)| of one contact, normal and friction: twin of shaders/natural_map.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl

@group(0) @binding(1) var<storage, read> contacts: array<ContactLawState>;
@group(0) @binding(2) var<storage, read_write> residual: array<real>;

@compute @workgroup_size(64)
fn natural_map(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let x = contacts[i].centre;
    let y = contacts[i].slip;
    let x_t = vec3r(x[1], x[2], x[3]);
    let z = x_t - vec3r(y[1], y[2], y[3]) * contacts[i].weight[1];
    let radius = contacts[i].friction_coefficient[0] * max(x[0], ZERO);
    let length = norm3(z);
    let projected = z * select(radius / select(length, ONE, length <= radius), ONE, length <= radius);
    residual[2u * i] = abs(min(x[0], contacts[i].weight[0] * y[0]));
    residual[2u * i + 1u] = norm3(x_t - projected);
}
