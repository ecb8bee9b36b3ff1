// Buttons, keys, and what the address says after #.
import { escaped, number } from "./colours.js";
import { subjectOf } from "./home.js";
import { icon } from "./icons.js";
import { film } from "./movie.js";
import { SPEEDS } from "./player.js";

const MARKERS = ["arrows", "chains", "thrust", "points", "traces", "joints"];
const MARKER_KEYS = { f: "arrows", h: "chains", l: "thrust", p: "points", t: "traces", j: "joints" };
const VIEWS = ["front", "back", "left", "right", "top", "home"];
const KEYS = [
  ["space", "play, pause"], ["← →", "a frame back, on; with shift ten"], ["Home End", "first, last frame"],
  ["+ −", "faster, slower"], ["c", "next colours"], ["f h l p t j", "forces, chains, line of thrust, points, traces, joints"],
  ["x i g", "fixed bodies; see through bodies; walls in front as glass"], ["v", "hide the body that is selected; show all"], ["r", "all bodies as they are now"], ["1 … 6", "front, back, left, right, top, home"],
  ["d", "light or dark"], ["s m", "save a picture, a film"], ["o", "options"], ["Esc", "select nothing"],
  ["drag", "turn; right button or two fingers: move; wheel or pinch: zoom"],
  ["click, tap", "pick a body, or a contact that is drawn"],
];
const get = (id) => document.getElementById(id);

export class Controls {
  constructor(viewer) {
    this.viewer = viewer;
    const { player, run } = viewer;
    document.title = `${run.title} · signorini`;
    get("title").textContent = run.title;
    get("speed").innerHTML = SPEEDS.map((s) => `<option value="${s}">${s} ×</option>`).join("");
    get("help").innerHTML = `<table>${KEYS.map(([k, t]) => `<tr><td><kbd>${k}</kbd></td><td>${escaped(t)}</td></tr>`).join("")}</table>`;
    for (const button of document.querySelectorAll("[data-icon]")) this.label(button, button.dataset.icon, button.textContent);
    const click = (id, action) => get(id).addEventListener("click", action);
    click("play", () => player.toggle());
    click("first", () => player.seek(0));
    click("back", () => player.seek(player.frame - 1));
    click("next", () => player.seek(player.frame + 1));
    click("fit", () => this.view("home"));
    click("theme", () => viewer.setTheme(!viewer.dark));
    click("show-all", () => viewer.showAll());
    get("legend").addEventListener("click", (e) => {
      const entry = e.target.closest("[data-group]");
      if (entry) viewer.toggleGroup(viewer.groups[Number(entry.dataset.group)]);
    });
    click("picture", () => this.save());
    click("movie", () => this.saveMovie());
    click("help-button", () => (get("help").hidden = !get("help").hidden));
    click("fold", () => this.fold());
    get("scrub").addEventListener("input", (e) => player.seek(Number(e.target.value)));
    get("speed").addEventListener("change", (e) => (player.speed = Number(e.target.value)));
    get("colour").addEventListener("change", (e) => viewer.setColour(e.target.value));
    get("force-scale").addEventListener("input", (e) => {
      viewer.markers.scale = 10 ** Number(e.target.value);
      viewer.stale = true;
    });
    for (const name of MARKERS) get(`show-${name}`).addEventListener("change", (e) => viewer.setMarker(name, e.target.checked));
    get("show-fixed").addEventListener("change", (e) => this.fixed(e.target.checked));
    get("show-through").addEventListener("change", (e) => viewer.seeThrough(e.target.checked));
    get("show-glass").addEventListener("change", (e) => viewer.setGlass(e.target.checked));
    get("cut-axis").addEventListener("change", (e) => viewer.setCut(e.target.value));
    get("cut-at").addEventListener("input", (e) => viewer.setCut(viewer.cut.axis, viewer.cutPlace(Number(e.target.value))));
    get("show-shadows").addEventListener("change", (e) => viewer.setShadows(e.target.checked));
    addEventListener("keydown", (event) => this.key(event));
    get("options").hidden = innerWidth < 620;
  }

