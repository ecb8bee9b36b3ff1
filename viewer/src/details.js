// What is known of the body or contact that was picked.
import { STATE_COLOURS, escaped, number } from "./colours.js";

// The page holds velocities and impulses to three digits.
const few = (x) => number(x, 3);
const vector = (list, of = number) => (list ? list.map((x) => of(x)).join(", ") : "–");
const row = (name, value) => `<tr><td>${name}</td><td>${value}</td></tr>`;
const link = (body) => `<a data-body="${escaped(body.name)}">${escaped(body.name)}</a>`;

/** Of q and −q, which are one orientation, the one with w ≥ 0. */
const upper = (q) => (q[0] < 0 ? q.map((c) => -c) : q);

function bodyRows(run, body, frame, part) {
  const velocity = run.sample(body, frame, 7, 3);
  const rows = [
    row("shape", shape(run, body)),
    partRow(run, body, part),
    row("mass", body.mass === null ? "fixed or carried" : `${number(body.mass)} kg`),
    row("material", escaped(run.materials[body.material] ?? "")),
    row("position", `${vector(run.position(body, frame).slice(0, 3))} m`),
    row("quaternion", vector(upper(run.orientation(body, frame)))),
    row("velocity", velocity ? `${vector(velocity, few)} m/s` : "0"),
    row("speed", `${few(run.speed(body, frame))} m/s`),
    row("angular", velocity ? `${vector(run.sample(body, frame, 10, 3), few)} rad/s` : "0"),
  ];
  return rows.join("");
}

function shape(run, { kind, parts }) {
  if (parts.length > 1) return `${escaped(kind)}, ${parts.length} parts`;
  return kind === "half-space" ? kind : `${escaped(kind)} ${vector(shapeLengths(run, parts[0]))} m`;
}

/** The part of a body of several that was clicked, counted as in the tables. */
function partRow(run, { parts }, part) {
  if (parts.length < 2 || part === null) return "";
  const { type } = run.geometries[parts[part].geometry];
  const kind = type === "sphere" ? "ellipsoid" : type;
  return row("part", `${part}: ${kind} ${vector(shapeLengths(run, parts[part]))} m`);
}

/** Semi-axes, half extents, radius and half length; bounds of a polytope are its half extents. */
function shapeLengths(run, part) {
  const geometry = run.geometries[part.geometry];
  if (geometry.type === "cylinder") return [part.scale[0], part.scale[2]];
  if (geometry.type !== "polytope") return part.scale;
  return [0, 1, 2].map((c) => {
    const along = geometry.vertices.map((v) => v[c]);
    return (Math.max(...along) - Math.min(...along)) / 2;
  });
}

function contactRows(run, contact) {
  const force = (impulse) => `${few(impulse)} N s (${few(impulse / run.step)} N)`;
  const size = Math.hypot(...contact.friction);
  return [
    row("bodies", `A ${link(contact.bodies[0])}, B ${link(contact.bodies[1])}`),
    partsRow(contact),
    row("state", `<span class="chip" style="background:${STATE_COLOURS[contact.state]}"></span>${contact.state}`),
    row("touches", `${contact.kind}, ${contact.points} ${contact.points === 1 ? "point" : "points"}`),
    row("facets", `${contact.facets[0]} of A, ${contact.facets[1]} of B`),
    row("point", `${vector(contact.point)} m`),
    row("normal", vector(contact.normal)),
    row("gap", `${few(contact.gap)} m`),
    row("normal impulse", force(contact.push)),
    row("friction", force(size)),
    row("direction", vector(contact.friction, few)),
    row("torsion", `${few(contact.torsion)} N m s`),
    row("slip", `${few(contact.slip)} m/s`),
  ].join("");
}

/** Parts that touch, of bodies that may have several. */
function partsRow({ bodies, parts }) {
  const several = bodies.some((body, k) => body.parts.length > 1 || parts[k] > 0);
  return several ? row("parts", `${parts[0]} of A, ${parts[1]} of B`) : "";
}

/** Contacts of a body, the largest first. */
function contactList(run, body, [from, to]) {
  const id = run.bodies.indexOf(body);
  const own = [];
  for (let i = from; i < to; i++) {
    if (run.contactBodies[0][i] === id || run.contactBodies[1][i] === id) own.push(i);
  }
  own.sort((i, j) => run.contactPush[j] - run.contactPush[i]);
  const line = (i) => {
    const other = run.bodies[run.contactBodies[run.contactBodies[0][i] === id ? 1 : 0][i]];
    const contact = run.contact(i);
    const own = contact.parts[run.contactBodies[0][i] === id ? 0 : 1];
    const part = body.parts.length > 1 ? `part ${own} on ` : "";
    return `<tr><td><a data-contact="${i}">${contact.state}</a></td><td>${part}${escaped(other.name)}, ` +
      `${few(contact.push / run.step)} N, gap ${few(contact.gap)} m</td></tr>`;
  };
  if (!own.length) return "";
  const more = own.length > 12 ? row("", `and ${own.length - 12} more`) : "";
  return `<tr><td colspan="2"><b>${own.length} contacts</b></td></tr>` + own.slice(0, 12).map(line).join("") + more;
}

export class Details {
  constructor(element, select, hide) {
    this.element = element;
    element.addEventListener("click", (event) => {
      const { body, contact } = event.target.dataset;
      if (body !== undefined) select({ body });
      else if (contact !== undefined) select({ contact: Number(contact) });
      else if (event.target.classList.contains("hide")) hide();
      else if (event.target.classList.contains("close")) select({});
    });
  }

  show(run, frame, range, { body, part, contact }) {
    const { element } = this;
    element.hidden = !body && contact === null;
    if (element.hidden) return;
    const close = '<button class="close" title="Close (Esc)">×</button>';
    element.innerHTML = body
      ? `${close}<h2>${escaped(body.name)}</h2><button class="hide" title="Hide this body (v)">Hide</button><table>${bodyRows(run, body, frame, part)}${contactList(run, body, range)}</table>`
      : `${close}<h2>Contact</h2><table>${contactRows(run, run.contact(contact))}</table>`;
  }
}
