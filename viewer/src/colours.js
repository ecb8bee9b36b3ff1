// Colours of bodies.
import { Color } from "three";

// Okabe and Ito: stay apart for colour-blind readers.
const LIST = ["#56b4e9", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#f0d040", "#0072b2", "#7a6bb0"];
const RAMP = ["#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725"].map((c) => new Color(c));
/** Of what is fixed or carried, whatever the others are coloured by. */
export const FIXED = new Color("#ababab");
export const GOOD = "#2fa866";
export const BAD = "#e0452f";
export const UNKNOWN = "#8a8f98";
export const STATE_COLOURS = { open: "#8a8f98", stick: "#2f7ed8", slip: "#f08a24" };

/** Colour of a share from 0 to 1 (viridis). */
export function ramp(share) {
  const at = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1);
  const k = Math.min(Math.floor(at), RAMP.length - 2);
  return new Color().lerpColors(RAMP[k], RAMP[k + 1], at - k);
}

export function listed(k) {
  return LIST[k % LIST.length];
}

/** Share of a residual on the ramp: from a ten-thousandth of the tolerance to a hundred times it. */
function residualShare(residual, tolerance) {
  return (Math.log10(Math.max(residual, 1e-300) / tolerance) + 4) / 6;
}

/** A function from part and frame to a colour; `groups` are those of the legend. */
export function colouring(run, kind, frame, groups) {
  const step = run.stepAt(frame);
  const free = freeColouring(run, kind, frame, step, groups);
  return (part) => (part.body.mass === null ? FIXED : free(part));
}

function freeColouring(run, kind, frame, step, groups) {
  const ofStep = (colour) => () => colour;
  switch (kind) {
    case "speed":
      return ({ body }) => ramp(run.speed(body, frame) / (run.largestSpeed || 1));
    case "material":
      return (part) => new Color(listed(part.material));
    case "residual":
      return ofStep(step < 0 ? new Color(UNKNOWN) : ramp(residualShare(run.residual[step], run.tolerance)));
    case "verdict":
      return ofStep(new Color(step < 0 ? UNKNOWN : [UNKNOWN, GOOD, BAD][run.verdict[step] & 3]));
    case "fill":
    case "size": {
      const colours = new Map(groups.flatMap(({ colour, bodies }) => bodies.map((body) => [body, new Color(colour)])));
      return ({ body }) => colours.get(body) ?? FIXED;
    }
    default:
      return ({ body }) => new Color(listed(body.slot));
  }
}

/** What the colours mean: a title with a ramp and its ends, or with names and their colours; null without. */
export function scaleOf(run, kind, groups) {
  switch (kind) {
    case "speed":
      return { title: "speed (m/s)", ramp: true, ends: ["0", number(run.largestSpeed, 3)] };
    case "residual":
      return { title: "residual", ramp: true, ends: [run.tolerance * 1e-4, run.tolerance * 1e2].map((x) => number(x, 2)) };
    case "verdict":
      return { title: "referee", chips: [[GOOD, "green"], [BAD, "red"], [UNKNOWN, "not judged"]] };
    case "body":
      return null;
    default:
      return { title: kind, chips: groups.map(({ colour, name }) => [colour, name]) };
  }
}

/** Stops of the ramp. */
export const rampStops = () => RAMP.map((c) => `#${c.getHexString()}`);

export function escaped(text) {
  return String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
}

/** A number with four digits, or as many as it is known to. */
export function number(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size < 1e-3 || size >= 1e5) return x.toExponential(digits - 1);
  return String(Number(x.toPrecision(digits)));
}
