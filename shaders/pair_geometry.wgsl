// Closest points and contact frame of smooth pairs, one thread a pair: twin of shaders/pair_geometry.rs.
//include shared/grid.wgsl
//include shared/linear.wgsl
//include shared/types.wgsl
//include shared/smooth_pair.wgsl

@group(0) @binding(1) var<storage, read> bodies: array<BodyState>;
@group(0) @binding(2) var<storage, read> keys: array<PairKey>;
@group(0) @binding(3) var<storage, read> pairs: array<PairState>;
@group(0) @binding(4) var<storage, read_write> geometry: array<PairGeometry>;

fn plane_gap(n: vec3r, height: real, b: Ellipsoid) -> Closest {
    let qn = b.q * n;
    let h = sqrt(dot(n, qn));
    let s = qn / h;
    let gap = height + dot(n, b.center) - h;
    return Closest(n, vec3r(ZERO), -s, ONE, h, gap, ZERO, ZERO);
}

fn frame(i: u32, flags: u32, n: vec3r) -> vec3r {
    var t = vec3r(ZERO);
    let direction = vector(pairs[i].direction);
    let flat = direction - n * dot(n, direction);
    if (flags & DIRECTED) != 0u && norm3(flat) >= GRAIN_FADES {
        t = flat;
    } else {
        let n0 = vector(pairs[i].frame_normal);
        let t0 = vector(pairs[i].frame_tangent);
        let cosine = ONE + dot(n0, n);
        if cosine < OPPOSITE {
            t = tangent_of(n);
        } else {
            t = t0 - (n0 + n) * (dot(n, t0) / cosine);
        }
    }
    let length = norm3(t);
    if length < SHORT {
        return tangent_of(n);
    }
    return t / length;
}

@compute @workgroup_size(64)
fn pair_geometry(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = item_of(id);
    if i >= grid.n {
        return;
    }
    let key = keys[i];
    let is_plane = (key.z & PLANE) != 0u;
    let start = vector(pairs[i].start);
    let offset = vector(pairs[i].offset);
    let a = Ellipsoid(vector(bodies[key.x].center), symmetric(bodies[key.x].q));
    let center_b = vector(bodies[key.y].center);
    let q_b = symmetric(bodies[key.y].q);
    var closest: Closest;
    if is_plane {
        closest = plane_gap(start, pairs[i].height[0], Ellipsoid(center_b, q_b));
    } else {
        closest = closest_points(a, Ellipsoid(center_b + offset, q_b), start, TOLERANCE);
    }
    let arm_b = center_b + closest.support_b;
    let arm_a = select(a.center + closest.support_a, offset + arm_b - closest.normal * closest.gap, is_plane);
    geometry[i].normal = plain(closest.normal);
    geometry[i].tangent = plain(frame(i, key.z, closest.normal));
    geometry[i].arm_a = plain(arm_a);
    geometry[i].arm_b = plain(arm_b);
    geometry[i].gap[0] = closest.gap;
    geometry[i].mismatch[0] = closest.mismatch;
    geometry[i].residual[0] = closest.residual;
    // A plane has none.
    let curved = select(ONE, ZERO, is_plane);
    geometry[i].slope_a = six(support_slope(a.q, closest.height_a, closest.support_a) * curved);
    geometry[i].slope_b = six(support_slope(q_b, closest.height_b, closest.support_b));
}
