// Which walls are like glass: those between the eye and what is looked at.
import { Matrix4, Vector3 } from "three";
import { hit } from "./pick.js";
import { isConvex } from "./solids.js";

const MOST_RAYS = 240;
/** Share of the subject that a part hides before it turns to glass; a surface of many triangles is one part. */
const HIDDEN = 0.03;
const HIDDEN_BY_SURFACE = 0.3;

/** Parts of fixed and carried bodies that hide bodies of the subject from an eye. */
export function glassParts(run, world, frame, { samples }, eye) {
  const free = samples.filter(({ body }) => body.mass !== null);
  const every = Math.ceil(free.length / MOST_RAYS) || 1;
  const ends = free.filter((_, k) => k % every === 0).map(({ position }) => new Vector3(...position.slice(0, 3)));
  const glass = new Set();
  if (!ends.length) return glass;
  for (const body of run.bodies) {
    if (body.mass !== null || !world.isShown(body) || !run.isThere(body, frame)) continue;
    for (const part of body.parts) {
      const geometry = run.geometries[part.geometry];
      if (geometry.type === "half-space") continue;
      const inverse = new Matrix4().copy(world.matrix(part, frame)).invert();
      const origin = eye.clone().applyMatrix4(inverse);
      const hides = (end) => {
        const at = hit(geometry, origin, end.clone().applyMatrix4(inverse).sub(origin));
        return at !== null && at < 1;
      };
      const hidden = ends.filter(hides).length;
      if (hidden >= (isConvex(geometry) ? HIDDEN : HIDDEN_BY_SURFACE) * ends.length) glass.add(part);
    }
  }
  return glass;
}
