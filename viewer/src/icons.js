// Icons of buttons: paths in a square of 16.
const PATHS = {
  menu: "M2 4h12M2 8h12M2 12h12",
  fit: "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4M6 6h4v4H6z",
  theme: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12",
  picture: "M2 5h3l1-2h4l1 2h3v8H2zM8 11a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4",
  movie: "M2 3h9v10H2zM11 7l3.5-2v6L11 9",
  help: "M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.300 8.600 8 9 8 10M8 12.600v.6",
  first: "M3 3v10M13 3 6 8l7 5z",
  back: "M11 3 4 8l7 5z",
  play: "M4 2.500 13 8l-9 5.500z",
  pause: "M4 3h2.500v10H4zM9.500 3H12v10H9.500z",
  next: "M5 3l7 5-7 5z",
};
const FILLED = ["first", "back", "play", "pause", "next"];

/** An icon, as HTML. */
export function icon(name) {
  const fill = FILLED.includes(name) ? "currentColor" : "none";
  return `<svg class="icon" viewBox="0 0 16 16" fill="${fill}" aria-hidden="true"><path d="${PATHS[name]}"/></svg>`;
}
