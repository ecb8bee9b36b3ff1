// Energies, residual and verdict over time, under the scene. A click goes to that time.
import { BAD, GOOD, number } from "./colours.js";

const LEFT = 62;
/** Height of the words over a curve, and of the axis of time. */
const WORDS = 14;
const AXIS = 18;
/** Distance between labels of time, at least. */
const APART = 90;
const CURVES = [["kinetic", "#e69f00"], ["potential", "#56b4e9"], ["total", "#009e73"]];

export class Chart {
  constructor(canvas, run, seek) {
    this.canvas = canvas;
    this.take(run);
    const go = (event) => {
      const box = canvas.getBoundingClientRect();
      seek(((event.clientX - box.left - LEFT) / (box.width - LEFT - 4)) * this.end);
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      go(event);
    });
    canvas.addEventListener("pointermove", (event) => event.buttons && go(event));
  }

  /** Shows this run from now on. */
  take(run) {
    this.run = run;
    const total = run.kinetic.map((k, i) => k + run.potential[i]);
    this.curves = [run.kinetic, run.potential, total];
    this.end = run.times[run.nFrames - 1] || run.step;
  }

  draw(frame) {
    const { canvas, run } = this;
    const ratio = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "10px system-ui, sans-serif";
    const style = getComputedStyle(document.documentElement);
    this.colour = (name) => style.getPropertyValue(`--${name}`);
    this.x = (time) => LEFT + (time / this.end) * (width - LEFT - 4);
    const bottom = height - AXIS;
    if (run.nSteps) {
      const middle = Math.round(0.52 * bottom);
      this.energies(pen, WORDS, middle);
      this.residuals(pen, middle + WORDS, bottom - 10);
      this.verdicts(pen, bottom - 7, bottom - 2);
      this.times(pen, bottom, width);
    }
    pen.fillStyle = this.colour("accent");
    pen.fillRect(this.x(run.times[frame]) - 0.75, WORDS, 1.5, bottom - WORDS);
  }

  /** The axis of time: round numbers, a line for each. */
  times(pen, top, width) {
    const least = (this.end * APART) / Math.max(width - LEFT, 1);
    const power = 10 ** Math.floor(Math.log10(least));
    const apart = [1, 2, 5, 10].map((k) => k * power).find((time) => time >= least) ?? this.end;
    pen.strokeStyle = this.colour("line");
    pen.fillStyle = this.colour("faint");
    for (let k = 0; k * apart <= this.end * (1 + 1e-9); k++) {
      const x = Math.round(this.x(k * apart)) + 0.5;
      pen.beginPath();
      pen.moveTo(x, top);
      pen.lineTo(x, top + 4);
      pen.stroke();
      const last = (k + 1) * apart > this.end * (1 + 1e-9);
      pen.textAlign = k === 0 ? "left" : last && width - x < 24 ? "right" : "center";
      pen.fillText(`${number(k * apart)} s`, x, top + 14);
    }
    pen.textAlign = "left";
  }

  frame(pen, top, bottom, texts) {
    pen.strokeStyle = this.colour("line");
    pen.strokeRect(LEFT, top, this.canvas.clientWidth - LEFT - 4, bottom - top);
    pen.fillStyle = this.colour("faint");
    pen.textAlign = "right";
    pen.fillText(texts[0], LEFT - 4, top + 8);
    pen.fillText(texts[1], LEFT - 4, bottom - 1);
    pen.textAlign = "left";
  }

  /** A curve: every pixel shows the range of what falls on it. */
  curve(pen, values, y, colour) {
    pen.strokeStyle = colour;
    pen.beginPath();
    const { stepTime } = this.run;
    let [column, low, high, pending] = [-1, 0, 0, false];
    const flush = () => {
      if (!pending) return;
      pen.lineTo(column, y(high));
      if (low !== high) pen.lineTo(column, y(low));
    };
    for (let i = 0; i < values.length; i++) {
      if (!Number.isFinite(values[i])) continue;
      const at = Math.round(this.x(stepTime[i]) * 2) / 2;
      if (at !== column) {
        flush();
        [column, low, high, pending] = [at, values[i], values[i], true];
      } else {
        low = Math.min(low, values[i]);
        high = Math.max(high, values[i]);
      }
    }
    flush();
    pen.stroke();
  }

  energies(pen, top, bottom) {
    let [low, high] = [Infinity, -Infinity];
    for (const curve of this.curves) {
      for (const value of curve) if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
    if (!(high > low)) [low, high] = [low - 1, low + 1];
    const y = (value) => bottom - 2 - ((value - low) / (high - low)) * (bottom - top - 4);
    this.frame(pen, top, bottom, [`${number(high)} J`, `${number(low)} J`]);
    this.curves.forEach((curve, k) => this.curve(pen, curve, y, CURVES[k][1]));
    let x = LEFT + 6;
    for (const [name, colour] of CURVES) {
      pen.fillStyle = colour;
      pen.fillText(name, x, top - 4);
      x += pen.measureText(name).width + 8;
    }
  }

  residuals(pen, top, bottom) {
    const { residual, tolerance } = this.run;
    const logs = Array.from(residual, (r) => (r > 0 ? Math.log10(r) : Number.isNaN(r) ? NaN : -17));
    let [low, high] = [Math.log10(tolerance) - 2, Math.log10(tolerance) + 1];
    for (const value of logs) if (Number.isFinite(value)) [low, high] = [Math.min(low, Math.max(value, -17)), Math.max(high, value)];
    const y = (value) => bottom - 2 - ((Math.max(value, low) - low) / (high - low)) * (bottom - top - 4);
    this.frame(pen, top, bottom, [`1e${Math.round(high)}`, `1e${Math.round(low)}`]);
    pen.strokeStyle = BAD;
    pen.setLineDash([4, 3]);
    pen.beginPath();
    pen.moveTo(LEFT, y(Math.log10(tolerance)));
    pen.lineTo(this.canvas.clientWidth - 4, y(Math.log10(tolerance)));
    pen.stroke();
    pen.setLineDash([]);
    this.curve(pen, logs, y, this.colour("ink"));
    pen.fillStyle = this.colour("faint");
    pen.fillText("residual, – – tolerance", LEFT + 6, top - 4);
  }

  /** A band: red where the referee disagrees or a step is not solved. Red is drawn last, so that none is lost. */
  verdicts(pen, top, bottom) {
    const { verdict, stepTime, step } = this.run;
    const marks = [[GOOD, (v) => v === 1], [BAD, (v) => (v & 3) === 2 || v >= 4]];
    for (const [colour, of] of marks) {
      pen.fillStyle = colour;
      for (let i = 0; i < verdict.length; i++) {
        if (!of(verdict[i])) continue;
        const from = Math.floor(this.x(stepTime[i] - step));
        pen.fillRect(from, top, Math.max(Math.ceil(this.x(stepTime[i])) - from, 1), bottom - top);
      }
    }
    pen.fillStyle = this.colour("faint");
    pen.textAlign = "right";
    pen.fillText("referee", LEFT - 4, bottom);
    pen.textAlign = "left";
  }
}