  /** Icon and words of a button. */
  label(button, name, text) {
    if (button.dataset.shown === name + text) return;
    button.dataset.shown = name + text;
    button.innerHTML = icon(name) + (text ? `<span>${text}</span>` : "");
  }

  fold() {
    get("options").hidden = !get("options").hidden;
    this.viewer.moved = true;
  }

  fixed(on) {
    this.viewer.world.look.fixed = on;
    this.viewer.stale = true;
  }

  /** Looks from a side at what is there now. */
  view(name) {
    const { run, player, stage } = this.viewer;
    stage.view(name, subjectOf(run, [player.frame]));
    this.viewer.moved = true;
  }

  faster(by) {
    const { player } = this.viewer;
    const at = SPEEDS.indexOf(player.speed) + by;
    player.speed = SPEEDS[Math.min(Math.max(at, 0), SPEEDS.length - 1)];
    this.viewer.stale = true;
  }

  save() {
    this.download(this.viewer.picture(), `${this.viewer.run.title}-${this.viewer.player.frame}.png`);
  }

  /** A film of the run from here to its end, at the speed that is set. */
  async saveMovie() {
    const message = get("message");
    const { run, player } = this.viewer;
    const from = player.frame === run.nFrames - 1 ? undefined : run.times[player.frame];
    message.hidden = false;
    try {
      const { bytes } = await film(this.viewer, { from, told: (share) => (message.textContent = `Making the film: ${Math.round(100 * share)} %`) });
      this.download(URL.createObjectURL(new Blob([bytes], { type: "video/webm" })), `${run.title}.webm`);
      message.hidden = true;
    } catch (error) {
      message.textContent = `No film: ${error.message}`;
    }
  }

