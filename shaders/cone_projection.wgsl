// Impulses x = Proj(x̂ − ρ r y) of one contact and their derivatives, one thread a contact: twin of
// shaders/cone_projection.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl

@group(0) @binding(1) var<storage, read> contacts: array<ContactLawState>;
// ρ
@group(0) @binding(2) var<storage, read> rho: array<real>;
@group(0) @binding(3) var<storage, read_write> derivatives: array<ContactDerivative>;

@compute @workgroup_size(64)
fn cone_projection(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let centre = contacts[i].centre;
    let slip = contacts[i].slip;
    let w_n = rho[0] * contacts[i].weight[0];
    let w_t = rho[0] * contacts[i].weight[1];
    let mu = contacts[i].friction_coefficient[0];
    let z_n = centre[0] - w_n * slip[0];
    let closed = z_n > ZERO;
    let x_n = select(ZERO, z_n, closed);
    let z = vec3r(centre[1], centre[2], centre[3]) - vec3r(slip[1], slip[2], slip[3]) * w_t;
    let radius = mu * x_n;
    let length = norm3(z);
    let sticks = length <= radius;
    // Where z is 0 it sticks, so that nothing is divided by 0.
    let shrink = select(radius / select(length, ONE, sticks), ONE, sticks);
    let x_t = z * shrink;
    let slips = closed && !sticks;
    let alpha = select(ZERO, w_t * shrink, closed);
    let d = select(vec3r(ZERO), z / select(length, ONE, sticks), slips);
    derivatives[i].impulse = vec4r(x_n, x_t);
    derivatives[i].slopes = vec4r(select(ZERO, w_n, closed), alpha, select(ZERO, alpha, slips), select(ZERO, mu, slips));
    derivatives[i].direction = d;
    derivatives[i].unused = ZERO;
}
