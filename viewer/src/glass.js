// Which walls are like glass: those between the eye and what is looked at.
import { Matrix4, Vector3 } from "three";
import { hit } from "./pick.js";
import { isConvex } from "./solids.js";

const MOST_RAYS = 240;
/** Most rays times parts, so that a mesh of thousands of parts turns smoothly. */
const MOST_HITS = 2e5;
/** Share of the subject that a part hides before it turns to glass; a surface of many triangles is one part. */
const HIDDEN = 0.03;
const HIDDEN_BY_SURFACE = 0.3;

/** Parts of fixed and carried bodies that hide bodies of the subject from an eye. */
export function glassParts(run, world, frame, { samples }, eye) {
  const free = samples.filter(({ body }) => body.mass !== null);
  const walls = run.bodies.filter((body) => body.mass === null && world.isShown(body) && run.isThere(body, frame));
  const rays = Math.min(MOST_RAYS, Math.ceil(MOST_HITS / walls.reduce((sum, { parts }) => sum + parts.length, 1)));
  const every = Math.ceil(free.length / rays) || 1;
  const ends = free.filter((_, k) => k % every === 0).map(({ position }) => new Vector3(...position.slice(0, 3)));
  const glass = new Set();
  if (!ends.length) return glass;
  for (const body of walls) {
    const hiddenByAny = new Set();
    for (const part of body.parts) {
      const geometry = run.geometries[part.geometry];
      if (geometry.type === "half-space") continue;
      if (body.slot >= 0 || !part.inverse) part.inverse = new Matrix4().copy(world.matrix(part, frame)).invert();
      const { inverse } = part;
      const origin = eye.clone().applyMatrix4(inverse);
      const hides = (end) => {
        const at = hit(geometry, origin, end.clone().applyMatrix4(inverse).sub(origin));
        return at !== null && at < 1;
      };
      const hidden = ends.filter(hides);
      if (body.mesh) hidden.forEach((end) => hiddenByAny.add(end));
      else if (hidden.length >= (isConvex(geometry) ? HIDDEN : HIDDEN_BY_SURFACE) * ends.length) glass.add(part);
    }
    if (body.mesh && hiddenByAny.size >= HIDDEN_BY_SURFACE * ends.length) glass.add(body.mesh);
  }
  return glass;
}
