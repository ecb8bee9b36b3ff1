// What the colours mean, as HTML of the panel: names of groups are buttons that hide them.
import { escaped, rampStops, scaleOf } from "./colours.js";

export function legend(run, kind, groups, hidden) {
  if (groups.length) {
    return groups.map(({ colour, name, bodies }, k) => {
      const shown = bodies.some((body) => !hidden.has(body.name));
      const count = bodies.length > 1 ? ` (${bodies.length})` : "";
      return `<button class="entry" data-group="${k}" aria-pressed="${shown}" title="Show or hide">` +
        `<span class="chip" style="background:${colour}"></span><span>${escaped(name)}${count}</span></button>`;
    }).join("");
  }
  const scale = scaleOf(run, kind, groups);
  if (!scale) return "";
  if (!scale.ramp) return scale.chips.map(([colour, text]) => `<div><span class="chip" style="background:${colour}"></span>${text}</div>`).join("");
  return `<div>${scale.title}</div><div class="ramp" style="background:linear-gradient(to right,${rampStops().join(",")})"></div>` +
    `<div class="ends"><span>${scale.ends[0]}</span><span>${scale.ends[1]}</span></div>`;
}
