// Bodies in groups: by fill, by size, by material. A legend lists them, and a group can be hidden.
import { listed, number, ramp } from "./colours.js";
import { isEndless, meanWidth } from "./solids.js";

/** Most bodies that a legend lists one by one. */
const MOST_NAMES = 8;
const MOST_SIZES = 6;

/** The name of what a body was made by: `grain` for `grain-17`. */
export function fillOf(body) {
  return body.name.replace(/(-\d+)+$/, "");
}

/** Groups of the bodies that move freely: name, colour and bodies; none where there would be too many. */
export function groupsOf(run, kind) {
  const free = run.bodies.filter((body) => body.mass !== null);
  switch (kind) {
    case "body":
      return free.length > MOST_NAMES ? [] : free.map((body) => ({ name: body.name, colour: listed(body.slot), bodies: [body] }));
    case "fill":
      return gathered(free, fillOf).map(([name, bodies], k) => ({ name, colour: listed(k), bodies }));
    case "material":
      return gathered(free, (body) => body.material)
        .map(([material, bodies]) => ({ name: run.materials[material] ?? "default", colour: listed(material), bodies }));
    case "size":
      return sizesOf(run, free);
    default:
      return [];
  }
}

function gathered(bodies, keyOf) {
  const groups = new Map();
  for (const body of bodies) {
    const key = keyOf(body);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(body);
  }
  return [...groups];
}

/** Classes of equal width between the smallest and the largest mean width of bodies. */
function sizesOf(run, bodies) {
  const sized = bodies.filter((body) => !isEndless(run, body)).map((body) => [body, meanWidth(run, body)]);
  if (!sized.length) return [];
  const sizes = sized.map(([, size]) => size);
  const [low, high] = [Math.min(...sizes), Math.max(...sizes)];
  const n = high - low < 0.01 * high ? 1 : MOST_SIZES;
  const classes = Array.from({ length: n }, (_, k) => {
    const [from, to] = [k, k + 1].map((j) => low + ((high - low) * j) / n);
    const name = n === 1 ? `${number(high, 3)} m` : `${number(from, 3)} – ${number(to, 3)} m`;
    return { name, colour: `#${ramp(n === 1 ? 0.5 : k / (n - 1)).getHexString()}`, bodies: [] };
  });
  for (const [body, size] of sized) {
    classes[Math.min(Math.floor((n * (size - low)) / (high - low || 1)), n - 1)].bodies.push(body);
  }
  return classes.filter(({ bodies: own }) => own.length);
}
