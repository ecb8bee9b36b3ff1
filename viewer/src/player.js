// Time: which frame is shown, and playing.

export const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 100];

export class Player {
  constructor(run, changed) {
    this.run = run;
    this.changed = changed;
    this.frame = 0;
    this.playing = false;
    this.time = run.times[0];
    this.speed = this.fittingSpeed();
  }

  get end() {
    return this.run.times[this.run.nFrames - 1];
  }

  /** The same run, some steps later; whoever is at its end stays there. */
  take(run) {
    const wasAtEnd = this.frame === this.run.nFrames - 1 && !this.playing;
    this.run = run;
    if (wasAtEnd) this.seek(run.nFrames - 1);
    else this.seekTime(this.time);
  }

  /** Real time, unless that takes less than 3 s or more than half a minute. */
  fittingSpeed() {
    const length = this.end - this.run.times[0] || 1;
    if (length >= 3 && length <= 30) return 1;
    const slower = SPEEDS.filter((speed) => length / speed >= 3);
    return length > 30 ? (SPEEDS.find((speed) => length / speed <= 30) ?? 100) : (slower.at(-1) ?? SPEEDS[0]);
  }

  seek(frame) {
    this.frame = Math.min(Math.max(Math.round(frame), 0), this.run.nFrames - 1);
    this.time = this.run.times[this.frame];
    this.changed();
  }

  seekTime(time) {
    this.seek(this.run.frameAt(time));
  }

  toggle() {
    this.playing = !this.playing;
    if (this.playing && this.frame === this.run.nFrames - 1) this.seek(0);
    this.last = null;
    this.changed();
  }

  /** Called for every picture of the screen, with its time (ms). */
  tick(now) {
    if (!this.playing) return;
    // A tab that slept goes on where it was.
    const passed = this.last === null ? 0 : Math.min((now - this.last) / 1000, 0.25);
    this.last = now;
    this.time += passed * this.speed;
    const frame = this.run.frameAt(this.time);
    if (this.time >= this.end) this.playing = false;
    if (frame !== this.frame || !this.playing) {
      this.frame = frame;
      this.changed();
    }
  }
}
