// Where the eye is at first: a function of what touches, without a canvas. Vectors are arrays.
import { bodyReach, cross, dot, isEndless, plus, unit } from "./solids.js";

/** Most frames, and most bodies in frames, that are looked at. */
const MOST_FRAMES = 50;
const MOST_SAMPLES = 3000;
/** So many are enough to choose a direction. */
const FEW_SAMPLES = 200;
/** Share of the bodies' frames that may be outside: on each side of the picture a quarter of it. */
const OUTSIDE = 0.05;
/** Share of the frame's height that the subject fills at least: for more of the fixed bodies, or a usual direction. */
const LEAST_FILL = 0.52;
/** How much more of the height a direction must fill to be taken instead. */
const BETTER_FILL = 0.05;
const MARGIN = 1.08;
/** How much further away the eye may be for the sake of the last bodies' frames. */
const MOST_FURTHER = 1.3;

/** Evenly spread frames of a run, with its last one. */
export function spread(run) {
  const every = Math.max(1, Math.ceil(run.nFrames / MOST_FRAMES));
  const frames = Array.from({ length: Math.ceil(run.nFrames / every) }, (_, k) => k * every);
  return frames.at(-1) === run.nFrames - 1 ? frames : [...frames, run.nFrames - 1];
}

/**
 * What the picture is of: free bodies at those of some frames in which they touch something; at all of them without
 * any. Fixed and carried bodies that are touched are `still`.
 */
export function subjectOf(run, frames) {
  const bounded = run.bodies.filter((body) => !isEndless(run, body));
  const free = bounded.filter((body) => body.mass !== null);
  // A scene of carried bodies alone is a picture of them.
  const moving = free.length ? free : bounded.filter((body) => body.slot >= 0);
  const subjects = new Set(moving);
  const touched = new Map();
  let samples = [];
  const all = [];
  for (const frame of frames) {
    const touching = new Set();
    const [from, to] = run.contactRange(frame);
    for (let i = from; i < to; i++) {
      if (!(run.contactPush[i] > 0)) continue;
      for (const column of run.contactBodies) touching.add(run.bodies[column[i]]);
    }
    for (const body of touching) if (!subjects.has(body) && !isEndless(run, body)) touched.set(body, frame);
    for (const body of moving) {
      if (!run.isThere(body, frame)) continue;
      const sample = sampleOf(run, body, frame);
      if (!sample.position.every(Number.isFinite)) continue;
      all.push(sample);
      if (touching.has(body)) samples.push(sample);
    }
  }
  // A run in which nothing moves shows its fixed bodies.
  if (!samples.length) samples = all.length ? all : bounded.map((body) => sampleOf(run, body, 0));
  const still = [...touched].map(([body, frame]) => sampleOf(run, body, frame));
  return { samples: thinned(samples, MOST_SAMPLES), all: thinned(all, MOST_SAMPLES), still };
}

function thinned(list, most) {
  const every = Math.ceil(list.length / most);
  return list.filter((_, k) => k % every === 0);
}

function sampleOf(run, body, frame) {
  return { body, frame, position: run.position(body, frame).slice(0, 3), turn: run.orientation(body, frame) };
}

/** Right and up of a picture that is looked at from a direction. */
function axesOf(from, up) {
  let right = cross(up, from);
  if (Math.hypot(...right) < 1e-6) right = cross(Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0], from);
  right = unit(right);
  return [right, cross(from, right), from];
}

/** Lower and upper ends of samples along each axis. */
function spansOf(run, samples, axes) {
  return samples.map(({ body, position, turn }) => axes.map((axis) => {
    const at = dot(position, axis);
    return [at - bodyReach(run, body, turn, axis.map((c) => -c)), at + bodyReach(run, body, turn, axis)];
  }));
}

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))];
}

/** Bounds that all but a share of lower and upper ends keep, on each side. */
function bounds(ends, outside) {
  return [quantile(ends.map(([low]) => low), outside), quantile(ends.map(([, high]) => high), 1 - outside)];
}

/** Where spans are in a picture that an eye sees, in half heights: x and y. */
function projected(spans, eye, slope) {
  return spans.map(([x, y, z]) => {
    const near = Math.max(eye[2] - (z[0] + z[1]) / 2, 1e-9) * slope;
    return [x.map((c) => (c - eye[0]) / near), y.map((c) => (c - eye[1]) / near)];
  });
}

