// What stands beside the scene, on the page and in pictures: axes, a bar of a length, what colours mean.
import { Vector3 } from "three";
import { number, rampStops, scaleOf } from "./colours.js";

const AXES = [["x", "#c8352b", [1, 0, 0]], ["y", "#2f8f3e", [0, 1, 0]], ["z", "#2b62c9", [0, 0, 1]]];
const TRIAD = 26;
const EDGE = 14;
const BAR = 170;
const MOST_CHIPS = 8;

/** Draws on a pen whose unit is a pixel of the page; `full` adds what the panel shows on the page. */
export function drawOverlay(pen, viewer, full) {
  const [width, height] = viewer.stage.size;
  const ink = viewer.dark ? "#e8eaed" : "#1a1d22";
  const paper = viewer.dark ? "#15181dc0" : "#ffffffc0";
  pen.font = "12px system-ui, sans-serif";
  pen.lineCap = "round";
  const centre = [EDGE + TRIAD + 8, height - EDGE - TRIAD - 6];
  triad(pen, viewer.stage.camera, centre);
  lengthBar(pen, viewer.stage, [centre[0] + TRIAD + 26, height - EDGE - 8], ink);
  if (full) colours(pen, viewer, [width - EDGE, height - EDGE], ink, paper);
}

function triad(pen, camera, [x, y]) {
  const back = camera.quaternion.clone().invert();
  const arms = AXES.map(([name, colour, axis]) => ({ name, colour, way: new Vector3(...axis).applyQuaternion(back) }));
  // The arm that comes nearest is drawn last.
  arms.sort((a, b) => a.way.z - b.way.z);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (const { name, colour, way } of arms) {
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = 2.5;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + TRIAD * way.x, y - TRIAD * way.y);
    pen.stroke();
    pen.fillText(name, x + (TRIAD + 8) * way.x, y - (TRIAD + 8) * way.y);
  }
}

/** The largest of 1, 2, 5 times a power of ten that is at most some length. */
export function roundLength(most) {
  const power = 10 ** Math.floor(Math.log10(most));
  return [5, 2, 1].map((k) => k * power).find((length) => length <= most * (1 + 1e-9)) ?? power;
}

/** A length with a unit in which it is a short number. */
export function lengthText(length) {
  const [unit, factor] = length >= 1000 ? ["km", 1e-3] : length >= 1 ? ["m", 1] : length >= 1e-3 ? ["mm", 1e3] : ["µm", 1e6];
  return `${Number((length * factor).toPrecision(3))} ${unit}`;
}

/** A bar as long as a length is in the middle of the picture. */
function lengthBar(pen, stage, [x, y], ink) {
  const perMetre = stage.pixels(1) / stage.size[2];
  const length = roundLength(110 / perMetre);
  const wide = length * perMetre;
  pen.strokeStyle = pen.fillStyle = ink;
  pen.lineWidth = 2;
  pen.beginPath();
  for (const at of [x, x + wide]) {
    pen.moveTo(at, y - 4);
    pen.lineTo(at, y + 4);
  }
  pen.moveTo(x, y);
  pen.lineTo(x + wide, y);
  pen.stroke();
  pen.textAlign = "center";
  pen.textBaseline = "bottom";
  pen.fillText(lengthText(length), x + wide / 2, y - 5);
}

/** Ramp or names, and the time, in the lower right corner. */
function colours(pen, viewer, [right, bottom], ink, paper) {
  const { run, world, player, groups } = viewer;
  const scale = scaleOf(run, world.kind, groups);
  const chips = (scale?.chips ?? []).slice(0, MOST_CHIPS);
  const time = `t = ${number(run.times[player.frame], 3)} s`;
  const widths = [time, scale?.title ?? "", ...chips.map(([, text]) => `\u2003${text}`)].map((text) => pen.measureText(text).width);
  const wide = scale?.ramp ? BAR : Math.max(...widths) + 4;
  const high = 20 + (scale ? (scale.ramp ? 48 : 18 * (chips.length + 1)) : 0);
  const [x, top] = [right - wide, bottom - high];
  if (scale) {
    pen.fillStyle = paper;
    pen.fillRect(x - 8, top - 6, wide + 16, high + 10);
  }
  pen.fillStyle = ink;
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  pen.fillText(time, right, bottom - 7);
  pen.textAlign = "left";
  if (!scale) return;
  pen.fillText(scale.title, x, top + 7);
  chips.forEach(([colour, text], k) => {
    const y = top + 25 + 18 * k;
    pen.fillStyle = colour;
    pen.fillRect(x, y - 5, 10, 10);
    pen.fillStyle = ink;
    pen.fillText(text, x + 16, y);
  });
  if (!scale.ramp) return;
  const fill = pen.createLinearGradient(x, 0, right, 0);
  rampStops().forEach((stop, k, all) => fill.addColorStop(k / (all.length - 1), stop));
  pen.fillStyle = fill;
  pen.fillRect(x, top + 18, wide, 10);
  pen.fillStyle = ink;
  pen.fillText(scale.ends[0], x, top + 38);
  pen.textAlign = "right";
  pen.fillText(scale.ends[1], right, top + 38);
}
