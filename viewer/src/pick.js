// What is under the pointer, by exact shapes.
import { Matrix4, Vector3 } from "three";

/** Distance along the ray (in units of its direction) to the unit sphere, box or cylinder, or a polytope. */
function hit(geometry, origin, direction) {
  if (geometry.type === "sphere") return quadratic(origin, direction, new Vector3(1, 1, 1));
  if (geometry.type === "half-space") {
    const n = new Vector3(...geometry.normal);
    const rate = n.dot(direction);
    return rate < 0 ? (geometry.offset - n.dot(origin)) / rate : null;
  }
  let [enter, leave] = [-Infinity, Infinity];
  for (const [normal, offset] of planes(geometry)) {
    const rate = normal.dot(direction);
    const room = offset - normal.dot(origin);
    if (rate === 0) {
      if (room < 0) return null;
    } else if (rate < 0) enter = Math.max(enter, room / rate);
    else leave = Math.min(leave, room / rate);
  }
  if (geometry.type === "cylinder") {
    const span = roots(origin, direction, new Vector3(1, 1, 0));
    if (!span) return null;
    enter = Math.max(enter, span[0]);
    leave = Math.min(leave, span[1]);
  }
  return enter <= leave && enter > 0 ? enter : null;
}

/** Where Σ w x² = 1 on the ray; all of it when the ray runs along a cylinder inside it. */
function roots(origin, direction, w) {
  const dot = (u, v) => w.x * u.x * v.x + w.y * u.y * v.y + w.z * u.z * v.z;
  const [a, b, c] = [dot(direction, direction), dot(origin, direction), dot(origin, origin) - 1];
  if (a === 0) return c <= 0 ? [-Infinity, Infinity] : null;
  const d = b * b - a * c;
  return d < 0 ? null : [(-b - Math.sqrt(d)) / a, (-b + Math.sqrt(d)) / a];
}

function quadratic(origin, direction, w) {
  const found = roots(origin, direction, w);
  return found && found[0] > 0 ? found[0] : null;
}

/** Outer normals and offsets of the flat faces. */
function planes(geometry) {
  geometry.planes ??= geometry.type === "polytope"
    ? geometry.faces.map((face) => {
        const [a, b, c] = face.slice(0, 3).map((v) => new Vector3(...geometry.vertices[v]));
        const normal = b.sub(a).cross(c.sub(a)).normalize();
        return [normal, normal.dot(a)];
      })
    : (geometry.type === "box" ? [0, 1, 2] : [2]).flatMap((axis) =>
        [1, -1].map((sign) => [new Vector3().setComponent(axis, sign), 1]));
  return geometry.planes;
}

/** The first part of a body that a ray meets; half-spaces are not met. */
export function pickPart(run, world, frame, ray) {
  let [best, nearest] = [null, Infinity];
  for (const part of run.bodies.flatMap((body) => body.parts)) {
    const { body } = part;
    const geometry = run.geometries[part.geometry];
    if (geometry.type === "half-space" || (body.slot < 0 && !world.look.fixed)) continue;
    if (!run.isThere(body, frame)) continue;
    const inverse = new Matrix4().copy(world.matrix(part, frame)).invert();
    const origin = ray.origin.clone().applyMatrix4(inverse);
    // Not normalised: distances stay those of the world's ray.
    const direction = ray.origin.clone().add(ray.direction).applyMatrix4(inverse).sub(origin);
    const at = hit(geometry, origin, direction);
    if (at !== null && at < nearest) [best, nearest] = [part, at];
  }
  return best;
}

/** The contact whose point is drawn within a few pixels of the pointer, the nearest. */
export function pickContact(markers, camera, pointer, width, height) {
  let [best, nearest] = [null, 10];
  const [from, to] = markers.range ?? [0, 0];
  for (let i = from; i < to; i++) {
    const at = markers.point(i).project(camera);
    if (at.z > 1) continue;
    const distance = Math.hypot((0.5 + 0.5 * at.x) * width - pointer.x, (0.5 - 0.5 * at.y) * height - pointer.y);
    if (distance < nearest) [best, nearest] = [i, distance];
  }
  return best;
}