/**
 * Eye in the axes of the picture that sees bodies, all but a share of them, as large as the frame allows. A body
 * is below the upper side of the picture, whose plane goes through the eye e and rises by a slope s, where its
 * reach h along (0, 1, s) is at most e_y + s e_z. The same of the lower side gives e_y and e_z, and so on.
 */
function placeEye(run, samples, axes, { slope, aspect }, outside) {
  const [right, above, from] = axes;
  const side = (axis, sign, rise) => {
    const along = plus(axis.map((c) => sign * c), from, rise);
    return quantile(samples.map(({ body, position, turn }) => dot(position, along) + bodyReach(run, body, turn, along)), 1 - outside / 4);
  };
  const pairs = [[right, (slope * aspect) / MARGIN], [above, slope / MARGIN]].map(([axis, rise]) => {
    const [high, low] = [1, -1].map((sign) => side(axis, sign, rise));
    return [(high - low) / 2, (high + low) / 2 / rise];
  });
  return [pairs[0][0], pairs[1][0], Math.max(pairs[0][1], pairs[1][1])];
}

/** Share of the frame's height that spans fill. */
function fillOf(spans, eye, slope) {
  const [low, high] = bounds(projected(spans, eye, slope).map(([, y]) => y), OUTSIDE / 4);
  return (high - low) / 2;
}

/** The picture from one direction: eye and middle in the world, and what the subject fills of the height. */
function lookFrom(run, { samples, all, still }, from, { up, slope, aspect }) {
  const axes = axesOf(from, up);
  const frame = { slope, aspect };
  const spans = spansOf(run, samples, axes);
  const z = bounds(spans.map((span) => span[2]), OUTSIDE / 4);
  const middle = (z[0] + z[1]) / 2;
  let eye = placeEye(run, samples, axes, frame, OUTSIDE);
  // Nothing is left out where that would not make the rest much larger.
  const whole = placeEye(run, [...samples, ...all], axes, frame, 0);
  if (whole[2] - middle <= MOST_FURTHER * (eye[2] - middle)) eye = whole;
  let fill = fillOf(spans, eye, slope);
  // Fixed bodies that are touched are shown too, as far as the subject stays large.
  if (still.length) {
    const seen = projected(spans, eye, slope);
    const inside = samples.filter((_, k) => seen[k].every(([low, high], c) => Math.max(high, -low) <= (c ? 1 : aspect)));
    const wide = placeEye(run, [...inside, ...still], axes, frame, 0);
    for (let share = 1; share > 0; share -= 0.125) {
      const between = eye.map((c, k) => c + share * (wide[k] - c));
      const less = fillOf(spans, between, slope);
      if (between[2] >= eye[2] && less >= LEAST_FILL) {
        [eye, fill] = [between, less];
        break;
      }
    }
  }
  const world = (c) => axes.reduce((sum, axis, k) => plus(sum, axis, c[k]), [0, 0, 0]);
  return { eye: world(eye), target: world([eye[0], eye[1], middle]), fill };
}

/** Directions to look from: the usual one, then round the scene, each from higher up. */
function homes(sides, up) {
  const from = (angle, rise) => unit(plus(plus(sides[0].map((c) => c * Math.cos(angle)), sides[1], Math.sin(angle)), up, rise));
  const first = Math.atan2(-1, 0.6);
  const usual = from(first, 0.43);
  return [usual, ...[0.43, 0.75, 1.2].flatMap((rise) => Array.from({ length: 16 }, (_, k) => from(first + (k * Math.PI) / 8, rise)))];
}

/** The home view: the usual direction, or the one of the others from which the subject fills most of the height. */
export function home(run, subject, sides, frame) {
  const few = { ...subject, samples: thinned(subject.samples, FEW_SAMPLES), all: thinned(subject.all, FEW_SAMPLES) };
  let [best, direction] = [-1, null];
  for (const from of homes(sides, frame.up)) {
    const { fill } = lookFrom(run, few, from, frame);
    if (fill > best + BETTER_FILL) [best, direction] = [fill, from];
    if (best >= LEAST_FILL) break;
  }
  return lookFrom(run, subject, direction, frame);
}

/** The picture from a direction that is named. */
export function aside(run, subject, from, frame) {
  return lookFrom(run, subject, from, frame);
}

/** Bounds of the subject along the axes of the world: [low, high] each. */
export function boxOf(run, { samples }) {
  const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const spans = spansOf(run, samples, axes);
  return axes.map((_, c) => bounds(spans.map((span) => span[c]), OUTSIDE / 4));
}
