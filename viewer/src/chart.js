// Energies, residual and verdict over time, under the scene. A click goes to that time.
import { BAD, GOOD, number } from "./colours.js";

const LEFT = 62;
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
    if (run.nSteps) {
      this.energies(pen, 4, 0.52 * height);
      this.residuals(pen, 0.52 * height + 8, height - 10);
      this.verdicts(pen, height - 7, height - 2);
    }
    pen.fillStyle = this.colour("accent");
    pen.fillRect(this.x(run.times[frame]) - 0.75, 0, 1.5, height);
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
      pen.fillText(name, x, top + 10);
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
    pen.fillText("residual, tolerance", LEFT + 6, top + 10);
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
