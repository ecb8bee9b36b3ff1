// What is under the pointer, by exact shapes.
import { Matrix4, Ray, Vector3 } from "three";
import { isConvex, planesOf } from "./solids.js";

/** Distance along the ray (in units of its direction) to the unit sphere, box or cylinder, or a polytope. */
export function hit(geometry, origin, direction) {
  if (geometry.type === "sphere") return quadratic(origin, direction, new Vector3(1, 1, 1));
  if (geometry.type === "half-space") {
    const n = new Vector3(...geometry.normal);
    const rate = n.dot(direction);
    return rate < 0 ? (geometry.offset - n.dot(origin)) / rate : null;
  }
  if (!isConvex(geometry)) return surfaceHit(geometry, origin, direction);
  let [enter, leave] = [-Infinity, Infinity];
  for (const [[nx, ny, nz], offset] of planesOf(geometry)) {
    const rate = nx * direction.x + ny * direction.y + nz * direction.z;
    const room = offset - (nx * origin.x + ny * origin.y + nz * origin.z);
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

/** The nearest triangle of a surface, from either side. */
function surfaceHit(geometry, origin, direction) {
  geometry.corners ??= geometry.faces.flatMap((face) =>
    face.slice(2).map((_, k) => [face[0], face[k + 1], face[k + 2]].map((v) => new Vector3(...geometry.vertices[v]))));
  const length = direction.length();
  const ray = new Ray(origin, direction.clone().divideScalar(length));
  let nearest = null;
  const at = new Vector3();
  for (const [a, b, c] of geometry.corners) {
    if (!ray.intersectTriangle(a, b, c, false, at)) continue;
    const distance = at.distanceTo(origin) / length;
    if (nearest === null || distance < nearest) nearest = distance;
  }
  return nearest;
}

/** The first part of a body that a ray meets, glass only where nothing is behind it; half-spaces are not met. */
export function pickPart(run, world, frame, ray) {
  const best = { true: null, false: null };
  const nearest = { true: Infinity, false: Infinity };
  for (const part of run.bodies.flatMap((body) => body.parts)) {
    const { body } = part;
    const geometry = run.geometries[part.geometry];
    if (geometry.type === "half-space" || !world.isShown(body) || !run.isThere(body, frame)) continue;
    const inverse = new Matrix4().copy(world.matrix(part, frame)).invert();
    const origin = ray.origin.clone().applyMatrix4(inverse);
    // Not normalised: distances stay those of the world's ray.
    const direction = ray.origin.clone().add(ray.direction).applyMatrix4(inverse).sub(origin);
    const at = hit(geometry, origin, direction);
    const isGlass = world.glass.has(body.mesh ?? part);
    if (at !== null && at < nearest[isGlass]) [best[isGlass], nearest[isGlass]] = [part, at];
  }
  return best.false ?? best.true;
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