  download(href, name) {
    const link = document.createElement("a");
    link.href = href;
    link.download = name;
    link.click();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || ["SELECT", "INPUT"].includes(event.target.tagName) && event.target.type !== "checkbox" && event.target.type !== "range") return;
    const { viewer } = this;
    const { player } = viewer;
    const by = event.shiftKey ? 10 : 1;
    const actions = {
      " ": () => player.toggle(),
      ArrowLeft: () => player.seek(player.frame - by),
      ArrowRight: () => player.seek(player.frame + by),
      Home: () => player.seek(0),
      End: () => player.seek(viewer.run.nFrames - 1),
      "+": () => this.faster(1),
      "-": () => this.faster(-1),
      c: () => {
        const options = [...get("colour").options].map((o) => o.value);
        viewer.setColour(options[(options.indexOf(viewer.world.kind) + 1) % options.length]);
      },
      i: () => viewer.seeThrough(!viewer.see),
      g: () => viewer.setGlass(!viewer.withGlass),
      v: () => (viewer.body ? viewer.hide(viewer.body) : viewer.showAll()),
      x: () => this.fixed(!viewer.world.look.fixed),
      r: () => this.view("home"),
      d: () => viewer.setTheme(!viewer.dark),
      s: () => this.save(),
      m: () => this.saveMovie(),
      o: () => this.fold(),
      "?": () => (get("help").hidden = !get("help").hidden),
      Escape: () => {
        get("help").hidden = true;
        viewer.select({});
      },
    };
    VIEWS.forEach((name, k) => (actions[String(k + 1)] = () => this.view(name)));
    for (const [key, name] of Object.entries(MARKER_KEYS)) actions[key] = () => viewer.setMarker(name, !viewer.markers.on[name]);
    const action = actions[event.key] ?? actions[event.key === "=" ? "+" : event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** Brings the controls up to date with what is shown. */
  show() {
    const { viewer } = this;
    const { player, run } = viewer;
    if (player.playing) this.label(get("play"), "pause", "Pause");
    else this.label(get("play"), "play", "Play");
    this.label(get("theme"), "theme", viewer.dark ? "Light" : "Dark");
    get("scrub").max = run.nFrames - 1;
    get("scrub").value = player.frame;
    get("speed").value = player.speed;
    get("colour").value = viewer.world.kind;
    for (const name of MARKERS) get(`show-${name}`).checked = viewer.markers.on[name];
    get("show-fixed").checked = viewer.world.look.fixed;
    get("show-through").checked = viewer.see;
    get("show-glass").checked = viewer.withGlass;
    get("show-shadows").checked = viewer.shadows;
    get("show-all").hidden = viewer.world.hidden.size === 0;
    get("cut-axis").value = viewer.cut.axis;
    get("cut-at").hidden = !viewer.cut.axis;
    get("clock").textContent = `t = ${run.times[player.frame].toFixed(decimals(run.step))} s, step ${run.frameSteps[player.frame]}`;
    get("account").textContent = this.account();
  }

  account() {
    const { run, player } = this.viewer;
    const step = run.stepAt(player.frame);
    if (step < 0) return `${run.bodies.length} bodies, ${run.nFrames} frames`;
    const verdict = ["not judged", "green", "red"][run.verdict[step] & 3];
    const solved = run.verdict[step] >= 4 ? ", not solved" : "";
    return `residual ${number(run.residual[step])}${solved}, referee ${verdict}, ${run.contactCount[step]} contacts, ${run.iterations[step]} iterations`;
  }

  /** #t=0.5&colour=speed&show=arrows,points&select=NAME&view=front …, as docs/guide/viewer.md lists. */
  readAddress() {
    const { viewer } = this;
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (wanted.has("theme")) viewer.setTheme(wanted.get("theme") === "dark");
    if (wanted.has("colour")) viewer.setColour(wanted.get("colour"));
    if (wanted.has("show")) {
      const shown = wanted.get("show").split(",");
      MARKERS.forEach((name) => viewer.setMarker(name, shown.includes(name)));
    }
    if (wanted.has("through")) viewer.seeThrough(wanted.get("through") !== "0");
    if (wanted.has("shadows")) viewer.setShadows(wanted.get("shadows") !== "0");
    if (wanted.has("glass")) viewer.setGlass(wanted.get("glass") !== "0");
    if (wanted.has("beside")) viewer.beside = wanted.get("beside") !== "0";
    if (wanted.has("hide")) viewer.hideNamed(wanted.get("hide").split(","));
    if (wanted.has("cut")) {
      const [axis, at] = wanted.get("cut").split(":");
      viewer.setCut(axis, at === undefined ? undefined : Number(at));
    }
    if (wanted.has("select")) viewer.select({ body: wanted.get("select") });
    if (wanted.has("scale")) viewer.markers.scale = Number(wanted.get("scale")) || 1;
    document.body.classList.toggle("bare", wanted.get("bare") === "1");
    for (const side of ["width", "height"]) {
      if (wanted.has(side)) Object.assign(get("stage").style, { [side]: `${wanted.get(side)}px`, flex: "none" });
    }
    if (wanted.has("t")) viewer.player.seekTime(Number(wanted.get("t")));
    if (wanted.has("frame")) viewer.player.seek(Number(wanted.get("frame")));
    viewer.resize();
    if (wanted.get("fit") === "now") this.view(wanted.get("view") ?? "home");
    else viewer.stage.view(wanted.get("view") ?? "home");
    if (wanted.has("zoom")) viewer.stage.zoom(Number(wanted.get("zoom")) || 1);
    viewer.stale = true;
    return wanted;
  }

  /** `deliver` in the address: sends a picture or a film to the program that served the page. */
  async deliver(wanted) {
    const number = (name) => (wanted.has(name) ? Number(wanted.get(name)) : undefined);
    const send = (path, body) => fetch(path, { method: "POST", body });
    const make = () => film(this.viewer, {
      fps: number("fps"), speed: number("speed"), from: number("from"), to: number("to"),
      told: throttled((share) => send("progress", String(share))),
    });
    try {
      const blob = wanted.get("deliver") === "film"
        ? new Blob([(await make()).bytes])
        : await new Promise((done) => {
            this.viewer.composed().toBlob(done, "image/png");
          });
      await send("result", blob);
    } catch (error) {
      await send("fault", error.message);
    }
  }
}

/** A function that is called at most once a second. */
function throttled(call) {
  let last = 0;
  return (value) => {
    if (performance.now() - last < 1000) return;
    last = performance.now();
    call(value);
  };
}

/** Digits after the point that tell steps apart. */
function decimals(step) {
  return Math.min(Math.max(Math.ceil(-Math.log10(step)) + 1, 3), 9);
}
