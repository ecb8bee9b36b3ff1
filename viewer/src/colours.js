// Colours of bodies.
import { Color } from "three";

// Okabe and Ito: stay apart for colour-blind readers.
const LIST = ["#56b4e9", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#f0d040", "#0072b2", "#8a8f98"];
const RAMP = ["#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725"].map((c) => new Color(c));
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

/** A function from body and frame to a colour. */
export function colouring(run, kind, frame) {
  const step = run.stepAt(frame);
  const ofStep = (colour) => () => colour;
  switch (kind) {
    case "speed":
      return (body) => ramp(run.speed(body, frame) / (run.largestSpeed || 1));
    case "material":
      return (body) => new Color(listed(body.material));
    case "residual":
      return ofStep(step < 0 ? new Color(UNKNOWN) : ramp(residualShare(run.residual[step], run.tolerance)));
    case "verdict":
      return ofStep(new Color(step < 0 ? UNKNOWN : [UNKNOWN, GOOD, BAD][run.verdict[step] & 3]));
    default:
      return (body) => new Color(body.slot < 0 ? UNKNOWN : listed(body.slot));
  }
}

/** What the colours mean, as HTML. */
export function legend(run, kind, number) {
  const chip = (colour, text) => `<div><span class="chip" style="background:${colour}"></span>${text}</div>`;
  const stops = RAMP.map((c) => `#${c.getHexString()}`).join(",");
  const bar = (low, high) =>
    `<div class="ramp" style="background:linear-gradient(to right,${stops})"></div>` +
    `<div class="ends"><span>${low}</span><span>${high}</span></div>`;
  switch (kind) {
    case "speed":
      return bar("0", `${number(run.largestSpeed)} m/s`);
    case "material":
      return run.materials.map((name, k) => chip(listed(k), escaped(name))).join("");
    case "residual":
      return bar(number(run.tolerance * 1e-4), number(run.tolerance * 1e2));
    case "verdict":
      return chip(GOOD, "green") + chip(BAD, "red") + chip(UNKNOWN, "not judged");
    default:
      return "";
  }
}

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
